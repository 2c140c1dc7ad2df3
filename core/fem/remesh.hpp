// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/exec/executor.hpp"
#include "core/fem/setup.hpp"
#include "core/fem/setup_times.hpp"
#include "core/model/core.hpp"

namespace ulpine::fem {

/// The core that remesh() made; seconds that its parts took by the clock, the device waited for after each.
struct Remeshed {
  std::unique_ptr<Core> core;
  double search = 0;         ///< bins of the old mesh, new nodes in it
  double interpolation = 0;  ///< of the fields
  SetupTimes built;          ///< the new core
  std::int64_t outside = 0;  ///< new nodes that the old mesh does not hold
  double farthest = 0;       ///< how far off it they are at most, m

  double seconds() const {
    return search + interpolation + built.connectivity + built.plans + built.solvers + built.rest;
  }
};

/// A new core on the mesh of `onto`, everything built anew, whose prognostic fields are the P1 interpolations
/// of those of `core`, a finite-element core that was made from `from` on the same executor in the same
/// policy. Pressure and potential temperature are interpolated as departures from their references. Water
/// that `core` does not carry starts as `onto` says. A null core where make() gives none.
Remeshed remesh(Host host, std::string const& policy, Assembly assembly, Setup const& from, Core& core,
                Setup const& onto);
Remeshed remesh(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& from, Core& core,
                Setup const& onto);

/// The part of it for states of T, into a core that is made.
template <class T, class Executor>
void carry_over(Executor executor, Setup const& from, Core& core, Setup const& onto, Remeshed& remeshed);

}  // namespace ulpine::fem
