// SPDX-License-Identifier: Apache-2.0
// The columns of 64 levels on the host; the arguments are the cells along x and y and the number of threads.
#include <benchmark/benchmark.h>

#include <vector>

#include "core/exec/random.hpp"
#include "core/poisson/column_solver.hpp"

namespace {

using namespace ulpine;

template <class T>
void columns(benchmark::State& state) {
  auto const n = static_cast<std::int32_t>(state.range(0));
  auto const grid = uniform_poisson_grid(n, n, 64, 1, 1, 1);
  auto const solver = make_column_solver<T, Exact>(Host{static_cast<int>(state.range(1))}, grid);
  std::vector<T> planes(static_cast<std::size_t>(grid.plane() * grid.nz));
  for (std::size_t i = 0; i < planes.size(); ++i) {
    planes[i] = static_cast<T>(uniform_symmetric(1, 0, 0, static_cast<std::int64_t>(i)));
  }
  // The solution of a solution tends to nothing, which is slow to compute with: a fresh one each time.
  auto values = planes;
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    values = planes;
    state.ResumeTiming();
    solver->solve(values.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(planes.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * planes.size() * sizeof(T)));
}
BENCHMARK(columns<double>)->ArgsProduct({{64, 256}, {1, 2}})->UseRealTime();
BENCHMARK(columns<float>)->ArgsProduct({{64, 256}, {1, 2}})->UseRealTime();

}  // namespace
