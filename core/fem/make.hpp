// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/exec/executor.hpp"
#include "core/fem/setup.hpp"
#include "core/fem/setup_times.hpp"
#include "core/model/core.hpp"
#include "core/model/modules.hpp"
#include "precision/policy.hpp"

namespace ulpine {
struct EmulatingHost;
struct CountingHost;
}  // namespace ulpine

namespace ulpine::fem {

/// The core in the policy of that name, this one's part of it where `team` are several; null where the
/// executor has none of it. `times`, where given, gets what the time went into. InputError for what several
/// ranks do not do: policy quad, whose sums are not exact, and PETSc where they are no processes of MPI.
std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team = {}, SetupTimes* times = nullptr);
std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team = {}, SetupTimes* times = nullptr);

/// The core in emulated formats (core/model/emulated.hpp), by our own solvers.
std::unique_ptr<Core> make(EmulatingHost host, Setup const& setup, std::shared_ptr<Ranks> const& team = {});

/// The core with numbers that count (core/model/operations.hpp), by our own solvers.
std::unique_ptr<Core> make(CountingHost host, Setup const& setup);

/// Signature of the entry point "make" of the core's parts: of a policy, of "emulated" and of "counted"; and
/// of "make_on_device" of a policy that is compiled on demand.
template <class Executor>
using Maker = std::unique_ptr<Core>(Executor, Assembly, Setup const&, std::shared_ptr<Ranks> const&,
                                    SetupTimes*);

/// The parts that this program holds itself: a source that CMake writes.
std::span<LinkedPart const> linked_parts();

}  // namespace ulpine::fem
