// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/error.hpp"
#include "verification/evaluators/kinds.hpp"
#include "verification/metrics/nan.hpp"

namespace ulpine::verification {
namespace {

/// How far a field is from one that does not change, a known solution say: norm(x - y) / norm(y), weighted L2
/// norms. Keys: `field`, `from` (y: a static field of the same dimensions), `weights` as of scalars, `lowest`
/// and `highest`: of levels whose coordinate is between them. Of fields with levels a curve, NAME_level: of
/// each of these by itself.
class Distance final : public Evaluator {
 public:
  explicit Distance(EvaluationKeys const& keys)
      : field_{keys.required_text("field")},
        from_{keys.required_text("from")},
        weighted_{keys.choice("weights", "measure", {"measure", "none"}) == "measure"} {
    if (keys.has("lowest")) lowest_ = keys.number("lowest", 0);
    if (keys.has("highest")) highest_ = keys.number("highest", 0);
  }

  std::vector<std::string> fields() const override { return {field_}; }
  std::vector<StatisticDescription> describe_statistics(FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    auto const known = layout.constants.find(from_);
    if (known == layout.constants.end()) {
      std::vector<std::string> names;
      for (auto const& [name, values] : layout.constants) names.push_back(name);
      throw InputError("the output has no static field '" + from_ + "'" +
                       (names.empty() ? " (a distance is from one) write it" : choices_hint(from_, names)));
    }
    if (known->second.size() != grid.size()) {
      throw InputError("'" + from_ + "' has other dimensions than '" + field_ +
                       "' (places have to be the same) choose another field");
    }
    if (levels(grid).empty()) {
      throw InputError("'" + field_ +
                       "' has no level between `lowest` and `highest` (they are of its first dimension's "
                       "coordinate, which has to be vertical) widen them");
    }
    return {{"", "distance of " + grid.long_name + " from " + from_ + ", relative", "1", 0}};
  }
  std::vector<CurveDescription> describe_curves(FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    if (grid.levels == 0) return {};
    return {{"level",
             "distance of " + grid.long_name + " from " + from_ + ", relative, by level",
             {grid.dimensions.front(), grid.axis_units.front(), "linear"},
             {"", "1", "linear"}}};
  }
  std::vector<double> statistics(Frame const& frame, FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    return {of(frame, layout, levels(grid))};
  }
  std::vector<Curve> curves(Frame const& frame, FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    if (grid.levels == 0) return {};
    Curve curve;
    for (auto const level : levels(grid)) {
      curve.x.push_back(coordinate(grid, level));
      curve.y.push_back(of(frame, layout, {level}));
    }
    return {std::move(curve)};
  }

 private:
  static double coordinate(FieldGrid const& grid, std::size_t level) {
    auto const& places = grid.coordinates.front();
    return level < places.size() ? places[level] : static_cast<double>(level);
  }
  /// The levels that count; {0} for a field without levels, all of which counts.
  std::vector<std::size_t> levels(FieldGrid const& grid) const {
    if (grid.levels == 0) {
      return std::isinf(lowest_) && std::isinf(highest_) ? std::vector<std::size_t>{0}
                                                         : std::vector<std::size_t>{};
    }
    std::vector<std::size_t> result;
    for (std::size_t level = 0; level < static_cast<std::size_t>(grid.levels); ++level) {
      auto const at = coordinate(grid, level);
      if (at >= lowest_ && at <= highest_) result.push_back(level);
    }
    return result;
  }
  double of(Frame const& frame, FrameLayout const& layout, std::vector<std::size_t> const& levels) const {
    auto const& grid = layout.grids.at(field_);
    auto const &x = frame.at(field_), &y = layout.constants.at(from_);
    auto const count = grid.size() / static_cast<std::size_t>(std::max<std::int64_t>(grid.levels, 1));
    double error = 0, size = 0;
    for (auto const level : levels) {
      for (auto i = level * count; i < (level + 1) * count; ++i) {
        auto const missing = std::isnan(x[i]) && std::isnan(y[i]);
        if (missing || (!grid.outside.empty() && grid.outside[i])) continue;
        auto const weight = weighted_ && !grid.weights.empty() ? grid.weights[i] : 1;
        error += weight * (x[i] - y[i]) * (x[i] - y[i]);
        size += weight * y[i] * y[i];
      }
    }
    auto const result = std::sqrt(error / size);
    return std::isfinite(result) ? result : nan;
  }

  std::string field_, from_;
  bool weighted_;
  double lowest_ = -std::numeric_limits<double>::infinity(),
         highest_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<EvaluatorKind> kinds_of_distances() {
  return {{"distance", "relative distance of a field from a static one",
           [](EvaluationKeys const& keys) -> std::unique_ptr<Evaluator> {
             return std::make_unique<Distance>(keys);
           }}};
}

}  // namespace ulpine::verification
