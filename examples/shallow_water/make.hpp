// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <ulpine/core/exec/executor.hpp>
#include <ulpine/core/model/core.hpp>
#include "parameters.hpp"

namespace shallow_water {

/// The core in the policy of that name; null where the executor has none of it. One source file an executor,
/// so that each compiler sees its own.
std::unique_ptr<ulpine::Core> make(Parameters const& parameters, std::string const& policy,
                                   ulpine::Host host);
std::unique_ptr<ulpine::Core> make(Parameters const& parameters, std::string const& policy,
                                   ulpine::Cuda cuda);

}  // namespace shallow_water
