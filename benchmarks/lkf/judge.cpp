// SPDX-License-Identifier: Apache-2.0
#include "lkf/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace ulpine::lkf::judging {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

/// Points in the middle of pieces of a polyline, each `step` long.
struct Samples {
  std::vector<Point> points;
  std::vector<double> lengths;

  void add(Point const& a, Point const& b) {
    auto const length = std::hypot(b[0] - a[0], b[1] - a[1]);
    auto const pieces = std::max(1, static_cast<int>(std::ceil(length / 0.25)));
    for (int k = 0; k < pieces; ++k) {
      auto const t = (k + 0.5) / pieces;
      points.push_back({a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])});
      lengths.push_back(length / pieces);
    }
  }
  double total() const {
    double sum = 0;
    for (auto const length : lengths) sum += length;
    return sum;
  }
};

/// Samples by the cell that they lie in.
class Map {
 public:
  explicit Map(Samples const& samples) : cells_(Scene::side * Scene::side) {
    for (auto const& p : samples.points) cells_[index(row_of(p[0]), row_of(p[1]))].push_back(p);
  }
  bool has_one_near(Point const& p) const {
    constexpr auto reach = static_cast<std::int64_t>(tolerance) + 1;
    for (auto i = row_of(p[0]) - reach; i <= row_of(p[0]) + reach; ++i) {
      for (auto j = row_of(p[1]) - reach; j <= row_of(p[1]) + reach; ++j) {
        if (i < 0 || j < 0 || i >= Scene::side || j >= Scene::side) continue;
        for (auto const& q : cells_[index(i, j)]) {
          if (std::hypot(p[0] - q[0], p[1] - q[1]) <= tolerance) return true;
        }
      }
    }
    return false;
  }
  /// Length of the samples that are near to one of this map's.
  double length_near(Samples const& samples) const {
    double sum = 0;
    for (std::size_t k = 0; k < samples.points.size(); ++k) {
      if (has_one_near(samples.points[k])) sum += samples.lengths[k];
    }
    return sum;
  }

 private:
  static std::int64_t row_of(double x) {
    return std::clamp<std::int64_t>(std::llround(x), 0, Scene::side - 1);
  }
  static std::size_t index(std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(i * Scene::side + j);
  }
  std::vector<std::vector<Point>> cells_;
};

constexpr double Judgement::*numbers[] = {
    &Judgement::recall,   &Judgement::precision,    &Judgement::pieces,     &Judgement::bias,
    &Judgement::features, &Judgement::length_error, &Judgement::count_error};

}  // namespace

Judgement judge(Scene const& scene, Detection const& detection) {
  Samples known;
  for (auto const& curve : scene.curves) {
    for (std::size_t k = 1; k < curve.points.size(); ++k) known.add(curve.points[k - 1], curve.points[k]);
  }
  Map const truth(known);
  Samples found;
  double on_features = 0, true_pieces = 0;
  for (auto const& feature : detection.features) {
    Samples samples;
    for (std::size_t k = 1; k < feature.cells.size(); ++k) {
      auto const& [a, b] = std::pair(feature.cells[k - 1], feature.cells[k]);
      samples.add({double(a[0]), double(a[1])}, {double(b[0]), double(b[1])});
    }
    auto const on = truth.length_near(samples);
    on_features += on;
    true_pieces += on >= samples.total() / 2 ? 1 : 0;
    found.points.insert(found.points.end(), samples.points.begin(), samples.points.end());
    found.lengths.insert(found.lengths.end(), samples.lengths.begin(), samples.lengths.end());
  }
  auto const detected = found.total(), length = known.total();
  auto const count = static_cast<double>(detection.features.size());
  Judgement result;
  result.features = count;
  if (scene.curves.empty()) {
    result.recall = result.pieces = result.bias = result.precision = nan;
    result.length_error = detected / (nominal_length + detected);
    result.count_error = count / (nominal_features + count);
    return result;
  }
  auto const covered = Map(found).length_near(known);
  auto const curves = static_cast<double>(scene.curves.size());
  result.recall = covered / length;
  result.precision = detected > 0 ? on_features / detected : nan;
  result.pieces = true_pieces / curves;
  result.bias = detected / length - 1;
  auto const more_than_once = std::max(on_features - covered, 0.0);
  result.length_error = 1 - covered / (length + (detected - on_features) + more_than_once);
  result.count_error =
      1 - std::min(true_pieces, curves) / (std::max(true_pieces, curves) + (count - true_pieces));
  return result;
}

Judgements summarise(std::vector<Judgement> const& scenes) {
  Judgements result;
  for (auto const number : numbers) {
    double sum = 0, least = nan, greatest = nan;
    int count = 0;
    for (auto const& scene : scenes) {
      auto const value = scene.*number;
      if (std::isnan(value)) continue;
      sum += value;
      ++count;
      least = std::fmin(least, value);
      greatest = std::fmax(greatest, value);
    }
    result.mean.*number = count > 0 ? sum / count : nan;
    result.least.*number = least;
    result.greatest.*number = greatest;
  }
  return result;
}

}  // namespace ulpine::lkf::judging
