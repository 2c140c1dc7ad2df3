// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

#include "io/error.hpp"
#include "verification/evaluators/kinds.hpp"
#include "verification/metrics/nan.hpp"

namespace ulpine::verification {

Transform::Transform(EvaluationKeys const& keys)
    : log10{keys.choice("transform", "none", {"none", "log10"}) == "log10"} {
  if (!log10) {
    return;
  }
  if (!keys.has("floor")) {
    throw keys.error("floor", "is missing (a logarithm needs the least value that it is taken of) give it");
  }
  floor = keys.number("floor", 0, std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
}

double Transform::operator()(double value) const {
  return log10 && !std::isnan(value) ? std::log10(std::max(value, floor)) : value;
}

std::vector<double> values_inside(Frame const& frame, FieldGrid const& grid, Transform const& transform) {
  auto values = frame.at(grid.name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = !grid.outside.empty() && grid.outside[i] ? std::numeric_limits<double>::quiet_NaN()
                                                         : transform(values[i]);
  }
  return values;
}

namespace {

/// Values that count, with their weights.
struct Sample {
  std::vector<double> values, weights;

  double total_weight() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }
  /// Sum of weight times `of` the value.
  template <class Function>
  double sum(Function of) const {
    double result = 0;
    for (std::size_t i = 0; i < values.size(); ++i) result += weights[i] * of(values[i]);
    return result;
  }
  double mean() const {
    return sum([](double value) { return value; }) / total_weight();
  }
};

/// One statistic of one field. Keys: `field`, `transform`, `weights` ("measure": the cells' areas or volumes
/// where the output has them; "none"), `level` (from 0: of that level alone).
class Scalar : public Evaluator {
 public:
  explicit Scalar(EvaluationKeys const& keys)
      : field_{keys.required_text("field")},
        transform_{keys},
        weighted_{keys.choice("weights", "measure", {"measure", "none"}) == "measure"},
        level_{keys.has("level") ? static_cast<std::int64_t>(keys.number("level", 0, 0, 1e9)) : all_levels} {
    if (keys.has("level") && static_cast<double>(level_) != keys.number("level", 0)) {
      throw keys.error("level", "is no whole number (levels are counted from 0) give the number of one");
    }
  }

  std::vector<std::string> fields() const final { return {field_}; }
  std::vector<StatisticDescription> describe_statistics(FrameLayout const& layout) const final {
    auto const& grid = layout.grids.at(field_);
    auto const of_level = level_ == all_levels ? "" : " at level " + std::to_string(level_);
    return {{"", words() + " of " + transform_.name(grid.long_name) + of_level, units(grid), 0}};
  }
  std::vector<double> statistics(Frame const& frame, FrameLayout const& layout) const final {
    auto const& grid = layout.grids.at(field_);
    auto const values = values_inside(frame, grid, transform_);
    auto const [first, end] = range(grid);
    Sample sample;
    for (auto i = first; i < end; ++i) {
      auto const weight = weighted_ && !grid.weights.empty() ? grid.weights[i] : 1;
      if (!std::isnan(values[i]) && weight > 0) {
        sample.values.push_back(values[i]);
        sample.weights.push_back(weight);
      }
    }
    auto const result = sample.values.empty() ? nan : value(sample);
    return {std::isfinite(result) ? result : nan};
  }

 protected:
  virtual std::string words() const = 0;  ///< "mean"
  virtual std::string units(FieldGrid const& grid) const { return transform_.units(grid.units); }
  virtual double value(Sample const& sample) const = 0;  ///< of at least one value
  bool weighted() const { return weighted_; }
  /// Units of the weights that the values are summed with; "1" where they are not weighted.
  std::string weight_units(FieldGrid const& grid) const {
    return !weighted_ || grid.weights.empty() ? "1" : grid.weight_units;
  }

 private:
  static constexpr std::int64_t all_levels = -1;

  /// The values that are looked at.
  std::pair<std::size_t, std::size_t> range(FieldGrid const& grid) const {
    if (level_ == all_levels) return {0, grid.size()};
    if (level_ >= grid.levels) {
      throw InputError("there is no level " + std::to_string(level_) + " of '" + grid.name + "' (it has " +
                       std::to_string(grid.levels) + " levels) give another `level`, or none");
    }
    auto const count = grid.size() / static_cast<std::size_t>(grid.levels);
    auto const first = static_cast<std::size_t>(level_) * count;
    return {first, first + count};
  }

  std::string field_;
  Transform transform_;
  bool weighted_;
  std::int64_t level_;
};

/// Key `which`: "maximum", "minimum" or "magnitude" (largest absolute value).
class Extremum final : public Scalar {
 public:
  explicit Extremum(EvaluationKeys const& keys)
      : Scalar{keys}, which_{keys.choice("which", "maximum", {"maximum", "minimum", "magnitude"})} {}

 private:
  std::string words() const override { return which_ == "magnitude" ? "largest magnitude" : which_; }
  double value(Sample const& sample) const override {
    auto const& values = sample.values;
    auto const [least, most] = std::ranges::minmax(values);
    return which_ == "minimum"   ? least
           : which_ == "maximum" ? most
                                 : std::max(std::abs(least), std::abs(most));
  }
  std::string which_;
};

/// Sum of value times area or volume.
class DomainIntegral final : public Scalar {
 public:
  using Scalar::Scalar;

 private:
  std::string words() const override { return "integral"; }
  std::string units(FieldGrid const& grid) const override {
    auto const of_values = Scalar::units(grid);
    if (!weighted()) {
      return of_values;
    }
    if (grid.weights.empty()) {
      throw InputError("an integral of '" + grid.name +
                       "' needs areas or volumes (the output has no cell_area or cell_volume of its shape) "
                       "write one, or give weights = \"none\" for a plain sum");
    }
    return of_values == "1" ? grid.weight_units : of_values + " " + grid.weight_units;
  }
  double value(Sample const& sample) const override {
    return sample.sum([](double x) { return x; });
  }
};

class Mean final : public Scalar {
 public:
  using Scalar::Scalar;

 private:
  std::string words() const override { return "mean"; }
  double value(Sample const& sample) const override { return sample.mean(); }
};

/// Key `probability`: the least value that so large a share of the weight does not exceed.
class Quantile final : public Scalar {
 public:
  explicit Quantile(EvaluationKeys const& keys)
      : Scalar{keys}, probability_{keys.number("probability", 0.5, 0, 1)} {}

 private:
  std::string words() const override { return "quantile " + io::number_text(probability_); }
  double value(Sample const& sample) const override {
    std::vector<std::size_t> order(sample.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(sample.values[i], i); });
    auto const wanted = probability_ * sample.total_weight();
    double reached = 0;
    for (auto const i : order) {
      reached += sample.weights[i];
      if (reached >= wanted) {
        return sample.values[i];
      }
    }
    return sample.values[order.back()];  // where rounding leaves the last sum below the total
  }
  double probability_;
};

/// Area or volume (without weights: number of cells) where a field is beyond a threshold. Keys: `threshold`,
/// `side`: "above", "below".
class Extent final : public Scalar {
 public:
  explicit Extent(EvaluationKeys const& keys)
      : Scalar{keys},
        threshold_{keys.number("threshold", 0)},
        above_{keys.choice("side", "above", {"above", "below"}) == "above"} {
    if (!keys.has("threshold")) {
      throw keys.error("threshold", "is missing (an extent needs the value that is passed) give it");
    }
  }

 private:
  std::string words() const override {
    return std::string("extent ") + (above_ ? "above " : "below ") + io::number_text(threshold_);
  }
  std::string units(FieldGrid const& grid) const override { return weight_units(grid); }
  double value(Sample const& sample) const override {
    return sample.sum([&](double x) { return (above_ ? x > threshold_ : x < threshold_) ? 1.0 : 0.0; });
  }
  double threshold_;
  bool above_;
};

/// factor times the mean of (x - m)^exponent: `exponent` (2), `factor` (1), `about` "zero" (m = 0) or "mean".
/// The kinetic energy of a unit mass is that of the speed with factor 0.5.
class Power final : public Scalar {
 public:
  explicit Power(EvaluationKeys const& keys)
      : Scalar{keys},
        exponent_{keys.number("exponent", 2, 1, 8)},
        factor_{keys.number("factor", 1)},
        about_mean_{keys.choice("about", "zero", {"zero", "mean"}) == "mean"} {
    if (exponent_ != std::floor(exponent_)) {
      throw keys.error("exponent", "is no whole number (negative values have whole powers only) give 2 or 3");
    }
  }

 private:
  std::string words() const override {
    return (factor_ == 1 ? "" : io::number_text(factor_) + " times ") + "mean " +
           (about_mean_ ? "central " : "") + "power " + io::number_text(exponent_);
  }
  std::string units(FieldGrid const& grid) const override {
    return raised(Scalar::units(grid), static_cast<int>(exponent_));
  }
  double value(Sample const& sample) const override {
    auto const middle = about_mean_ ? sample.mean() : 0;
    auto const power = [&](double x) {
      double result = 1;
      for (int k = 0; k < static_cast<int>(exponent_); ++k) result *= x - middle;
      return result;
    };
    return factor_ * (sample.sum(power) / sample.total_weight());
  }
  double exponent_, factor_;
  bool about_mean_;
};

template <class Kind>
EvaluatorKind kind_of(std::string name, std::string description) {
  return {
      std::move(name), std::move(description),
      [](EvaluationKeys const& keys) -> std::unique_ptr<Evaluator> { return std::make_unique<Kind>(keys); }};
}

}  // namespace

std::string raised(std::string const& units, int exponent) {
  if (exponent == 1 || units == "1") return units;
  std::istringstream words(units);
  std::string result;
  for (std::string word; words >> word;) {
    auto const digits = std::min(word.find_first_of("+-0123456789"), word.size());
    int own = 1;
    auto const* const end = word.data() + word.size();
    auto const number = digits < word.size() ? std::from_chars(word.data() + digits, end, own)
                                             : std::from_chars_result{end, {}};
    auto const plain =
        digits > 0 && std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(digits),
                                  [](unsigned char c) { return std::isalpha(c) != 0; });
    if (!plain || number.ec != std::errc{} || number.ptr != end) {
      return std::string("(").append(units).append(")").append(std::to_string(exponent));
    }
    result.append(result.empty() ? "" : " ").append(word, 0, digits).append(std::to_string(own * exponent));
  }
  return result;
}

std::vector<EvaluatorKind> kinds_of_scalars() {
  return {kind_of<Extremum>("extremum", "largest or smallest value of a field"),
          kind_of<DomainIntegral>("integral", "integral of a field over the domain"),
          kind_of<Mean>("mean", "mean of a field over the domain"),
          kind_of<Quantile>("quantile", "quantile of a field over the domain"),
          kind_of<Extent>("extent", "area or volume where a field is beyond a threshold"),
          kind_of<Power>("power", "mean of a power of a field over the domain")};
}

}  // namespace ulpine::verification
