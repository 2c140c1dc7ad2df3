// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "consistency/trials.hpp"

namespace ulpine::consistency_trials {

/// How often the best test of one variable's mean can find a shift of `shift` standard deviations at `rate` /
/// `comparisons`, two-sided. Normal values: Student's t, the uniformly most powerful unbiased one, by the
/// noncentral distribution (given `others` variables of correlation `correlation`, from which the variable is
/// predicted: its part in Hotelling's T^2, averaged over T^2 of the others). Student's 3 degrees: the limit
/// for many runs, by Fisher's information 2 / variance.
double ceiling_of_shift(Trial const& trial, double rate, double comparisons, bool given_others);
/// The same of a spread: F of normal values, by its distribution; Student's 3 degrees: information 1 of the
/// logarithm of the spread (2 of normal values), for many runs.
double ceiling_of_spread(Trial const& trial, double rate, double comparisons);

void print_ceilings();

}  // namespace ulpine::consistency_trials
