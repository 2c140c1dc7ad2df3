// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/seaice/parts/advection.hpp"
#include "core/seaice/parts/diagnostics.hpp"
#include "core/seaice/parts/elements.hpp"
#include "core/seaice/parts/forcing.hpp"
#include "core/seaice/parts/halos.hpp"
#include "core/seaice/parts/limiting.hpp"
#include "core/seaice/parts/motion.hpp"
#include "core/seaice/parts/nodal_means.hpp"
#include "core/seaice/parts/residuals.hpp"
#include "core/seaice/parts/strength.hpp"
#include "core/seaice/parts/stress.hpp"
#include "core/seaice/parts/substeps.hpp"

namespace ulpine::seaice {

/// A part of type T. Made once: what few parts are made of is not worth compiling into each list of them.
template <class T, class... Given>
[[gnu::noinline, gnu::cold]] std::unique_ptr<T> make_part(Given&... given) {
  return std::make_unique<T>(given...);
}

/// The parts of a domain in the order in which each point of a step calls them. Policies, rheologies and maps
/// share what is not named with them.
template <class P, class D, class Maps, template <class> class Law>
Solver::Parts make_parts(D& d, Setup const& setup) {
  Solver::Parts parts;
  auto const add = [&](std::unique_ptr<Part> part) {
    if (part != nullptr) parts.push_back(std::move(part));
  };
  auto elements = make_part<Elements<P, D, Maps>>(d, setup);
  auto const& maps = elements->maps();
  using Equation = StressEquation<P, D, Maps, Law>;
  Equation const equation{d, maps};
  add(make_part<Advection<D, Maps>>(d, setup, maps));
  add(make_part<Limiting<D>>(d));
  add(d.block ? make_part<Halos<D>>(d) : nullptr);
  add(make_part<NodalMeans<D>>(d));
  add(make_part<Forcing<D>>(d, setup));
  add(make_part<Strength<P, D, Law>>(d));
  add(make_part<Stress<Equation>>(equation));
  add(make_part<Motion<D, Maps>>(d, maps));
  if constexpr (Equation::in_blocks) add(make_part<Substeps<Equation>>(equation));
  add(make_part<Diagnostics<D>>(d, setup));
  add(setup.convergence ? make_part<Residuals<Equation>>(equation) : nullptr);
  add(std::move(elements));
  return parts;
}

/// Whether solvers are built with these maps and that law.
template <class P, class S, class Executor, MapsKind kind, template <class> class Law>
inline constexpr bool solver_offered =
    law_offered<Law, P, S> && (in_every_space<P> || (S::cg == 1 && S::dg <= 3 && !S::spherical)) &&
    (kind == MapsKind::precomputed ||
     (!S::spherical &&
      (kind == MapsKind::constant ||
       (ComparedPolicy<P> && !Staged<Executor> && !is_common_only<Law> && S::dg == (S::cg == 1 ? 3 : 6)))));

/// Null where that law, that assembly, that order of sums or those maps are not built.
template <class P, class S, class Executor>
std::unique_ptr<Solver> make_in(Executor executor, Assembly assembly, Setup const& setup) {
  auto kind = setup.parameters.maps;
  if (kind == MapsKind::automatic) kind = setup.equal_cells() ? MapsKind::constant : MapsKind::precomputed;
  if (S::spherical) kind = MapsKind::precomputed;
  bool const gathers = setup.parameters.sum_order == SumOrder::gather;
  return with_rheology(Rheologies{}, setup.parameters.rheology, [&]<template <class> class Law>() {
    std::unique_ptr<Solver> made;
    auto const try_one = [&]<MapsKind of>() {
      if constexpr (solver_offered<P, S, Executor, of, Law>) {
        using D = Domain<ScalarsOf<P>, S, Executor>;
        using Maps = ElementMaps<ScalarsOf<P>, S, Executor, of>;
        bool const sums =
            assembly == Assembly::deterministic
                ? gathers || passes_offered<ScalarsOf<P>, S, Executor>
                : gathers && D::adds_atomically && of != MapsKind::on_the_fly && !is_common_only<Law>;
        if (kind != of || !sums) return;
        auto domain = std::make_unique<D>(executor, assembly, setup);
        domain->set_parts(make_parts<P, D, Maps, Law>(*domain, setup), D::fuses);
        made = std::move(domain);
      }
    };
    try_one.template operator()<MapsKind::constant>();
    try_one.template operator()<MapsKind::precomputed>();
    try_one.template operator()<MapsKind::on_the_fly>();
    return made;
  });
}

template <class... Ss>
struct SpaceList {};

/// All spaces in groups. What a part of the core is compiled for is a group or two: the shipped cases take
/// the first one. Spaces of one order share the kernels of the sub-cycle, which one source compiles once.
using FirstSpace = SpaceList<Space<1, 3>>;
using OtherFirstOrder = SpaceList<Space<1, 1>, Space<1, 6>>;
using FirstOrder = SpaceList<Space<1, 1>, Space<1, 3>, Space<1, 6>>;
using SecondOrder = SpaceList<Space<2, 1>, Space<2, 3>, Space<2, 6>>;
using OtherSpaces = SpaceList<Space<1, 1>, Space<1, 6>, Space<2, 1>, Space<2, 3>, Space<2, 6>>;
using AllSpaces = SpaceList<Space<1, 1>, Space<1, 3>, Space<1, 6>, Space<2, 1>, Space<2, 3>, Space<2, 6>>;

template <class S>
using OnPlane = S;

/// The solver of the case's space, on the plane or `On` the sphere, for the policy of that name; null where
/// the lists have not both.
template <template <class> class On, class Policies, class... Ss, class Executor>
std::unique_ptr<Solver> make_on(SpaceList<Ss...>, Executor executor, std::string const& policy,
                                Assembly assembly, Setup const& setup) {
  std::unique_ptr<Solver> made;
  if (setup.mesh.spherical != On<Space<1, 1>>::spherical) return made;
  auto const try_one = [&]<class S>() {
    if (setup.parameters.cg != S::cg || setup.parameters.dg != S::dg) return;
    made = with_policy(Policies{}, policy,
                       [&]<class P>() { return make_in<P, On<S>>(executor, assembly, setup); });
  };
  (try_one.template operator()<Ss>(), ...);
  return made;
}

}  // namespace ulpine::seaice
