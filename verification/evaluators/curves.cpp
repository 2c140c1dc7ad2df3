// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "io/error.hpp"
#include "verification/evaluators/kinds.hpp"
#include "verification/metrics/nan.hpp"
#include "verification/metrics/spectrum.hpp"

namespace ulpine::verification {
namespace {

/// Radially averaged power spectral density along the last two dimensions, the mean over those before, of
/// waves: without ring 0, which is the mean and of a field that has none rounding. Keys: `field`,
/// `transform`, `variant` (of spectrum_variants()).
class SpectrumOfField final : public Evaluator {
 public:
  explicit SpectrumOfField(EvaluationKeys const& keys)
      : field_{keys.required_text("field")}, transform_{keys} {
    std::vector<std::string> variants;
    for (auto const* name = spectrum_variants(); *name != nullptr; ++name) variants.emplace_back(*name);
    options_ = spectrum_variant(keys.choice("variant", "pysteps", variants));
  }

  std::vector<std::string> fields() const override { return {field_}; }
  std::vector<CurveDescription> describe_curves(FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    if (grid.shape.size() < 2) {
      throw InputError("'" + field_ +
                       "' has fewer than two dimensions besides time (a spectrum needs rows "
                       "and columns) choose another field");
    }
    // An odd number of points n has (n - 1) / 2 rings, that of the mean among them.
    auto const longest = std::max(grid.shape[grid.shape.size() - 2], grid.shape.back());
    if (longest < 2 || longest == 3) {
      throw InputError(
          "'" + field_ + "' has " + std::to_string(longest) +
          " points a row or column at most (no wave has a ring of its own) choose another field");
    }
    auto const units = transform_.units(grid.units);
    return {{"",
             "power spectral density of " + transform_.name(grid.long_name),
             {"wavenumber", spacing_of_rows_and_columns(grid)[0] > 0 ? "m-1" : "1", "log"},
             {"", raised(units, 2), "log"}}};
  }
  std::vector<Curve> curves(Frame const& frame, FrameLayout const& layout) const override {
    return {curve(frame, layout)};
  }
  Curve curve(Frame const& frame, FrameLayout const& layout) const {
    auto const& grid = layout.grids.at(field_);
    auto const rank = grid.shape.size();
    auto const ny = grid.shape[rank - 2], nx = grid.shape[rank - 1];
    auto const [rows, columns] = spacing_of_rows_and_columns(grid);
    auto const dy = rows > 0 ? rows : 1, dx = columns > 0 ? columns : 1;
    auto const values = values_inside(frame, grid, transform_);
    auto const plane = static_cast<std::size_t>(ny * nx);
    Curve mean;
    std::size_t planes = 0;
    for (std::size_t begin = 0; begin + plane <= values.size(); begin += plane) {
      auto const part = std::span(values).subspan(begin, plane);
      if (values.size() > plane && std::ranges::all_of(part, [](double x) { return std::isnan(x); })) {
        continue;
      }
      auto spectrum = radial_spectrum(part, ny, nx, dy, dx, options_);
      if (planes++ == 0) {
        mean = {std::move(spectrum.wavenumber), std::move(spectrum.power)};
        continue;
      }
      for (std::size_t ring = 0; ring < mean.y.size(); ++ring) mean.y[ring] += spectrum.power[ring];
    }
    if (planes > 1) {
      for (auto& power : mean.y) power /= static_cast<double>(planes);
    }
    if (planes > 0) {
      mean.x.erase(mean.x.begin());
      mean.y.erase(mean.y.begin());
    }
    return mean;
  }

 private:
  std::string field_;
  Transform transform_;
  SpectrumOptions options_;
};

/// Slope of the straight line that fits log10 of power against log10 of wavenumber best (least squares, every
/// ring counts the same), over the rings of the spectrum from wavelength `longest` to `shortest` (m, ends
/// included), which have to be three at least. Other keys: those of `spectrum`.
class Slope final : public Evaluator {
 public:
  explicit Slope(EvaluationKeys const& keys)
      : spectrum_{keys}, field_{spectrum_.fields().front()}, name_{Transform(keys)} {
    for (auto const* key : {"shortest", "longest"}) {
      if (!keys.has(key)) {
        throw keys.error(key, "is missing (a slope is that over a band of wavelengths) give it in m");
      }
    }
    constexpr auto least = std::numeric_limits<double>::min(), most = std::numeric_limits<double>::max();
    shortest_ = keys.number("shortest", 0, least, most);
    longest_ = keys.number("longest", 0, least, most);
    if (!(shortest_ < longest_)) {
      throw keys.error("shortest", "is not below longest (they are the ends of a band) exchange them");
    }
  }

  std::vector<std::string> fields() const override { return {field_}; }
  std::vector<StatisticDescription> describe_statistics(FrameLayout const& layout) const override {
    spectrum_.describe_curves(layout);
    auto const& grid = layout.grids.at(field_);
    auto const band = io::number_text(longest_) + " to " + io::number_text(shortest_) + " m";
    if (spacing_of_rows_and_columns(grid)[0] <= 0) {
      throw InputError("'" + field_ + "' has no grid spacing (a band of " + band +
                       " needs one) give its coordinates in m or km");
    }
    auto const rings =
        std::ranges::count_if(spectrum_.curve(Frame{{field_, std::vector<double>(grid.size(), 1)}}, layout).x,
                              [&](double k) { return inside(k); });
    if (rings < 3) {
      throw InputError("the spectrum of '" + field_ + "' has " + std::to_string(rings) + " rings in " + band +
                       " (a slope needs three) choose a wider band");
    }
    return {{"", "spectral slope of " + name_.name(grid.long_name) + ", " + band, "1", 0}};
  }
  std::vector<double> statistics(Frame const& frame, FrameLayout const& layout) const override {
    auto const curve = spectrum_.curve(frame, layout);
    std::vector<double> x, y;
    for (std::size_t ring = 0; ring < curve.x.size(); ++ring) {
      if (!inside(curve.x[ring])) continue;
      x.push_back(std::log10(curve.x[ring]));
      y.push_back(std::log10(curve.y[ring]));
    }
    auto const mean = [](std::vector<double> const& values) {
      return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    };
    auto const x_mean = mean(x), y_mean = mean(y);
    double xx = 0, xy = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      xx += (x[k] - x_mean) * (x[k] - x_mean);
      xy += (x[k] - x_mean) * (y[k] - y_mean);
    }
    auto const slope = xy / xx;
    return {std::isfinite(slope) ? slope : nan};  // no power in a ring has no logarithm
  }

 private:
  /// Wavelengths that are the band's ends but for rounding are in it.
  bool inside(double wavenumber) const {
    constexpr double rounding = 1e-12;
    return wavenumber * shortest_ <= 1 + rounding && wavenumber * longest_ >= 1 - rounding;
  }
  SpectrumOfField spectrum_;
  std::string field_;
  Transform name_;
  double shortest_, longest_;  // m
};

/// Mean over all dimensions but one, or a central moment there. Keys: `field`, `transform`, `axis` (that
/// dimension), `exponent` (1: the mean; 2: the variance), `weights` as of scalars.
class Profile final : public Evaluator {
 public:
  explicit Profile(EvaluationKeys const& keys)
      : field_{keys.required_text("field")},
        transform_{keys},
        axis_{keys.required_text("axis")},
        exponent_{static_cast<int>(keys.number("exponent", 1, 1, 8))},
        weighted_{keys.choice("weights", "measure", {"measure", "none"}) == "measure"} {
    if (exponent_ != keys.number("exponent", 1)) {
      throw keys.error("exponent", "is no whole number (negative values have whole powers only) give 2 or 3");
    }
  }

  std::vector<std::string> fields() const override { return {field_}; }
  std::vector<CurveDescription> describe_curves(FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    if (std::ranges::find(grid.dimensions, axis_) == grid.dimensions.end()) {
      throw InputError("'" + field_ + "' has no dimension '" + axis_ + "'" +
                       choices_hint(axis_, grid.dimensions));
    }
    auto const moment = exponent_ == 1   ? std::string("mean of ")
                        : exponent_ == 2 ? std::string("variance of ")
                                         : "central moment " + std::to_string(exponent_) + " of ";
    return {{"",
             moment + transform_.name(grid.long_name) + " along " + axis_,
             {axis_, grid.axis_units[axis(grid)], "linear"},
             {"", raised(transform_.units(grid.units), exponent_), "linear"}}};
  }
  std::vector<Curve> curves(Frame const& frame, FrameLayout const& layout) const override {
    auto const& grid = layout.grids.at(field_);
    auto const values = values_inside(frame, grid, transform_);
    auto const along = axis(grid);
    std::size_t inner = 1;
    for (auto k = along + 1; k < grid.shape.size(); ++k) inner *= static_cast<std::size_t>(grid.shape[k]);
    auto const count = static_cast<std::size_t>(grid.shape[along]);
    auto const means = [&](auto const& value_of) {
      std::vector<double> sums(count, 0), weights(count, 0);
      for (std::size_t i = 0; i < values.size(); ++i) {
        auto const weight = weighted_ && !grid.weights.empty() ? grid.weights[i] : 1;
        if (std::isnan(values[i]) || !(weight > 0)) continue;
        auto const at = i / inner % count;
        sums[at] += weight * value_of(values[i], at);
        weights[at] += weight;
      }
      for (std::size_t k = 0; k < count; ++k) sums[k] /= weights[k];
      return sums;
    };
    auto level = means([](double value, std::size_t) { return value; });
    if (exponent_ > 1) {
      level = means([&](double value, std::size_t at) { return std::pow(value - level[at], exponent_); });
    }
    Curve curve;
    for (std::size_t k = 0; k < count; ++k) {
      curve.x.push_back(k < grid.coordinates[along].size() ? grid.coordinates[along][k]
                                                           : static_cast<double>(k));
      curve.y.push_back(std::isfinite(level[k]) ? level[k] : nan);
    }
    return {std::move(curve)};
  }

 private:
  std::size_t axis(FieldGrid const& grid) const {
    return static_cast<std::size_t>(std::ranges::find(grid.dimensions, axis_) - grid.dimensions.begin());
  }
  std::string field_;
  Transform transform_;
  std::string axis_;
  int exponent_;
  bool weighted_;
};

}  // namespace

std::vector<EvaluatorKind> kinds_of_curves() {
  return {{"spectrum", "radially averaged power spectral density of a field",
           [](EvaluationKeys const& keys) -> std::unique_ptr<Evaluator> {
             return std::make_unique<SpectrumOfField>(keys);
           }},
          {"slope", "slope of a field's power spectral density over a band of wavelengths",
           [](EvaluationKeys const& keys) -> std::unique_ptr<Evaluator> {
             return std::make_unique<Slope>(keys);
           }},
          {"profile", "mean of a field along one dimension",
           [](EvaluationKeys const& keys) -> std::unique_ptr<Evaluator> {
             return std::make_unique<Profile>(keys);
           }}};
}

}  // namespace ulpine::verification
