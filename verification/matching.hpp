// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::verification {

/// Pairs of indices of equal times: each time with the nearest one of the other list, nearer than half the
/// smallest interval of either list (equal but for rounding where there is no interval). In the order of the
/// times; NaN has no partner, of equal times the first goes with the first.
std::vector<std::pair<std::size_t, std::size_t>> match_times(std::span<double const> reference,
                                                             std::span<double const> test);

/// Time indices of both files, and the time itself in s since the reference's first (NaN without axis).
struct CommonTime {
  std::int64_t reference = -1, test = -1;
  double time_s = std::numeric_limits<double>::quiet_NaN();
};

struct CommonTimes {
  std::vector<CommonTime> times;
  std::string refusal;  ///< why times cannot be matched; then there are none
  std::vector<std::string> notes;
};

/// Which values of two files belong together. Keeps the answers on coordinates, which variables share.
class Matching {
 public:
  /// At most `most_values` of a file's coordinate are held at once.
  Matching(io::InputFile const& reference, io::InputFile const& test, std::int64_t most_values);

  /// By dates where both files have them, else by times since each file's first; without time axes one pair.
  CommonTimes times(std::string const& variable) const;
  /// Why the fields cannot be compared point by point: another shape or order of dimensions, or coordinates
  /// that differ by more than the rounding of the stored types. Empty where they can. Without coordinates in
  /// both files the position counts.
  std::string grid_mismatch(std::string const& variable, std::vector<std::string>& notes);

 private:
  std::string compare_coordinates(io::GridCoordinate const& reference, io::GridCoordinate const& test,
                                  std::vector<std::string>& notes);
  std::string difference_of(io::GridCoordinate const& reference, io::GridCoordinate const& test) const;

  io::InputFile const& reference_;
  io::InputFile const& test_;
  std::int64_t most_values_;
  std::map<std::pair<std::string, std::string>, std::string> known_;  ///< differences by names of coordinates
};

}  // namespace ulpine::verification
