// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ulpine::verification::consistency {

/// Share of false alarms of the rule "at least `components_fail` of `components` independent normal scores
/// are beyond `sigma` in at least 2 of 3 runs" (PyCECT's set-up notebooks).
double rate_of_components(double sigma, std::int64_t components, std::int64_t components_fail);
/// The sigma with which that share is `rate`.
double sigma_for_rate(double rate, std::int64_t components, std::int64_t components_fail);

}  // namespace ulpine::verification::consistency
