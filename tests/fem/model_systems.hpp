// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fem/assembler.hpp"
#include "core/fem/pressure_solver.hpp"
#include "core/fem/step_kernels.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "tests/fem/air_support.hpp"

namespace ulpine::test {

/// A matrix of the model with a right-hand side.
struct System {
  CsrPattern pattern;
  std::vector<double> value, right;

  CsrView<double const> view() const { return {pattern, value.data()}; }
};

/// The linear systems of the last step of a case in fp64, after `steps` of them.
class ModelSystems {
 public:
  ModelSystems(std::string const& text, int steps)
      : air_(text), connections_(Host{}, elements(air_.setup()), air_.setup().nodes()) {
    air_.steps(steps);
    for (std::size_t n = 0; n < fixed_.size(); ++n) fixed_[n] = air_.setup().fixed[n];
    force_ = plain("force");
    wind_ = {pattern(), plain("matrix"), component(force_, 0)};
    pressure_right_ = nodal("continuity");
    divergence_ = plain("divergence"), gradient_ = plain("gradient"), projection_ = plain("projection");
    diffusion_ = plain("pressure_diffusion"), helmholtz_ = plain("helmholtz");
    inverse_mass_ = nodal("inverse_mass"), weight_ = nodal("stabilisation");
    assemble_scalar();
  }

  CsrPattern pattern() const { return connections_.view().pattern; }
  std::int32_t nodes() const { return pattern().rows; }
  /// Of theta.
  System const& scalar() const { return scalar_; }
  /// With the force along x.
  System const& wind() const { return wind_; }
  /// All of it, 3 a node.
  std::vector<double> const& force() const { return force_; }
  fem::PressureSystem<double> pressure() const {
    return {pattern(),          fixed_.data(),     divergence_.data(),   gradient_.data(),
            projection_.data(), diffusion_.data(), inverse_mass_.data(), weight_.data()};
  }
  std::vector<double> const& pressure_right() const { return pressure_right_; }
  CsrView<double const> helmholtz() const { return {pattern(), helmholtz_.data()}; }
  fem::Parameters const& parameters() const { return air_.setup().parameters; }

 private:
  static View<std::int32_t const> elements(fem::Setup const& setup) {
    return {setup.mesh.element.data(), static_cast<std::int64_t>(setup.mesh.element.size())};
  }
  std::vector<double> plain(std::string const& name) { return air_.values(name); }
  /// In the mesh's order.
  std::vector<double> nodal(std::string const& name) {
    auto const outside = air_.values(name);
    std::vector<double> inside(outside.size());
    for (std::size_t n = 0; n < outside.size(); ++n) {
      inside[static_cast<std::size_t>(air_.setup().place[n])] = outside[n];
    }
    return inside;
  }
  static std::vector<double> component(std::vector<double> const& all, std::size_t c) {
    std::vector<double> one;
    for (auto n = c; n < all.size(); n += 3) one.push_back(all[n]);
    return one;
  }
  void assemble_scalar() {
    auto const advecting = plain("advecting"), position = plain("position");
    auto const old = nodal("old_theta"), kappa = nodal("diffusivity"), absorption = nodal("theta_absorption"),
               reference = nodal("theta_reference");
    scalar_ = {pattern(), std::vector<double>(wind_.value.size()), std::vector<double>(old.size())};
    auto const mesh = connections_.view();
    auto const& p = parameters();
    fem::make_assembler<Fp64>(Host{}, Assembly::deterministic, mesh, position.data())
        ->scalar({advecting.data(), old.data(), kappa.data(), absorption.data(), reference.data(),
                  p.step * p.implicitness, scalar_.value.data(), scalar_.right.data()});
    for_each(Host{}, std::int64_t{nodes()},
             fem::FixedRates<double, 1>{pattern(), fixed_.data(), reference.data(), old.data(), 1 / p.step,
                                        scalar_.value.data(), scalar_.right.data()});
  }

  ElementAir air_;
  TetraConnections<Host> connections_;
  std::vector<std::uint8_t> fixed_ = std::vector<std::uint8_t>(static_cast<std::size_t>(nodes()));
  System scalar_, wind_;
  std::vector<double> force_, pressure_right_, divergence_, gradient_, projection_, diffusion_, helmholtz_,
      inverse_mass_, weight_;
};

}  // namespace ulpine::test
