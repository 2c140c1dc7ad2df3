// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "core/fdm/fdm.hpp"
#include "core/fdm/make.hpp"

namespace ulpine::fdm {

/// What a policy means here: `mixed` keeps the state and the big step in double, small steps in float; where
/// operands are rounded, products of advection are formed in float, too.
template <class P, class Executor>
std::unique_ptr<Core> make_in(Executor executor, Parameters const& parameters,
                              std::shared_ptr<Ranks> const& team = {}) {
  using State = typename P::State;
  using Small = typename P::Compute;
  using Format = typename P::Multiplicand;
  using Arithmetic = std::conditional_t<std::is_same_v<Format, Exact>, State, Small>;
  using Product = Products<Arithmetic, Format>;
  if (!parameters.flat()) {
    return SplitExplicit<State, Small, Terrain, Executor>::template make<Product>(parameters, executor, team);
  }
  return SplitExplicit<State, Small, Flat, Executor>::template make<Product>(parameters, executor, team);
}

}  // namespace ulpine::fdm
