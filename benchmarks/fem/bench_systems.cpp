// SPDX-License-Identifier: Apache-2.0
// Our solvers on a device: bench_systems CASE [WIDTH (48)] [--write FOLDER]. The linear systems after three
// steps of a case of a box, WIDTH cells along x and y and 3/4 of that along z, each solved from 0 to the
// model's tolerances: iterations, and the median and range of 15 solves in ms. --write leaves the scalar's
// matrix and the one that the pressure's multigrid is made of, for solvers of others (beside_python.py).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "benchmarks/fem/case_of_width.hpp"
#include "benchmarks/fem/frame.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/fem/pressure_solver.hpp"
#include "tests/fem/model_systems.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

template <class V>
Array<V, Cuda> placed(Cuda cuda, V const* values, std::int64_t count) {
  Array<V, Cuda> array(cuda, count);
  array.from_host(values);
  return array;
}

/// A pattern on the device.
struct Pattern {
  Array<std::int32_t, Cuda> start, column;
  CsrPattern view;

  Pattern(Cuda cuda, CsrPattern host)
      : start{placed(cuda, host.start, std::int64_t{host.rows} + 1)},
        column{placed(cuda, host.column, host.entries())},
        view{host.rows, host.columns, start.view().data(), column.view().data(), host.lanes} {}
};

template <class Solve>
void report_times(Cuda cuda, char const* name, Solve const& solve) {
  std::vector<double> times;
  linalg::SolveReport report;
  for (int n = 0; n < 18; ++n) {
    synchronize(cuda);
    auto const begin = std::chrono::steady_clock::now();
    report = solve();
    synchronize(cuda);
    auto const taken = std::chrono::steady_clock::now() - begin;
    if (n >= 3) times.push_back(std::chrono::duration<double, std::milli>(taken).count());
  }
  bench::Times const of(times);
  std::printf("%-44s %3d%s  %8.3f [%.3f, %.3f] ms\n", name, report.iterations,
              report.outcome == linalg::Outcome::converged ? "" : " (not solved)", of.median, of.least,
              of.most);
}

void rates(Cuda cuda, Pattern const& pattern, test::System const& system, SolverOptions const& options) {
  auto const value = placed(cuda, system.value.data(), static_cast<std::int64_t>(system.value.size()));
  auto const right = placed(cuda, system.right.data(), pattern.view.rows);
  Array<double, Cuda> x(cuda, pattern.view.rows);
  CsrView<double const> const matrix{pattern.view, value.view().data()};
  for (auto const& [method, name] :
       {std::pair{Method::bicgstab, "scalar, bicgstab, Jacobi"},
        std::pair{Method::gcr, "scalar, gcr, Jacobi"}, std::pair{Method::gmres, "scalar, gmres, Jacobi"}}) {
    auto own = options;
    own.method = method;
    linalg::MatrixOperator<double, double, Cuda> product(cuda, matrix);
    linalg::Jacobi<double, double, Cuda> diagonal(cuda, matrix);
    auto const krylov = make_krylov<double>(cuda, product.size(), own, 2, {});
    report_times(cuda, name, [&] {
      return solve_from_zero<double>(cuda, *krylov, product, diagonal, own, name, right.view().data(),
                                     x.view().data());
    });
  }
}

/// What a kernel of a solve takes on an H200 (docs/results/fem.md): a start, and its bytes, of which those
/// that the cache has no room for come from memory.
class KernelTimes {
 public:
  /// `held`: bytes that an iteration reads.
  explicit KernelTimes(std::int64_t held) {
    auto const found = std::min(1.0, cache / static_cast<double>(held));
    of_byte_ = found / cached + (1 - found) / streamed;
  }
  double kernel(std::int64_t bytes) const { return start + of_byte_ * static_cast<double>(bytes); }
  /// `count` inner products in one launch, one or four.
  static double products(int count, std::int64_t rows) {
    auto const n = static_cast<double>(rows);
    return count == 1 ? 5.0 + 4.9e-6 * n : 8.1 + 16.4e-6 * n;
  }

 private:
  static constexpr double start = 2.3;                       ///< us
  static constexpr double cached = 6.5e6, streamed = 2.3e6;  ///< bytes a us
  static constexpr double cache = 50e6;                      ///< bytes
  double of_byte_;
};

/// The bytes that each kernel of a multigrid cycle in float moves.
std::vector<std::int64_t> bytes_of_cycle(linalg::Multigrid<float, Cuda> const& multigrid) {
  auto const degree = linalg::MultigridOptions{}.degree;
  std::vector<std::int64_t> bytes{12 * multigrid.rows(0)};
  for (int n = 0; n < multigrid.levels(); ++n) {
    auto const rows = multigrid.rows(n);
    auto const last = n + 1 == multigrid.levels();
    if (last && multigrid.direct()) {
      bytes.push_back(4 * rows * rows);
      continue;
    }
    // The first step of smoothing reads no matrix; a residual is taken where there is a coarser level.
    auto const sweeps = static_cast<std::size_t>(2 * degree - (last ? 1 : 0));
    bytes.insert(bytes.end(), sweeps, 8 * multigrid.entries(n) + 24 * rows);
    if (!last) bytes.insert(bytes.end(), 2, 8 * multigrid.transfer_entries(n) + 12 * rows);
  }
  return bytes;
}

/// A solve's time in ms from counts alone: of conjugate residuals with such a cycle, in numbers of `value`
/// bytes.
double predicted(linalg::Multigrid<float, Cuda> const& multigrid, std::int64_t entries, std::int64_t value,
                 int iterations) {
  auto const rows = multigrid.rows(0);
  auto const cycle = bytes_of_cycle(multigrid);
  auto const force = entries * (5 * value + 4) + 6 * value * rows,
             product = entries * (4 * value + 4) + 6 * value * rows, step = 12 * value * rows;
  auto held = force + product + step;
  for (int n = 0; n < multigrid.levels(); ++n) held += 8 * multigrid.entries(n) + 24 * multigrid.rows(n);
  for (int n = 0; n + 1 < multigrid.levels(); ++n) held += 2 * 8 * multigrid.transfer_entries(n);
  KernelTimes const of(held);
  auto first = KernelTimes::products(1, rows);
  for (auto const bytes : cycle) first += of.kernel(bytes);
  // Another kernel decides whether the loop goes on.
  auto const rest =
      of.kernel(force) + of.kernel(product) + of.kernel(step) + of.kernel(0) + KernelTimes::products(4, rows);
  return 1e-3 * ((iterations + 1) * first + iterations * rest);
}

template <class T>
Array<T, Cuda> rounded(Cuda cuda, double const* values, std::int64_t count) {
  std::vector<T> const own(values, values + count);
  return placed(cuda, own.data(), count);
}

/// The pressure's system in T.
template <class T>
void pressure(Cuda cuda, Pattern const& pattern, test::ModelSystems const& model) {
  auto const host = model.pressure();
  auto const rows = std::int64_t{pattern.view.rows}, entries = std::int64_t{model.pattern().entries()};
  auto const fixed = placed(cuda, host.fixed, rows);
  auto const divergence = rounded<T>(cuda, host.divergence, 3 * entries),
             gradient = rounded<T>(cuda, host.gradient, 3 * entries),
             projection = rounded<T>(cuda, host.projection, entries),
             diffusion = rounded<T>(cuda, host.diffusion, entries),
             inverse_mass = rounded<T>(cuda, host.inverse_mass, rows),
             weight = rounded<T>(cuda, host.weight, rows),
             near = rounded<T>(cuda, model.helmholtz().value, entries),
             right = rounded<T>(cuda, model.pressure_right().data(), rows);
  PressureSystem<T> const system{pattern.view,
                                 fixed.view().data(),
                                 divergence.view().data(),
                                 gradient.view().data(),
                                 projection.view().data(),
                                 diffusion.view().data(),
                                 inverse_mass.view().data(),
                                 weight.view().data()};
  Array<T, Cuda> x(cuda, rows);
  struct Way {
    char const* name;
    Method method;
    bool narrow;
  };
  auto const in_double = std::is_same_v<T, double>;
  std::printf("the pressure in %s:\n", in_double ? "double" : "float");
  for (auto const& way : {Way{"pressure, gcr, multigrid in float", Method::gcr, true},
                          Way{"pressure, gcr, multigrid in double", Method::gcr, false},
                          Way{"pressure, cg, multigrid in float", Method::cg, true},
                          Way{"pressure, bicgstab, multigrid in double", Method::bicgstab, false}}) {
    if (!in_double && !way.narrow) continue;
    auto options = model.parameters().pressure;
    options.must_converge = false;
    options.method = way.method;
    options.narrow = way.narrow;
    PressureSolver<T, Cuda> solver(cuda, system, near.view().data(), options);
    report_times(cuda, way.name, [&] {
      solver.solve(right.view().data(), x.view().data());
      return solver.report();
    });
    if (way.method != Method::gcr || !way.narrow) continue;
    auto const in_float = rounded<float>(cuda, model.helmholtz().value, entries);
    linalg::Multigrid<float, Cuda> const multigrid(cuda, {pattern.view, in_float.view().data()});
    std::printf("%-44s %12.3f ms; levels:", "as predicted from counts",
                predicted(multigrid, entries, sizeof(T), solver.report().iterations));
    for (int n = 0; n < multigrid.levels(); ++n) {
      std::printf(" %lld rows, %lld entries;", static_cast<long long>(multigrid.rows(n)),
                  static_cast<long long>(multigrid.entries(n)));
    }
    std::printf("\n");
  }
  PressureSolver<T, Cuda> solver(cuda, system, near.view().data(), model.parameters().pressure);
  report_times(cuda, "ten products with the pressure's operator", [&] {
    for (int n = 0; n < 10; ++n) solver.matrix().apply(right.view().data(), x.view().data());
    return linalg::SolveReport{linalg::Outcome::converged};
  });
}

template <class V>
void write(std::string const& path, V const* values, std::int64_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<char const*>(values), count * static_cast<std::int64_t>(sizeof(V)));
  if (!file) throw EnvironmentError(path + " cannot be written");
}

/// Plain binary numbers: NAME.start, NAME.column (32-bit), NAME.value and NAME.right (double).
void write(std::string const& name, CsrView<double const> matrix, std::vector<double> const& right) {
  write(name + ".start", matrix.pattern.start, std::int64_t{matrix.pattern.rows} + 1);
  write(name + ".column", matrix.pattern.column, matrix.pattern.entries());
  write(name + ".value", matrix.value, matrix.pattern.entries());
  write(name + ".right", right.data(), static_cast<std::int64_t>(right.size()));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int width = 48;
    std::string folder;
    for (int k = 2; k < argc; ++k) {
      if (std::string_view(argv[k]) == "--write" && k + 1 < argc) {
        folder = argv[++k];
      } else {
        width = std::atoi(argv[k]);
      }
    }
    if (argc < 2 || width < 4 || width > 256) {
      std::fprintf(stderr, "bench_systems CASE [WIDTH, 4 to 256] [--write FOLDER]\n");
      return 2;
    }
    test::ModelSystems const model(bench::case_of_width(argv[1], width), 3);
    std::printf("%d nodes, %d entries\n", model.nodes(), model.pattern().entries());
    if (!folder.empty()) {
      write(folder + "/scalar", model.scalar().view(), model.scalar().right);
      write(folder + "/near", model.helmholtz(), model.pressure_right());
    }
    Stream const stream;
    auto const cuda = stream.executor();
    Pattern const pattern(cuda, model.pattern());
    auto options = model.parameters().velocity;
    options.must_converge = false;
    rates(cuda, pattern, model.scalar(), options);
    pressure<double>(cuda, pattern, model);
    pressure<float>(cuda, pattern, model);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
