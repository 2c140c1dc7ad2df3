// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/exec/executor.hpp"
#include "core/les/setup.hpp"
#include "core/model/core.hpp"
#include "core/model/modules.hpp"
#include "core/ranks/ranks.hpp"

namespace ulpine {
struct EmulatingHost;
struct CountingHost;
}  // namespace ulpine

namespace ulpine::les {

/// The core in the policy of that name; null where the executor has none of it. `deterministic` takes the
/// portable Fourier transform, `atomic` the vendor's. Of a `team` it is this one's block; null: all of it.
/// InputError for what policy quad does not do on several ranks.
std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team = {});
std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team = {});

/// The core in formats that the host emulates (core/model/emulated.hpp).
std::unique_ptr<Core> make(EmulatingHost host, Setup const& setup, std::shared_ptr<Ranks> const& team = {});

/// The core with numbers that count (core/model/operations.hpp).
std::unique_ptr<Core> make(CountingHost host, Setup const& setup);

/// Signatures of the entry point "make" of parts that are none of DevicePolicies, and of "make_on_device" of
/// a policy that is compiled on demand.
using Maker = std::unique_ptr<Core>(Host, Assembly, Setup const&, std::shared_ptr<Ranks> const&);
using DeviceMaker = std::unique_ptr<Core>(Cuda, Assembly, Setup const&, std::shared_ptr<Ranks> const&);
using EmulatedMaker = std::unique_ptr<Core>(EmulatingHost, Assembly, Setup const&,
                                            std::shared_ptr<Ranks> const&);
using CountedMaker = std::unique_ptr<Core>(CountingHost, Assembly, Setup const&,
                                           std::shared_ptr<Ranks> const&);

/// The parts that this program holds itself: a source that CMake writes.
std::span<LinkedPart const> linked_parts();

}  // namespace ulpine::les
