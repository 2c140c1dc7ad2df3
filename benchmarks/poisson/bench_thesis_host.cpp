// SPDX-License-Identifier: Apache-2.0
// The pipeline of a study of PALM's pressure solver on the host with one thread, and our solvers beside it:
// bench_thesis_host [NX NY NZ]... (64 64 64). Phases, the whole and the pipeline's operations, in double and
// float: median and range of seven runs after a first.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "benchmarks/thesis/pipeline.hpp"
#include "core/exec/host.hpp"
#include "core/exec/random.hpp"
#include "core/poisson/phases.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;

/// Prints and returns the median time of `work`, before which `prepare` runs each time.
template <class Prepare, class Work>
double run(char const* name, Prepare const& prepare, Work const& work) {
  using Clock = std::chrono::steady_clock;
  std::array<double, 7> seconds;
  prepare();
  work();
  for (auto& time : seconds) {
    prepare();
    auto const begin = Clock::now();
    work();
    time = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  std::sort(seconds.begin(), seconds.end());
  auto const median = seconds[seconds.size() / 2];
  std::printf("  %-26s %9.1f  [%.1f, %.1f] us\n", name, 1e6 * median, 1e6 * seconds.front(),
              1e6 * seconds.back());
  return median;
}

template <class T>
void bench_type(PoissonGrid const& grid, char const* type) {
  Host const host{1};
  std::vector<T> fresh(static_cast<std::size_t>(grid.plane() * grid.nz));
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    fresh[i] = static_cast<T>(uniform_symmetric(1, 0, 0, static_cast<std::int64_t>(i & ((1 << 20) - 1))));
  }
  auto planes = fresh;
  auto* const data = planes.data();
  auto const renew = [&] { planes = fresh; };
  std::printf("%s, %d x %d x %d\n", type, grid.nx, grid.ny, grid.nz);
  auto const bench = [&](char const* name, PoissonPhases<T>& phases) {
    std::printf(" %s: %lld bytes a cell besides the planes\n", name,
                static_cast<long long>(phases.work_bytes() / grid.cells()));
    run("forward", renew, [&] { phases.forward(data); });
    run("tridiagonal", renew, [&] { phases.tridiagonal(data); });
    run("inverse", renew, [&] { phases.inverse(data); });
    run("all", renew, [&] { phases.solve(data); });
  };
  for (auto const method : poisson_methods()) {
    bench(name_of(method), *make_poisson_phases<T, Exact>(host, grid, method));
  }
  for (bool const six : {true, false}) {
    auto const thesis = make_thesis_phases<T>(host, grid, six);
    bench(six ? "thesis_a0" : "thesis_a1", *thesis);
    auto const& operations = thesis->operations();
    std::vector<double> seconds;
    double sum = 0;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      seconds.push_back(run(
          operations[i].name.c_str(), [] {}, [&] { thesis->run(i, data); }));
      if (!operations[i].layout) sum += seconds.back();
    }
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (!operations[i].layout) {
        std::printf("  %-26s %5.1f %%\n", operations[i].name.c_str(), 100 * seconds[i] / sum);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
    if (sizes.size() % 3 != 0) throw InputError("sizes come in threes (nx ny nz) give all of them");
    if (sizes.empty()) sizes = {64, 64, 64};
    for (std::size_t i = 0; i < sizes.size(); i += 3) {
      auto const grid = uniform_poisson_grid(sizes[i], sizes[i + 1], sizes[i + 2], 2, 2, 2);
      bench_type<float>(grid, "float");
      bench_type<double>(grid, "double");
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
