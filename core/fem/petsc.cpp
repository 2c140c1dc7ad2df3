// SPDX-License-Identifier: Apache-2.0
#include "core/fem/petsc.hpp"

#include "io/error.hpp"

#if defined(ULPINE_HAS_PETSC)
#include <algorithm>
#include <limits>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fem/formed_pressure.hpp"
#include "core/linalg/petsc.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "core/model/not_solved.hpp"
#include "io/case_file.hpp"
#endif

namespace ulpine::fem {

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

/// What a solve by PETSc has left; x is made not-a-number where there is no finite one.
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

/// The same matrix for every component.
class SharedMatrix final : public ForeignSolver {
 public:
  SharedMatrix(CsrView<double const> matrix, int components, SolverOptions const& options, char const* system)
      : rows_{matrix.pattern.rows},
        components_{components},
        options_{options},
        system_{system},
        petsc_(matrix, *options.petsc, defaults_of(options)),
        right_(static_cast<std::size_t>(rows_)),
        x_(static_cast<std::size_t>(rows_)) {}

  void update() override { petsc_.update(); }
  linalg::SolveReport solve(double const* right, double* x) override {
    linalg::SolveReport most;
    bool finite = is_finite(right, std::int64_t{components_} * rows_);
    for (int c = 0; c < components_ && finite; ++c) {
      for (std::size_t n = 0; n < x_.size(); ++n) right_[n] = right[place(n, c)];
      auto const report = judged(petsc_.solve(right_.data(), x_.data()), options_, system_);
      finite = report.outcome != linalg::Outcome::not_finite;
      if (c == 0 || !finite || report.iterations > most.iterations) most = report;
      for (std::size_t n = 0; n < x_.size(); ++n) x[place(n, c)] = x_[n];
    }
    if (finite) return most;
    most.outcome = linalg::Outcome::not_finite;
    std::fill(x, x + std::int64_t{components_} * rows_, std::numeric_limits<double>::quiet_NaN());
    return most;
  }

 private:
  std::size_t place(std::size_t node, int component) const {
    return static_cast<std::size_t>(components_) * node + static_cast<std::size_t>(component);
  }

  std::int32_t rows_;
  int components_;
  SolverOptions options_;
  char const* system_;
  linalg::PetscSolver petsc_;
  std::vector<double> right_, x_;
};

class Pressure final : public ForeignSolver {
 public:
  Pressure(PressureOperator<double, Host>& matrix, PressureSystem<double> const& parts,
           double const* helmholtz, SolverOptions const& options)
      : parts_{parts}, options_{options} {
    CsrView<double const> near{parts.pattern, helmholtz};
    if (options.formed) {
      second_ = std::make_unique<PatternArrays<Host>>(second_order_pattern(Host{}, parts.pattern));
      begin_like(near);
      near = {second_->view(), formed_.data()};
    }
    petsc_ = std::make_unique<linalg::PetscSolver>(matrix, near, *options.petsc, defaults_of(options));
  }

  void update() override {
    if (!options_.formed) return;
    for_each(Host{}, std::int64_t{parts_.pattern.rows},
             FormedPressure<double>{parts_, second_->view(), formed_.data()});
    petsc_->update();
  }
  linalg::SolveReport solve(double const* right, double* x) override {
    auto const rows = parts_.pattern.rows;
    linalg::SolveReport report;
    report.outcome = linalg::Outcome::not_finite;
    if (is_finite(right, rows)) report = judged(petsc_->solve(right, x), options_, "pressure equation");
    if (report.outcome == linalg::Outcome::not_finite) {
      std::fill(x, x + rows, std::numeric_limits<double>::quiet_NaN());
    }
    return report;
  }

 private:
  /// Until there are values of a step: `near` on the larger pattern.
  void begin_like(CsrView<double const> near) {
    auto const pattern = second_->view();
    formed_.resize(static_cast<std::size_t>(pattern.entries()));
    for (std::int32_t row = 0; row < pattern.rows; ++row) {
      auto place = pattern.start[row];
      for (auto e = near.pattern.start[row]; e < near.pattern.start[row + 1]; ++e) {
        while (pattern.column[place] < near.pattern.column[e]) ++place;
        formed_[static_cast<std::size_t>(place)] = near.value[e];
      }
    }
  }

  PressureSystem<double> parts_;
  SolverOptions options_;
  std::unique_ptr<PatternArrays<Host>> second_;
  std::vector<double> formed_;
  std::unique_ptr<linalg::PetscSolver> petsc_;
};

}  // namespace

bool has_petsc() { return true; }

std::unique_ptr<ForeignSolver> make_petsc(CsrView<double const> matrix, int components,
                                          SolverOptions const& options, char const* system) {
  return at_place(options,
                  [&] { return std::make_unique<SharedMatrix>(matrix, components, options, system); });
}
std::unique_ptr<ForeignSolver> make_petsc_pressure(PressureOperator<double, Host>& matrix,
                                                   PressureSystem<double> const& parts,
                                                   double const* helmholtz, SolverOptions const& options) {
  return at_place(options, [&] { return std::make_unique<Pressure>(matrix, parts, helmholtz, options); });
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
                                          char const*) {
  refuse(options);
}
std::unique_ptr<ForeignSolver> make_petsc_pressure(PressureOperator<double, Host>&,
                                                   PressureSystem<double> const&, double const*,
                                                   SolverOptions const& options) {
  refuse(options);
}

#endif

}  // namespace ulpine::fem
