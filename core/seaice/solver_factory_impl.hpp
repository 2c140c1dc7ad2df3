// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "core/seaice/solver_impl.hpp"

namespace ulpine::seaice {

template <class P, class S, class Executor, bool shared_maps, template <class> class Law>
std::unique_ptr<Solver> make_assembly(Executor executor, Assembly assembly, Setup const& setup) {
  if (assembly == Assembly::deterministic) {
    return std::make_unique<SolverOf<P, S, Assembly::deterministic, Executor, shared_maps, Law>>(executor,
                                                                                                 setup);
  }
  if constexpr (std::is_floating_point_v<typename P::State>) {
    return std::make_unique<SolverOf<P, S, Assembly::atomic, Executor, shared_maps, Law>>(executor, setup);
  } else {
    return nullptr;
  }
}

template <class P, class S, class Executor>
std::unique_ptr<Solver> make_maps(Executor executor, Assembly assembly, Setup const& setup) {
  auto const& parameters = setup.parameters;
  bool const shared = parameters.maps == MapsKind::constant ||
                      (parameters.maps == MapsKind::automatic && setup.mesh.uniform());
  return with_rheology(Rheologies{}, parameters.rheology, [&]<template <class> class Law>() {
    return shared ? make_assembly<P, S, Executor, true, Law>(executor, assembly, setup)
                  : make_assembly<P, S, Executor, false, Law>(executor, assembly, setup);
  });
}

/// The solver of space S for the policy of the list that has the name; nullptr where none has.
template <class S, class Executor, class Policies>
std::unique_ptr<Solver> make_from(Policies policies, Executor executor, std::string const& policy,
                                  Assembly assembly, Setup const& setup) {
  return with_policy(policies, policy, [&]<class P>() { return make_maps<P, S>(executor, assembly, setup); });
}

}  // namespace ulpine::seaice
