// SPDX-License-Identifier: Apache-2.0
// The pressure solver on a device: bench_poisson [NX NY NZ]... (512 512 128). Each phase and the whole, by
// every method in double and float: median and range of 21 runs, each after 256 MB have been written to empty
// the L2 cache, with the time that the bytes counted for it take at 4.3 TB/s. Then PoissonSolver, from host
// array to host array, and on the host with one thread: medians of five.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "benchmarks/thesis/pipeline.hpp"
#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/random.hpp"
#include "core/exec/stream.hpp"
#include "core/poisson/column_solver.hpp"
#include "core/poisson/phases.hpp"
#include "core/poisson/solver.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;

constexpr double floor_bandwidth = 4.3e12;

struct Bench {
  Cuda cuda;
  Array<std::byte, Cuda> flush;

  /// Prints and returns the median time of `work`, before which `prepare` runs each time.
  template <class Prepare, class Work>
  double run(char const* name, double bytes, Prepare const& prepare, Work const& work) {
    Event begin(cuda, Event::Timed::yes), end(cuda, Event::Timed::yes);
    std::array<double, 21> seconds;
    prepare();
    work();
    for (auto& time : seconds) {
      prepare();
      flush.fill_zero();
      begin.record(cuda);
      work();
      end.record(cuda);
      end.wait();
      time = seconds_between(begin, end);
    }
    std::sort(seconds.begin(), seconds.end());
    auto const median = seconds[seconds.size() / 2];
    std::printf("  %-26s %9.1f  [%.1f, %.1f] us", name, 1e6 * median, 1e6 * seconds.front(),
                1e6 * seconds.back());
    if (bytes > 0) {
      std::printf("  floor %.1f us (%.0f MB), %.2f times", 1e6 * bytes / floor_bandwidth, 1e-6 * bytes,
                  median / (bytes / floor_bandwidth));
    }
    std::printf("\n");
    return median;
  }
};

/// Each of the study's operations, and its share of their sum (those of the layout left out).
template <class T>
void bench_operations(Bench& bench, ThesisPhases<T>& phases, T* planes) {
  auto const& operations = phases.operations();
  std::vector<double> seconds;
  double sum = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    auto const& [name, bytes, layout] = operations[i];
    seconds.push_back(bench.run(
        name.c_str(), bytes, [] {}, [&] { phases.run(i, planes); }));
    if (!layout) sum += seconds.back();
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!operations[i].layout) {
      std::printf("  %-26s %5.1f %%\n", operations[i].name.c_str(), 100 * seconds[i] / sum);
    }
  }
}

template <class T>
std::vector<T> noise(std::int64_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<T>(uniform_symmetric(1, 0, 0, i & ((1 << 20) - 1)));
  }
  return values;
}

template <class T>
void bench_type(Bench& bench, PoissonGrid const& grid, char const* type) {
  auto const cuda = bench.cuda;
  auto const values = noise<T>(grid.plane() * grid.nz);
  Array<T, Cuda> fresh(cuda, grid.plane() * grid.nz), planes(cuda, grid.plane() * grid.nz);
  fresh.from_host(values.data());
  T* const data = planes.view().data();
  auto const renew = [&] { planes.copy_from(fresh); };
  auto const complex = static_cast<double>(planes.bytes());
  std::printf("%s, %d x %d x %d\n", type, grid.nx, grid.ny, grid.nz);
  {
    auto const columns = make_column_solver<T, Exact>(cuda, grid, ColumnPasses::fewest);
    bench.run("columns, fewest passes", 2 * complex, renew, [&] { columns->solve(data); });
  }
  {
    auto const columns = make_column_solver<T, Exact>(cuda, grid, ColumnPasses::two);
    bench.run("columns, two passes", 2 * complex, renew, [&] { columns->solve(data); });
  }
  auto const run = [&](char const* name, PoissonPhases<T>& phases) {
    auto const bytes = phases.minimal_bytes();
    std::printf(" %s: %lld bytes a cell besides the planes\n", name,
                static_cast<long long>(phases.work_bytes() / grid.cells()));
    bench.run("forward", bytes[0], renew, [&] { phases.forward(data); });
    bench.run("tridiagonal", bytes[1], renew, [&] { phases.tridiagonal(data); });
    bench.run("inverse", bytes[2], renew, [&] { phases.inverse(data); });
    bench.run("all", bytes[0] + bytes[1] + bytes[2], renew, [&] { phases.solve(data); });
  };
  auto const unless_refused = [](char const* name, auto const& work) {
    try {
      work();
    } catch (InputError const& error) {
      std::printf(" %s: %s\n", name, error.what());
    }
  };
  for (auto const method : poisson_methods()) {
    unless_refused(name_of(method),
                   [&] { run(name_of(method), *make_poisson_phases<T, Exact>(cuda, grid, method)); });
  }
  for (bool const six : {true, false}) {
    auto const* const name = six ? "thesis_a0" : "thesis_a1";
    unless_refused(name, [&] {
      auto const thesis = make_thesis_phases<T>(cuda, grid, six);
      run(name, *thesis);
      bench_operations(bench, *thesis, data);
    });
  }
}

void bench_solver(PoissonGrid const& grid) {
  auto const rhs = noise<double>(grid.cells());
  std::vector<double> pressure(rhs.size());
  auto const median_of_five = [&](PoissonSolver&& solver) {
    std::array<PoissonSeconds, 5> calls;
    solver.solve(rhs.data(), pressure.data());
    for (auto& seconds : calls) {
      solver.solve(rhs.data(), pressure.data());
      seconds = solver.seconds();
    }
    std::sort(calls.begin(), calls.end(), [](auto const& a, auto const& b) { return a.total < b.total; });
    return calls[calls.size() / 2];
  };
  auto const serial = median_of_five(PoissonSolver(grid, "cpu", "fp64", PoissonMethod::vendor, 1));
  std::printf("on the host, FFTW, fp64, 1 thread: %.2f ms (forward %.2f, columns %.2f, inverse %.2f)\n",
              1e3 * serial.total, 1e3 * serial.forward, 1e3 * serial.tridiagonal, 1e3 * serial.inverse);
  for (char const* precision : {"fp64", "fp32"}) {
    for (int const threads : {1, 4, 16}) {
      auto const s = median_of_five(PoissonSolver(grid, "cuda", precision, PoissonMethod::vendor, threads));
      std::printf(
          "host to host, %s, %d threads: %.2f ms (in %.2f, columns %.2f, out %.2f), %.1f times as fast\n",
          precision, threads, 1e3 * s.total, 1e3 * s.forward, 1e3 * s.tridiagonal, 1e3 * s.inverse,
          serial.total / s.total);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Stream const stream;
    auto const cuda = stream.executor();
    Bench bench{cuda, Array<std::byte, Cuda>(cuda, 256 << 20)};
    std::printf("device copy bandwidth: %.0f GB/s (read and written)\n", 1e-9 * copy_bandwidth(cuda.ordinal));
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
    if (sizes.size() % 3 != 0) throw InputError("sizes come in threes (nx ny nz) give all of them");
    if (sizes.empty()) sizes = {512, 512, 128};
    for (std::size_t i = 0; i < sizes.size(); i += 3) {
      auto const grid = uniform_poisson_grid(sizes[i], sizes[i + 1], sizes[i + 2], 2, 2, 2);
      bench_type<float>(bench, grid, "float");
      bench_type<double>(bench, grid, "double");
      bench_solver(grid);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
