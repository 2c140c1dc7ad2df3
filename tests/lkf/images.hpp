// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "verification/lkf/detector.hpp"

/// Deformation fields for the tests of the detector.
namespace ulpine::lkf::test {

inline constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr Rules all_rules[] = {Rules::repaired, Rules::lkf_tools};

struct Image {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<double> eps;

  Field field() const { return {rows, columns, eps}; }
};

inline Image filled(std::int64_t rows, std::int64_t columns,
                    std::function<double(double row, double column)> const& eps) {
  Image image{rows, columns, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      image.eps.push_back(eps(static_cast<double>(i), static_cast<double>(j)));
    }
  }
  return image;
}

inline Image framed(Image image) {
  frame_with_nan(image.eps, image.rows, image.columns);
  return image;
}

inline Image noise(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937_64 generator{seed};
  std::lognormal_distribution<double> draw{-3, 1};
  return filled(rows, columns, [&](double, double) { return draw(generator); });
}

/// A ridge of deformation one or two cells wide on a quiet background; `distance` is that of a cell from its
/// axis.
inline double ridge(double distance) { return 0.01 + 0.5 * std::exp(-distance * distance); }

/// So narrow that the filtered field exceeds `least_of_crest` on the axis only, along rows, columns and
/// diagonals.
inline double crest(double distance) { return 0.01 + 0.5 * std::exp(-4 * distance * distance); }
inline constexpr double least_of_crest = 0.15;

/// Distance of a point from the line between two others.
inline double to_line(double row, double column, Cell from, Cell to) {
  double const dr = to[0] - from[0], dc = to[1] - from[1];
  auto const t = std::clamp(((row - from[0]) * dr + (column - from[1]) * dc) / (dr * dr + dc * dc), 0.0, 1.0);
  return std::hypot(row - from[0] - t * dr, column - from[1] - t * dc);
}

}  // namespace ulpine::lkf::test
