// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fem/remesh.hpp"
#include "core/fem/remesh_kernels.hpp"
#include "core/mesh/tetra_search.hpp"

namespace ulpine::fem {

/// The nodes of one mesh in the other.
template <class Executor>
Located<Executor> locate_nodes(Executor executor, Setup const& in, Setup const& of) {
  auto const view = [](auto const& all) { return View{all.data(), static_cast<std::int64_t>(all.size())}; };
  return TetraSearch<Executor>(executor, view(in.mesh.position), view(in.mesh.element))
      .locate(view(of.mesh.position));
}

template <class T, class Executor>
void carry_over(Executor executor, Setup const& from, Core& core, Setup const& onto, Remeshed& remeshed) {
  SetupTimes clock;
  auto const nodes = std::int64_t{onto.nodes()};
  auto const located = locate_nodes(executor, from, onto);
  clock.lap(remeshed.search);
  Interpolation<T, double> const interpolation{located.node.view().data(), located.weight.view().data()};
  auto const values = [](Core& of, char const* name) {
    return static_cast<T*>(of.fields().at(name).raw().data);
  };
  auto& now = *remeshed.core;
  for (auto const* field : now.fields().state()) {
    auto const* const name = field->name().c_str();
    if (core.fields().find(name) == nullptr) continue;
    auto const reference = field->name() + "_reference";
    auto const* const of = reference.c_str();
    if (core.fields().find(of) != nullptr && now.fields().find(of) != nullptr) {
      for_each(executor, nodes,
               InterpolatedDeparture<T, double>{interpolation, values(core, name), values(core, of),
                                                values(now, of), values(now, name)});
    } else {
      for_each(executor, nodes,
               Interpolated<T, double>{interpolation, values(core, name), values(now, name)});
    }
  }
  now.state_replaced();
  synchronize(executor);
  clock.lap(remeshed.interpolation);
  std::vector<double> distances(static_cast<std::size_t>(nodes));
  located.distance.to_host(distances.data());
  for (auto const distance : distances) {
    if (distance > 0) ++remeshed.outside;
    remeshed.farthest = distance > remeshed.farthest ? distance : remeshed.farthest;
  }
  clock.lap(remeshed.built.rest);
}

}  // namespace ulpine::fem
