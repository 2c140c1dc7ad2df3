// SPDX-License-Identifier: Apache-2.0
#include "core/fem/petsc.hpp"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>

#include "io/error.hpp"

#if defined(ULPINE_HAS_PETSC)
#include <limits>
#include <optional>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fem/formed_pressure.hpp"
#include "core/linalg/petsc.hpp"
#include "core/linalg/shared_rows.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "core/model/not_solved.hpp"
#include "io/case_file.hpp"
#endif

namespace ulpine::fem {

Guarantee guarantee_by_petsc(std::string const& options, bool several) {
  if (!several) return Guarantee::run_to_run;
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    if (!word.starts_with("-pc_")) continue;
    std::string kind;
    if (word != "-pc_type" || !(words >> kind)) return Guarantee::none;
    std::initializer_list<std::string_view> const apart{"none",    "jacobi", "pbjacobi",
                                                        "bjacobi", "sor",    "asm"};
    if (std::ranges::find(apart, kind) == apart.end()) return Guarantee::none;
  }
  return Guarantee::run_to_run;
}

#if defined(ULPINE_HAS_PETSC)
namespace {

/// `make()` with what is wrong with the options said at their place.
template <class Make>
auto at_place(SolverOptions const& options, Make const& make) {
  try {
    return make();
  } catch (InputError const& error) {
    throw InputError(options.petsc_place + error.what());
  }
}

linalg::PetscDefaults defaults_of(SolverOptions const& options) {
  return {.relative = options.tolerance, .iterations = options.iterations, .from_zero = true};
}

/// Report of a solve by PETSc. NotSolved where it had to converge and did not.
linalg::SolveReport judged(linalg::PetscReport const& of, SolverOptions const& options, char const* system) {
  linalg::SolveReport report;
  report.iterations = of.iterations;
  report.residual = of.residual;
  report.reference = of.history.empty() ? of.residual : of.history.front();
  report.outcome = of.converged ? linalg::Outcome::converged
                   : of.finite  ? linalg::Outcome::running
                                : linalg::Outcome::not_finite;
  if (report.outcome == linalg::Outcome::running && options.must_converge) {
    throw NotSolved("the " + std::string(system) + " was not solved by PETSc: residual " +
                    io::number_text(report.residual) + " of " + io::number_text(report.reference) +
                    " after " + std::to_string(of.iterations) + " iterations (" + of.reason +
                    ") allow more, or a larger tolerance or another preconditioner");
  }
  return report;
}

bool is_finite(double const* values, std::int64_t count) {
  return std::all_of(values, values + count, [](double value) { return value - value == 0; });
}

/// The rows of a system that a rank has: all, or those that it owns of those that it holds.
class RowsOfRank {
 public:
  RowsOfRank(CsrPattern held, linalg::Sharing<Host> const& sharing) : held_{held}, sharing_{sharing} {
    if (sharing.ghosts != nullptr) owned_.emplace(held, *sharing.points);
  }
  /// The rows of a held matrix that PETSc gets, with its values.
  CsrView<double const> of(double const* values) const {
    return owned_ ? owned_->of(values) : CsrView<double const>{held_, values};
  }
  /// Whether all numbers are finite, so many a row, on all ranks. Collective.
  bool are_finite(double const* values, int each) const {
    if (!owned_) return is_finite(values, std::int64_t{each} * held_.rows);
    std::int64_t others = is_finite(values + each * sharing_.first, each * sharing_.owned) ? 0 : 1;
    sharing_.link->ranks()->largest({&others, 1});
    return others == 0;
  }
  std::int32_t held() const { return held_.rows; }

 private:
  CsrPattern held_;
  linalg::Sharing<Host> sharing_;
  std::optional<linalg::OwnedRows> owned_;
};

/// Solver of a vector whose components all have one matrix.
class SharedMatrix final : public ForeignSolver {
 public:
  SharedMatrix(CsrView<double const> matrix, int components, SolverOptions const& options, char const* system,
               linalg::Sharing<Host> const& sharing)
      : rows_(matrix.pattern, sharing),
        components_{components},
        options_{options},
        system_{system},
        petsc_(rows_.of(matrix.value), *options.petsc, defaults_of(options), sharing),
        right_(static_cast<std::size_t>(rows_.held())),
        x_(right_.size()) {}

  void update() override { petsc_.update(); }
  linalg::SolveReport solve(double const* right, double* x) override {
    linalg::SolveReport most;
    bool finite = rows_.are_finite(right, components_);
    for (int c = 0; c < components_ && finite; ++c) {
      for (std::size_t n = 0; n < x_.size(); ++n) right_[n] = right[place(n, c)];
      auto const report = judged(petsc_.solve(right_.data(), x_.data()), options_, system_);
      finite = report.outcome != linalg::Outcome::not_finite;
      if (c == 0 || !finite || report.iterations > most.iterations) most = report;
      for (std::size_t n = 0; n < x_.size(); ++n) x[place(n, c)] = x_[n];
    }
    if (finite) return most;
    most.outcome = linalg::Outcome::not_finite;
    std::fill_n(x, std::int64_t{components_} * rows_.held(), std::numeric_limits<double>::quiet_NaN());
    return most;
  }

 private:
  std::size_t place(std::size_t node, int component) const {
    return static_cast<std::size_t>(components_) * node + static_cast<std::size_t>(component);
  }

  RowsOfRank rows_;
  int components_;
  SolverOptions options_;
  char const* system_;
  linalg::PetscSolver petsc_;
  std::vector<double> right_, x_;
};

/// The pressure's matrix on the second-order pattern.
class FormedMatrix {
 public:
  /// Begins like `near`, until there are values of a step. Collective.
  FormedMatrix(PressureSystem<double> const& parts, CsrView<double const> near,
               linalg::Sharing<Host> const& sharing)
      : rows_{near.pattern.rows}, form_{parts, {}, nullptr} {
    if (sharing.ghosts == nullptr) {
      alone_.emplace(second_order_pattern(Host{}, parts.pattern));
      form_.formed = alone_->view();
    } else {
      whole_.emplace(*sharing.link->ranks(), parts.pattern, *sharing.points);
      square_ = linalg::square_rows(parts.pattern, *sharing.points, whole_->pattern());
      gradient_ = whole_->values(parts.gradient, 3);
      diffusion_ = whole_->values(parts.diffusion, 1);
      form_.formed = square_.view();
      form_.whole = whole_->pattern();
      form_.gradient = gradient_.data();
      form_.diffusion = diffusion_.data();
      form_.first_owned = sharing.points->first();
      form_.number = sharing.points->numbers().data();
    }
    value_.resize(static_cast<std::size_t>(form_.formed.entries()));
    form_.value = value_.data();
    begin_like(near);
  }
  FormedMatrix(FormedMatrix const&) = delete;
  FormedMatrix& operator=(FormedMatrix const&) = delete;

  void update() { for_each(Host{}, std::int64_t{rows_}, form_); }
  CsrView<double const> view() const { return {form_.formed, value_.data()}; }

 private:
  void begin_like(CsrView<double const> near) {
    auto const& pattern = form_.formed;
    for (std::int32_t row = 0; row < rows_; ++row) {
      auto place = pattern.start[row];
      for (auto e = near.pattern.start[row]; e < near.pattern.start[row + 1]; ++e) {
        while (pattern.column[place] < near.pattern.column[e]) ++place;
        value_[static_cast<std::size_t>(place)] = near.value[e];
      }
    }
  }

  std::int32_t rows_;
  FormedPressure<double> form_;
  std::optional<PatternArrays<Host>> alone_;
  std::optional<linalg::WholeRows> whole_;
  linalg::HostPattern square_;  ///< of several ranks
  std::vector<double> gradient_, diffusion_, value_;
};

class Pressure final : public ForeignSolver {
 public:
  Pressure(PressureOperator<double, Host>& matrix, PressureSystem<double> const& parts,
           double const* helmholtz, SolverOptions const& options, linalg::Sharing<Host> const& sharing)
      : rows_(parts.pattern, sharing), options_{options} {
    auto near = rows_.of(helmholtz);
    if (options.formed) near = formed_.emplace(parts, near, sharing).view();
    petsc_.emplace(matrix, near, *options.petsc, defaults_of(options), sharing);
  }

  void update() override {
    if (!formed_) return;
    formed_->update();
    petsc_->update();
  }
  linalg::SolveReport solve(double const* right, double* x) override {
    linalg::SolveReport report;
    report.outcome = linalg::Outcome::not_finite;
    if (rows_.are_finite(right, 1)) report = judged(petsc_->solve(right, x), options_, "pressure equation");
    if (report.outcome == linalg::Outcome::not_finite) {
      std::fill_n(x, rows_.held(), std::numeric_limits<double>::quiet_NaN());
    }
    return report;
  }

 private:
  RowsOfRank rows_;
  SolverOptions options_;
  std::optional<FormedMatrix> formed_;
  std::optional<linalg::PetscSolver> petsc_;
};

}  // namespace

bool has_petsc() { return true; }

std::unique_ptr<ForeignSolver> make_petsc(CsrView<double const> matrix, int components,
                                          SolverOptions const& options, char const* system,
                                          linalg::Sharing<Host> const& sharing) {
  return at_place(
      options, [&] { return std::make_unique<SharedMatrix>(matrix, components, options, system, sharing); });
}
std::unique_ptr<ForeignSolver> make_petsc_pressure(PressureOperator<double, Host>& matrix,
                                                   PressureSystem<double> const& parts,
                                                   double const* helmholtz, SolverOptions const& options,
                                                   linalg::Sharing<Host> const& sharing) {
  return at_place(options,
                  [&] { return std::make_unique<Pressure>(matrix, parts, helmholtz, options, sharing); });
}

#else

namespace {

[[noreturn]] void refuse(SolverOptions const& options) {
  throw InputError(
      options.petsc_place +
      "asks for PETSc (this program was built without it) take the key out, or build with PETSc");
}

}  // namespace

bool has_petsc() { return false; }

std::unique_ptr<ForeignSolver> make_petsc(CsrView<double const>, int, SolverOptions const& options,
                                          char const*, linalg::Sharing<Host> const&) {
  refuse(options);
}
std::unique_ptr<ForeignSolver> make_petsc_pressure(PressureOperator<double, Host>&,
                                                   PressureSystem<double> const&, double const*,
                                                   SolverOptions const& options,
                                                   linalg::Sharing<Host> const&) {
  refuse(options);
}

#endif

}  // namespace ulpine::fem
