// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fem/instances.hpp"
#include "tests/support/fem/quadrature_forms.hpp"
#include "tests/support/random_values.hpp"

namespace ulpine::test {

/// Nodal fields of a flow in a policy's State type, and forms on them.
template <class P>
struct Flow {
  using State = typename P::State;
  using Real = typename P::Compute;
  std::vector<State> position, velocity, old_velocity, scalar, diffusivity, tensor, absorption, reference,
      source, density, old_density, pressure, of_density, compressibility, absorption3, buoyancy;

  Flow(std::vector<double> const& x, std::uint64_t seed = 3) : position(x.begin(), x.end()) {
    RandomValues random(seed);
    auto const nodes = x.size() / 3;
    auto const fill = [&](std::size_t each, double low, double high) {
      std::vector<State> out;
      for (double const value : random.uniform(each * nodes, low, high))
        out.push_back(static_cast<State>(value));
      return out;
    };
    velocity = fill(3, -10, 20), old_velocity = fill(3, -10, 20), scalar = fill(1, 290, 310);
    diffusivity = fill(1, 10, 90), tensor = fill(9, -10, 60), absorption = fill(1, 0, 0.1);
    reference = fill(1, 290, 310), source = fill(1, -1, 1), density = fill(1, 0.3, 1.2);
    old_density = fill(1, 0.3, 1.2), pressure = fill(1, -400, 400), of_density = fill(1, -400, 400);
    compressibility = fill(1, 1e-5, 2e-5), absorption3 = fill(3, 0, 0.1), buoyancy = fill(1, -0.1, 0.1);
  }

  fem::ScalarInput<P> scalar_input(bool with_tensor) const {
    return {velocity.data(),   scalar.data(),    with_tensor ? tensor.data() : diffusivity.data(),
            absorption.data(), reference.data(), source.data()};
  }
  template <class F>
  F form() const {
    if constexpr (requires(F f) { f.tensor; }) {
      return {position.data(), scalar_input(true), {Real(1), Real(1) / Real(4)}, {}, true, false, {}};
    } else if constexpr (requires(F f) { f.upwinding.scale; } && F::mass == 0) {
      return {position.data(),
              scalar_input(F::diffusivities == 9),
              {Real(1), Real(1) / Real(4)},
              {},
              {fem::Stabilisation::supg, fem::UpwindRule::optimal, Real(1) / Real(2)}};
    } else if constexpr (requires(F f) { f.in.diffusivity; }) {
      return {position.data(), scalar_input(F::diffusivities == 9), {Real(1), Real(1) / Real(4)}, {}};
    } else if constexpr (requires(F f) { f.in.buoyancy; }) {
      F form{
          position.data(),
          {velocity.data(), old_velocity.data(), density.data(), diffusivity.data(),
           F::absorptions == 1 ? absorption.data() : absorption3.data(), velocity.data(), buoyancy.data(),
           pressure.data()},
          {Real(1), Real(0), {Real(0), Real(0), Real(-10)}, {Real(0), Real(1) / Real(8), Real(1) / Real(4)}},
          {}};
      if constexpr (F::upwinded) form.upwinding.stabilisation = fem::Stabilisation::streamline_upwind;
      return form;
    } else if constexpr (requires(F f) {
                           f.old_density;
                           f.by_parts;
                         }) {
      return {position.data(), false, density.data(), old_density.data(), State(1) / State(2)};
    } else if constexpr (requires(F f) { f.compressibility; }) {
      return {position.data(),    compressibility.data(), of_density.data(), pressure.data(),
              old_density.data(), density.data(),         Real(1) / Real(2), Real(1) / Real(4)};
    } else {
      return {position.data()};
    }
  }
};

/// A matrix and its sums on the host.
template <class F>
struct Assembled {
  std::vector<fem::ValueOf<F>> value, right, mass;

  Assembled(std::int32_t nodes, std::int64_t entries)
      : value(static_cast<std::size_t>(F::width * entries), fem::ValueOf<F>(-1)),
        right(static_cast<std::size_t>(F::right * nodes), fem::ValueOf<F>(-1)),
        mass(static_cast<std::size_t>(F::mass * nodes), fem::ValueOf<F>(-1)) {}
  fem::Target<F> target() { return {value.data(), right.data(), mass.data()}; }
  bool operator==(Assembled const&) const = default;
};

}  // namespace ulpine::test
