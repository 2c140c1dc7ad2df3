// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "core/les/make.hpp"
#include "core/les/solvers.hpp"
#include "core/poisson/phases.hpp"
#include "core/ranks/blocks.hpp"
#include "core/ranks/link.hpp"
#include "precision/policy.hpp"

namespace ulpine::les {

template <class State, class Solved, class Ground, class Executor>
class Domain;

/// Large eddies in a domain D. Policies that differ in what the solver's products are rounded to share one
/// instantiation (les.hpp).
template <class D, class S, class Executor>
std::unique_ptr<Core> make_eddies(Executor executor, Setup const& setup, Blocks const& blocks,
                                  std::shared_ptr<Link<Executor>> const& link,
                                  std::shared_ptr<Ranks> const& team, PoissonSolvers<S> solvers);

/// The core in policy P: `mixed` and below keep state and tendencies in double and solve for the pressure in
/// float, products of the solver rounded as the policy says.
template <class P, class Executor>
std::unique_ptr<Core> make_in(Executor executor, Assembly assembly, Setup const& whole,
                              std::shared_ptr<Ranks> const& team) {
  using State = typename P::State;
  using Solved = typename P::Compute;
  using Rounded = typename P::Multiplicand;
  auto const& p = whole.parameters;
  Blocks const blocks(p.nx, p.ny, team.get(), halo, "the grid", Cutting::whole_rows);
  auto const link = std::make_shared<Link<Executor>>(executor, team);
  PoissonGrid grid{p.nx, p.ny, p.nz, p.dx, p.dy, {}, {}};
  auto tables = whole.tables;
  for (std::int32_t k = 0; k < p.nz; ++k) grid.dz.push_back(tables.at(Level::thickness, k));
  for (std::int32_t k = -1; k < p.nz; ++k) grid.dz_between.push_back(1 / tables.at(Level::per_dz_between, k));
  std::optional<Setup> block;
  if (link->several()) block = whole.part(blocks);
  auto const& setup = block ? *block : whole;
  auto const planes = pressure_layout(setup.parameters);
  PoissonShare const share{blocks, planes.axis(0).stride, planes.axis(1).stride};
  auto const solver = [executor, grid, link, share](PoissonMethod method) {
    return link->several() ? make_poisson_phases<Solved, Rounded>(executor, grid, method, share, link)
                           : make_poisson_phases<Solved, Rounded>(executor, grid, method);
  };
  PoissonSolvers<Solved> solvers{
      solver(assembly == Assembly::deterministic ? PoissonMethod::portable : PoissonMethod::vendor),
      [solver] { return solver(PoissonMethod::portable); }};
  return setup.built() ? make_eddies<Domain<State, Solved, Built, Executor>>(executor, setup, blocks, link,
                                                                             team, std::move(solvers))
                       : make_eddies<Domain<State, Solved, Flat, Executor>>(executor, setup, blocks, link,
                                                                            team, std::move(solvers));
}

}  // namespace ulpine::les
