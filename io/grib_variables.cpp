// SPDX-License-Identifier: Apache-2.0
#include "io/grib_variables.hpp"

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "io/calendar.hpp"
#include "io/grib_grouping.hpp"

namespace ulpine::io {
namespace {

constexpr std::size_t most_positions = std::size_t{1} << 24;  // of the messages of one variable
constexpr char const* time_units = "seconds since 1970-01-01 00:00:00";

/// What CF says of a type of level of ecCodes.
struct LevelType {
  char const *units, *standard_name, *positive;
};

LevelType level_type(std::string const& name) {
  static std::map<std::string, LevelType> const known = {
      {"isobaricInhPa", {"hPa", "air_pressure", "down"}},
      {"isobaricInPa", {"Pa", "air_pressure", "down"}},
      {"isobaricLayer", {"hPa", "air_pressure", "down"}},
      {"heightAboveGround", {"m", "height", "up"}},
      {"heightAboveGroundLayer", {"m", "height", "up"}},
      {"heightAboveSea", {"m", "altitude", "up"}},
      {"depthBelowLand", {"m", "depth", "down"}},
      {"depthBelowLandLayer", {"m", "depth", "down"}},
      {"depthBelowSea", {"m", "depth", "down"}},
      {"oceanModel", {"1", "", "down"}},
      {"hybrid", {"1", "model_level_number", "down"}},
      {"generalVertical", {"1", "model_level_number", "down"}},
      {"generalVerticalLayer", {"1", "model_level_number", "down"}},
      {"sigma", {"1", "atmosphere_sigma_coordinate", "down"}},
      {"theta", {"K", "air_potential_temperature", "up"}},
      {"potentialVorticity", {"1e-9 K m2 kg-1 s-1", "", "up"}}};
  auto const found = known.find(name);
  return found == known.end() ? LevelType{"1", "", "up"} : found->second;
}

char const* cell_methods(std::string const& step_type) {
  static std::map<std::string, char const*> const known = {
      {"accum", "time: sum"}, {"avg", "time: mean"}, {"max", "time: maximum"}, {"min", "time: minimum"}};
  auto const found = known.find(step_type);
  return found == known.end() ? "" : found->second;
}

/// With the hyphens of its usual form (RFC 4122), which GRIB's has not.
std::string uuid_text(std::string text) {
  if (text.size() == 32) {
    for (auto const place : {8u, 13u, 18u, 23u}) text.insert(place, "-");
  }
  return text;
}

class Builder {
 public:
  Builder(GribFile const& file, GribFields const& fields)
      : fields_{fields}, groups_{groups_of(file, fields)} {
    by_reference_ = reaches_times_twice();
    for (auto const& group : groups_) taken_.insert(group.name);
  }

  GribVariables variables() {
    for (auto const& group : groups_) add(group);
    return std::move(result_);
  }

 private:
  using Attributes = std::vector<std::pair<char const*, std::string>>;
  struct Axis {
    std::string name;
    std::vector<double> values;
  };
  /// A level of a variable: itself, top and bottom.
  using Level = std::array<double, 3>;

  GribField const& field(std::int32_t number) const { return fields_.all[static_cast<std::size_t>(number)]; }
  double time_of(GribField const& field) const {
    return by_reference_ ? field.reference_time : field.valid_time;
  }

  /// Whether several forecasts of one variable are for the same time.
  bool reaches_times_twice() const {
    for (auto const& group : groups_) {
      std::set<std::array<double, 5>> known;
      for (auto const number : group.fields) {
        auto const [reference, valid, member, level, top, bottom] = position_of(field(number));
        if (!known.insert({valid, member, level, top, bottom}).second) return group.unreadable.empty();
      }
    }
    return false;
  }

  NetcdfVariable& variable(std::string const& name, std::vector<NetcdfDimension> dimensions,
                           GribSource source, Attributes const& attributes) {
    NetcdfVariable made;
    made.name = name;
    made.group = 0;
    made.id = static_cast<std::int32_t>(result_.catalogue.variables.size());
    made.type = NC_DOUBLE;
    made.chunk.assign(dimensions.size(), 1);
    made.dimensions = std::move(dimensions);
    for (auto const& [key, text] : attributes) {
      if (!text.empty()) made.attributes[key] = text;
    }
    result_.sources.push_back(std::move(source));
    return result_.catalogue.variables.emplace_back(std::move(made));
  }

  NetcdfDimension dimension(std::string const& name, std::size_t length) {
    return {name, length, false, dimension_count_++};
  }

  /// A name that nothing has: `wanted`, else with a number behind it.
  std::string free_name(std::string const& wanted) {
    auto name = wanted;
    for (auto number = 2; !taken_.insert(name).second; ++number) name = wanted + "_" + std::to_string(number);
    return name;
  }

  static GribSource numbers(std::vector<double> values) {
    GribSource source;
    source.numbers = std::move(values);
    return source;
  }

  /// The dimension with these places along it, which all variables with the same share.
  NetcdfDimension axis(std::string const& wanted, std::vector<double> const& values,
                       Attributes const& attributes) {
    auto const [entry, is_new] = axes_.try_emplace({wanted, values});
    if (is_new) {
      auto const name = free_name(wanted);
      entry->second = dimension(name, values.size());
      variable(name, {entry->second}, numbers(values), attributes);
    }
    return entry->second;
  }

  NetcdfDimension levels(std::string const& type, std::vector<Level> const& levels, Attributes attributes) {
    std::vector<double> values, bounds;
    auto is_layer = false;
    for (auto const& [level, top, bottom] : levels) {
      values.push_back(level);
      bounds.insert(bounds.end(), {top, bottom});
      is_layer = is_layer || top != bottom;
    }
    if (!is_layer) return axis(type, values, attributes);
    auto const [entry, is_new] = axes_.try_emplace({type + "_bounds", bounds});
    if (is_new) {
      auto const name = free_name(type);
      auto const name_of_bounds = free_name(name + "_bounds");
      attributes.emplace_back("bounds", name_of_bounds);
      entry->second = dimension(name, values.size());
      variable(name, {entry->second}, numbers(values), attributes);
      if (ends_.length == 0) ends_ = dimension(free_name("bnds"), 2);
      variable(name_of_bounds, {entry->second, ends_}, numbers(bounds), {});
    }
    return entry->second;
  }

  /// The coordinate of a variable with one level; empty where the type of level says all.
  std::string one_level(std::string const& type, Level const& level, Attributes const& attributes) {
    if (level == Level{0, 0, 0}) return {};
    auto const [entry, is_new] = scalars_.try_emplace({type, level});
    if (is_new) {
      entry->second = free_name(type);
      variable(entry->second, {}, numbers({level[0]}), attributes);
    }
    return entry->second;
  }

  /// The dimensions of a grid, with the coordinates that its fields are to name.
  struct GridDimensions {
    std::vector<NetcdfDimension> dimensions;
    std::string coordinates;
    std::string cdi_type;
  };

  GridDimensions const& grid(std::string const& key) {
    auto const [entry, is_new] = grids_.try_emplace(key);
    if (is_new) entry->second = made(key, fields_.grids.at(key));
    return entry->second;
  }

  GridDimensions made(std::string const& key, GribGrid const& grid) {
    if (grid.is_spectral()) return {{dimension(free_name("coefficients"), grid.points)}, "", ""};
    static Attributes const longitude = {{"standard_name", "longitude"}, {"units", "degrees_east"}},
                            latitude = {{"standard_name", "latitude"}, {"units", "degrees_north"}};
    auto const places = [&](std::string const& name, std::vector<NetcdfDimension> dimensions,
                            char const* place, Attributes const& attributes) {
      GribSource source;
      source.kind = GribSource::Kind::places;
      source.grid = key;
      source.place = place;
      source.grid_rank = dimensions.size();
      auto& made = variable(name, dimensions, std::move(source), attributes);
      for (std::size_t d = 0; d < dimensions.size(); ++d) made.chunk[d] = dimensions[d].length;
    };
    if (grid.is_regular()) {
      auto const y = dimension(free_name("latitude"), grid.nj),
                 x = dimension(free_name("longitude"), grid.ni);
      places(y.name, {y}, "latitudes", latitude);
      places(x.name, {x}, "longitudes", longitude);
      return {{y, x}, "", ""};
    }
    GridDimensions result;
    if (grid.has_rows()) {
      result.dimensions = rows_and_columns(grid);
    } else {
      result.dimensions = {dimension(free_name("values"), grid.points)};
      result.cdi_type = grid.type == "unstructured_grid" ? "unstructured" : "gaussian_reduced";
    }
    if (!grid.mesh.empty()) result_.catalogue.attributes["uuidOfHGrid"] = uuid_text(grid.mesh);
    if (grid.type == "unstructured_grid") return result;
    auto const name_y = free_name("latitude"), name_x = free_name("longitude");
    places(name_y, result.dimensions, "latitudes", latitude);
    places(name_x, result.dimensions, "longitudes", longitude);
    result.coordinates = name_y + " " + name_x;
    return result;
  }

  std::vector<NetcdfDimension> rows_and_columns(GribGrid const& grid) {
    auto const spaced = [](double first, double step, std::size_t count) {
      std::vector<double> values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<double>(i) * step;
      return values;
    };
    auto const between = [&](std::vector<double> const& ends, std::size_t count, bool round) {
      auto last = ends[1];
      if (round && last < ends[0]) last += 360;
      return spaced(ends[0], count > 1 ? (last - ends[0]) / static_cast<double>(count - 1) : 0, count);
    };
    if (grid.rotated_longitudes.size() == 2 && grid.rotated_latitudes.size() == 2) {
      return {axis("rlat", between(grid.rotated_latitudes, grid.nj, false),
                   {{"standard_name", "grid_latitude"}, {"units", "degrees"}}),
              axis("rlon", between(grid.rotated_longitudes, grid.ni, grid.dx >= 0),
                   {{"standard_name", "grid_longitude"}, {"units", "degrees"}})};
    }
    if (grid.dx != 0 && grid.dy != 0) {
      return {axis("y", spaced(0, grid.dy, grid.nj),
                   {{"standard_name", "projection_y_coordinate"},
                    {"long_name", "y from the first point"},
                    {"units", "m"}}),
              axis("x", spaced(0, grid.dx, grid.ni),
                   {{"standard_name", "projection_x_coordinate"},
                    {"long_name", "x from the first point"},
                    {"units", "m"}})};
    }
    return {dimension(free_name("y"), grid.nj), dimension(free_name("x"), grid.ni)};
  }

  void add(GribGroup const& group) {
    auto const& first = field(group.fields.front());
    std::set<double> times, steps, numbers_of_members;
    std::set<Level> all_levels;
    for (auto const number : group.fields) {
      auto const& one = field(number);
      times.insert(time_of(one));
      steps.insert(one.valid_time - one.reference_time);
      numbers_of_members.insert(static_cast<double>(one.number));
      all_levels.insert({one.level, one.top, one.bottom});
    }
    auto const list = [](std::set<double> const& values) {
      return std::vector(values.begin(), values.end());
    };
    std::vector<NetcdfDimension> outer;
    outer.push_back(axis("time", list(times),
                         {{"standard_name", "time"},
                          {"units", time_units},
                          {"long_name", by_reference_ ? "reference time" : "time"},
                          {"calendar", "proleptic_gregorian"}}));
    if (by_reference_) {
      outer.push_back(axis("step", list(steps), {{"standard_name", "forecast_period"}, {"units", "s"}}));
    }
    if (numbers_of_members.size() > 1) {
      outer.push_back(
          axis("number", list(numbers_of_members), {{"standard_name", "realization"}, {"units", "1"}}));
    }
    auto const about = level_type(first.level_type);
    Attributes const level_attributes = {{"standard_name", about.standard_name},
                                         {"units", about.units},
                                         {"positive", about.positive},
                                         {"long_name", first.level_type}};
    std::string coordinates;
    auto const has_levels = all_levels.size() > 1;
    if (has_levels) {
      outer.push_back(levels(first.level_type, {all_levels.begin(), all_levels.end()}, level_attributes));
    } else {
      coordinates = one_level(first.level_type, *all_levels.begin(), level_attributes);
    }
    GribSource source;
    source.kind = GribSource::Kind::fields;
    source.grid = first.grid;
    std::size_t positions = 1;
    for (auto const& along : outer) positions *= along.length;
    auto unreadable = group.unreadable;
    if (positions > most_positions) {
      unreadable = "its messages are at too many different times, levels and members";
      positions = 0;
    }
    source.fields.assign(positions, -1);
    auto const rank_of = [](auto const& set, auto const& value) {
      return static_cast<std::size_t>(std::distance(set.begin(), set.find(value)));
    };
    for (auto const number : group.fields) {
      auto const& one = field(number);
      auto place = rank_of(times, time_of(one));
      if (by_reference_) place = place * steps.size() + rank_of(steps, one.valid_time - one.reference_time);
      if (numbers_of_members.size() > 1) {
        place =
            place * numbers_of_members.size() + rank_of(numbers_of_members, static_cast<double>(one.number));
      }
      if (has_levels)
        place = place * all_levels.size() + rank_of(all_levels, Level{one.level, one.top, one.bottom});
      if (place < source.fields.size()) source.fields[place] = number;
    }
    auto const& on = grid(first.grid);
    source.grid_rank = on.dimensions.size();
    if (!on.coordinates.empty()) coordinates += (coordinates.empty() ? "" : " ") + on.coordinates;
    auto const absent = unreadable.empty() ? absent_in(source.fields, outer, first) : "";
    auto dimensions = outer;
    dimensions.insert(dimensions.end(), on.dimensions.begin(), on.dimensions.end());
    auto& made = variable(group.name, std::move(dimensions), std::move(source),
                          {{"standard_name", first.standard_name},
                           {"long_name", first.long_name},
                           {"units", first.units},
                           {"coordinates", coordinates},
                           {"cell_methods", cell_methods(first.step_type)},
                           {"CDI_grid_type", on.cdi_type},
                           {"absent_messages", absent}});
    for (std::size_t d = outer.size(); d < made.dimensions.size(); ++d)
      made.chunk[d] = made.dimensions[d].length;
    made.unreadable = unreadable;
    made.sparse = true;
    auto single = true;
    for (auto const number : group.fields) {
      made.step = std::max(made.step, field(number).step);
      single = single && field(number).single;
    }
    if (single && made.step == 0) made.type = NC_FLOAT;
  }

  /// "2 of 12 messages are not there, the first at 2020-01-01 06:00:00, isobaricInhPa 500"; empty where none
  /// is absent.
  std::string absent_in(std::vector<std::int32_t> const& numbers, std::vector<NetcdfDimension> const& outer,
                        GribField const& example) const {
    auto const count = std::ranges::count(numbers, -1);
    if (count == 0) return {};
    auto place = static_cast<std::size_t>(std::ranges::find(numbers, -1) - numbers.begin());
    std::string words;
    for (auto d = outer.size(); d-- > 0;) {
      auto const& values = result_.sources[index_of(outer[d].name)].numbers;
      auto const value = values[place % outer[d].length];
      place /= outer[d].length;
      auto text = std::to_string(value);
      text.erase(text.find_last_not_of('0') + 1);
      if (text.ends_with('.')) text.pop_back();
      auto const word = outer[d].name.starts_with("time") ? date_text(Calendar::proleptic_gregorian, value)
                        : outer[d].name.starts_with(example.level_type) ? example.level_type + " " + text
                                                                        : outer[d].name + " " + text;
      words = word + (words.empty() ? "" : ", ") + words;
    }
    return std::to_string(count) + " of " + std::to_string(numbers.size()) +
           " messages are not there, the first at " + words;
  }

  std::size_t index_of(std::string const& name) const {
    auto const& all = result_.catalogue.variables;
    return static_cast<std::size_t>(
        std::ranges::find_if(all, [&](auto const& one) { return one.name == name; }) - all.begin());
  }

  GribFields const& fields_;
  std::vector<GribGroup> const groups_;
  bool by_reference_ = false;
  GribVariables result_;
  std::set<std::string> taken_;
  std::int32_t dimension_count_ = 0;
  std::map<std::pair<std::string, std::vector<double>>, NetcdfDimension> axes_;
  std::map<std::pair<std::string, Level>, std::string> scalars_;
  std::map<std::string, GridDimensions> grids_;
  NetcdfDimension ends_;
};

}  // namespace

GribVariables variables_of(GribFile const& file, GribFields const& fields) {
  return Builder{file, fields}.variables();
}

}  // namespace ulpine::io
