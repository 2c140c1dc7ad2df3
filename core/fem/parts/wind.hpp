// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/fem/domain.hpp"
#include "core/fem/rate_solver.hpp"

namespace ulpine::fem {

/// The equation of momentum, without the pressure's change.
template <class D>
class Wind final : public Part {
  using T = typename D::T;
  using Values = typename D::Values;
  using Solver = RateSolver<T, typename D::Executor, linalg::Blocks::shared>;

 public:
  explicit Wind(D& d) : d_{d} {}

  void declare_stages() override {
    air_ = d_.stage("air", "density, its derivative and departures from the reference", 11);
    assemble_ = d_.stage("momentum.matrix", "advection, viscosity, buoyancy and pressure", 22, 1, d_.sums);
    fix_ = d_.stage("momentum.fixed", "rows of fixed nodes", 0.25);
    solve_ = d_.solving("momentum.solve", "acceleration of the wind", 9, 1, d_.p.velocity);
    step_ = d_.stage("momentum.advance", "wind before the pressure's change", 9);
    exchange_ = d_.message_stage("momentum", "forces and masses at neighbours' nodes", 4);
  }

  void start() override { D::write(absorption_, d_.setup->absorption); }
  void prepare() override {
    solver_ = std::make_unique<Solver>(d_.executor, d_.matrix_view(), d_.p.velocity, "momentum equation",
                                       d_.sharing());
  }

  void advance() override {
    auto const& p = d_.p;
    d_.run(air_, d_.state_of_air(), {d_.rho, &compressibility_, &buoyancy_, &between_, &viscosity_});
    d_.call(assemble_,
            [&] {
              d_.assembler->momentum({in(d_.advecting), in(d_.old_velocity), in(d_.rho), in(viscosity_),
                                      in(absorption_), in(d_.wind_reference), in(buoyancy_), in(between_),
                                      p.step * p.implicitness, p.air.gravity, out(d_.matrix), out(force_),
                                      out(mass_), p.upwind_wind});
              d_.each(&Part::add_force);
            },
            {d_.matrix, &force_, &mass_});
    d_.run(fix_,
           FixedRates<T, 3>{d_.mesh.pattern, in(d_.fixed), in(d_.wind_reference), in(d_.old_velocity),
                            T(1 / p.step), out(d_.matrix), out(force_)},
           {d_.matrix, &force_});
    d_.exchange(exchange_, {{out(force_), 3}, {out(mass_)}});
    d_.call_together(solve_, [&] { solver_->solve(in(force_), out(acceleration_)); }, {&acceleration_});
    d_.run(step_,
           Advanced<T, 3>{in(d_.fixed), in(d_.wind_reference), in(d_.old_velocity), in(acceleration_),
                          T(p.step), out(d_.velocity)},
           {d_.velocity});
  }

 private:
  D& d_;
  Values &absorption_ = d_.at_node("absorption", "s-1"),
         &viscosity_ = d_.at_node("dynamic_viscosity", "Pa s"),
         &compressibility_ = d_.at_node("compressibility", "s2 m-2"),
         &buoyancy_ = d_.at_node("buoyancy", "kg m-3"), &between_ = d_.at_node("p_between", "Pa"),
         &mass_ = d_.at_node("lumped_mass", "kg"), &force_ = d_.values("force", "N", 3),
         &acceleration_ = d_.values("acceleration", "m s-2", 3);
  Stage air_{}, assemble_{}, fix_{}, solve_{}, step_{}, exchange_{};
  std::unique_ptr<Solver> solver_;
};

}  // namespace ulpine::fem
