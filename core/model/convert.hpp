// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/restart.hpp"

namespace ulpine {

/// `source` with the array types of `layout` (a snapshot of a model with another policy, same case): values
/// of equally named arrays are converted one by one between float, double and binary128. Step and time are
/// the source's, the policy is the layout's. InputError where core, names or shapes differ.
io::Snapshot convert(io::Snapshot const& source, io::Snapshot const& layout);

}  // namespace ulpine
