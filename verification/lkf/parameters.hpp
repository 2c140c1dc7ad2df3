// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verification/lkf/detector.hpp"

namespace ulpine::lkf::detail {

/// Throws InputError where a value is out of range.
void validate(Parameters const& parameters);

}  // namespace ulpine::lkf::detail
