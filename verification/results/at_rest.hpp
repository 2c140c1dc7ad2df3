// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/netcdf.hpp"

// Runs in which nothing happens: what stays at rest is the same in any arithmetic.

namespace ulpine::verification {

/// Whether no value but missing ones, which are NaN, is other than 0.
bool is_zero(std::vector<double> const& values);
/// Whether what began as 0 counts as 0 still: at most 1e-6, in the field's units.
bool stays_zero(std::vector<double> const& values);

/// Whether every field of an output that has times ends as it began: with the values of its first time, bit
/// for bit, or, where it begins as 0 everywhere, at most 1e-6 in its units. False for a single time.
bool ends_as_it_began(io::InputFile const& output);

}  // namespace ulpine::verification
