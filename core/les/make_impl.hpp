// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/les.hpp"
#include "core/les/make.hpp"

namespace ulpine::les {

/// What a policy means here: `mixed` and below keep state and tendencies in double and solve for the pressure
/// in float, products of the solver rounded as the policy says.
template <class P>
struct Types {
  using State = typename P::State;
  using Solved = typename P::Compute;
  using Rounded = typename P::Multiplicand;
};

template <class P, class Executor>
std::unique_ptr<Core> make_in(Executor executor, Assembly assembly, Setup const& setup) {
  using State = typename Types<P>::State;
  using Solved = typename Types<P>::Solved;
  auto const& p = setup.parameters;
  PoissonGrid grid{p.nx, p.ny, p.nz, p.dx, p.dy, {}, {}};
  auto tables = setup.tables;
  for (std::int32_t k = 0; k < p.nz; ++k) grid.dz.push_back(tables.at(Level::thickness, k));
  for (std::int32_t k = -1; k < p.nz; ++k) grid.dz_between.push_back(1 / tables.at(Level::per_dz_between, k));
  auto const solver = [executor, grid](PoissonMethod method) {
    return make_poisson_phases<Solved, typename Types<P>::Rounded>(executor, grid, method);
  };
  auto poisson =
      solver(assembly == Assembly::deterministic ? PoissonMethod::portable : PoissonMethod::vendor);
  auto const portable = [solver] { return solver(PoissonMethod::portable); };
  if (setup.built()) {
    return std::make_unique<LargeEddies<State, Solved, Built, Executor>>(setup, executor, std::move(poisson),
                                                                         portable);
  }
  return std::make_unique<LargeEddies<State, Solved, Flat, Executor>>(setup, executor, std::move(poisson),
                                                                      portable);
}

}  // namespace ulpine::les
