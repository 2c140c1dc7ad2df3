// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "io/axis.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_arrays.hpp"
#include "io/seal.hpp"
#include "io/text.hpp"
#include "io/time_units.hpp"
#include "io/xdmf.hpp"

namespace ulpine::io {
namespace {

/// The command line as the system has it; the program's name where it has none.
std::string command_line() {
  std::ifstream stream{"/proc/self/cmdline", std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{stream}, {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text.empty() ? "ulpine" : text;
}

/// Which cell measures a field has, from the dimensions of the static fields `cell_area` and `cell_volume`.
class CellMeasures {
 public:
  CellMeasures(std::vector<Coordinate> const& coordinates, std::vector<FieldInfo> const& static_fields) {
    for (auto const& coordinate : coordinates) {
      if (coordinate.axis == "Z") vertical_.insert(coordinate.name);
    }
    for (auto const& info : static_fields) {
      if (info.name == "cell_area") area_ = info.dimensions;
      if (info.name == "cell_volume") volume_ = info.dimensions;
    }
  }
  std::string of(FieldInfo const& info) const {
    if (info.name == "cell_area" || info.name == "cell_volume") return "";
    auto horizontal = info.dimensions;
    std::erase_if(horizontal, [&](std::string const& name) { return vertical_.contains(name); });
    auto const has_area = !area_.empty() && horizontal == area_;
    auto const has_volume = !volume_.empty() && info.dimensions == volume_;
    return std::string{has_area ? "area: cell_area" : ""} + (has_area && has_volume ? " " : "") +
           (has_volume ? "volume: cell_volume" : "");
  }

 private:
  std::set<std::string> vertical_;
  std::vector<std::string> area_, volume_;
};

/// Whether units are of longitudes or latitudes (CF-1.11, sections 4.1 and 4.2).
bool is_on_the_globe(std::string const& units) {
  return units.starts_with("degree") && units != "degree" && units != "degrees";
}

/// Its own; of an axis X or Y in metres that neither it nor the coordinate's name tells, that of its kind.
std::string standard_name_of(Coordinate const& coordinate) {
  auto const& [name, standard_name, long_name, units, axis, values] = coordinate;
  auto const lateral = axis == "X" || axis == "Y", in_metres = units == "m" || units == "km";
  if (!standard_name.empty() || !lateral || !in_metres || axis_of(name) == lower_case(axis)) {
    return standard_name;
  }
  return "projection_" + lower_case(axis) + "_coordinate";
}

bool is_of_heights(std::string const& standard_name) {
  return standard_name == "altitude" || standard_name == "height" || standard_name == "depth";
}

/// The fields that others name as their places, and the bounds of these.
std::set<std::string> places_among(std::vector<FieldInfo> const& fields,
                                   std::vector<FieldInfo> const& static_fields) {
  std::set<std::string> places;
  for (auto const* list : {&fields, &static_fields}) {
    for (auto const& info : *list) {
      for (auto const& name : words_of(info.coordinates)) places.insert(name);
      if (!info.bounds.empty()) places.insert(info.bounds);
    }
  }
  return places;
}

void fill_with(OutputType const& type, std::int64_t count, void* values) {
  if (type.bytes == 1) {
    std::fill_n(static_cast<std::uint8_t*>(values), count, fill_value<std::uint8_t>());
  } else if (type.bytes == 4) {
    std::fill_n(static_cast<float*>(values), count, fill_value<float>());
  } else {
    std::fill_n(static_cast<double*>(values), count, fill_value<double>());
  }
}

}  // namespace

struct OutputFile::File {
  struct Field {
    OutputArray array;
    bool is_static = false;
    bool written = false;  ///< in the record begun
  };

  OutputArrays arrays;
  netCDF::NcVar time;
  std::map<std::string, Field> fields;
  std::set<std::string> places;  ///< fields that are auxiliary coordinates, and their bounds
  std::vector<double> times;     ///< times of the complete records, s
  std::optional<double> begun;
  std::optional<XdmfFile> xdmf;  ///< where there is a mesh
  std::size_t told = 0;          ///< records that it has: one that is replaced has the same time

  explicit File(std::filesystem::path const& path) : arrays{path} {}

  bool has_part_of_a_record() const {
    return begun && std::any_of(fields.begin(), fields.end(), [](auto const& f) { return f.second.written; });
  }

  void define_time(std::string const& units) {
    auto const unlimited = arrays.dimension("time", {}, "time");
    time = arrays.writer().run(
        [&](netCDF::NcFile& file) { return file.addVar("time", netCDF::ncDouble, unlimited); });
    arrays.describe(time, "time", "time", units);
    arrays.put_text(time, "calendar", "standard");
    arrays.put_text(time, "axis", "T");
  }

  netCDF::NcVar define_coordinate(Coordinate const& coordinate) {
    auto const along = arrays.dimension(coordinate.name, static_cast<std::int64_t>(coordinate.values.size()),
                                        coordinate.name);
    auto const variable = arrays.writer().run(
        [&](netCDF::NcFile& file) { return file.addVar(coordinate.name, netCDF::ncDouble, along); });
    arrays.describe(variable, standard_name_of(coordinate), coordinate.long_name, coordinate.units);
    if (coordinate.axis == "Z" || is_on_the_globe(coordinate.units)) {
      arrays.put_text(variable, "axis", coordinate.axis);
    }
    if (coordinate.axis == "Z") {
      arrays.put_text(variable, "positive", positive(coordinate.standard_name, coordinate.units));
    }
    return variable;
  }

  void define_field(FieldInfo const& info, bool is_static, std::string const& cell_measures,
                    std::vector<UnstructuredMesh> const& meshes) {
    // To CDO cell_area belongs to the grid, and it warns of one that has places itself.
    auto coordinates = info.name == "cell_area" ? "" : info.coordinates;
    if (!info.mesh.empty()) {
      auto const mesh = std::ranges::find(meshes, info.mesh, &UnstructuredMesh::name);
      if (mesh == meshes.end() || (info.location != "node" && info.location != mesh->element())) {
        throw std::invalid_argument(info.name + ": there is no " + info.location + " of a mesh " + info.mesh);
      }
      if (coordinates.empty()) coordinates = mesh_coordinates(*mesh, info.location);
    }
    if (!info.flag_meanings.empty() && info.type != ValueType::uint8) {
      throw std::invalid_argument(info.name + ": flags are of type uint8");
    }
    auto type = output_type(info.type, !info.flag_meanings.empty());
    auto const is_place = places.contains(info.name);
    // Places are never missing; a mask without missing values stays one of integers for those who read it.
    if (is_static && (is_place || !info.flag_meanings.empty())) type.fill.reset();
    auto const array = arrays.define(info.name, type, info.dimensions, info.shape, !is_static);
    arrays.describe(array.variable, info.standard_name, info.long_name, info.units);
    if (is_place && is_of_heights(info.standard_name)) {
      arrays.put_text(array.variable, "positive", positive(info.standard_name, info.units));
    }
    // The attribute has type string, which VTK ignores: it misplaces the last row of cells that have corners.
    if (!info.bounds.empty()) arrays.put_string(array.variable, "bounds", info.bounds);
    arrays.put_text(array.variable, "coordinates", coordinates);
    arrays.put_text(array.variable, "cell_methods", info.cell_methods);
    arrays.put_text(array.variable, "cell_measures", is_place ? "" : cell_measures);
    arrays.put_text(array.variable, "ancillary_variables", info.ancillary_variables);
    arrays.put_text(array.variable, "mesh", info.mesh);
    arrays.put_text(array.variable, "location", info.location);
    if (!info.flag_meanings.empty()) arrays.put_flags(array.variable, info.flag_meanings);
    fields.emplace(info.name, Field{array, is_static});
  }

  Field& find(std::string const& name, bool is_static) {
    auto const found = fields.find(name);
    if (found == fields.end() || found->second.is_static != is_static) {
      throw std::invalid_argument(arrays.path() + ": no such field in the file: " + name);
    }
    return found->second;
  }

  void put_time(std::size_t record, double seconds) {
    arrays.writer().put(time, {{record}, {1}, 1}, &seconds);
    arrays.sync();
  }
};

OutputFile::OutputFile(std::filesystem::path const& path, std::string const& title,
                       std::vector<Coordinate> const& coordinates, std::vector<FieldInfo> const& fields,
                       std::vector<FieldInfo> const& static_fields, Provenance const& provenance,
                       std::string const& case_text,
                       std::vector<std::pair<std::string, std::string>> const& attributes,
                       std::string const& epoch, std::vector<UnstructuredMesh> const& meshes) {
  auto const units = "seconds since " + epoch;
  if (!std::isfinite(parse_time_units(units).epoch)) {
    throw InputError(
        "\"" + epoch +
        "\" is not a date (times of the output count from it) write e.g. \"2000-01-01 00:00:00\"");
  }
  file_ = std::make_unique<File>(path);
  auto& arrays = file_->arrays;
  auto const put_text = [&](std::string const& name, std::string const& text) {
    if (!text.empty()) arrays.writer().put_text(name, text);
  };
  put_text("Conventions", meshes.empty() ? "CF-1.11" : "CF-1.11 UGRID-1.0");
  put_text("title", title);
  put_text("source", "Ulpine " + provenance.version);
  put_text("history", provenance.created + " " + command_line());
  put_text("references",
           "Ulpine " + provenance.version + ", commit " + provenance.commit + ", docs/ of its source");
  for (auto const& [name, value] : provenance.items()) put_text("ulpine_" + name, value);
  put_text("ulpine_case", case_text);
  for (auto const& [name, value] : attributes) put_text(name, value);

  file_->define_time(units);
  std::vector<netCDF::NcVar> axes;
  for (auto const& coordinate : coordinates) axes.push_back(file_->define_coordinate(coordinate));
  std::vector<MeshArray> of_meshes;
  for (auto const& mesh : meshes) {
    for (auto& array : define_mesh(arrays, mesh)) of_meshes.push_back(std::move(array));
  }
  file_->places = places_among(fields, static_fields);
  CellMeasures const measures{coordinates, static_fields};
  for (auto const& info : static_fields) file_->define_field(info, true, measures.of(info), meshes);
  for (auto const& info : fields) file_->define_field(info, false, measures.of(info), meshes);

  for (std::size_t k = 0; k < axes.size(); ++k) {
    auto const size = coordinates[k].values.size();
    arrays.writer().put(axes[k], {{0}, {size}, static_cast<std::int64_t>(size)},
                        coordinates[k].values.data());
  }
  for (auto const& [array, source] : of_meshes) arrays.write(array, {}, source);
  arrays.sync();
  if (!meshes.empty()) file_->xdmf.emplace(path, meshes, fields, static_fields);
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;

OutputFile::~OutputFile() {
  // Closing would write what there is of the record; and where the disk is full, netCDF-C 4.9 may crash in
  // it, as it names what is open in a file that HDF5 could not close.
  if (file_ != nullptr && (file_->has_part_of_a_record() || std::uncaught_exceptions() > 0)) {
    file_->arrays.writer().leave();
  }
}

void OutputFile::moved_to(std::filesystem::path const& path) { file_->arrays.moved_to(path); }

void OutputFile::write_static(std::string const& field, SlabSource const& source) {
  auto const& array = file_->find(field, true).array;
  file_->arrays.check_space({&array});
  file_->arrays.write(array, {}, source);
  file_->arrays.sync();
}

void OutputFile::begin_time(double seconds) {
  auto& file = *file_;
  auto const goes_back = !file.times.empty() && seconds < file.times.back();
  if (!std::isfinite(seconds) || goes_back) {
    throw std::invalid_argument(file.arrays.path() + ": times must grow, got " + std::to_string(seconds) +
                                " s");
  }
  std::vector<OutputArray const*> record;
  for (auto const& [name, field] : file.fields) {
    if (!field.is_static) record.push_back(&field.array);
  }
  file.arrays.check_space(record);
  if (!file.times.empty() && seconds == file.times.back()) {
    // While a record is being replaced it counts as none.
    file.times.pop_back();
    file.put_time(file.times.size(), fill_value<double>());
  }
  for (auto& [name, field] : file.fields) field.written = false;
  file.begun = seconds;
}

void OutputFile::write(std::string const& field, SlabSource const& source) {
  auto& file = *file_;
  if (!file.begun) throw std::invalid_argument(file.arrays.path() + ": begin_time() comes before write()");
  auto& found = file.find(field, false);
  found.written = true;
  file.arrays.write(found.array, file.times.size(), source);
}

void OutputFile::finish_time() {
  auto& file = *file_;
  if (!file.begun) {
    throw std::invalid_argument(file.arrays.path() + ": begin_time() comes before finish_time()");
  }
  for (auto const& [name, field] : file.fields) {
    if (field.is_static || field.written) continue;
    auto const& type = field.array.type;
    file.arrays.write(field.array, file.times.size(), [&](std::int64_t, std::int64_t count, void* values) {
      fill_with(type, count, values);
    });
  }
  file.arrays.sync();  // so that a record which has its time has all else
  file.put_time(file.times.size(), *file.begun);
  if (file.xdmf && file.times.size() == file.told) file.xdmf->add_time(file.told++, *file.begun);
  file.times.push_back(*std::exchange(file.begun, std::nullopt));
}

void OutputFile::close() {
  auto& file = *file_;
  if (!file.arrays.writer().is_whole()) return;
  if (file.has_part_of_a_record()) {
    throw std::invalid_argument(file.arrays.path() + ": finish_time() comes before close()");
  }
  file.arrays.writer().close(file.arrays.path());
  append_seal(file.arrays.path(), file.arrays.path());
}

}  // namespace ulpine::io
