// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "verification/lkf/detector.hpp"

/// Deformation fields with features of known place and length, on which detectors are judged.
namespace ulpine::lkf::judging {

/// Row and column, cells.
using Point = std::array<double, 2>;

/// A feature as it is known: a polyline so fine that an arc is 1e-3 of its length longer at most.
struct Curve {
  std::vector<Point> points;

  double length() const;  ///< cells
};

/// What lies under the features. Rates of deformation in day^-1.
enum class Ground {
  quiet,   ///< 0.01 everywhere
  smooth,  ///< waves of 64 to 90 cells between 0.01 and 0.09
  ring     ///< a hump 20 cells wide along a circle of 35 cells, up to 0.5: no linear feature
};

/// What hides features: every value times exp(`noise` times a normal deviate).
struct Setting {
  Ground ground;
  double noise = 0;

  std::string name() const;
};

/// A field of `side` x `side` cells, its two outer rows and columns missing.
struct Scene {
  static constexpr std::int64_t side = 128;
  std::vector<Curve> curves;  ///< the features in it
  std::vector<double> eps;    ///< day^-1

  Field field() const { return {side, side, eps}; }
};

/// The shapes: `line` (all directions by 5 degrees, 70 cells), `arc` (quarters of circles of 20, 40 and 80
/// cells), `ring` (10 to 35 cells of radius), `crossing` (two lines of 80 cells at 15 to 90 degrees),
/// `network` (twelve lines of 20 to 60 cells in two families of directions, of 0.05 to 1 day^-1) and `none`.
/// All but networks reach 0.5 day^-1. Ridges are Gaussian across, `width` cells wide at half their height.
std::vector<std::string> shapes();
std::vector<Scene> scenes(std::string const& shape, Setting const& setting, double width = 2);

}  // namespace ulpine::lkf::judging
