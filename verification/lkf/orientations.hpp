// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "verification/lkf/detector.hpp"

namespace ulpine::lkf {

/// The least and the greatest.
template <class T>
struct Range {
  T least, greatest;
  constexpr T width() const { return greatest - least; }
};

/// The features of a field when its grid is numbered from each of its four corners, along either axis first:
/// the same field in eight orientations. Thinning takes cells off in an order of directions and traces grow
/// in the order of rows and columns, in lkf_tools as in the repaired rules, so that features differ between
/// orientations. Their range says nothing about the field: no smaller difference of two fields does.
struct Orientations {
  static constexpr int number = 8;
  Range<std::int64_t> count;
  Range<double> total_length_cells;
  std::optional<Range<double>> total_length_km;  ///< where summarise() has one in each of them
};

/// Eight detections. InputError as detect().
Orientations over_orientations(Field const& field, Parameters const& parameters, Rules rules,
                               std::optional<Spacing> const& spacing_km = {});

}  // namespace ulpine::lkf
