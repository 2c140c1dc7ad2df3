// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"

/// Elementary functions with the same bits on host and device: exp, ... (see docs/reproducibility.md for the bounds).
namespace ulpine::math {}  // namespace ulpine::math
