// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "core/seaice/solver_impl.hpp"

namespace ulpine::seaice {

template <class P, class S, class Executor, bool shared_maps>
Solver* make_assembly(Executor executor, Assembly assembly, QuadMesh const& mesh,
                      Parameters const& parameters) {
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
  bool const shared =
      parameters.maps == MapsKind::constant || (parameters.maps == MapsKind::automatic && mesh.uniform());
  return shared ? make_assembly<P, S, Executor, true>(executor, assembly, mesh, parameters)
                : make_assembly<P, S, Executor, false>(executor, assembly, mesh, parameters);
}

/// The solver of space S for the policy of the list that has the name; nullptr where none has.
template <class S, class Executor, class... Ps>
Solver* make_from(PolicyList<Ps...>, Executor executor, char const* policy, Assembly assembly,
                  QuadMesh const& mesh, Parameters const& parameters) {
  Solver* solver = nullptr;
  ((std::strcmp(policy, Ps::name) == 0 ? void(solver = make_maps<Ps, S>(executor, assembly, mesh, parameters))
                                       : void()),
   ...);
  return solver;
}

}  // namespace ulpine::seaice
