// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_contents.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "io/error.hpp"
#include "io/netcdf_unpacking.hpp"
#include "io/time_units.hpp"

namespace ulpine::io {
namespace {

/// a b, or the largest number where that is beyond it.
std::uint64_t times_saturated(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

/// Whether CF has coordinates of that standard name along the vertical: heights, depths, pressures, numbers
/// of levels and the dimensionless ones of its appendix D.
bool is_vertical(std::string const& standard_name) {
  static std::set<std::string> const known = {"altitude",     "depth",  "air_pressure",
                                              "sea_pressure", "height", "model_level_number"};
  auto const parametric = standard_name.ends_with("_coordinate") &&
                          (standard_name.starts_with("atmosphere_") || standard_name.starts_with("ocean_"));
  return parametric || known.contains(standard_name) || standard_name.starts_with("height_above_") ||
         standard_name.starts_with("depth_below_");
}

}  // namespace

std::string text(NetcdfAttributes const& attributes, std::string const& name) {
  auto const found = attributes.find(name);
  auto const* text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

std::string text(NetcdfVariable const& variable, char const* name) { return text(variable.attributes, name); }

bool is_coordinate(NetcdfVariable const& variable) {
  return variable.dimensions.size() == 1 &&
         folder_of(variable.name) + variable.dimensions[0].name == variable.name;
}

std::uint64_t product(std::vector<std::uint64_t> const& extents) {
  std::uint64_t size = 1;
  for (auto const extent : extents) size = times_saturated(size, extent);
  return size;
}

std::string axis_of(NetcdfVariable const& coordinate) {
  static std::map<std::string, char const*> const known = {
      {"longitude", "x"}, {"grid_longitude", "x"}, {"projection_x_coordinate", "x"},
      {"latitude", "y"},  {"grid_latitude", "y"},  {"projection_y_coordinate", "y"}};
  if (auto const axis = lower_case(text(coordinate, "axis")); axis == "x" || axis == "y" || axis == "z") {
    return axis;
  }
  if (auto const found = known.find(text(coordinate, "standard_name")); found != known.end()) {
    return found->second;
  }
  if (is_vertical(text(coordinate, "standard_name"))) {
    return "z";
  }
  auto const units = lower_case(text(coordinate, "units"));
  if (units.starts_with("degree")) {
    auto const direction = units.substr(units.find('_') + 1);
    if (direction == "e" || direction == "east") return "x";
    if (direction == "n" || direction == "north") return "y";
  }
  return text(coordinate, "positive").empty() ? "" : "z";
}

bool is_time_unit(std::string const& units) { return counts_from_date(units) || is_absolute_time(units); }

std::string NetcdfContents::message(Variable const& variable, std::string const& problem) const {
  return source.path() + ": " + variable.name + ": " + problem;
}

NetcdfContents::NetcdfContents(std::filesystem::path const& path)
    : source{path}, variables{source.catalogue().variables} {
  for (std::size_t i = 0; i < variables.size(); ++i) index_.try_emplace(variables[i].name, i);
  roles = find_roles();
}

NetcdfVariable const* NetcdfContents::find(std::string const& name) const {
  auto const found = index_.find(name);
  return found == index_.end() ? nullptr : &variables[found->second];
}

NetcdfVariable const* NetcdfContents::find_from(Variable const& from, std::string const& name) const {
  for (auto folder = folder_of(from.name);; folder = folder_of(folder.substr(0, folder.size() - 1))) {
    if (auto const* found = find(folder + name)) return found;
    if (folder.empty()) return nullptr;
  }
}

NetcdfVariable const& NetcdfContents::get(std::string const& name) const {
  auto const* variable = find(name);
  if (variable == nullptr || (!variable->numeric() && !variable->labels() && variable->unreadable.empty())) {
    throw InputError(source.path() + ": " + name + ": no such variable" + choices_hint(name, fields()));
  }
  return *variable;
}

namespace {

/// Whether a name is one that models give to longitudes, latitudes or heights.
bool has_name_of_place(std::string const& variable) {
  auto const name = lower_case(variable.substr(folder_of(variable).size()));
  auto const has = [&](char const* part) { return name.find(part) != std::string::npos; };
  return has("lon") || has("lat") || name.starts_with("z_") || has("depth") || has("height") ||
         name.starts_with("lev") || name.starts_with("alt");
}

/// Whether a variable that `coordinates` names is one: of a place, a time or a name, not a field of its own.
bool is_auxiliary_coordinate(NetcdfVariable const& variable) {
  return !variable.numeric() || variable.dimensions.size() < 2 || !axis_of(variable).empty() ||
         is_time_unit(text(variable, "units")) || has_name_of_place(variable.name);
}

}  // namespace

std::vector<NetcdfContents::Role> NetcdfContents::find_roles() const {
  std::vector<Role> found_roles(variables.size(), Role::field);
  auto const set_place = [&](Variable const& place) {
    found_roles[static_cast<std::size_t>(&place - variables.data())] = Role::place;
  };
  for (auto const& variable : variables) {
    if (is_coordinate(variable) || labels_dimension(variable)) set_place(variable);
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      if (auto const* dates = dates_along(variable, d)) set_place(*dates);
    }
    for (auto const* attribute : {"coordinates", "bounds", "climatology", "grid_mapping"}) {
      auto const of_coordinates = attribute == std::string_view{"coordinates"};
      for (auto word : words_of(text(variable, attribute))) {
        if (word.ends_with(':')) word.pop_back();  // "crs: x y" names a mapping and its coordinates
        auto const* found = find_from(variable, word);
        if (found == &variable) continue;
        if (found != nullptr && (!of_coordinates || is_auxiliary_coordinate(*found))) set_place(*found);
      }
    }
  }
  return found_roles;
}

std::vector<std::string> NetcdfContents::fields() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].numeric() && roles[i] == Role::field) names.push_back(variables[i].name);
  }
  return names;
}

NetcdfVariable const* NetcdfContents::coordinate_of(Variable const& variable, std::size_t dimension) const {
  auto const* found = find_from(variable, variable.dimensions[dimension].name);
  auto const is_its = found != nullptr && found->numeric() && is_coordinate(*found) &&
                      found->dimensions[0].is(variable.dimensions[dimension]);
  return is_its ? found : nullptr;
}

bool NetcdfContents::is_said_to_be_time(Variable const& variable, std::size_t dimension) const {
  if (auto const* time = coordinate_of(variable, dimension)) {
    return text(*time, "axis") == "T" || text(*time, "standard_name") == "time" ||
           is_time_unit(text(*time, "units"));
  }
  auto const& along = variable.dimensions[dimension];
  if (dates_along(variable, dimension) != nullptr) return true;
  // One of dates along it; along observations, which have a place each, too, order is not that of time.
  auto has_dates = false;
  for (auto const& word : words_of(text(variable, "coordinates"))) {
    auto const* other = find_from(variable, word);
    if (other == nullptr || other->dimensions.size() != 1 || !other->dimensions[0].is(along)) continue;
    if (auto const axis = axis_of(*other); axis == "x" || axis == "y") return false;
    has_dates = has_dates || (other->numeric() && is_time_unit(text(*other, "units")));
  }
  return has_dates;
}

bool NetcdfContents::is_named_as_time(Variable const& variable, std::size_t dimension) const {
  static std::set<std::string> const usual = {
      "time",  "t",     "times",  "ocean_time", "time_counter", "elapsed_time", "model_time",
      "tstep", "ntime", "ntimes", "scrum_time", "month",        "date_time",    "datetime"};
  if (!usual.contains(lower_case(variable.dimensions[dimension].name))) return false;
  auto const* coordinate = coordinate_of(variable, dimension);
  return coordinate == nullptr || axis_of(*coordinate).empty();
}

std::optional<std::size_t> NetcdfContents::time_dimension(Variable const& variable) const {
  for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
    if (is_said_to_be_time(variable, d)) return d;
  }
  for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
    if (is_named_as_time(variable, d)) return d;
  }
  return {};
}

std::vector<std::size_t> NetcdfContents::field_dimensions(Variable const& variable) const {
  auto const time = time_dimension(variable);
  std::vector<std::size_t> places;
  for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
    if (d != time) places.push_back(d);
  }
  return places;
}

std::vector<std::uint64_t> NetcdfContents::shape(Variable const& variable) const {
  std::vector<std::uint64_t> shape;
  for (auto const d : field_dimensions(variable)) shape.push_back(variable.dimensions[d].length);
  return shape;
}

std::pair<std::vector<std::size_t>, std::vector<std::size_t>> NetcdfContents::hyperslab(
    Variable const& variable, std::int64_t time, Box const& box) const {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> result = {
      {box.start.begin(), box.start.end()}, {box.count.begin(), box.count.end()}};
  if (auto const place = time_dimension(variable)) {
    auto const times = static_cast<std::int64_t>(variable.dimensions[*place].length);
    auto const index = time < 0 ? times + time : time;
    if (index < 0 || index >= times) {
      throw InputError(source.path() + ": " + variable.name + ": no time index " + std::to_string(time) +
                       " (there are " + std::to_string(times) + " times) choose another");
    }
    auto const offset = static_cast<std::ptrdiff_t>(*place);
    result.first.insert(result.first.begin() + offset, static_cast<std::size_t>(index));
    result.second.insert(result.second.begin() + offset, 1);
  }
  return result;
}

std::vector<double> NetcdfContents::values(Variable const& variable, std::vector<std::size_t> const& start,
                                           std::vector<std::size_t> const& count) const {
  auto const size = product({count.begin(), count.end()});
  if (size > largest_field) {
    throw InputError(message(variable, "too large to read (more than 2^36 values) cut it into parts"));
  }
  source.require_plausible(variable, size);
  return source.read(variable, start, count);
}

std::vector<double> NetcdfContents::values(Variable const& variable) const {
  std::vector<std::size_t> start, count;
  for (auto const& dimension : variable.dimensions) {
    start.push_back(0);
    count.push_back(dimension.length);
  }
  return values(variable, start, count);
}

FieldInfo NetcdfContents::info(Variable const& variable) const {
  FieldInfo info;
  info.name = variable.name;
  info.standard_name = text(variable, "standard_name");
  info.long_name = text(variable, "long_name");
  info.units = text(variable, "units");
  info.coordinates = text(variable, "coordinates");
  info.cell_methods = text(variable, "cell_methods");
  for (auto const d : field_dimensions(variable)) {
    info.dimensions.push_back(variable.dimensions[d].name);
    info.shape.push_back(static_cast<std::int64_t>(variable.dimensions[d].length));
  }
  return info;
}

NetcdfVariable const* NetcdfContents::times_of(Variable const& variable, std::size_t dimension) const {
  if (auto const* time = coordinate_of(variable, dimension)) return time;
  for (auto const& name : words_of(text(variable, "coordinates"))) {
    auto const* time = find_from(variable, name);
    if (time != nullptr && time->numeric() && time->dimensions.size() == 1 &&
        time->dimensions[0].is(variable.dimensions[dimension]) && is_time_unit(text(*time, "units"))) {
      return time;
    }
  }
  return nullptr;
}

NetcdfVariable const* NetcdfContents::dates_along(Variable const& variable, std::size_t dimension) const {
  for (auto const* name : {"Times", "xtime"}) {
    auto const* dates = find_from(variable, name);
    if (dates != nullptr && dates->type == NC_CHAR && dates->dimensions.size() == 2 &&
        dates->dimensions[0].is(variable.dimensions[dimension])) {
      return dates;
    }
  }
  return nullptr;
}

std::vector<double> NetcdfContents::written_dates(Variable const& variable, std::size_t dimension) const {
  auto const* dates = dates_along(variable, dimension);
  return dates == nullptr ? std::vector<double>{}
                          : parse_dates(time_values(*dates), dates->dimensions[1].length);
}

namespace {

/// Relative rounding of a type: 2^-23 of float, 2^-52 of double, 0 of integers.
double rounding_of(NetcdfVariable const& variable) {
  return variable.type == NC_FLOAT    ? std::numeric_limits<float>::epsilon()
         : variable.type == NC_DOUBLE ? std::numeric_limits<double>::epsilon()
                                      : 0.;
}

}  // namespace

std::vector<double> const& NetcdfContents::time_values(Variable const& time) const {
  std::lock_guard const lock{times_mutex_};
  auto found = times_.find(&time);
  if (found == times_.end()) found = times_.emplace(&time, values(time)).first;
  return found->second;
}

TimeAxis NetcdfContents::time_axis(Variable const& variable) const {
  TimeAxis axis;
  axis.epoch = std::numeric_limits<double>::quiet_NaN();
  auto const dimension = time_dimension(variable);
  if (!dimension) return axis;
  axis.exists = true;
  auto const* time = times_of(variable, *dimension);
  auto const measured = time == nullptr ? TimeUnits{} : parse_time_units(text(*time, "units"));
  if (!is_said_to_be_time(variable, *dimension) && measured.seconds == 0 && measured.months == 0) {
    axis.guessed_by = variable.dimensions[*dimension].name;
  }
  auto const since_1970 = [&] {
    axis.has_coordinate = true;
    axis.dated = true;
    axis.units = "seconds since 1970-01-01 00:00:00";
    axis.unit = 1;
    axis.epoch = 0;
  };
  if (time == nullptr) {
    axis.stored = written_dates(variable, *dimension);
    if (!axis.stored.empty()) {
      axis.calendar = calendar_name(axis.known_calendar);
      since_1970();
      return axis;
    }
    axis.stored.resize(variable.dimensions[*dimension].length);
    for (std::size_t i = 0; i < axis.stored.size(); ++i) axis.stored[i] = static_cast<double>(i);
    return axis;
  }
  axis.stored = time_values(*time);
  axis.has_coordinate = true;
  axis.relative_rounding = rounding_of(*time);
  axis.units = text(*time, "units");
  axis.known_calendar = parse_calendar(text(*time, "calendar"));
  axis.calendar =
      axis.known_calendar == Calendar::unknown ? text(*time, "calendar") : calendar_name(axis.known_calendar);
  if (is_absolute_time(axis.units)) {
    for (auto& date : axis.stored) date = seconds_of_absolute_time(date, axis.known_calendar);
    since_1970();
    return axis;
  }
  auto const units = parse_time_units(axis.units, axis.known_calendar);
  axis.dated = units.dated;
  axis.unit = units.seconds;
  axis.epoch = units.epoch;
  auto const needs_calendar =
      units.months > 0 || axis.known_calendar == Calendar::utc || axis.known_calendar == Calendar::tai;
  if (needs_calendar && std::isfinite(units.epoch) && (units.months > 0 || units.seconds > 0)) {
    for (auto& time_stored : axis.stored) {
      time_stored = instant_of(time_stored, units, axis.known_calendar);
    }
    since_1970();
  }
  return axis;
}

std::vector<double> NetcdfContents::instants(Variable const& variable) const {
  auto const& described = carrier_of_units(variable);
  auto const units = text(described, "units");
  auto const calendar = parse_calendar(text(described, "calendar"));
  if (!variable.numeric() || !is_time_unit(units)) return {};
  auto found = values(variable);
  auto const parsed = parse_time_units(units, calendar);
  for (auto& time : found) {
    time = is_absolute_time(units) ? seconds_of_absolute_time(time, calendar)
                                   : instant_of(time, parsed, calendar);
    if (!std::isfinite(time)) return {};
  }
  return found;
}

NetcdfVariable const& NetcdfContents::carrier_of_units(Variable const& variable) const {
  if (!text(variable, "units").empty()) return variable;
  for (auto const& parent : variables) {
    for (auto const* attribute : {"bounds", "climatology"}) {
      auto const name = text(parent, attribute);
      if (!name.empty() && find_from(parent, name) == &variable) return parent;
    }
  }
  return variable;
}

bool NetcdfContents::labels_dimension(Variable const& variable) const {
  return variable.labels() && !variable.dimensions.empty() &&
         folder_of(variable.name) + variable.dimensions[0].name == variable.name;
}

GridCoordinate NetcdfContents::describe(Variable const& coordinate) const {
  return {coordinate.name,           axis_of(coordinate),
          text(coordinate, "units"), static_cast<std::int64_t>(coordinate.dimensions.size()),
          !coordinate.numeric(),     has_time(coordinate),
          rounding_of(coordinate),   Unpacking{coordinate}.packed_step()};
}

std::optional<std::vector<std::size_t>> NetcdfContents::dimensions_in(Variable const& field,
                                                                      Variable const& part) const {
  std::vector<std::size_t> places;
  auto const dimensions = field_dimensions(field);
  for (auto const& dimension : part.dimensions) {
    std::size_t i = 0;
    while (i < dimensions.size() && !field.dimensions[dimensions[i]].is(dimension)) {
      ++i;
    }
    if (i == dimensions.size()) return {};
    places.push_back(i);
  }
  return places;
}

}  // namespace ulpine::io
