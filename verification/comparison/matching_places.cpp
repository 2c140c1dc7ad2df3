// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "io/absence.hpp"
#include "io/axis.hpp"
#include "io/text.hpp"
#include "io/time_units.hpp"
#include "verification/comparison/matching.hpp"

namespace ulpine::verification {

namespace {

std::string shape_text(std::vector<std::int64_t> const& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace

std::vector<std::string> axes_of(io::FieldInfo const& field,
                                 std::vector<std::optional<io::GridCoordinate>> const& coordinates) {
  std::vector<std::string> axes;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    auto const said = coordinates[d] ? coordinates[d]->axis : "";
    axes.push_back(said.empty() ? io::axis_of(field.dimensions[d]) : said);
  }
  return axes;
}

std::string order_difference(std::vector<std::string> const& dimensions_y,
                             std::vector<std::string> const& axes_y,
                             std::vector<std::string> const& dimensions_x,
                             std::vector<std::string> const& axes_x) {
  for (std::size_t d = 0; d < std::min(axes_x.size(), axes_y.size()); ++d) {
    auto const elsewhere = std::find(axes_y.begin(), axes_y.end(), axes_x[d]) != axes_y.end();
    if (axes_x[d] != axes_y[d] && elsewhere) {
      return fmt::format("dimensions are in another order: {} against {}", fmt::join(dimensions_x, ", "),
                         fmt::join(dimensions_y, ", "));
    }
  }
  return {};
}

double coordinate_tolerance(io::GridCoordinate const& reference, io::GridCoordinate const& test,
                            double scale) {
  // Both values are results of a few roundings in the narrower of the stored types.
  constexpr double roundings = 4;
  return roundings * std::max(reference.relative_rounding, test.relative_rounding) * scale +
         (reference.step + test.step) / 2 * (1 + 1e-9);
}

namespace {

/// Parts of at most `most_values`, whole along the fastest dimensions.
std::vector<io::Box> rows_of(std::vector<std::int64_t> const& shape, std::int64_t most_values) {
  std::vector<io::Box> parts = {{std::vector<std::int64_t>(shape.size(), 0), shape}};
  for (std::size_t d = 0; d < shape.size() && parts.front().size() > most_values; ++d) {
    std::vector<io::Box> cut;
    for (auto const& part : parts) {
      auto const step =
          std::max<std::int64_t>(most_values / std::max<std::int64_t>(part.size() / part.count[d], 1), 1);
      for (std::int64_t start = 0; start < shape[d]; start += step) {
        cut.push_back(part);
        cut.back().start[d] = start;
        cut.back().count[d] = std::min(step, shape[d] - start);
      }
    }
    parts = std::move(cut);
  }
  return parts;
}

/// Texts of a part of a variable of characters, each without the blanks at its end; of other labels a text
/// for each value, to tell them apart. `rows` is a part of its extents but that of the characters; `stored`
/// gets the hash of what is stored (InputFile::read()).
std::vector<std::string> text_rows(io::InputFile const& file, std::string const& name, std::int64_t time,
                                   io::Box rows, std::uint64_t& stored) {
  auto const is_text = file.stored_type(name).name == "char";
  std::size_t length = 1;
  if (auto const shape = file.info(name).shape; is_text && !shape.empty()) {
    length = std::size_t(shape.back());
    rows.start.push_back(0);
    rows.count.push_back(shape.back());
  }
  std::vector<double> values(std::size_t(rows.size())), low(values.size());
  stored = file.read(name, time, rows, values, low);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); i += length) {
    if (!is_text) {
      texts.push_back(fmt::format("{:a} {:a}", values[i], low[i]));
      continue;
    }
    auto& text = texts.emplace_back();
    for (std::size_t k = 0; k < length; ++k) text += static_cast<char>(static_cast<int>(values[i + k]));
    text.erase(text.find_last_not_of(std::string_view(" \0", 2)) + 1);
  }
  return texts;
}

/// The extents of a variable of labels but that of the characters of a text.
std::vector<std::int64_t> shape_of_texts(io::InputFile const& file, std::string const& name) {
  auto shape = file.info(name).shape;
  if (file.stored_type(name).name == "char" && !shape.empty()) shape.pop_back();
  return shape;
}

/// Whether all values of a variable are the same in both files, at those times.
PlaceAgreement exact_agreement(io::InputFile const& reference, io::InputFile const& test,
                               std::string const& name, std::vector<CommonTime> const& times,
                               std::int64_t most_values) {
  auto const shape = reference.info(name).shape;
  auto same_bits = reference.stored_type(name).name == test.stored_type(name).name, all_seen = true;
  std::vector<double> y, x, low_y, low_x;
  std::int64_t place = 0;
  for (auto const& time : times) {
    // A value has a lower part beside it.
    for (auto const& part : rows_of(shape, most_values / 2)) {
      for (auto* values : {&y, &x, &low_y, &low_x}) values->assign(std::size_t(part.size()), 0);
      auto const stored_y = reference.read(name, time.reference, part, y, low_y),
                 stored_x = test.read(name, time.test, part, x, low_x);
      same_bits = same_bits && stored_y == stored_x;
      for (std::size_t i = 0; i < y.size(); ++i, ++place) {
        auto const absent = std::isnan(y[i]) && std::isnan(x[i]);
        all_seen = all_seen && !(absent && io::may_hide_difference(y[i], x[i]));
        if (absent || (y[i] == x[i] && low_y[i] == low_x[i])) continue;
        return {Sameness::no,
                fmt::format("differs: {:.10g} against {:.10g} at element {}", x[i], y[i], place)};
      }
    }
  }
  if (same_bits) return {Sameness::bits, ""};
  if (!all_seen) {
    return {Sameness::unknown,
            "is outside of its valid range, or NaN in one file where it is missing in the other"};
  }
  return {Sameness::values, ""};
}

/// Whether two lists of instants are the same at those times, but for their rounding.
PlaceAgreement same_instants(std::vector<double> const& reference, std::vector<double> const& test,
                             std::vector<CommonTime> const& times, std::size_t a_time, double tolerance) {
  for (auto const& time : times) {
    for (std::size_t i = 0; i < a_time; ++i) {
      auto const first_y = std::size_t(std::max<std::int64_t>(time.reference, 0)) * a_time,
                 first_x = std::size_t(std::max<std::int64_t>(time.test, 0)) * a_time;
      auto const apart = test[first_x + i] - reference[first_y + i];
      if (std::abs(apart) <= tolerance) continue;
      return {Sameness::no, fmt::format("differs by {:.10g} s at element {}", apart, first_y + i)};
    }
  }
  return {Sameness::values, ""};
}

/// The words of an attribute of a variable, in both files.
std::pair<std::vector<std::string>, std::vector<std::string>> words_of_attribute(
    io::InputFile const& reference, io::InputFile const& test, std::string const& variable,
    std::string const& attribute) {
  return {io::words_of(io::attribute_in(reference.attributes_of(variable), attribute)),
          io::words_of(io::attribute_in(test.attributes_of(variable), attribute))};
}

/// The largest size of any of the numbers.
double largest_of(std::vector<double> const& numbers) {
  double largest = 0;
  for (auto const number : numbers) largest = std::max(largest, std::abs(number));
  return largest;
}

std::string words_of_shapes(std::vector<std::int64_t> const& reference,
                            std::vector<std::int64_t> const& test) {
  return "is of another shape: " + shape_text(test) + " against " + shape_text(reference);
}

}  // namespace

PlaceAgreement Matching::compare_labels(std::string const& reference, std::string const& test) const {
  auto const type_y = reference_.stored_type(reference).name, type_x = test_.stored_type(test).name;
  if (type_y != type_x) {
    return {Sameness::unknown, fmt::format("is of another type: {} against {}", type_x, type_y)};
  }
  auto const shape = shape_of_texts(reference_, reference);
  if (shape_of_texts(test_, test) != shape) {
    return {Sameness::no, words_of_shapes(reference_.info(reference).shape, test_.info(test).shape)};
  }
  constexpr std::int64_t characters = 64;  // of a text, as a guess for the size of the parts
  auto same_bits = true;
  for (auto const& time : times(reference).times) {
    std::size_t element = 0;
    for (auto const& part : rows_of(shape, most_values_ / characters)) {
      std::uint64_t stored_y = 0, stored_x = 0;
      auto const y = text_rows(reference_, reference, time.reference, part, stored_y),
                 x = text_rows(test_, test, time.test, part, stored_x);
      same_bits = same_bits && stored_y == stored_x;
      for (std::size_t i = 0; i < std::min(y.size(), x.size()); ++i, ++element) {
        if (y[i] == x[i]) continue;
        auto const words = type_y == "char" ? fmt::format(": '{}' against '{}'", x[i], y[i]) : "";
        return {Sameness::no, fmt::format("differs{} at element {}", words, element)};
      }
    }
  }
  return {same_bits ? Sameness::bits : Sameness::values, ""};
}

std::string Matching::difference_of(io::GridCoordinate const& reference,
                                    io::GridCoordinate const& test) const {
  auto const shape_y = reference_.info(reference.name).shape, shape_x = test_.info(test.name).shape;
  if (shape_y != shape_x) {
    return words_of_shapes(shape_y, shape_x);
  }
  struct Pair {
    double reference, test;
  } first = {}, last = {}, worst = {};
  double largest = -1, scale = 0;
  std::int64_t count = 0, place = 0;
  if (reference.in_time != test.in_time) return "is in time in one file only";
  std::vector<CommonTime> const once = {CommonTime{}};
  for (auto const& time : reference.in_time ? times(reference.name).times : once) {
    for (auto const& part : rows_of(shape_y, most_values_)) {
      auto const y = reference_.read(reference.name, time.reference, part),
                 x = test_.read(test.name, time.test, part);
      for (std::size_t i = 0; i < y.size(); ++i, ++count) {
        last = {y[i], x[i]};
        first = count == 0 ? last : first;
        if (std::isnan(y[i]) && std::isnan(x[i])) {
          continue;
        }
        auto const apart = std::isnan(y[i]) || std::isnan(x[i]) ? std::numeric_limits<double>::infinity()
                           : y[i] == x[i]                       ? 0
                                                                : std::abs(y[i] - x[i]);
        if (apart > largest) {
          largest = apart;
          worst = last;
          place = count;
        }
        for (double const value : {y[i], x[i]}) {
          scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
        }
      }
    }
  }
  double const tolerance = coordinate_tolerance(reference, test, scale);
  if (largest <= tolerance) {
    return {};
  }
  auto const near = [&](double a, double b) { return std::abs(a - b) <= tolerance; };
  if (reference.rank == 1 && count > 1 && near(first.reference, last.test) &&
      near(first.test, last.reference)) {
    return fmt::format("runs the other way: from {:.10g} to {:.10g} against from {:.10g} to {:.10g}",
                       first.test, last.test, first.reference, last.reference);
  }
  auto const units = reference.units != test.units
                         ? fmt::format(" ('{}' against '{}')", test.units, reference.units)
                     : reference.units.empty() ? ""
                                               : " " + reference.units;
  return fmt::format("differs: {:.10g} against {:.10g}{} at element {}", worst.test, worst.reference, units,
                     place);
}

std::string Matching::compare_coordinates(io::GridCoordinate const& reference, io::GridCoordinate const& test,
                                          std::vector<std::string>& notes) {
  auto const [found, is_new] = known_.try_emplace({reference.name, test.name});
  if (is_new) {
    auto const labels = reference.labels || test.labels;
    found->second =
        labels ? compare_labels(reference.name, test.name).difference : difference_of(reference, test);
    if (found->second.empty() && reference.units != test.units) {
      notes.push_back(fmt::format("coordinate {}: units differ ('{}' against '{}'), its values do not",
                                  reference.name, test.units, reference.units));
    }
  }
  return found->second.empty() ? "" : "coordinate " + reference.name + " " + found->second;
}

std::string Matching::mapping_difference(std::string const& place) const {
  auto const attributes_y = reference_.attributes_of(place), attributes_x = test_.attributes_of(place);
  for (auto const* attribute : {"grid_mapping_name", "crs_wkt", "spatial_ref"}) {
    auto const has = !io::attribute_in(attributes_y, attribute).empty() ||
                     !io::attribute_in(attributes_x, attribute).empty();
    if (has && attributes_y != attributes_x) return "is another mapping: its attributes differ";
  }
  return {};
}

PlaceAgreement Matching::agreement(std::string const& place) const {
  if (auto const problem = mapping_difference(place); !problem.empty()) return {Sameness::no, problem};
  auto const labels = reference_.is_labels(place) || test_.is_labels(place);
  auto const shape_y = reference_.info(place).shape, shape_x = test_.info(place).shape;
  if (!labels && shape_y != shape_x) return {Sameness::no, words_of_shapes(shape_y, shape_x)};
  auto const common = times(place);
  if (!common.refusal.empty()) {
    return {common.other_calendar ? Sameness::no : Sameness::unknown, common.refusal};
  }
  if (!common.left_out.empty()) return {Sameness::no, common.left_out};
  auto result = labels ? compare_labels(place, place) : agreement_at(place, common.times);
  if (result.same == Sameness::no || common.assumed.empty()) return result;
  return {Sameness::unknown, common.assumed};
}

PlaceAgreement Matching::agreement_at(std::string const& place, std::vector<CommonTime> const& times) const {
  auto const units_y = reference_.units_and_calendar(place), units_x = test_.units_and_calendar(place);
  if (units_y != units_x) {
    // Dates may be counted from other dates and in other units. Each instant is the result of a few roundings
    // of a stored number, a product and a sum.
    constexpr double roundings = 4;
    auto const instants_y = reference_.instants(place), instants_x = test_.instants(place);
    auto const calendar = [&](io::InputFile const& file) {
      return io::parse_calendar(io::attribute_in(file.attributes_of(place), "calendar"));
    };
    if (!instants_y.empty() && !instants_x.empty()) {
      auto const earliest =
          std::min(*std::ranges::min_element(instants_y), *std::ranges::min_element(instants_x));
      if (calendar(reference_) != calendar(test_) &&
          !io::same_dates_from(calendar(reference_), calendar(test_), earliest)) {
        return {Sameness::no, "has another calendar, whose dates are other instants"};
      }
      auto const rounding_of = [&](io::InputFile const& file, std::string const& units) {
        auto const stored = largest_of(file.read_all(place)) * io::parse_time_units(units).seconds;
        return file.place(place).relative_rounding * stored;
      };
      auto const tolerance =
          roundings *
          (std::max(rounding_of(reference_, units_y), rounding_of(test_, units_x)) +
           std::numeric_limits<double>::epsilon() * std::max(largest_of(instants_y), largest_of(instants_x)));
      auto const a_time = std::size_t(reference_.info(place).size());
      return same_instants(instants_y, instants_x, times, a_time, tolerance);
    }
  }
  auto result = exact_agreement(reference_, test_, place, times, most_values_);
  if (result.same == Sameness::no) return result;
  if (units_y != units_x) return {Sameness::unknown, "has other units"};
  auto const attributes_y = reference_.attributes_of(place), attributes_x = test_.attributes_of(place);
  for (auto const* attribute :
       {"positive", "axis", "standard_name", "bounds", "climatology", "formula_terms"}) {
    auto const y = io::attribute_in(attributes_y, attribute), x = io::attribute_in(attributes_x, attribute);
    if (y != x) return {Sameness::unknown, fmt::format("has another {}: '{}' against '{}'", attribute, x, y)};
  }
  return result;
}

std::string Matching::grid_mismatch(std::string const& variable, std::vector<std::string>& notes) {
  auto const field_y = reference_.info(variable), field_x = test_.info(variable);
  if (field_x.shape != field_y.shape) {
    return "shapes differ: " + shape_text(field_x.shape) + " against " + shape_text(field_y.shape);
  }
  auto const coordinates_y = reference_.coordinates(variable), coordinates_x = test_.coordinates(variable);
  auto const axes_y = axes_of(field_y, coordinates_y), axes_x = axes_of(field_x, coordinates_x);
  auto order = order_difference(field_y.dimensions, axes_y, field_x.dimensions, axes_x);
  if (!order.empty()) {
    return order;
  }
  for (std::size_t d = 0; d < axes_x.size(); ++d) {
    if (coordinates_y[d] && coordinates_x[d]) {
      auto problem = compare_coordinates(*coordinates_y[d], *coordinates_x[d], notes);
      if (!problem.empty()) {
        return problem;
      }
    }
  }
  auto const places_x = test_.further_places(variable);
  for (auto const& place : reference_.further_places(variable)) {
    auto const same = std::find_if(places_x.begin(), places_x.end(),
                                   [&](io::GridCoordinate const& other) { return other.name == place.name; });
    if (same != places_x.end()) {
      auto problem = compare_coordinates(place, *same, notes);
      if (!problem.empty()) {
        return problem;
      }
    }
  }
  for (auto mapping : io::words_of(io::attribute_in(reference_.attributes_of(variable), "grid_mapping"))) {
    if (mapping.ends_with(':')) mapping.pop_back();
    if (!reference_.has_values(mapping) || !test_.has_values(mapping)) continue;
    if (auto const problem = mapping_difference(mapping); !problem.empty())
      return "coordinate " + mapping + " " + problem;
  }
  return {};
}

std::string Matching::other_places(std::string const& variable) const {
  for (auto const* attribute : {"coordinates", "grid_mapping"}) {
    auto const [y, x] = words_of_attribute(reference_, test_, variable, attribute);
    // Coordinates come in any order; a mapping may be followed by the coordinates that it is of.
    auto const in_order = attribute == std::string_view{"grid_mapping"};
    auto const same = in_order ? y == x : std::set(y.begin(), y.end()) == std::set(x.begin(), x.end());
    if (!y.empty() && !x.empty() && !same) {
      return fmt::format("its {} are '{}' against '{}'", attribute, fmt::join(x, " "), fmt::join(y, " "));
    }
  }
  return {};
}

std::string Matching::doubt(std::string const& variable) const {
  if (auto other = other_places(variable); !other.empty()) return other;
  for (auto const* attribute : {"coordinates", "grid_mapping"}) {
    auto const [y, x] = words_of_attribute(reference_, test_, variable, attribute);
    if (y.empty() != x.empty())
      return fmt::format("its {} are named in the {} only", attribute, x.empty() ? "reference" : "test");
  }
  for (auto const* attribute : {"flag_values", "flag_masks", "flag_meanings"}) {
    auto const [y, x] = words_of_attribute(reference_, test_, variable, attribute);
    if (y != x)
      return fmt::format("its {} are '{}' against '{}'", attribute, fmt::join(x, " "), fmt::join(y, " "));
  }
  auto const field_y = reference_.info(variable), field_x = test_.info(variable);
  auto const coordinates_y = reference_.coordinates(variable), coordinates_x = test_.coordinates(variable);
  for (std::size_t d = 0; d < std::min(coordinates_y.size(), coordinates_x.size()); ++d) {
    if (coordinates_y[d].has_value() == coordinates_x[d].has_value()) continue;
    return fmt::format("its dimension {} has a coordinate in the {} only, places count by their position",
                       (coordinates_y[d] ? field_y : field_x).dimensions[d],
                       coordinates_y[d] ? "reference" : "test");
  }
  return {};
}

}  // namespace ulpine::verification
