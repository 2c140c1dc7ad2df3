// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/exec/executor.hpp"
#include "core/fdm/parameters.hpp"
#include "core/model/core.hpp"
#include "core/model/modules.hpp"

namespace ulpine {
struct EmulatingHost;
struct CountingHost;
}  // namespace ulpine

namespace ulpine::fdm {

/// The core in the policy of that name, of one of `team` where that is not null; null where the executor has
/// none of it.
std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly,
                           Parameters const& parameters, std::shared_ptr<Ranks> const& team = {});
std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly,
                           Parameters const& parameters, std::shared_ptr<Ranks> const& team = {});

/// The core in emulated formats (core/model/emulated.hpp).
std::unique_ptr<Core> make(EmulatingHost host, Parameters const& parameters,
                           std::shared_ptr<Ranks> const& team = {});

/// The core with numbers that count (core/model/operations.hpp).
std::unique_ptr<Core> make(CountingHost host, Parameters const& parameters);

/// Signatures of the entry point "make" of the core's parts: of a policy, of "emulated" and of "counted"; and
/// of "make_on_device" of a policy that is compiled on demand.
using Maker = std::unique_ptr<Core>(Host, Parameters const&, std::shared_ptr<Ranks> const&);
using DeviceMaker = std::unique_ptr<Core>(Cuda, Parameters const&, std::shared_ptr<Ranks> const&);
using EmulatedMaker = std::unique_ptr<Core>(EmulatingHost, Parameters const&, std::shared_ptr<Ranks> const&);
using CountedMaker = std::unique_ptr<Core>(CountingHost, Parameters const&, std::shared_ptr<Ranks> const&);

/// The parts that this program holds itself: a source that CMake writes.
std::span<LinkedPart const> linked_parts();

}  // namespace ulpine::fdm
