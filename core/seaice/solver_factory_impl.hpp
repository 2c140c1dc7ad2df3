// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "core/seaice/solver_impl.hpp"

namespace ulpine::seaice {

/// Null where that law, that assembly or that order of sums is not built.
template <class P, class S, class Executor, MapsKind maps, template <class> class Law>
std::unique_ptr<Solver> make_law(Executor executor, Assembly assembly, Setup const& setup) {
  bool const gathers = setup.parameters.sum_order == SumOrder::gather;
  if constexpr (law_offered<Law, P, S>) {
    using Made = SolverOf<P, S, Executor, maps, Law>;
    bool const built = assembly == Assembly::deterministic
                           ? gathers || passes_offered<ScalarsOf<P>, S, Executor>
                           : gathers && Made::atomics_offered && !is_common_only<Law>;
    if (built) return std::make_unique<Made>(executor, assembly, setup);
  }
  return nullptr;
}

/// Where matrices on the fly are built.
template <class P, class S, class Executor, template <class> class Law>
inline constexpr bool on_the_fly_offered =
    ComparedPolicy<P> && !Staged<Executor> && !is_common_only<Law> && S::dg == (S::cg == 1 ? 3 : 6);

/// Null where that law, that assembly, that order of sums or those maps are not built.
template <class P, class S, class Executor>
std::unique_ptr<Solver> make_maps(Executor executor, Assembly assembly, Setup const& setup) {
  auto kind = setup.parameters.maps;
  if (kind == MapsKind::automatic) kind = setup.equal_cells() ? MapsKind::constant : MapsKind::precomputed;
  return with_rheology(
      Rheologies{}, setup.parameters.rheology, [&]<template <class> class Law>() -> std::unique_ptr<Solver> {
        if (kind == MapsKind::constant) {
          return make_law<P, S, Executor, MapsKind::constant, Law>(executor, assembly, setup);
        }
        if (kind == MapsKind::precomputed) {
          return make_law<P, S, Executor, MapsKind::precomputed, Law>(executor, assembly, setup);
        }
        if constexpr (on_the_fly_offered<P, S, Executor, Law>) {
          return make_law<P, S, Executor, MapsKind::on_the_fly, Law>(executor, assembly, setup);
        }
        return nullptr;
      });
}

/// Each policy costs seconds of compilation an order: bf16 and fp16 are built for cG1 with 1 and 3 unknowns
/// alone.
template <class P, class S>
inline constexpr bool policy_offered = (!std::is_same_v<P, RoundedProducts<Bfloat16>> &&
                                        !std::is_same_v<P, RoundedProducts<Binary16>>) ||
                                       (S::cg == 1 && S::dg <= 3 && !S::spherical);

/// DevicePolicies in groups: all of an order on the host in one source file would take minutes of
/// compilation. The last ones are emulated there, and in no hurry.
using DoubleSums = PolicyList<Fp64, Mixed>;
using FloatSums = PolicyList<Fp32>;
using ComparedPolicies = PolicyList<Fp64, Fp32, Mixed>;
using RoundedPolicies =
    PolicyList<RoundedProducts<Tf32>, RoundedProducts<Bfloat16>, RoundedProducts<Binary16>>;

/// The solver of cG order `cg` for the policy of the list that has the name; nullptr where none has, or where
/// the case is of another order. The spaces of one order share the kernels of the sub-cycle: they belong in
/// one source file.
template <int cg, class Policies, class Executor>
std::unique_ptr<Solver> make_order(Executor executor, std::string const& policy, Assembly assembly,
                                   Setup const& setup) {
  return with_space<cg>(setup.parameters.dg, [&]<class S>() {
    return with_policy(Policies{}, policy, [&]<class P>() -> std::unique_ptr<Solver> {
      if constexpr (policy_offered<P, S>) return make_maps<P, S>(executor, assembly, setup);
      return nullptr;
    });
  });
}

/// The same on the sphere.
template <int cg, class Policies, class Executor>
std::unique_ptr<Solver> make_sphere_order(Executor executor, std::string const& policy, Assembly assembly,
                                          Setup const& setup) {
  return with_space<cg>(setup.parameters.dg, [&]<class Plane>() {
    using S = OnSphere<Plane>;
    return with_policy(Policies{}, policy, [&]<class P>() -> std::unique_ptr<Solver> {
      if constexpr (policy_offered<P, S>) {
        return with_rheology(Rheologies{}, setup.parameters.rheology, [&]<template <class> class Law>() {
          return make_law<P, S, Executor, MapsKind::precomputed, Law>(executor, assembly, setup);
        });
      }
      return nullptr;
    });
  });
}

/// The solver of the case's order, on the plane or the sphere.
template <class Policies, class Executor>
std::unique_ptr<Solver> make_any_order(Executor executor, std::string const& policy, Assembly assembly,
                                       Setup const& setup) {
  bool const first = setup.parameters.cg == 1;
  if (setup.mesh.spherical) {
    return first ? make_sphere_order<1, Policies>(executor, policy, assembly, setup)
                 : make_sphere_order<2, Policies>(executor, policy, assembly, setup);
  }
  return first ? make_order<1, Policies>(executor, policy, assembly, setup)
               : make_order<2, Policies>(executor, policy, assembly, setup);
}

}  // namespace ulpine::seaice
