// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "verification/consistency/data.hpp"

namespace ulpine::verification::consistency {

/// Reads points [first, first + values.size()) of a field.
using ReadPoints = std::function<void(std::int64_t first, std::span<double> values)>;

/// Weighted root mean square of a - b over `size` points, those that are missing in both left out; infinite
/// where one side alone is missing or not finite. Sums are exact, so that slabs do not matter.
double rms_difference(std::int64_t size, ReadPoints const& a, ReadPoints const& b, ReadPoints const& weights);

}  // namespace ulpine::verification::consistency
