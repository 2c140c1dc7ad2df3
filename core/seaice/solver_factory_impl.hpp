// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/seaice/solver_impl.hpp"

namespace ulpine::seaice {

/// In deterministic assembly; null where that law or that order of sums is not built.
template <class P, class S, class Executor, MapsKind maps, template <class> class Law>
std::unique_ptr<Solver> make_ordered(Executor executor, Setup const& setup) {
  if constexpr (law_offered<Law, P, S, Assembly::deterministic>) {
    using Ordered = SolverOf<P, S, Assembly::deterministic, Executor, maps, Law>;
    bool const gathers = setup.parameters.sum_order == SumOrder::gather;
    if (gathers || passes_offered<P, S, Executor>) return std::make_unique<Ordered>(executor, setup);
  }
  return nullptr;
}

/// Null where that law or that order of sums is not built.
template <class P, class S, class Executor, MapsKind maps, template <class> class Law>
std::unique_ptr<Solver> make_assembly(Executor executor, Assembly assembly, Setup const& setup) {
  if (assembly == Assembly::deterministic) {
    return make_ordered<P, S, Executor, maps, Law>(executor, setup);
  }
  if constexpr (std::is_floating_point_v<typename P::State> && law_offered<Law, P, S, Assembly::atomic>) {
    using Unordered = SolverOf<P, S, Assembly::atomic, Executor, maps, Law>;
    if (setup.parameters.sum_order == SumOrder::gather) return std::make_unique<Unordered>(executor, setup);
  }
  return nullptr;
}

/// Where matrices on the fly are built.
template <class P, class S, class Executor, template <class> class Law>
inline constexpr bool on_the_fly_offered =
    ComparedPolicy<P> && !Staged<Executor> && !is_common_only<Law> && S::dg == (S::cg == 1 ? 3 : 6);

/// Null where that law, that order of sums or those maps are not built.
template <class P, class S, class Executor>
std::unique_ptr<Solver> make_maps(Executor executor, Assembly assembly, Setup const& setup) {
  auto kind = setup.parameters.maps;
  if (kind == MapsKind::automatic) kind = setup.mesh.uniform() ? MapsKind::constant : MapsKind::precomputed;
  return with_rheology(
      Rheologies{}, setup.parameters.rheology, [&]<template <class> class Law>() -> std::unique_ptr<Solver> {
        if (kind == MapsKind::constant) {
          return make_assembly<P, S, Executor, MapsKind::constant, Law>(executor, assembly, setup);
        }
        if (kind == MapsKind::precomputed) {
          return make_assembly<P, S, Executor, MapsKind::precomputed, Law>(executor, assembly, setup);
        }
        if constexpr (on_the_fly_offered<P, S, Executor, Law>) {
          if (assembly == Assembly::deterministic) {
            return make_ordered<P, S, Executor, MapsKind::on_the_fly, Law>(executor, setup);
          }
        }
        return nullptr;
      });
}

/// The policies that every order has. Each costs seconds of compilation an order; cG1 with 1 and 3 unknowns
/// have all.
using CommonPolicies = PolicyList<Fp64, Fp32, Mixed, RoundedProducts<Tf32>>;
template <class S, class Policies>
using PoliciesOf = std::conditional_t<std::is_same_v<Policies, DevicePolicies> && (S::cg > 1 || S::dg > 3),
                                      CommonPolicies, Policies>;

/// The solver of cG order `cg` for the policy of the list that has the name; nullptr where none has, or where
/// the case is of another order. The spaces of one order share the kernels of the sub-cycle: they belong in
/// one source file.
template <int cg, class Policies, class Executor>
std::unique_ptr<Solver> make_order(Executor executor, std::string const& policy, Assembly assembly,
                                   Setup const& setup) {
  return with_space<cg>(setup.parameters.dg, [&]<class S>() {
    return with_policy(PoliciesOf<S, Policies>{}, policy,
                       [&]<class P>() { return make_maps<P, S>(executor, assembly, setup); });
  });
}

/// The same on the sphere, in deterministic assembly.
template <class S, class Executor, class Policies>
std::unique_ptr<Solver> make_on_sphere(Policies policies, Executor executor, std::string const& policy,
                                       Assembly assembly, Setup const& setup) {
  if (assembly != Assembly::deterministic) return nullptr;
  return with_policy(policies, policy, [&]<class P>() {
    return with_rheology(Rheologies{}, setup.parameters.rheology, [&]<template <class> class Law>() {
      return make_ordered<P, OnSphere<S>, Executor, MapsKind::precomputed, Law>(executor, setup);
    });
  });
}

/// The same for every order.
template <class Policies, class Executor>
std::unique_ptr<Solver> make_sphere_order(Executor executor, std::string const& policy, Assembly assembly,
                                          Setup const& setup) {
  auto const make = [&]<class S>() {
    return make_on_sphere<S>(Policies{}, executor, policy, assembly, setup);
  };
  auto const [cg, dg] = std::pair{setup.parameters.cg, setup.parameters.dg};
  return cg == 1 ? with_space<1>(dg, make) : with_space<2>(dg, make);
}

}  // namespace ulpine::seaice
