// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/double_float_functions.hpp"
// The arithmetic of two floats comes first.
#include "core/poisson/columns.hpp"

namespace ulpine {

/// A number of two floats is scaled as its high part is, whose range it has.
ULPINE_HD inline DoubleFloat inverse_exponent(DoubleFloat x) { return inverse_exponent(x.hi()); }

}  // namespace ulpine
