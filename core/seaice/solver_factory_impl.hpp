// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "core/seaice/solver_impl.hpp"

namespace ulpine::seaice {

template <class P, class S, class Executor, bool shared_maps>
Solver* make_assembly(Executor executor, Assembly assembly, QuadMesh const& mesh, Parameters const& parameters) {
  if (assembly == Assembly::deterministic) {
    return new SolverOf<P, S, Assembly::deterministic, Executor, shared_maps>(executor, mesh, parameters);
  }
  if constexpr (sizeof(typename P::State) <= sizeof(double)) {
    return new SolverOf<P, S, Assembly::atomic, Executor, shared_maps>(executor, mesh, parameters);
  } else {
    return nullptr;
  }
}

template <class P, class S, class Executor>
Solver* make_maps(Executor executor, Assembly assembly, QuadMesh const& mesh, Parameters const& parameters) {
  bool const shared = parameters.maps == MapsKind::constant || (parameters.maps == MapsKind::automatic && mesh.uniform());
  return shared ? make_assembly<P, S, Executor, true>(executor, assembly, mesh, parameters)
                : make_assembly<P, S, Executor, false>(executor, assembly, mesh, parameters);
}

/// Tries the policies of the list in turn, then the orders.
template <class Executor, class... Ps>
Solver* make_from(PolicyList<Ps...>, Executor executor, char const* policy, Assembly assembly, QuadMesh const& mesh,
                  Parameters const& parameters) {
  Solver* solver = nullptr;
  auto const orders = [&]<class P>(P) {
    if (solver != nullptr || std::strcmp(policy, P::name) != 0 || parameters.cg != 1) {
      return;
    }
    if (parameters.dg == 1) {
      solver = make_maps<P, Space<1, 1>>(executor, assembly, mesh, parameters);
    } else if (parameters.dg == 3) {
      solver = make_maps<P, Space<1, 3>>(executor, assembly, mesh, parameters);
    }
  };
  (orders(Ps{}), ...);
  return solver;
}

}  // namespace ulpine::seaice
