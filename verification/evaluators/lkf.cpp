// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>

#include "io/error.hpp"
#include "verification/evaluators/kinds.hpp"
#include "verification/lkf/deformation.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/lkf/orientations.hpp"

namespace ulpine::verification {
namespace {

/// Number and total length of linear kinematic features, what is outside the domain and the two outer rows
/// and columns left out. Keys: `field` (a rate of deformation), `rules` ("repaired"; "lkf_tools"),
/// `parameters` (lkf::default_set; a named set or key=value list).
class Features final : public Evaluator {
 public:
  explicit Features(EvaluationKeys const& keys)
      : field_{keys.required_text("field")},
        rules_{keys.choice("rules", "repaired", {"repaired", "lkf_tools"}) == "repaired"
                   ? lkf::Rules::repaired
                   : lkf::Rules::lkf_tools},
        parameters_{keys.text("parameters", lkf::default_set)} {
    try {
      lkf::parse_parameters(parameters_);
    } catch (InputError const& problem) {
      throw keys.error("parameters", problem.what());
    }
  }

  std::vector<std::string> fields() const override { return {field_}; }
  std::vector<StatisticDescription> describe_statistics(FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    if (grid.shape.size() != 2) {
      throw InputError("'" + field_ +
                       "' has not two dimensions besides time (features are found in maps) "
                       "choose another field");
    }
    if (!lkf::to_per_day(grid.units)) {
      throw InputError("'" + field_ + "' is in '" + grid.units +
                       "' (a deformation is in s-1 or day-1) choose another field");
    }
    std::vector<StatisticDescription> result = {{"count", "number of LKFs", "1", 1}};
    if (auto const spacing = spacing_of(grid)) {
      result.push_back({"total_length_km", "total length of LKFs", "km", spacing->mean() / 1000});
    }
    return result;
  }
  std::vector<double> statistics(Frame const& frame, FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    auto const values = deformation_of(frame, grid);
    auto const spacing_km = spacing_km_of(grid);
    auto const summary = lkf::summarise(
        lkf::detect(field_of(values, grid), lkf::parameters_on(parameters_, spacing_km), rules_), spacing_km);
    std::vector<double> result = {static_cast<double>(summary.count)};
    if (spacing_km) {
      result.push_back(summary.total_length_km.value_or(nan));
    }
    return result;
  }
  bool depends_on_orientation() const override { return true; }
  std::vector<double> spreads_over_orientations(Frame const& frame,
                                                FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    auto const values = deformation_of(frame, grid);
    auto const spacing_km = spacing_km_of(grid);
    auto const over = lkf::over_orientations(field_of(values, grid),
                                             lkf::parameters_on(parameters_, spacing_km), rules_, spacing_km);
    std::vector<double> result = {static_cast<double>(over.count.width())};
    if (spacing_km) {
      result.push_back(over.total_length_km ? over.total_length_km->width() : nan);
    }
    return result;
  }

 private:
  static constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

  /// day^-1, NaN outside the domain and in the two outer rows and columns.
  std::vector<double> deformation_of(Frame const& frame, FieldGrid const& grid) const {
    auto const factor = lkf::to_per_day(grid.units).value();
    auto values = frame.at(field_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = !grid.outside.empty() && grid.outside[i] ? nan : values[i] * factor;
    }
    lkf::frame_with_nan(values, grid.shape[0], grid.shape[1]);
    return values;
  }
  static lkf::Field field_of(std::vector<double> const& values, FieldGrid const& grid) {
    return {grid.shape[0], grid.shape[1], values, spacing_of(grid).value_or(lkf::Spacing(1))};
  }
  static std::optional<lkf::Spacing> spacing_km_of(FieldGrid const& grid) {
    auto const spacing = spacing_of(grid);
    return spacing ? std::optional(spacing->in(1000)) : std::nullopt;
  }
  /// m
  static std::optional<lkf::Spacing> spacing_of(FieldGrid const& grid) {
    auto const [rows, columns] = spacing_of_rows_and_columns(grid);
    return rows > 0 ? std::optional(lkf::Spacing{rows, columns}) : std::nullopt;
  }

  std::string field_;
  lkf::Rules rules_;
  std::string parameters_;
};

}  // namespace

std::vector<EvaluatorKind> kinds_of_features() {
  return {{"lkf",
           "number and total length of linear kinematic features of a field",
           [](EvaluationKeys const& keys) -> std::unique_ptr<Evaluator> {
             return std::make_unique<Features>(keys);
           },
           {"rules", "parameters"},
           {"count", "total_length"}}};
}

}  // namespace ulpine::verification
