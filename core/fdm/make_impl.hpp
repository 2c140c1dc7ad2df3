// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "core/fdm/make.hpp"
#include "core/fdm/parts/advection.hpp"
#include "core/parts/part_of.hpp"

namespace ulpine::fdm {

/// The air of a domain D, whose advection is the part that `advection` makes. Policies that differ in it
/// share one instantiation (fdm.hpp).
template <class D>
std::unique_ptr<Core> make_air(typename D::Executor executor, Parameters const& parameters,
                               std::shared_ptr<Ranks> const& team, PartMaker<Part, D> advection);

/// The core in policy P: `mixed` keeps the state and the big step in double, small steps in float; where
/// operands are rounded, products of advection are formed in float, too.
template <class P, class Executor>
std::unique_ptr<Core> make_in(Executor executor, Parameters const& parameters,
                              std::shared_ptr<Ranks> const& team) {
  using State = typename P::State;
  using Small = typename P::Compute;
  using Format = typename P::Multiplicand;
  using Arithmetic = std::conditional_t<std::is_same_v<Format, Exact>, State, Small>;
  auto const make = [&]<class D>(std::type_identity<D>) {
    return make_air<D>(executor, parameters, team, [](D& domain) -> std::unique_ptr<Part> {
      return std::make_unique<Advection<D, Products<Arithmetic, Format>>>(domain);
    });
  };
  return parameters.flat() ? make(std::type_identity<Domain<State, Small, Flat, Executor>>{})
                           : make(std::type_identity<Domain<State, Small, Terrain, Executor>>{});
}

}  // namespace ulpine::fdm
