// SPDX-License-Identifier: Apache-2.0
#include "verification/lkf/tracking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>

#include "io/error.hpp"

namespace ulpine::lkf {
namespace {

using Area = std::set<Cell>;

/// The cells around the moved points, dilated step by step.
Area search_area(std::vector<Point> const& points, std::int64_t rows, std::int64_t columns, int expansion,
                 Rules rules) {
  auto const inside = [&](Cell const& c) { return c[0] >= 0 && c[1] >= 0 && c[0] < rows && c[1] < columns; };
  Area area;
  for (auto const& [row, column] : points) {
    for (auto const r : {std::floor(row), std::ceil(row)}) {
      for (auto const c : {std::floor(column), std::ceil(column)}) {
        Cell const cell{static_cast<std::int32_t>(r), static_cast<std::int32_t>(c)};
        if (inside(cell)) area.insert(cell);
      }
    }
  }
  for (int step = 0; step < expansion; ++step) {
    auto const core = area;
    for (auto const& [row, column] : core) {
      for (int dr : {-1, 0, 1}) {
        for (int dc : {-1, 0, 1}) {
          if (rules == Rules::lkf_tools && dr == 0 && dc == -1) continue;
          Cell const cell{row + dr, column + dc};
          if (inside(cell)) area.insert(cell);
        }
      }
    }
  }
  return area;
}

/// The cells beside a moved feature: between the perpendiculars through its ends to the line fitted to its
/// points.
class Strip {
 public:
  explicit Strip(std::vector<Point> const& points) {
    auto const n = static_cast<double>(points.size());
    Point mean{0, 0};
    for (auto const& point : points) {
      for (int axis : {0, 1}) mean[axis] += point[axis] / n;
    }
    double rr = 0, rc = 0;
    double extent = 0;
    for (auto const& point : points) {
      rr += (point[0] - mean[0]) * (point[0] - mean[0]);
      rc += (point[0] - mean[0]) * (point[1] - mean[1]);
      extent = std::max({extent, std::abs(point[0]), std::abs(point[1])});
    }
    // A fit of columns to rows has no slope where all rows are equal, up to rounding.
    auto const vertical = std::sqrt(rr) <= n * std::numeric_limits<double>::epsilon() * extent;
    auto const slope = vertical ? 0 : rc / rr;
    along_ = vertical ? Point{0, 1} : Point{1, slope};
    inclusive_ = slope == 0;
    auto const first = position(points.front());
    auto const last = position(points.back());
    low_ = std::min(first, last);
    high_ = std::max(first, last);
  }

  bool contains(Cell const& cell) const {
    auto const at = position({static_cast<double>(cell[0]), static_cast<double>(cell[1])});
    return inclusive_ ? low_ <= at && at <= high_ : low_ < at && at < high_;
  }

 private:
  double position(Point const& p) const { return p[0] * along_[0] + p[1] * along_[1]; }

  Point along_;
  bool inclusive_;
  double low_;
  double high_;
};

double nearest_distance(Point const& p, std::vector<Point> const& others) {
  double least = std::numeric_limits<double>::infinity();
  for (auto const& q : others)
    least = std::min(least, (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]));
  return std::sqrt(least);
}

/// Points of one set within a limit of another, and the mean distance of all its points to the other.
struct Overlap {
  std::vector<Point> points;
  double mean_distance = 0;
};

Overlap overlap(std::vector<Point> const& points, std::vector<Point> const& others, double limit) {
  Overlap result;
  for (auto const& p : points) {
    auto const distance = nearest_distance(p, others);
    result.mean_distance += distance / static_cast<double>(points.size());
    if (distance <= limit) result.points.push_back(p);
  }
  return result;
}

/// Angle in degrees, 0 to 90, between the chords of two sets of points; NaN where one has no length.
double chord_angle(std::vector<Point> const& a, std::vector<Point> const& b) {
  Point const u{a.back()[0] - a.front()[0], a.back()[1] - a.front()[1]};
  Point const v{b.back()[0] - b.front()[0], b.back()[1] - b.front()[1]};
  auto const cosine = std::abs(u[0] * v[0] + u[1] * v[1]) / (std::hypot(u[0], u[1]) * std::hypot(v[0], v[1]));
  return std::acos(cosine > 1 ? 1 : cosine) * (180 / std::numbers::pi);
}

}  // namespace

std::vector<std::vector<Point>> advect(std::span<Feature const> features, Drift const& drift) {
  std::vector<std::vector<Point>> points;
  for (auto const& feature : features) {
    auto& cells = points.emplace_back();
    for (auto const& [row, column] : feature.cells) {
      cells.push_back({static_cast<double>(row), static_cast<double>(column)});
    }
  }
  advect(points, drift, Rules::repaired);
  return points;
}

void advect(std::vector<std::vector<Point>>& points, Drift const& drift, Rules rules) {
  auto const size = static_cast<std::size_t>(drift.rows) * static_cast<std::size_t>(drift.columns);
  if (drift.along_rows.size() != size || drift.along_columns.size() != size) {
    throw InputError{"the drift fields differ in size (each needs " + std::to_string(size) + " values)"};
  }
  auto const cell_of = [&](double x) {
    return static_cast<std::int64_t>(rules == Rules::lkf_tools ? std::floor(x) : std::floor(x + 0.5));
  };
  auto const inside = [](double x, std::int64_t n) { return x >= 1 && x < static_cast<double>(n - 2); };
  for (auto& feature : points) {
    std::vector<Point> kept;
    for (auto const& [at_row, at_column] : feature) {
      auto const row = cell_of(at_row), column = cell_of(at_column);
      if (row < 0 || column < 0 || row >= drift.rows || column >= drift.columns) {
        throw InputError{"a feature lies outside the drift field (" + std::to_string(drift.rows) + " x " +
                         std::to_string(drift.columns) + ") give both on the same grid"};
      }
      auto const p = row * drift.columns + column;
      Point const moved{at_row + drift.along_rows[p], at_column + drift.along_columns[p]};
      if (inside(moved[0], drift.rows) && inside(moved[1], drift.columns)) kept.push_back(moved);
    }
    feature = std::move(kept);
  }
}

std::vector<Track> track(std::span<std::vector<Point> const> moved, std::span<Feature const> later,
                         std::int64_t rows, std::int64_t columns, TrackParameters const& parameters,
                         Rules rules) {
  // The cells of each later feature, each once, and whether it is listed more than once: in row-major order
  // as in lkf_tools, or in that of the feature.
  std::vector<std::vector<std::pair<Cell, bool>>> listed;
  for (auto const& feature : later) {
    std::map<Cell, std::size_t> times;
    for (auto const& cell : feature.cells) ++times[cell];
    auto& cells = listed.emplace_back();
    if (rules == Rules::lkf_tools) {
      for (auto const& [cell, count] : times) cells.emplace_back(cell, count > 1);
    } else {
      for (auto const& cell : feature.cells) {
        if (auto const found = times.extract(cell)) cells.emplace_back(cell, found.mapped() > 1);
      }
    }
  }

  std::vector<Track> tracks;
  for (std::size_t from = 0; from < moved.size(); ++from) {
    auto const& points = moved[from];
    if (points.empty()) continue;
    auto const area = search_area(points, rows, columns, parameters.search_area_expansion, rules);
    Strip const strip{points};
    for (std::size_t to = 0; to < later.size(); ++to) {
      std::int64_t close = 0;
      std::vector<Point> beside;
      for (auto const& [cell, twice] : listed[to]) {
        auto const counts = rules == Rules::lkf_tools && twice;
        auto const in_strip = strip.contains(cell);
        if (counts || (in_strip && area.contains(cell))) ++close;
        if (counts || in_strip)
          beside.push_back({static_cast<double>(cell[0]), static_cast<double>(cell[1])});
      }
      auto const share = static_cast<double>(close) / static_cast<double>(beside.size());
      if (close < parameters.min_overlap || !(share > parameters.thres_frac)) continue;
      auto const of_earlier = overlap(points, beside, parameters.overlap_thres);
      auto const of_later = overlap(beside, points, parameters.overlap_thres);
      auto const common = std::min(of_earlier.points.size(), of_later.points.size());
      if (common == 0 || static_cast<std::int64_t>(common) < parameters.min_overlap) continue;
      if (!(chord_angle(of_earlier.points, of_later.points) < parameters.angle_thres)) continue;
      tracks.push_back({from, to, std::max(of_earlier.mean_distance, of_later.mean_distance)});
    }
  }
  return tracks;
}

}  // namespace ulpine::lkf
