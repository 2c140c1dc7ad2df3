// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "core/fdm/fdm.hpp"
#include "core/fdm/make.hpp"

namespace ulpine::fdm {

/// Air with state in T and small steps in S, whose products of advection are those of `products`. Policies
/// that differ in them share one instantiation (air_impl.hpp).
template <class T, class S, template <class> class Ground, class Executor>
std::unique_ptr<Core> make_air(Executor executor, Parameters const& parameters,
                               std::shared_ptr<Ranks> const& team,
                               typename SplitExplicit<T, S, Ground, Executor>::Evaluate products);

/// The core in policy P: `mixed` keeps the state and the big step in double, small steps in float; where
/// operands are rounded, products of advection are formed in float, too.
template <class P, class Executor>
std::unique_ptr<Core> make_in(Executor executor, Parameters const& parameters,
                              std::shared_ptr<Ranks> const& team) {
  using State = typename P::State;
  using Small = typename P::Compute;
  using Format = typename P::Multiplicand;
  using Arithmetic = std::conditional_t<std::is_same_v<Format, Exact>, State, Small>;
  using Product = Products<Arithmetic, Format>;
  if (!parameters.flat()) {
    using Air = SplitExplicit<State, Small, Terrain, Executor>;
    return make_air<State, Small, Terrain>(executor, parameters, team, Air::template products<Product>());
  }
  using Air = SplitExplicit<State, Small, Flat, Executor>;
  return make_air<State, Small, Flat>(executor, parameters, team, Air::template products<Product>());
}

}  // namespace ulpine::fdm
