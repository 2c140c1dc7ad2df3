// SPDX-License-Identifier: Apache-2.0
#include "io/grid_variable.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <utility>

#include "io/axis.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/text.hpp"
#include "io/units.hpp"

namespace ulpine::io {
namespace {

constexpr double whole_turn = 360;  // degrees

bool is_in_degrees(std::string const& units) { return lower_case(units).starts_with("deg"); }

/// A coordinate of all points along two dimensions of a field.
struct PointCoordinate {
  std::vector<double> values;  ///< row-major [rows][columns], NaN where missing
  std::size_t rows = 0, columns = 0;
  double turn = 0;  ///< full circle in the coordinate's units; 0: none

  /// From a point to its neighbour along the rows' or the columns' dimension, round a circle the short way.
  double step(std::size_t row, std::size_t column, bool along_rows) const {
    auto const from = row * columns + column, to = from + (along_rows ? columns : 1);
    auto const difference = values[to] - values[from];
    return turn > 0 ? std::remainder(difference, turn) : difference;
  }
  /// 1 where it rises or stays everywhere along a dimension, -1 where it falls or stays, 0 where neither.
  int direction(bool along_rows) const {
    bool rises = false, falls = false;
    for (std::size_t j = 0; j + (along_rows ? 1 : 0) < rows; ++j) {
      for (std::size_t i = 0; i + (along_rows ? 0 : 1) < columns; ++i) {
        auto const difference = step(j, i, along_rows);
        rises = rises || difference > 0;
        falls = falls || difference < 0;
      }
    }
    return rises == falls ? 0 : rises ? 1 : -1;
  }
  /// Whether it goes one way along a dimension, and in every cell further than along the other.
  bool goes_along(bool along_rows) const {
    for (std::size_t j = 0; j + 1 < rows; ++j) {
      for (std::size_t i = 0; i + 1 < columns; ++i) {
        auto const least =
            std::min(std::abs(step(j, i, along_rows)),
                     std::abs(step(j + (along_rows ? 0 : 1), i + (along_rows ? 1 : 0), along_rows)));
        auto const most =
            std::max(std::abs(step(j, i, !along_rows)),
                     std::abs(step(j + (along_rows ? 1 : 0), i + (along_rows ? 0 : 1), !along_rows)));
        if (least <= most) return false;
      }
    }
    return direction(along_rows) != 0;
  }
};

/// The first of the file along an axis ("x" or "y") that has two dimensions of a field, in either order.
std::optional<PointCoordinate> point_coordinate(InputFile const& file, FieldInfo const& info,
                                                std::string const& axis,
                                                std::array<std::size_t, 2> const& along) {
  auto const &first = info.dimensions[along[0]], &second = info.dimensions[along[1]];
  for (auto const& name : file.places()) {
    auto const place = file.place(name);
    if (place.axis != axis || place.labels) continue;
    auto const dimensions = file.info(name).dimensions;
    auto const transposed = dimensions == std::vector{second, first};
    if (!transposed && dimensions != std::vector{first, second}) continue;
    if (place.in_time && file.times(name).empty()) continue;
    auto const stored = file.read(name, 0).values;
    auto const degrees = place.units.empty() || is_in_degrees(place.units);
    PointCoordinate result{stored, static_cast<std::size_t>(info.shape[along[0]]),
                           static_cast<std::size_t>(info.shape[along[1]]),
                           axis == "x" && degrees ? whole_turn : 0};
    for (std::size_t k = 0; transposed && k < stored.size(); ++k) {
      result.values[k] = stored[k % result.columns * result.rows + k / result.columns];
    }
    return result;
  }
  return {};
}

/// Rows and columns among two dimensions, as latitudes of all points tell, or else longitudes.
std::optional<std::array<std::size_t, 2>> told_by_points(InputFile const& file, FieldInfo const& info,
                                                         std::array<std::size_t, 2> const& among) {
  for (auto const* axis : {"y", "x"}) {
    auto const points = point_coordinate(file, info, axis, among);
    if (!points) continue;
    auto const is_y = *axis == 'y';
    if (points->goes_along(is_y)) return among;
    if (points->goes_along(!is_y)) return {{among[1], among[0]}};
    return {};
  }
  return {};
}

/// Turns rows and columns that no coordinate along them places as latitudes and longitudes of all points say,
/// where these go one way along all columns and all rows.
void turn_as_points_say(InputFile const& file, FieldInfo const& info, std::array<std::size_t, 2> const& along,
                        GridAxis& y, GridAxis& x) {
  // A coordinate without a unit counts the rows or columns.
  auto const is_counted = [](GridAxis const& axis) {
    return !axis.in_degrees && (axis.units.empty() || axis.units == "1");
  };
  if (!is_counted(y) && !is_counted(x)) return;
  auto const latitude = point_coordinate(file, info, "y", along),
             longitude = point_coordinate(file, info, "x", along);
  auto const along_y = latitude ? latitude->direction(true) : 0,
             along_x = longitude ? longitude->direction(false) : 0;
  // If one of them turns back within the grid, turning the other alone would mirror it.
  if ((latitude && along_y == 0) || (longitude && along_x == 0)) return;
  auto const turn = [&](GridAxis& axis, int direction) {
    if (direction == 0 || !is_counted(axis) || axis.falls == (direction < 0)) return;
    axis.falls = direction < 0;
    axis.places.clear();
  };
  turn(y, along_y);
  turn(x, along_x);
}

/// The shortest decimal within `tolerance` of a positive value.
double shortest_within(double value, double tolerance) {
  for (int digits = 1; digits < 17; ++digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    auto const rounded = std::strtod(text, nullptr);
    if (std::abs(rounded - value) <= tolerance) return rounded;
  }
  return value;
}

}  // namespace

std::vector<AxisOfDimension> axes_of_dimensions(InputFile const& file, FieldInfo const& info) {
  auto const coordinates = file.coordinates(info.name);
  std::vector<AxisOfDimension> axes;
  for (std::size_t d = 0; d < info.dimensions.size(); ++d) {
    auto const usual = usual_axis(info.dimensions[d]);
    if (coordinates[d] && !coordinates[d]->axis.empty()) {
      axes.push_back({coordinates[d]->axis, said_by_coordinate});
    } else {
      axes.push_back(usual ? AxisOfDimension{usual->axis, static_cast<int>(usual->tells)}
                           : AxisOfDimension{});
    }
  }
  return axes;
}

double GridAxis::spacing() const {
  auto const metres = metres_of(units);
  if (metres == 0 || in_degrees || places.size() < 2) return 0;
  auto const intervals = static_cast<double>(places.size() - 1);
  auto const farthest = std::max(std::abs(places.front()), std::abs(places.back()));
  return metres * shortest_within((places.back() - places.front()) / intervals,
                                  relative_rounding * farthest / intervals);
}

GridVariable::GridVariable(InputFile const& file, std::string const& name, std::array<std::int64_t, 2> shape,
                           Choose const& choose, Turned turned)
    : file_{file}, info_{}, turned_{turned} {
  if (!file.has(name)) {
    throw InputError(file.is_labels(name)
                         ? name + " holds text (numbers are read) name another variable"
                         : "no variable '" + name + "' in the file" + choices_hint(name, file.variables()));
  }
  info_ = file.info(name);
  if (info_.shape.size() < 2) {
    throw InputError(name + " has " +
                     (info_.shape.empty()
                          ? "one value"
                          : "the shape " + std::to_string(info_.shape[0]) + ", one dimension but time") +
                     " (rows and columns are needed) name a variable that has both");
  }
  if (auto const cells = file.cells_dimensions(name); !cells.empty()) {
    throw InputError(name + " lies on cells without rows and columns along " + cells.front() +
                     " (both are needed) interpolate it to a regular grid first");
  }
  find_rows_and_columns(shape);
  box_ = {std::vector<std::int64_t>(info_.shape.size(), 0), std::vector<std::int64_t>(info_.shape.size(), 1)};
  for (std::size_t d = 0; d < info_.shape.size(); ++d) {
    if (d == rows_ || d == columns_) {
      box_.count[d] = info_.shape[d];
    } else {
      auto const place = choose ? choose(info_.dimensions[d], info_.shape[d]) : std::nullopt;
      if (!place && info_.shape[d] != 1) {
        throw InputError(name + " has " + std::to_string(info_.shape[d]) + " places along " +
                         info_.dimensions[d] + " besides " + info_.dimensions[rows_] + " and " +
                         info_.dimensions[columns_] +
                         " (one of them is read) write it alone, or name another variable");
      }
      box_.start[d] = place.value_or(0);
    }
  }
  y_ = axis_along(rows_, false);
  x_ = axis_along(columns_, true);
  turn_as_points_say(file_, info_, {rows_, columns_}, y_, x_);
}

void GridVariable::find_rows_and_columns(std::array<std::int64_t, 2> shape) {
  auto axes = axes_of_dimensions(file_, info_);
  // The surest of those along an axis; one of several places before one of a single place.
  auto const along = [&](char const* axis) {
    std::optional<std::size_t> best;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      if (axes[d].axis != axis) continue;
      auto const rank = [&](std::size_t k) { return std::pair{info_.shape[k] > 1, axes[k].trust}; };
      if (!best || rank(d) > rank(*best)) best = d;
    }
    return best;
  };
  auto x = along("x"), y = along("y");
  std::vector<std::size_t> unknown;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].axis.empty() && info_.shape[d] > 1) unknown.push_back(d);
  }
  if (x.has_value() != y.has_value() && unknown.size() == 1) (x ? y : x) = unknown[0];
  if (!x && !y && unknown.size() == 2) {
    auto const fits = info_.shape[unknown[0]] == shape[0] && info_.shape[unknown[1]] == shape[1];
    if (fits && (shape[0] != shape[1] || turned_ == Turned::not_at_all)) {
      y = unknown[0];
      x = unknown[1];
    } else if (auto const told = told_by_points(file_, info_, {unknown[0], unknown[1]})) {
      y = (*told)[0];
      x = (*told)[1];
    }
  }
  if (!x || !y) {
    std::string names;
    for (auto const& dimension : info_.dimensions) names += (names.empty() ? "" : ", ") + dimension;
    throw InputError(info_.name + " has the dimensions " + names +
                     " (neither coordinates nor names tell which are rows and columns) rename them y and x, "
                     "or give them coordinates with the attribute axis");
  }
  rows_ = *y;
  columns_ = *x;
}

GridAxis GridVariable::axis_along(std::size_t dimension, bool along_x) const {
  GridAxis axis;
  axis.dimension = info_.dimensions[dimension];
  auto const name = lower_case(axis.dimension);
  auto const has_name_of_degrees = name.starts_with(along_x ? "lon" : "lat");
  axis.rotated = name == (along_x ? "rlon" : "rlat");
  axis.in_degrees = has_name_of_degrees;
  auto const coordinate = file_.coordinates(info_.name)[dimension];
  if (!coordinate) return axis;
  axis.coordinate = coordinate->name;
  axis.units = coordinate->units;
  axis.relative_rounding = coordinate->relative_rounding;
  auto const standard_name = file_.info(coordinate->name).standard_name;
  axis.rotated = axis.rotated || standard_name.starts_with("grid_l");
  auto const divisor = divisor_of(longitudes(), axis.units).value_or(1);  // of radians
  if (divisor != 1) axis.units = "degrees";
  axis.in_degrees = is_in_degrees(axis.units) ||
                    (axis.units.empty() && (has_name_of_degrees || axis.rotated ||
                                            standard_name == (along_x ? "longitude" : "latitude")));
  axis.places = file_.read_all(coordinate->name);
  for (auto& place : axis.places) place /= divisor;
  auto const turn = along_x && axis.in_degrees ? whole_turn : 0;
  if (auto const wrong = first_out_of_order(axis.places, turn)) {
    throw InputError(info_.name + " has " + axis.coordinate + "[" + std::to_string(*wrong) +
                     "] = " + number_text(axis.places[*wrong]) +
                     " (places rise or fall from each to the next, longitudes round the globe) mend the "
                     "coordinate");
  }
  if (axis.places.size() < 2) return axis;
  auto& places = axis.places;
  // Longitudes go on where they pass from 359 to 0 or from 180 to -180.
  for (std::size_t k = 1; turn > 0 && k < places.size(); ++k) {
    places[k] = places[k - 1] + std::remainder(places[k] - places[k - 1], turn);
  }
  if (axis.in_degrees && along_x) require_degrees(axis);
  axis.falls = places[1] < places[0];
  if (axis.falls) std::ranges::reverse(places);
  return axis;
}

void GridVariable::require_degrees(GridAxis const& axis) const {
  constexpr double circle = 2 * std::numbers::pi, agreeing = 1e-4;
  constexpr std::size_t fewest = 8;
  auto const& places = axis.places;
  auto const step = std::abs(places[1] - places[0]), span = std::abs(places.back() - places.front());
  auto const closes = [&](double turn) { return std::abs(turn - circle) < agreeing * circle; };
  if (places.size() < fewest || !(closes(span) || closes(span + step))) return;
  throw InputError(info_.name + " has " + axis.coordinate + " from " + number_text(places.front()) + " to " +
                   number_text(places.back()) +
                   " degrees (once round a circle of radians, whatever its units say) mend its units");
}

std::vector<double> GridVariable::read(std::int64_t time) const {
  auto const stored = file_.read(info_.name, time, box_);
  auto const turn = turned_ == Turned::as_places_rise;
  auto const transposed = columns_ < rows_;
  std::vector<double> values(stored.size());
  auto const rows = ny(), columns = nx();
  for (std::int64_t j = 0; j < rows; ++j) {
    auto const row = turn && y_.falls ? rows - 1 - j : j;
    for (std::int64_t i = 0; i < columns; ++i) {
      auto const column = turn && x_.falls ? columns - 1 - i : i;
      auto const at = transposed ? column * rows + row : row * columns + column;
      values[static_cast<std::size_t>(j * columns + i)] = stored[static_cast<std::size_t>(at)];
    }
  }
  return values;
}

}  // namespace ulpine::io
