// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ulpine::ensembles {

/// The two errors that are followed in time, as compute_metrics() defines them but summed in plain double in
/// the order of the points, which takes a hundredth of its time; NaN where undefined or where one side alone
/// is missing.
struct Errors {
  double l2_relative = 0, linf = 0;
};
Errors errors_of(std::span<double const> test, std::span<double const> reference,
                 std::span<double const> weights);

/// Relative L2 error of each of the `levels` equal parts that a field falls into along its first dimension;
/// NaN also where the level of the reference is zero everywhere, whatever the error.
std::vector<double> errors_by_level(std::span<double const> test, std::span<double const> reference,
                                    std::span<double const> weights, std::int64_t levels);

}  // namespace ulpine::ensembles
