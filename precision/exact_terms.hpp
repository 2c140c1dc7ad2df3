// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "precision/exact_sum.hpp"

namespace ulpine {

/// Adds many terms to a sum: the same sum as ExactSum::add() of each, some ten times as fast where no term
/// is smaller than about 2^-30 of the largest near it. Each term is split into parts that are multiples of
/// one power of two and few enough bits long for double to add them without rounding (Rump, Ogita and Oishi
/// 2008, SIAM J. Sci. Comput. 31, 189).
void add_terms(ExactSum& sum, std::span<double const> terms);

}  // namespace ulpine
