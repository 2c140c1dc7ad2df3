// SPDX-License-Identifier: Apache-2.0
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_library.hpp"
#include "io/netcdf_source.hpp"
#include "io/netcdf_unpacking.hpp"

namespace ulpine::io {
namespace {

using Variable = NetcdfVariable;

constexpr std::uint64_t largest_field = std::uint64_t{1} << 36;  // values; more is a damaged header

std::string lower_case(std::string text) {
  for (auto& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

std::vector<std::string> words_of(std::string const& text) {
  std::istringstream stream{text};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string folder_of(std::string const& name) {
  auto const slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

std::string text(NetcdfAttributes const& attributes, std::string const& name) {
  auto const found = attributes.find(name);
  auto const* text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

std::string text(Variable const& variable, char const* name) { return text(variable.attributes, name); }

bool is_coordinate(Variable const& variable) {
  return variable.dimensions.size() == 1 &&
         folder_of(variable.name) + variable.dimensions[0].name == variable.name;
}

/// a b, or the largest number where that is beyond it.
std::uint64_t times_saturated(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

std::uint64_t product(std::vector<std::uint64_t> const& extents) {
  std::uint64_t size = 1;
  for (auto const extent : extents) size = times_saturated(size, extent);
  return size;
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

/// "x", "y" or "z" where a coordinate says that it runs along that axis.
std::string axis_of(Variable const& coordinate) {
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

}  // namespace

struct InputFile::File {
  explicit File(std::filesystem::path const& path) : source{path}, variables{source.catalogue().variables} {}

  NetcdfSource source;
  std::vector<Variable> const& variables;

  std::string message(Variable const& variable, std::string const& problem) const {
    return source.path() + ": " + variable.name + ": " + problem;
  }

  Variable const* find(std::string const& name) const {
    auto const found =
        std::find_if(variables.begin(), variables.end(), [&](Variable const& v) { return v.name == name; });
    return found == variables.end() ? nullptr : &*found;
  }
  /// `name` as seen from a variable: in its group, else in those around it.
  Variable const* find_from(Variable const& from, std::string const& name) const {
    for (auto folder = folder_of(from.name);; folder = folder_of(folder.substr(0, folder.size() - 1))) {
      if (auto const* found = find(folder + name)) return found;
      if (folder.empty()) return nullptr;
    }
  }
  Variable const& get(std::string const& name) const {
    auto const* variable = find(name);
    if (variable == nullptr || !variable->numeric()) {
      throw InputError(source.path() + ": " + name + ": no such numeric variable" +
                       choices_hint(name, fields()));
    }
    return *variable;
  }

  std::vector<std::string> fields() const {
    std::set<std::string> described;
    for (auto const& variable : variables) {
      for (auto const* attribute : {"coordinates", "bounds", "climatology", "grid_mapping"}) {
        for (auto const& word : words_of(text(variable, attribute))) {
          if (auto const* found = find_from(variable, word)) described.insert(found->name);
        }
      }
    }
    std::vector<std::string> names;
    for (auto const& variable : variables) {
      if (variable.numeric() && !is_coordinate(variable) && !described.contains(variable.name)) {
        names.push_back(variable.name);
      }
    }
    return names;
  }

  Variable const* coordinate_of(Variable const& variable, std::size_t dimension) const {
    auto const* found = find_from(variable, variable.dimensions[dimension].name);
    return found != nullptr && found->numeric() && is_coordinate(*found) ? found : nullptr;
  }

  bool has_time(Variable const& variable) const {
    if (variable.dimensions.empty()) return false;
    auto const name = lower_case(variable.dimensions[0].name);
    if (variable.dimensions[0].unlimited || name == "t" || name.starts_with("time") || name == "month")
      return true;
    auto const* time = coordinate_of(variable, 0);
    return time != nullptr && (text(*time, "axis") == "T" || text(*time, "standard_name") == "time" ||
                               text(*time, "units").find(" since ") != std::string::npos);
  }
  std::size_t first_dimension(Variable const& variable) const { return has_time(variable) ? 1 : 0; }

  std::vector<std::uint64_t> shape(Variable const& variable) const {
    std::vector<std::uint64_t> shape;
    for (auto d = first_dimension(variable); d < variable.dimensions.size(); ++d) {
      shape.push_back(variable.dimensions[d].length);
    }
    return shape;
  }

  /// Of the file's dimensions, for a part at one time. InputError where there is no such time.
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> hyperslab(Variable const& variable,
                                                                          std::int64_t time,
                                                                          Box const& box) const {
    std::pair<std::vector<std::size_t>, std::vector<std::size_t>> result;
    if (has_time(variable)) {
      auto const times = static_cast<std::int64_t>(variable.dimensions[0].length);
      auto const index = time < 0 ? times + time : time;
      if (index < 0 || index >= times) {
        throw InputError(source.path() + ": " + variable.name + ": no time index " + std::to_string(time) +
                         " (there are " + std::to_string(times) + " times) choose another");
      }
      result.first.push_back(static_cast<std::size_t>(index));
      result.second.push_back(1);
    }
    result.first.insert(result.first.end(), box.start.begin(), box.start.end());
    result.second.insert(result.second.end(), box.count.begin(), box.count.end());
    return result;
  }

  std::vector<double> values(Variable const& variable, std::vector<std::size_t> const& start,
                             std::vector<std::size_t> const& count) const {
    auto const size = product({count.begin(), count.end()});
    if (size > largest_field) {
      throw InputError(message(variable, "too large to read (more than 2^36 values) cut it into parts"));
    }
    source.require_plausible(variable, size);
    return source.read(variable, start, count);
  }
  std::vector<double> values(Variable const& variable) const {
    std::vector<std::size_t> start, count;
    for (auto const& dimension : variable.dimensions) {
      start.push_back(0);
      count.push_back(dimension.length);
    }
    return values(variable, start, count);
  }

  FieldInfo info(Variable const& variable) const {
    FieldInfo info;
    info.name = variable.name;
    info.standard_name = text(variable, "standard_name");
    info.long_name = text(variable, "long_name");
    info.units = text(variable, "units");
    info.coordinates = text(variable, "coordinates");
    info.cell_methods = text(variable, "cell_methods");
    for (auto d = first_dimension(variable); d < variable.dimensions.size(); ++d) {
      info.dimensions.push_back(variable.dimensions[d].name);
      info.shape.push_back(static_cast<std::int64_t>(variable.dimensions[d].length));
    }
    return info;
  }

  TimeAxis time_axis(Variable const& variable) const {
    TimeAxis axis;
    axis.epoch = std::numeric_limits<double>::quiet_NaN();
    if (!has_time(variable)) return axis;
    auto const* time = coordinate_of(variable, 0);
    if (time == nullptr) {
      axis.stored.resize(variable.dimensions[0].length);
      for (std::size_t i = 0; i < axis.stored.size(); ++i) axis.stored[i] = static_cast<double>(i);
      return axis;
    }
    axis.stored = values(*time);
    axis.has_coordinate = true;
    axis.units = text(*time, "units");
    axis.known_calendar = parse_calendar(text(*time, "calendar"));
    axis.calendar = axis.known_calendar == Calendar::unknown ? text(*time, "calendar")
                                                             : calendar_name(axis.known_calendar);
    auto const units = parse_time_units(axis.units, axis.known_calendar);
    axis.unit = units.seconds;
    axis.epoch = units.epoch;
    return axis;
  }

  GridCoordinate describe(Variable const& coordinate) const {
    auto const rounding = coordinate.type == NC_FLOAT    ? std::numeric_limits<float>::epsilon()
                          : coordinate.type == NC_DOUBLE ? std::numeric_limits<double>::epsilon()
                                                         : 0.;
    return {coordinate.name,
            axis_of(coordinate),
            text(coordinate, "units"),
            static_cast<std::int64_t>(coordinate.dimensions.size()),
            rounding,
            Unpacking{coordinate}.packed_step()};
  }

  /// Which of the field's dimensions (but time) those of `part` are; nothing where it has others.
  std::optional<std::vector<std::size_t>> dimensions_in(Variable const& field, Variable const& part) const {
    std::vector<std::size_t> places;
    auto const first = first_dimension(field);
    for (auto const& dimension : part.dimensions) {
      auto d = first;
      while (d < field.dimensions.size() &&
             (field.dimensions[d].name != dimension.name || field.dimensions[d].length != dimension.length)) {
        ++d;
      }
      if (d == field.dimensions.size()) return {};
      places.push_back(d - first);
    }
    return places;
  }
};

std::int64_t Box::size() const {
  std::int64_t size = 1;
  for (auto const extent : count) size *= extent;
  return size;
}

InputFile::InputFile(std::filesystem::path const& path) : file_{std::make_unique<File>(path)} {}
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

std::vector<std::string> InputFile::variables() const { return file_->fields(); }

bool InputFile::has(std::string const& variable) const {
  auto const* found = file_->find(variable);
  return found != nullptr && found->numeric();
}

FieldInfo InputFile::info(std::string const& variable) const { return file_->info(file_->get(variable)); }

TimeAxis InputFile::time_axis(std::string const& variable) const {
  return file_->time_axis(file_->get(variable));
}

std::vector<double> InputFile::times(std::string const& variable) const {
  auto const axis = time_axis(variable);
  auto times = axis.stored;
  auto const unit = axis.unit > 0 ? axis.unit : 1.;
  auto const first = times.empty() ? 0. : times.front();
  for (auto& time : times) time = (time - first) * unit;
  return times;
}

double InputFile::first_time(std::string const& variable) const {
  auto const axis = time_axis(variable);
  if (axis.stored.empty() || axis.unit == 0) return std::numeric_limits<double>::quiet_NaN();
  return axis.epoch + axis.stored.front() * axis.unit;
}

FieldData InputFile::read(std::string const& variable, std::int64_t time) const {
  auto const& found = file_->get(variable);
  FieldData data{file_->info(found), {}};
  Box const whole{std::vector<std::int64_t>(data.info.shape.size(), 0), data.info.shape};
  auto const [start, count] = file_->hyperslab(found, time, whole);
  data.values = file_->values(found, start, count);
  return data;
}

std::vector<Box> InputFile::boxes(std::string const& variable, std::int64_t most_values) const {
  auto const& found = file_->get(variable);
  auto const shape = file_->shape(found);
  auto const first = file_->first_dimension(found);
  file_->source.require_plausible(found, product(shape));
  auto const most = static_cast<std::uint64_t>(std::max<std::int64_t>(most_values, 1));
  // Cut along the slowest dimensions first: down to chunks, then below them.
  auto steps = shape;
  for (auto const whole_chunks : {true, false}) {
    for (std::size_t d = 0; d < steps.size() && product(steps) > most; ++d) {
      auto const unit = whole_chunks ? found.chunk[first + d] : 1;
      auto others = steps;
      others[d] = 1;
      steps[d] = std::min(steps[d], std::max(most / product(others) / unit * unit, unit));
    }
  }
  std::vector<Box> boxes;
  if (product(shape) == 0) return boxes;
  std::vector<std::uint64_t> start(shape.size(), 0);
  for (;;) {
    Box box;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      box.start.push_back(static_cast<std::int64_t>(start[d]));
      box.count.push_back(static_cast<std::int64_t>(std::min(steps[d], shape[d] - start[d])));
    }
    boxes.push_back(std::move(box));
    auto d = shape.size();
    while (d > 0 && (start[d - 1] += steps[d - 1]) >= shape[d - 1]) start[--d] = 0;
    if (d == 0) return boxes;
  }
}

void InputFile::read(std::string const& variable, std::int64_t time, Box const& box, std::span<double> values,
                     std::span<double> low) const {
  auto const& found = file_->get(variable);
  if (box.count.size() + file_->first_dimension(found) != found.dimensions.size() ||
      static_cast<std::int64_t>(values.size()) != box.size() ||
      (!low.empty() && low.size() != values.size())) {
    throw std::invalid_argument("a box and its values must be of the variable's shape");
  }
  if (values.empty()) return;
  auto const [start, count] = file_->hyperslab(found, time, box);
  file_->source.read(found, start, count, values, low);
}

bool InputFile::wide_integer(std::string const& variable) const {
  return file_->get(variable).wide_integer();
}

std::optional<CellMeasure> InputFile::cell_measure(std::string const& variable) const {
  auto const& found = file_->get(variable);
  auto const measures = words_of(text(found, "cell_measures"));
  std::vector<std::string> names;
  for (auto const* kind : {"volume:", "area:"}) {
    for (std::size_t i = 0; i + 1 < measures.size(); i += 2) {
      if (measures[i] == kind) names.push_back(measures[i + 1]);
    }
  }
  names.emplace_back("cell_volume");
  names.emplace_back("cell_area");
  for (auto const& name : names) {
    auto const* measure = file_->find_from(found, name);
    if (measure == nullptr || !measure->numeric() || measure->dimensions.empty()) continue;
    if (file_->has_time(*measure)) continue;
    if (auto places = file_->dimensions_in(found, *measure)) return CellMeasure{measure->name, *places};
  }
  return {};
}

void InputFile::read_weights(CellMeasure const& measure, Box const& box, std::span<double> weights) const {
  Box part;
  for (auto const d : measure.dimensions) {
    part.start.push_back(box.start[d]);
    part.count.push_back(box.count[d]);
  }
  std::vector<double> values(static_cast<std::size_t>(part.size()));
  read(measure.name, -1, part, values);
  // Steps through `values` along the field's dimensions: 0 where the measure does not have them.
  std::vector<std::int64_t> steps(box.count.size(), 0), index(box.count.size(), 0);
  std::int64_t step = 1;
  for (auto d = measure.dimensions.size(); d-- > 0; step *= part.count[d])
    steps[measure.dimensions[d]] = step;
  std::int64_t place = 0;
  for (auto& weight : weights) {
    weight = values[static_cast<std::size_t>(place)];
    for (auto d = index.size(); d-- > 0;) {
      place += steps[d];
      if (++index[d] < box.count[d]) break;
      place -= steps[d] * box.count[d];
      index[d] = 0;
    }
  }
}

std::vector<double> InputFile::weights(std::string const& variable) const {
  auto const measure = cell_measure(variable);
  if (!measure) return {};
  auto const field = info(variable);
  file_->source.require_plausible(file_->get(variable), product(file_->shape(file_->get(variable))));
  std::vector<double> weights(static_cast<std::size_t>(field.size()));
  read_weights(*measure, {std::vector<std::int64_t>(field.shape.size(), 0), field.shape}, weights);
  return weights;
}

std::vector<std::optional<GridCoordinate>> InputFile::coordinates(std::string const& variable) const {
  auto const& found = file_->get(variable);
  std::vector<std::optional<GridCoordinate>> result;
  for (auto d = file_->first_dimension(found); d < found.dimensions.size(); ++d) {
    auto const* coordinate = file_->coordinate_of(found, d);
    result.emplace_back();
    if (coordinate == nullptr || text(*coordinate, "standard_name") == "realization") continue;
    result.back() = file_->describe(*coordinate);
  }
  return result;
}

std::vector<GridCoordinate> InputFile::auxiliary_coordinates(std::string const& variable) const {
  auto const& found = file_->get(variable);
  std::vector<GridCoordinate> result;
  for (auto const& name : words_of(text(found, "coordinates"))) {
    auto const* coordinate = file_->find_from(found, name);
    if (coordinate == nullptr || !coordinate->numeric() || coordinate->dimensions.empty()) continue;
    if (is_coordinate(*coordinate) || text(*coordinate, "units").find(" since ") != std::string::npos)
      continue;
    if (file_->dimensions_in(found, *coordinate)) result.push_back(file_->describe(*coordinate));
  }
  return result;
}

std::vector<double> InputFile::spacings(std::string const& variable) const {
  auto const& found = file_->get(variable);
  std::vector<double> result;
  for (std::size_t d = file_->has_time(found) ? 1 : 0; d < found.dimensions.size(); ++d) {
    auto& spacing = result.emplace_back(0);
    auto const* coordinate = file_->coordinate_of(found, d);
    if (coordinate == nullptr || found.dimensions[d].length < 2) continue;
    auto const axis = text(*coordinate, "axis");
    auto const standard_name = text(*coordinate, "standard_name");
    auto const initial = lower_case(found.dimensions[d].name).substr(0, 1);
    auto const horizontal = axis == "X" || axis == "Y" || standard_name.starts_with("projection_") ||
                            standard_name.starts_with("grid_") ||
                            (axis.empty() && (initial == "x" || initial == "y"));
    auto const units = text(*coordinate, "units");
    auto const metres =
        units == "m" || units == "metre" || units == "meter" || units == "metres" || units == "meters" ? 1.
        : units == "km" || units == "kilometre" || units == "kilometer"                                ? 1000.
                                                                                                       : 0.;
    if (!horizontal || metres == 0) continue;
    auto const points = file_->values(*coordinate);
    auto const mean =
        std::abs(points.back() - points.front()) / static_cast<double>(points.size() - 1) * metres;
    if (std::isfinite(mean)) spacing = mean;
  }
  std::vector<double*> known;
  for (auto& spacing : result) {
    if (spacing > 0) known.push_back(&spacing);
  }
  // Coordinates in float are rounded to 6e-8 of their distance from the origin, often many domains away.
  constexpr double rounding = 1e-3;
  if (known.size() == 2 && std::abs(*known[0] - *known[1]) <= rounding * std::max(*known[0], *known[1])) {
    *known[0] = *known[1] = std::midpoint(*known[0], *known[1]);
  }
  return result;
}

double InputFile::spacing(std::string const& variable) const {
  double sum = 0;
  int axes = 0;
  for (auto const spacing : spacings(variable)) {
    if (spacing == 0) continue;
    sum += spacing;
    ++axes;
  }
  return axes == 0 || !std::isfinite(sum) ? 0 : sum / axes;
}

std::string InputFile::attribute(std::string const& name) const {
  return text(file_->source.catalogue().attributes, name);
}

std::string const& InputFile::path() const { return file_->source.path(); }

}  // namespace ulpine::io
