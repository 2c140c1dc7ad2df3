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
#include "core/seaice/seaice.hpp"

namespace ulpine::seaice {

/// A part of type T. Made once: what few parts are made of is not worth compiling into each list of them.
template <class T, class... Given>
[[gnu::noinline, gnu::cold]] std::unique_ptr<T> make_part(Given&... given) {
  return std::make_unique<T>(given...);
}

/// The parts of a domain in the order in which each point of a step calls them. Policies, rheologies and maps
/// share what is not named with them.
template <class P, class D, class Maps, template <class> class Law>
std::vector<std::unique_ptr<Part>> make_parts(D& d, Setup const& setup) {
  std::vector<std::unique_ptr<Part>> parts;
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
  add(make_part<Substeps<Equation>>(equation));
  add(make_part<Diagnostics<D>>(d, setup, elements->mode_areas()));
  add(setup.convergence ? make_part<Residuals<Equation>>(equation) : nullptr);
  add(std::move(elements));
  return parts;
}

/// Null where that law, that assembly or that order of sums is not built.
template <class P, class S, class Executor, MapsKind kind, template <class> class Law>
std::unique_ptr<Solver> make_law(Executor executor, Assembly assembly, Setup const& setup) {
  bool const gathers = setup.parameters.sum_order == SumOrder::gather;
  if constexpr (law_offered<Law, P, S>) {
    using D = Domain<ScalarsOf<P>, S, Executor>;
    using Maps = ElementMaps<ScalarsOf<P>, S, Executor, kind>;
    bool const built = assembly == Assembly::deterministic
                           ? gathers || passes_offered<ScalarsOf<P>, S, Executor>
                           : gathers && D::adds_atomically && Maps::adds_atomically && !is_common_only<Law>;
    if (built) return std::make_unique<Ice<D>>(executor, assembly, setup, &make_parts<P, D, Maps, Law>);
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

template <class P, class S>
inline constexpr bool policy_offered = in_every_space<P> || (S::cg == 1 && S::dg <= 3 && !S::spherical);

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

/// make.template operator()<S>() for the case's space S; null where the list has it not.
template <class... Ss, class Make>
std::unique_ptr<Solver> with_space_of(SpaceList<Ss...>, Parameters const& parameters, Make const& make) {
  std::unique_ptr<Solver> made;
  auto const try_one = [&]<class S>() {
    if (parameters.cg == S::cg && parameters.dg == S::dg) made = make.template operator()<S>();
  };
  (try_one.template operator()<Ss>(), ...);
  return made;
}

/// The solver of the case's space for the policy of that name; null where the lists have not both.
template <class Spaces, class Policies, class Executor>
std::unique_ptr<Solver> make_on_plane(Executor executor, std::string const& policy, Assembly assembly,
                                      Setup const& setup) {
  return with_space_of(Spaces{}, setup.parameters, [&]<class S>() {
    return with_policy(Policies{}, policy, [&]<class P>() -> std::unique_ptr<Solver> {
      if constexpr (policy_offered<P, S>) return make_maps<P, S>(executor, assembly, setup);
      return nullptr;
    });
  });
}

/// The solver of cG order `cg` on the sphere, as make_order() gives that on the plane.
template <class Spaces, class Policies, class Executor>
std::unique_ptr<Solver> make_on_sphere(Executor executor, std::string const& policy, Assembly assembly,
                                       Setup const& setup) {
  return with_space_of(Spaces{}, setup.parameters, [&]<class Plane>() {
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

}  // namespace ulpine::seaice
