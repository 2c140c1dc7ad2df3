// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/exec/executor.hpp"
#include "core/fdm/parameters.hpp"
#include "core/model/core.hpp"

namespace ulpine {
struct EmulatingHost;
}

namespace ulpine::fdm {

/// The core in the policy of that name, of one of `team` where that is not null; null where the executor has
/// none of it.
std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly,
                           Parameters const& parameters, std::shared_ptr<Ranks> const& team = {});
std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly,
                           Parameters const& parameters, std::shared_ptr<Ranks> const& team = {});

/// In emulated formats (core/model/emulated.hpp).
std::unique_ptr<Core> make(EmulatingHost host, Parameters const& parameters,
                           std::shared_ptr<Ranks> const& team = {});

/// The reference, in binary128.
std::unique_ptr<Core> make_quad(Host host, Parameters const& parameters,
                                std::shared_ptr<Ranks> const& team = {});

}  // namespace ulpine::fdm
