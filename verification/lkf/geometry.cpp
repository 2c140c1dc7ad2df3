// SPDX-License-Identifier: Apache-2.0
#include "verification/lkf/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ulpine::lkf {
namespace {

double distance(Cell const& a, Cell const& b, Spacing const& spacing) {
  auto const rows = static_cast<double>(a[0] - b[0]) * spacing.rows;
  auto const columns = static_cast<double>(a[1] - b[1]) * spacing.columns;
  return std::sqrt(rows * rows + columns * columns);
}

/// x along columns, y along rows.
struct Point {
  double x;
  double y;
};

/// The cells relative to their centroid.
std::vector<Point> centred(std::span<Cell const> cells, Spacing const& spacing) {
  Point mean{0, 0};
  for (auto const& [row, column] : cells) {
    mean.x += column;
    mean.y += row;
  }
  auto const n = static_cast<double>(cells.size());
  std::vector<Point> points;
  for (auto const& [row, column] : cells) {
    points.push_back({(column - mean.x / n) * spacing.columns, (row - mean.y / n) * spacing.rows});
  }
  return points;
}

/// The cells with a margin around them.
struct Box {
  Cell low{std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::max()};
  Cell high{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::min()};

  explicit Box(Segment const& cells) {
    for (auto const& cell : cells) {
      for (int axis : {0, 1}) {
        low[axis] = std::min(low[axis], cell[axis]);
        high[axis] = std::max(high[axis], cell[axis]);
      }
    }
  }

  bool within(double margin, Box const& other, Spacing const& spacing) const {
    for (int axis : {0, 1}) {
      auto const cells = margin / (axis == 0 ? spacing.rows : spacing.columns);
      if (low[axis] > other.high[axis] + cells || other.low[axis] > high[axis] + cells) return false;
    }
    return true;
  }
};

std::span<Cell const> around(Segment const& cells, std::size_t centre, std::int64_t reach) {
  auto const middle = static_cast<std::int64_t>(centre);
  auto const from = std::max<std::int64_t>(0, middle - reach);
  auto const to = std::min<std::int64_t>(static_cast<std::int64_t>(cells.size()), middle + reach + 1);
  return {cells.data() + from, static_cast<std::size_t>(to - from)};
}

}  // namespace

double chord(Segment const& segment, Spacing const& spacing) {
  auto const unit = spacing.smaller();
  return segment.empty() ? 0 : distance(segment.front(), segment.back(), spacing.in(unit)) * unit;
}

double polyline_length(Segment const& segment, Spacing const& spacing) {
  auto const unit = spacing.smaller();
  double length = 0;
  for (std::size_t k = 1; k < segment.size(); ++k) {
    length += distance(segment[k - 1], segment[k], spacing.in(unit));
  }
  return length * unit;
}

double orientation(std::span<Cell const> cells, Spacing const& spacing) {
  double xx = 0, xy = 0, yy = 0;
  for (auto const& [x, y] : centred(cells, spacing.relative())) {
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  auto const degrees = 0.5 * std::atan2(2 * xy, xx - yy) * (180 / std::numbers::pi);
  return degrees < 0 ? degrees + 180 : degrees;
}

double curvature(std::span<Cell const> cells, Spacing const& spacing) {
  auto const points = centred(cells, spacing.relative());
  auto const n = static_cast<double>(points.size());
  // Moments of x, y and z = x^2 + y^2 about the centroid; the fit minimises |z + B x + C y + D|^2 under
  // Taubin's norm.
  double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0, zz = 0;
  for (auto const& [x, y] : points) {
    auto const z = x * x + y * y;
    xx += x * x / n;
    xy += x * y / n;
    yy += y * y / n;
    xz += x * z / n;
    yz += y * z / n;
    zz += z * z / n;
  }
  auto const z = xx + yy;
  auto const determinant = xx * yy - xy * xy;
  if (!(determinant > 1e-12 * z * z)) return 0;
  // Smallest root of the characteristic polynomial by Newton's method from zero, which converges from below.
  auto const variance = zz - z * z;
  auto const a3 = 4 * z;
  auto const a2 = -3 * z * z - zz;
  auto const a1 = variance * z + 4 * determinant * z - xz * xz - yz * yz;
  auto const a0 = xz * (xz * yy - yz * xy) + yz * (yz * xx - xz * xy) - variance * determinant;
  double root = 0;
  for (int step = 0; step < 50; ++step) {
    auto const value = a0 + root * (a1 + root * (a2 + root * a3));
    auto const slope = a1 + root * (2 * a2 + root * 3 * a3);
    auto const next = root - value / slope;
    if (!std::isfinite(next) || std::abs(next - root) <= 1e-14 * std::abs(next)) break;
    root = next;
  }
  auto const divisor = root * root - root * z + determinant;
  auto const centre_x = (xz * (yy - root) - yz * xy) / (2 * divisor);
  auto const centre_y = (yz * (xx - root) - xz * xy) / (2 * divisor);
  auto const radius = std::sqrt(centre_x * centre_x + centre_y * centre_y + z);
  return std::isfinite(radius) && radius > 0 ? 1 / radius / spacing.mean() : 0;
}

Feature describe(Segment const& segment, std::span<double const> eps, std::int64_t columns,
                 Spacing const& spacing) {
  auto const n = static_cast<double>(segment.size());
  double sum = 0;
  for (auto const& [row, column] : segment) sum += eps[row * columns + column];
  auto mean = sum / n;
  if (!std::isfinite(mean)) {  // the sum may be beyond the range of double, the mean of finite values is not
    mean = 0;
    for (auto const& [row, column] : segment) mean += eps[row * columns + column] / n;
  }
  return {segment, polyline_length(segment),      chord(segment),
          mean,    orientation(segment, spacing), curvature(segment, spacing)};
}

std::vector<Intersection> intersections(std::span<Feature const> features, double gap, std::int64_t reach,
                                        Spacing const& spacing) {
  std::vector<Box> boxes;
  for (auto const& feature : features) boxes.emplace_back(feature.cells);
  std::vector<Intersection> found;
  for (std::size_t a = 0; a < features.size(); ++a) {
    for (auto b = a + 1; b < features.size(); ++b) {
      if (!boxes[a].within(gap, boxes[b], spacing)) continue;
      auto nearest = std::numeric_limits<double>::infinity();
      std::size_t at_a = 0, at_b = 0;
      for (std::size_t i = 0; i < features[a].cells.size(); ++i) {
        for (std::size_t j = 0; j < features[b].cells.size(); ++j) {
          auto const d = distance(features[a].cells[i], features[b].cells[j], spacing);
          if (d < nearest) {
            nearest = d;
            at_a = i;
            at_b = j;
          }
        }
      }
      if (!(nearest <= gap)) continue;
      auto const difference = std::abs(orientation(around(features[a].cells, at_a, reach), spacing) -
                                       orientation(around(features[b].cells, at_b, reach), spacing));
      found.push_back({a, b, features[a].cells[at_a], std::min(difference, 180 - difference)});
    }
  }
  return found;
}

}  // namespace ulpine::lkf
