// SPDX-License-Identifier: Apache-2.0
// Our solvers beside themselves in 113 bits, on the host: bench_histories CASE [WIDTH] [--csv FILE]. The
// linear systems after three steps of a case in double, as it is or of a box with WIDTH cells along x and y
// and 3/4 of that along z, each from 0 to the model's tolerances: by each method in double, with the
// multigrid in float and, all numbers rounded to it, in float; and in 113 bits with the same numbers. The
// columns: iterations; the residual in the method's norm after some of them, relative; the first iteration at
// which it is more than 1 % off that in 113 bits; the residual of the solution found, computed in 113 bits,
// preconditioned (B r) and plain. The file has all iterations, a line each.
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "benchmarks/fem/case_of_width.hpp"
#include "core/fem/pressure_solver.hpp"
#include "tests/fem/model_systems.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

template <class T, class From>
std::vector<T> converted(std::vector<From> const& from) {
  std::vector<T> to;
  to.reserve(from.size());
  for (auto const& value : from) to.push_back(static_cast<T>(value));
  return to;
}
template <class T, class From>
std::vector<T> converted(From const* from, std::int64_t count) {
  return converted<T>(std::vector<From>(from, from + count));
}

/// A system for rates of change with the diagonal as preconditioner, its numbers converted to T.
template <class T, linalg::Blocks blocks>
class Rates {
 public:
  template <class From>
  Rates(CsrPattern pattern, std::vector<From> const& value, std::vector<From> const& right)
      : value_{converted<T>(value)},
        right_{converted<T>(right)},
        matrix_(Host{}, {pattern, value_.data()}),
        preconditioner_(Host{}, {pattern, value_.data()}) {}

  linalg::LinearOperator<T, Host>& matrix() { return matrix_; }
  linalg::LinearOperator<T, Host>& preconditioner() { return preconditioner_; }
  std::vector<T> const& right() const { return right_; }

 private:
  std::vector<T> value_, right_;
  linalg::MatrixOperator<T, T, Host, blocks> matrix_;
  linalg::Jacobi<T, T, Host, blocks> preconditioner_;
};

/// The numbers of a pressure's system.
template <class T>
struct PressureNumbers {
  CsrPattern pattern;
  std::uint8_t const* fixed;
  std::vector<T> divergence, gradient, projection, diffusion, inverse_mass, weight, near, right;

  explicit PressureNumbers(test::ModelSystems const& model)
      : pattern{model.pattern()},
        fixed{model.pressure().fixed},
        near{converted<T>(model.helmholtz().value, pattern.entries())},
        right{converted<T>(model.pressure_right())} {
    auto const of = model.pressure();
    auto const rows = std::int64_t{pattern.rows}, entries = std::int64_t{pattern.entries()};
    divergence = converted<T>(of.divergence, 3 * entries), gradient = converted<T>(of.gradient, 3 * entries);
    projection = converted<T>(of.projection, entries), diffusion = converted<T>(of.diffusion, entries);
    inverse_mass = converted<T>(of.inverse_mass, rows), weight = converted<T>(of.weight, rows);
  }
  template <class From>
  explicit PressureNumbers(PressureNumbers<From> const& from)
      : pattern{from.pattern},
        fixed{from.fixed},
        divergence{converted<T>(from.divergence)},
        gradient{converted<T>(from.gradient)},
        projection{converted<T>(from.projection)},
        diffusion{converted<T>(from.diffusion)},
        inverse_mass{converted<T>(from.inverse_mass)},
        weight{converted<T>(from.weight)},
        near{converted<T>(from.near)},
        right{converted<T>(from.right)} {}

  PressureSystem<T> system() const {
    return {pattern,
            fixed,
            divergence.data(),
            gradient.data(),
            projection.data(),
            diffusion.data(),
            inverse_mass.data(),
            weight.data()};
  }
};

/// A pressure's system with multigrid, its numbers converted to T.
template <class T>
class Pressure {
 public:
  template <class From>
  Pressure(PressureNumbers<From> const& numbers, SolverOptions const& options)
      : numbers_(numbers), solver_(Host{}, numbers_.system(), numbers_.near.data(), options) {}

  linalg::LinearOperator<T, Host>& matrix() { return solver_.matrix(); }
  linalg::LinearOperator<T, Host>& preconditioner() { return *solver_.preconditioner(); }
  std::vector<T> const& right() const { return numbers_.right; }

 private:
  PressureNumbers<T> numbers_;
  PressureSolver<T, Host> solver_;
};

double norm(std::vector<float128> const& vector) {
  float128 sum = 0;
  for (auto const& value : vector) sum += value * value;
  return static_cast<double>(math::sqrt(sum));
}

constexpr auto wide_name = "113 bits", wide_of_floats_name = "113 bits, of floats";

struct Solved {
  linalg::Outcome outcome;
  std::vector<double> history;  ///< relative
  std::vector<float128> x;
};

template <class Problem>
Solved solved(Problem& problem, SolverOptions const& options) {
  using T = typename std::decay_t<decltype(problem.right())>::value_type;
  std::vector<T> x(problem.right().size());
  auto const krylov = make_krylov<T>(Host{}, problem.matrix().size(), options, 1, {});
  auto const report = solve_from_zero<T>(Host{}, *krylov, problem.matrix(), problem.preconditioner(), options,
                                         "system", problem.right().data(), x.data());
  std::vector<typename linalg::CoefficientOf<T>::type> norms(static_cast<std::size_t>(report.iterations) + 1);
  krylov->history(norms.data());
  Solved solved{report.outcome, converted<double>(norms), converted<float128>(x)};
  for (auto& value : solved.history) value /= report.reference;
  return solved;
}

/// The residual of a solution, preconditioned and plain, relative to those of the right-hand side.
struct TrueResidual {
  double preconditioned, plain;
};

template <class Wide>
TrueResidual true_residual(Wide& wide, std::vector<float128> const& x) {
  auto const& b = wide.right();
  std::vector<float128> r(b.size()), z(b.size());
  wide.matrix().apply(x.data(), r.data());
  for (std::size_t n = 0; n < b.size(); ++n) r[n] = b[n] - r[n];
  wide.preconditioner().apply(b.data(), z.data());
  auto const reference = norm(z);
  wide.preconditioner().apply(r.data(), z.data());
  return {norm(z) / reference, norm(r) / norm(b)};
}

/// The first iteration at which two histories differ by more than 1 %, or "never".
std::string difference(std::vector<double> const& a, std::vector<double> const& b) {
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n) {
    if (!(std::abs(a[n] - b[n]) <= 0.01 * b[n])) return std::to_string(n);
  }
  return "never";
}

char const* word(linalg::Outcome outcome) {
  switch (outcome) {
    case linalg::Outcome::converged:
      return "converged";
    case linalg::Outcome::running:
      return "not converged";
    case linalg::Outcome::not_definite:
      return "not definite";
    case linalg::Outcome::breakdown:
      return "breakdown";
    default:
      return "not finite";
  }
}

/// Prints solves as rows of a table and, into a file, all of their iterations.
class Table {
 public:
  explicit Table(std::string const& path) {
    std::printf("| %-8s | %-20s | %-29s | iterations |", "system", "method", "arithmetic");
    for (auto const n : shown) std::printf(" after %2d |", n);
    std::printf(" 1 %% off | true, B r |  true, r |\n| --- | --- | --- | ---: |");
    for ([[maybe_unused]] auto const n : shown) std::printf(" ---: |");
    std::printf(" ---: | ---: | ---: |\n");
    if (path.empty()) return;
    file_.open(path);
    file_ << "system,method,arithmetic,outcome,iterations,one_percent_off,true_preconditioned,true_plain,"
             "iteration,residual\n";
    file_.precision(9);
    if (!file_) throw EnvironmentError(path + " cannot be written");
  }

  void row(std::string const& system, std::string const& method, std::string const& arithmetic,
           Solved const& solved, std::string const& off, TrueResidual const& left) {
    auto const count = solved.history.size();
    auto const well = solved.outcome == linalg::Outcome::converged;
    std::printf("| %-8s | %-20s | %-29s | %10s |", system.c_str(), method.c_str(), arithmetic.c_str(),
                (std::to_string(count - 1) + (well ? "" : std::string(", ") + word(solved.outcome))).c_str());
    for (auto const n : shown) {
      if (static_cast<std::size_t>(n) < count) {
        std::printf(" %8.2e |", solved.history[static_cast<std::size_t>(n)]);
      } else {
        std::printf(" %8s |", "");
      }
    }
    std::printf(" %7s | %9.2e | %8.2e |\n", off.c_str(), left.preconditioned, left.plain);
    std::fflush(stdout);
    if (!file_.is_open()) return;
    for (std::size_t n = 0; n < count; ++n) {
      file_ << system << ',' << '"' << method << '"' << ',' << '"' << arithmetic << '"' << ','
            << word(solved.outcome) << ',' << count - 1 << ',' << off << ',' << left.preconditioned << ','
            << left.plain << ',' << n << ',' << solved.history[n] << '\n';
    }
  }

 private:
  static constexpr int shown[] = {2, 4, 8, 16, 32};
  std::ofstream file_;
};

char const* word(Method method) {
  switch (method) {
    case Method::gcr:
      return "gcr";
    case Method::gmres:
      return "gmres";
    case Method::cg:
      return "cg";
    default:
      return "bicgstab";
  }
}

/// Solves a system by some methods in 113 bits, and beside it in less.
template <class Wide>
class Comparison {
 public:
  /// `methods` with `preconditioner` for `system`, in words; `in_wide` says what `wide` is.
  Comparison(Table& table, std::string system, std::string preconditioner, std::vector<Method> methods,
             SolverOptions const& options, std::string const& in_wide, Wide& wide)
      : table_{table},
        system_{std::move(system)},
        preconditioner_{std::move(preconditioner)},
        methods_{std::move(methods)},
        options_{options},
        wide_{wide} {
    options_.must_converge = false;
    for (auto const method : methods_) {
      options_.method = method;
      expected_.push_back(solved(wide_, options_));
      row(method, in_wide, expected_.back(), "");
    }
  }

  template <class Problem>
  void with(std::string const& arithmetic, Problem&& problem) {
    for (std::size_t n = 0; n < methods_.size(); ++n) {
      options_.method = methods_[n];
      auto const found = solved(problem, options_);
      row(methods_[n], arithmetic, found, difference(found.history, expected_[n].history));
    }
  }

 private:
  void row(Method method, std::string const& arithmetic, Solved const& found, std::string const& off) {
    table_.row(system_, word(method) + (", " + preconditioner_), arithmetic, found, off,
               true_residual(wide_, found.x));
  }

  Table& table_;
  std::string system_, preconditioner_;
  std::vector<Method> methods_;
  SolverOptions options_;
  Wide& wide_;
  std::vector<Solved> expected_;
};

template <linalg::Blocks blocks>
void rates(Table& table, char const* system, test::System const& of, std::vector<double> const& right,
           SolverOptions const& options) {
  auto const compare = [&]<class V>(V, char const* in_wide, char const* in_narrow) {
    auto const value = converted<V>(of.value), right_of = converted<V>(right);
    Rates<float128, blocks> wide(of.pattern, value, right_of);
    Comparison comparison(table, system, "Jacobi", {Method::bicgstab, Method::gcr, Method::gmres}, options,
                          in_wide, wide);
    comparison.with(in_narrow, Rates<V, blocks>(of.pattern, value, right_of));
  };
  compare(double{}, wide_name, "double");
  compare(float{}, wide_of_floats_name, "float");
}

void pressure(Table& table, test::ModelSystems const& model) {
  auto const compare = [&](char const* in_wide, auto const& of_wide, char const* in_narrow,
                           auto const& numbers, bool narrow) {
    auto options = model.parameters().pressure;
    options.narrow = narrow;
    using V = typename std::decay_t<decltype(numbers.right)>::value_type;
    Pressure<float128> wide(of_wide, options);
    Comparison comparison(table, "pressure", "multigrid",
                          {Method::gcr, Method::cg, Method::bicgstab, Method::gmres}, options, in_wide, wide);
    comparison.with(in_narrow, Pressure<V>(numbers, options));
  };
  PressureNumbers<double> const numbers(model);
  compare(wide_name, numbers, "double", numbers, false);
  auto rounded = numbers;
  rounded.near = converted<double>(converted<float>(numbers.near));
  compare("113 bits, multigrid of floats", rounded, "double, cycle in float", numbers, true);
  PressureNumbers<float> const floats(numbers);
  compare(wide_of_floats_name, floats, "float", floats, false);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int width = 0;
    bool right = argc > 1;
    std::string file;
    for (int k = 2; k < argc; ++k) {
      if (std::string_view(argv[k]) == "--csv" && k + 1 < argc) {
        file = argv[++k];
      } else {
        width = std::atoi(argv[k]);
        right = right && width >= 4 && width <= 256;
      }
    }
    if (!right) {
      std::fprintf(stderr, "bench_histories CASE [WIDTH, 4 to 256] [--csv FILE]\n");
      return 2;
    }
    test::ModelSystems const model(bench::case_of_width(argv[1], width), 3);
    std::printf("%d nodes, %d entries\n\n", model.nodes(), model.pattern().entries());
    Table table(file);
    auto const& parameters = model.parameters();
    rates<linalg::Blocks::scalar>(table, "scalar", model.scalar(), model.scalar().right, parameters.scalar);
    rates<linalg::Blocks::shared>(table, "wind", model.wind(), model.force(), parameters.velocity);
    pressure(table, model);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
