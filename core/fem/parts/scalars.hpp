// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/fem/domain.hpp"
#include "core/fem/rate_solver.hpp"
#include "core/fem/solver_keys.hpp"

namespace ulpine::fem {

/// Advection and diffusion of potential temperature and of water.
template <class D>
class Scalars final : public Part {
  using T = typename D::T;
  using Values = typename D::Values;

 public:
  static std::vector<io::CaseKey> keys() {
    auto keys = solver_keys("solver", "wind, temperature and water", 1e-9, "bicgstab");
    keys.push_back(io::choice_key("solver.failure",
                                  {{"stop", "the run ends with the solver's name and residual"},
                                   {"go_on", "it goes on with what was reached"}},
                                  "what happens where a solver of wind, scalars or pressure has failed"));
    return keys;
  }

  explicit Scalars(D& d) : d_{d} {}

  void declare_stages() override {
    assemble_ = d_.stage("scalar.matrix", "advection and diffusion of a scalar", 11, 1, d_.sums);
    fix_ = d_.stage("scalar.fixed", "rows of fixed nodes", 0.25);
    solve_ = d_.solving("scalar.solve", "rate of change of a scalar", 3, 1, d_.p.scalar);
    step_ = d_.stage("scalar.advance", "scalar at the new time level", 3);
    exchange_ = d_.message_stage("scalar", "right-hand sides of scalars at neighbours' nodes", 1);
  }

  void start() override {
    D::write(diffusivity_, d_.all(d_.p.diffusivity));
    D::write(absorption_, d_.setup->theta_absorption);
  }
  void prepare() override {
    solver_ = std::make_unique<RateSolver<T, typename D::Executor>>(
        d_.executor, d_.matrix_view(), d_.p.scalar, "advection of a scalar", d_.sharing());
  }

  void advance() override {
    carry(d_.scalars[0], true);
    for (std::size_t n = 1; n < d_.scalars.size(); ++n) {
      auto const tracer = d_.stages.loop("water", static_cast<std::int64_t>(n));
      carry(d_.scalars[n], false);
    }
  }

 private:
  /// From its old values.
  void carry(Scalar<T, typename D::Executor> const& of, bool is_theta) {
    auto const& p = d_.p;
    auto const *const old = in(of.old), *const reference = in(of.reference);
    d_.call(assemble_,
            [&] {
              d_.assembler->scalar({in(d_.advecting), old, in(diffusivity_), in(absorption_), reference,
                                    p.step * p.implicitness, out(matrix_), out(right_), p.upwind});
              if (is_theta) d_.each(&Part::add_heat);
            },
            {&matrix_, &right_});
    d_.run(fix_,
           FixedRates<T, 1>{d_.mesh.pattern, d_.scalar_given(), reference, old, T(1 / p.step), out(matrix_),
                            out(right_)},
           {&matrix_, &right_});
    d_.exchange(exchange_, {{out(right_)}});
    d_.call_together(solve_, [&] { solver_->solve(in(right_), out(rate_)); }, {&rate_});
    d_.run(step_, Advanced<T, 1>{d_.scalar_given(), reference, old, in(rate_), T(p.step), out(of.now)},
           {&of.now});
  }

  D& d_;
  Values &diffusivity_ = d_.at_node("diffusivity", "m2 s-1"),
         &absorption_ = d_.at_node("theta_absorption", "s-1"), &matrix_ = d_.at_entries("matrix", "1"),
         &right_ = d_.at_node("right_hand_side", "1"), &rate_ = d_.at_node("rate", "1");
  Stage assemble_{}, fix_{}, solve_{}, step_{}, exchange_{};
  std::unique_ptr<RateSolver<T, typename D::Executor>> solver_;
};

}  // namespace ulpine::fem
