// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/exec/executor.hpp"
#include "core/les/setup.hpp"
#include "core/model/core.hpp"
#include "core/ranks/ranks.hpp"

namespace ulpine {
struct EmulatingHost;
}

namespace ulpine::les {

/// The core in the policy of that name; null where the executor has none of it. `deterministic` takes the
/// portable Fourier transform, `atomic` the vendor's. Of a `team` it is this one's block; null: all of it.
std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team = {});
std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team = {});

/// The core in formats that the host emulates (core/model/emulated.hpp).
std::unique_ptr<Core> make(EmulatingHost host, Setup const& setup, std::shared_ptr<Ranks> const& team = {});

/// The reference, in binary128. InputError where a team would need sums or a largest value of that type:
/// those that there are depend on the order, or on one rank's memory.
std::unique_ptr<Core> make_quad(Host host, Setup const& setup, std::shared_ptr<Ranks> const& team = {});

}  // namespace ulpine::les
