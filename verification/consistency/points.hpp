// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "verification/consistency/method.hpp"

// The points of all runs, read once for all methods that look at points.

namespace ulpine::verification::consistency {

/// Neighbouring points of a variable on one level, in all runs: the ensemble's members, then the new ones.
struct PointBlock {
  std::size_t variable = 0;
  std::optional<std::size_t> time;  ///< none: the mean over all times that are looked at
  std::int64_t first = 0;           ///< number of the first point over all levels, row-major
  std::size_t points = 0;
  std::size_t stride = 0;          ///< from one run's values to the next's
  double const* values = nullptr;  ///< value of point p in run i: values[i * stride + p]

  double const* run(std::size_t number) const { return values + number * stride; }
};

/// A method that looks at points; blocks of one variable come one after the other, points before times.
class PointMethod {
 public:
  virtual ~PointMethod() = default;
  /// Whether it has any use for points.
  virtual bool wants_points() const = 0;
  virtual void look_at(PointBlock const& block) = 0;
  virtual void end_variable(std::size_t variable) = 0;
  /// The method's answer, once all points were seen.
  virtual Outcome outcome() = 0;
};

/// Shows the methods all points of the times that judged_times() has, and the mean over these. Every value is
/// read once (for_each_slab()). InputError.
void look_at_points(Request const& request, std::span<PointMethod* const> methods);

}  // namespace ulpine::verification::consistency
