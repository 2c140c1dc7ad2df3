// SPDX-License-Identifier: Apache-2.0
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "io/axis.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_cells.hpp"
#include "io/netcdf_contents.hpp"
#include "io/netcdf_unpacking.hpp"

namespace ulpine::io {
namespace {

constexpr std::uint64_t largest_part = std::uint64_t{1} << 28;  // values that are read at once

/// Names that models give the areas of their cells, and of those around corners and faces, without an
/// attribute that says so: CMIP's fixed fields, MOM, CAM and E3SM on columns, MPAS, ICON, POP, CICE; Gaussian
/// weights of latitudes of CAM, also of the staggered ones.
constexpr char const* customary_measures[] = {
    "areacella",    "areacello", "areacello_cu", "areacello_cv", "areacello_bu", "area",  "areaCell",
    "areaTriangle", "dual_area", "TAREA",        "tarea",        "gw",           "w_stag"};

/// Whether a variable of a customary name is what the name lets think: `area` may also be a fraction of a
/// cell.
bool measures_cells(NetcdfVariable const& variable) {
  if (variable.name.substr(folder_of(variable.name).size()) != "area") return true;
  auto const units = lower_case(text(variable, "units"));
  auto const square = units.ends_with("2") || units.ends_with("2}") || units.starts_with("square");
  return square || units == "sr" || units.starts_with("steradian");
}

}  // namespace

struct InputFile::File : NetcdfContents {
  using NetcdfContents::NetcdfContents;
};

std::int64_t Box::size() const {
  std::int64_t size = 1;
  for (auto const extent : count) size *= extent;
  return size;
}

InputFile::InputFile(std::filesystem::path const& path) : file_{std::make_unique<File>(path)} {}
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

namespace {

/// Names of the variables that `wanted` says of, in the order of the file.
template <class Wanted>
std::vector<std::string> names_of(NetcdfContents const& contents, Wanted const& wanted) {
  auto const& roles = contents.roles;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (wanted(contents.variables[i], roles[i])) names.push_back(contents.variables[i].name);
  }
  return names;
}

using Role = NetcdfContents::Role;

}  // namespace

std::vector<std::string> InputFile::variables() const { return file_->fields(); }

std::vector<std::string> InputFile::labels() const {
  return names_of(*file_, [](NetcdfVariable const& variable, Role role) {
    return variable.labels() && role == Role::field;
  });
}

std::vector<std::string> InputFile::places() const {
  return names_of(*file_, [](NetcdfVariable const& variable, Role role) {
    return (variable.numeric() || variable.labels()) && role == Role::place;
  });
}

std::vector<std::string> InputFile::unreadable() const {
  return names_of(
      *file_, [](NetcdfVariable const& variable, Role) { return !variable.numeric() && !variable.labels(); });
}

std::string InputFile::why_unreadable(std::string const& variable) const {
  auto const* found = file_->find(variable);
  return found == nullptr ? "" : found->unreadable;
}

bool InputFile::has_values(std::string const& variable) const {
  auto const* found = file_->find(variable);
  return found != nullptr && (found->numeric() || found->labels());
}

bool InputFile::is_labels(std::string const& variable) const {
  auto const* found = file_->find(variable);
  return found != nullptr && found->labels();
}

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

std::vector<double> InputFile::read_all(std::string const& variable) const {
  return file_->values(file_->get(variable));
}

FieldData InputFile::read(std::string const& variable, std::int64_t time) const {
  auto const& found = file_->get(variable);
  FieldData data{file_->info(found), {}};
  Box const whole{std::vector<std::int64_t>(data.info.shape.size(), 0), data.info.shape};
  auto const [start, count] = file_->hyperslab(found, time, whole);
  data.values = file_->values(found, start, count);
  return data;
}

std::vector<double> InputFile::read(std::string const& variable, std::int64_t time, Box const& box) const {
  auto const& found = file_->get(variable);
  auto const [start, count] = file_->hyperslab(found, time, box);
  return file_->values(found, start, count);
}

std::vector<Box> InputFile::boxes(std::string const& variable, std::int64_t most_values) const {
  auto const& found = file_->get(variable);
  auto const shape = file_->shape(found);
  auto const dimensions = file_->field_dimensions(found);
  // Parts of a sparse variable need little memory, however large the whole is.
  if (!found.sparse || most_values >= static_cast<std::int64_t>(largest_part)) {
    file_->source.require_plausible(found, product(shape));
  }
  if (product(shape) > largest_field) {
    throw UnreadableVariable(
        file_->message(found, "too large to read (more than 2^36 values) cut it into parts"));
  }
  auto const most = static_cast<std::uint64_t>(std::max<std::int64_t>(most_values, 1));
  // Cut along the slowest dimensions first: down to chunks, then below them.
  auto steps = shape;
  for (auto const whole_chunks : {true, false}) {
    for (std::size_t d = 0; d < steps.size() && product(steps) > most; ++d) {
      auto const unit = whole_chunks ? found.chunk[dimensions[d]] : 1;
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

std::uint64_t InputFile::read(std::string const& variable, std::int64_t time, Box const& box,
                              std::span<double> values, std::span<double> low) const {
  auto const& found = file_->get(variable);
  if (box.count.size() != file_->field_dimensions(found).size() ||
      static_cast<std::int64_t>(values.size()) != box.size() ||
      (!low.empty() && low.size() != values.size())) {
    throw std::invalid_argument("a box and its values must be of the variable's shape");
  }
  if (values.empty()) return 0;
  auto const [start, count] = file_->hyperslab(found, time, box);
  return file_->source.read(found, start, count, values, low);
}

StoredType InputFile::stored_type(std::string const& variable) const {
  static std::map<std::int32_t, char const*> const names = {
      {NC_BYTE, "signed char"}, {NC_UBYTE, "unsigned char"},
      {NC_SHORT, "short"},      {NC_USHORT, "unsigned short"},
      {NC_INT, "int"},          {NC_UINT, "unsigned int"},
      {NC_INT64, "long long"},  {NC_UINT64, "unsigned long long"},
      {NC_FLOAT, "float"},      {NC_DOUBLE, "double"}};
  auto const& found = file_->get(variable);
  if (found.labels()) return {found.type == NC_CHAR ? "char" : found.type_text};
  if (!found.numeric()) return {"unknown"};
  StoredType type{names.at(found.type)};
  if (found.step > 0) {
    type.step = found.step;
  } else if (found.type == NC_FLOAT) {
    type.relative_rounding = std::numeric_limits<float>::epsilon();
  } else if (found.type == NC_DOUBLE) {
    type.relative_rounding = std::numeric_limits<double>::epsilon();
  } else {
    auto const packed = Unpacking{found}.packed_step();
    type.step = packed > 0 ? packed : 1;
  }
  return type;
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
  auto const said = names.size();
  for (auto const* name : customary_measures) names.emplace_back(name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto const* measure = file_->find_from(found, names[i]);
    if (measure == nullptr || !measure->numeric() || measure->dimensions.empty()) continue;
    if (file_->has_time(*measure) || (i >= said && !measures_cells(*measure))) continue;
    if (auto places = file_->dimensions_in(found, *measure)) {
      return CellMeasure{measure->name, *places, i >= said};
    }
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

std::vector<std::string> InputFile::cell_measures() const {
  std::vector<std::string> names = {"cell_volume", "cell_area"};
  names.insert(names.end(), std::begin(customary_measures), std::end(customary_measures));
  std::erase_if(names, [&](std::string const& name) {
    auto const* found = file_->find(name);
    return found == nullptr || !found->numeric() || found->dimensions.empty() || !measures_cells(*found);
  });
  return names;
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
  for (auto const d : file_->field_dimensions(found)) {
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
    if (is_coordinate(*coordinate) || is_time_unit(text(*coordinate, "units"))) continue;
    if (file_->dimensions_in(found, *coordinate)) result.push_back(file_->describe(*coordinate));
  }
  return result;
}

std::vector<GridCoordinate> InputFile::further_places(std::string const& variable) const {
  auto const& found = file_->get(variable);
  std::vector<GridCoordinate> result;
  auto const add = [&](NetcdfVariable const* place) {
    if (place == nullptr || place == &found || (!place->numeric() && !place->labels())) return;
    if (is_coordinate(*place) && place->numeric()) return;
    auto const index = static_cast<std::size_t>(place - file_->variables.data());
    if (file_->roles[index] != Role::place || is_time_unit(text(*place, "units"))) return;
    result.push_back(file_->describe(*place));
  };
  for (auto const d : file_->field_dimensions(found)) {
    auto const* labels = file_->find_from(found, found.dimensions[d].name);
    if (labels != nullptr && file_->labels_dimension(*labels)) add(labels);
  }
  for (auto const& name : words_of(text(found, "coordinates"))) add(file_->find_from(found, name));
  return result;
}

GridCoordinate InputFile::place(std::string const& variable) const {
  return file_->describe(file_->get(variable));
}

std::string InputFile::units_and_calendar(std::string const& variable) const {
  auto const& described = file_->carrier_of_units(file_->get(variable));
  return text(described, "units") + " " + text(described, "calendar");
}

std::vector<double> InputFile::instants(std::string const& variable) const {
  return file_->instants(file_->get(variable));
}

std::string InputFile::attributes_of(std::string const& variable) const {
  std::ostringstream all;
  all << std::setprecision(std::numeric_limits<double>::max_digits10);
  for (auto const& [name, content] : file_->get(variable).attributes) {
    all << name << ':';
    std::visit(
        [&](auto const& values) {
          if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::string>) {
            // A line is an attribute.
            all << ' ';
            for (auto const c : values) all << (c == '\n' ? ' ' : c);
          } else {
            for (auto const value : values) all << ' ' << value;
          }
        },
        content);
    all << '\n';
  }
  return all.str();
}

std::vector<std::string> InputFile::cells_dimensions(std::string const& variable) const {
  return dimensions_of_cells(*file_, file_->get(variable));
}

std::vector<double> InputFile::spacings(std::string const& variable) const {
  auto const& found = file_->get(variable);
  std::vector<double> result;
  for (auto const d : file_->field_dimensions(found)) {
    auto& spacing = result.emplace_back(0);
    auto const* coordinate = file_->coordinate_of(found, d);
    if (coordinate == nullptr || found.dimensions[d].length < 2) continue;
    auto const axis = text(*coordinate, "axis");
    auto const standard_name = text(*coordinate, "standard_name");
    auto const initial = lower_case(found.dimensions[d].name).substr(0, 1);
    auto const horizontal = axis == "X" || axis == "Y" || standard_name.starts_with("projection_") ||
                            standard_name.starts_with("grid_") ||
                            (axis.empty() && (initial == "x" || initial == "y"));
    auto const metres = metres_of(text(*coordinate, "units"));
    if (!horizontal || metres == 0) continue;
    auto const points = file_->values(*coordinate);
    if (first_out_of_order(points)) continue;
    auto const mean =
        std::abs(points.back() - points.front()) / static_cast<double>(points.size() - 1) * metres;
    if (std::isfinite(mean)) spacing = mean;
  }
  std::vector<double*> known;
  for (auto& spacing : result) {
    if (spacing > 0) known.push_back(&spacing);
  }
  if (known.size() == 2) even_out(*known[0], *known[1]);
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
