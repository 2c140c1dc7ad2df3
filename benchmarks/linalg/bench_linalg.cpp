// SPDX-License-Identifier: Apache-2.0
// Poisson's equation on n^3 points: bench_linalg cpu|cuda THREADS MASS N... Times are medians of seven in ms;
// a floor is the bytes that must be read or written once.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/exec/random.hpp"
#include "core/linalg/krylov.hpp"
#include "core/linalg/multigrid.hpp"
#include "core/linalg/pattern.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::linalg;

struct Matrix {
  HostPattern pattern;
  std::vector<double> value;
};

Matrix poisson(std::int32_t n, double mass) {
  Matrix a;
  a.pattern.columns = n * n * n;
  std::int32_t const step[3] = {1, n, n * n};
  for (std::int32_t row = 0; row < n * n * n; ++row) {
    std::int32_t const at[3] = {row % n, row / n % n, row / (n * n)};
    auto const put = [&](std::int32_t column, double value) {
      a.pattern.column.push_back(column);
      a.value.push_back(value);
    };
    for (int axis = 2; axis >= 0; --axis) {
      if (at[axis] > 0) put(row - step[axis], -1);
    }
    put(row, 6 + mass);
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] + 1 < n) put(row + step[axis], -1);
    }
    a.pattern.start.push_back(static_cast<std::int32_t>(a.pattern.column.size()));
  }
  return a;
}

template <class Executor, class Work>
double milliseconds(Executor executor, int times, Work const& work) {
  std::vector<double> all;
  for (int n = 0; n < times; ++n) {
    synchronize(executor);
    auto const begin = std::chrono::steady_clock::now();
    work();
    synchronize(executor);
    all.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

template <class Executor>
void measure(Executor executor, std::int32_t n, double mass) {
  using T = double;
  auto const host = poisson(n, mass);
  SparsePattern<Executor> const pattern(executor, host.pattern.view());
  Array<T, Executor> value(executor, pattern.entries()), b(executor, pattern.rows()),
      x(executor, pattern.rows());
  value.from_host(host.value.data());
  std::vector<T> random(host.pattern.start.size() - 1);
  for (std::size_t i = 0; i < random.size(); ++i) {
    random[i] = uniform_symmetric(1, 0, 0, static_cast<std::int64_t>(i));
  }
  b.from_host(random.data());
  CsrView<T const> const matrix{pattern.view(), value.view().data()};
  MatrixOperator<T, T, Executor> multiply(executor, matrix);
  Jacobi<T, T, Executor> jacobi(executor, matrix);
  Reducer<Executor> reducer(executor);
  Scalar<T, Executor> sum(executor);
  auto const* const right = b.view().data();
  auto* const solution = x.view().data();
  auto const rows = static_cast<double>(pattern.rows()), entries = static_cast<double>(pattern.entries());
  std::printf("rows %.0f, entries %.0f\n", rows, entries);
  auto const product_bytes = 12 * entries + 20 * rows;
  std::printf("  product      %10.4f ms, floor %.2f MB\n",
              milliseconds(executor, 7, [&] { multiply.apply(right, solution); }), product_bytes / 1e6);
  std::printf("  dot          %10.4f ms, floor %.2f MB\n",
              milliseconds(executor, 7, [&] { reducer.dot_to(b.view(), x.view(), sum); }), 16 * rows / 1e6);
  auto const solve = [&](char const* name, LinearOperator<T, Executor>* preconditioner) {
    ConjugateGradients<T, Executor> cg(executor, pattern.rows(), {.relative = 1e-8, .iterations = 2000},
                                       Norm::unpreconditioned);
    SolveReport report;
    auto const time = milliseconds(executor, 1, [&] {
      x.fill_zero();
      report = cg.solve(multiply, preconditioner, right, solution);
    });
    std::printf("  cg %-9s %10.3f ms, %d iterations, residual %.2e%s\n", name, time, report.iterations,
                report.residual / report.reference,
                report.outcome == Outcome::converged ? "" : " NOT CONVERGED");
  };
  solve("jacobi", &jacobi);
  auto const begin = std::chrono::steady_clock::now();
  Multigrid<T, Executor> multigrid(executor, matrix);
  synchronize(executor);
  std::printf("  mg set-up    %10.3f ms, rows",
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  double all_entries = 0;
  for (int level = 0; level < multigrid.levels(); ++level) {
    std::printf(" %lld", static_cast<long long>(multigrid.rows(level)));
    all_entries += static_cast<double>(multigrid.entries(level));
  }
  std::printf(", entries of all levels per entry %.2f\n", all_entries / entries);
  std::printf("  mg update    %10.3f ms\n", milliseconds(executor, 1, [&] { multigrid.update(); }));
  std::printf("  V-cycle      %10.3f ms\n",
              milliseconds(executor, 7, [&] { multigrid.apply(right, solution); }));
  solve("multigrid", &multigrid);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: bench_linalg cpu|cuda THREADS MASS N...\n");
    return 2;
  }
  try {
    for (int k = 4; k < argc; ++k) {
      auto const n = static_cast<std::int32_t>(std::atoi(argv[k]));
      auto const mass = std::atof(argv[3]);
      if (std::string(argv[1]) == "cpu") {
        measure(Host{std::atoi(argv[2])}, n, mass);
      } else {
#if defined(ULPINE_HAS_CUDA)
        Stream const stream;
        measure(stream.executor(), n, mass);
#else
        throw EnvironmentError("no CUDA (this build has none) take cpu");
#endif
      }
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
