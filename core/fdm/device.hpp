// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/fdm/make.hpp"
#include "precision/policy.hpp"

namespace ulpine::fdm {

/// The core on a device in one of these policies; null where `policy` is none of them. A source each, as the
/// kernels of advection are compiled for every policy.
std::unique_ptr<Core> make(ExactPolicies, Cuda cuda, std::string const& policy, Parameters const& parameters,
                           std::shared_ptr<Ranks> const& team);
std::unique_ptr<Core> make(RoundedPolicies, Cuda cuda, std::string const& policy,
                           Parameters const& parameters, std::shared_ptr<Ranks> const& team);

}  // namespace ulpine::fdm
