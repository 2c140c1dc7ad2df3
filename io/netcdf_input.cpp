// SPDX-License-Identifier: Apache-2.0
#include <netcdf.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_catalogue.hpp"
#include "io/netcdf_foreign.hpp"
#include "io/netcdf_library.hpp"
#include "io/seal.hpp"

namespace ulpine::io {
namespace {

using Variable = NetcdfVariable;

constexpr std::uint64_t largest_field = std::uint64_t{1} << 36;  // values; more is a damaged header
/// No filter packs better: deflate reaches 1032 bytes of zeros a byte.
constexpr std::uint64_t most_values_a_byte = 2048;
constexpr std::uint64_t always_plausible = std::uint64_t{1} << 24;  // values

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

/// The seal of a file, remembered while the file is the same: reports open outputs again for every block of
/// times. Not of files that have just changed: the system's clock of changes is too coarse to tell another
/// change from that.
Seal remembered_seal(std::filesystem::path const& path) {
  using Key = std::array<std::int64_t, 7>;  // what the system says of a file's identity and last change
  static std::mutex mutex;
  static std::set<Key> whole;
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return Seal::absent;
  Key const key = {static_cast<std::int64_t>(found.st_dev),
                   static_cast<std::int64_t>(found.st_ino),
                   found.st_size,
                   found.st_mtim.tv_sec,
                   found.st_mtim.tv_nsec,
                   found.st_ctim.tv_sec,
                   found.st_ctim.tv_nsec};
  {
    std::lock_guard const lock{mutex};
    if (whole.contains(key)) return Seal::whole;
  }
  auto const seal = seal_of(path);
  constexpr std::time_t settled_s = 2;
  if (seal == Seal::whole && found.st_ctim.tv_sec + settled_s < std::time(nullptr)) {
    std::lock_guard const lock{mutex};
    whole.insert(key);
  }
  return seal;
}

/// Where HDF5's part of a file ends, from its superblock; 0 where it is no HDF5 file. Format: HDF5 File
/// Format Specification, "Disk Format: Level 0A".
std::uint64_t hdf5_end(std::filesystem::path const& path) {
  std::ifstream stream{path, std::ios::binary};
  std::array<unsigned char, 64> head{};
  stream.read(reinterpret_cast<char*>(head.data()), head.size());
  if (!stream || std::memcmp(head.data(), "\x89HDF\r\n\x1a\n", 8) != 0) return 0;
  auto const version = head[8];
  auto const address_bytes = version < 2 ? head[13] : head[9];
  auto const addresses = version == 0 ? 24u : version == 1 ? 28u : 12u;
  if (version > 3 || address_bytes != 8) return 0;
  std::uint64_t end = 0;
  std::memcpy(&end, head.data() + addresses + 16, sizeof end);  // after the base and one other address
  return end;
}

}  // namespace

struct InputFile::File {
  std::string path;
  std::uint64_t bytes = 0;
  NetcdfCatalogue catalogue;
  std::unique_ptr<ForeignNetcdf> foreign;  ///< reads the file, where Ulpine did not seal it
  int id = -1;                             ///< of a sealed file, open here

  ~File() {
    if (id < 0) return;
    auto const lock = lock_netcdf();
    nc_close(id);
  }

  /// Opens a sealed file here: its bytes are as netCDF-C wrote them.
  void open_sealed() {
    auto const lock = lock_netcdf();
    errno = 0;
    if (auto const opened = nc_open(path.c_str(), NC_NOWRITE, &id); opened != NC_NOERR) {
      id = -1;
      throw InputError(path + ": cannot be opened as NetCDF (" + netcdf_reason(opened) +
                       ") it may be of another format");
    }
    try {
      catalogue = read_catalogue(id);
    } catch (NetcdfFailure const& failure) {
      throw unreadable(failure);
    }
  }
  InputError unreadable(NetcdfFailure const& failure) const {
    return InputError(path + ": cannot be read (" + failure.what() + ") it may be damaged; copy it again");
  }

  Variable const* find(std::string const& name) const {
    auto const found = std::find_if(catalogue.variables.begin(), catalogue.variables.end(),
                                    [&](Variable const& v) { return v.name == name; });
    return found == catalogue.variables.end() ? nullptr : &*found;
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
      throw InputError(path + ": " + name + ": no such numeric variable" + choices_hint(name, fields()));
    }
    return *variable;
  }

  static std::string text(NetcdfAttributes const& attributes, std::string const& name) {
    auto const found = attributes.find(name);
    auto const* text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    return text == nullptr ? "" : *text;
  }
  static std::string text(Variable const& variable, char const* name) {
    return text(variable.attributes, name);
  }

  /// A numeric attribute's values; empty where absent or not numeric.
  static std::vector<double> numbers(Variable const& variable, char const* name) {
    auto const found = variable.attributes.find(name);
    auto const* values =
        found == variable.attributes.end() ? nullptr : std::get_if<std::vector<double>>(&found->second);
    return values == nullptr ? std::vector<double>{} : *values;
  }

  bool is_coordinate(Variable const& variable) const {
    return variable.dimensions.size() == 1 &&
           folder_of(variable.name) + variable.dimensions[0].name == variable.name;
  }

  std::vector<std::string> fields() const {
    std::set<std::string> described;
    for (auto const& variable : catalogue.variables) {
      for (auto const* attribute : {"coordinates", "bounds", "climatology", "grid_mapping"}) {
        for (auto const& word : words_of(text(variable, attribute))) {
          if (auto const* found = find_from(variable, word)) described.insert(found->name);
        }
      }
    }
    std::vector<std::string> names;
    for (auto const& variable : catalogue.variables) {
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

  std::vector<double> values(Variable const& variable, std::vector<std::size_t> const& start,
                             std::vector<std::size_t> const& count) const {
    std::uint64_t size = 1;
    for (auto const length : count) {
      if (__builtin_mul_overflow(size, std::uint64_t{length}, &size) || size > largest_field) {
        throw InputError(path + ": " + variable.name +
                         ": too large to read (more than 2^36 values) cut it into parts");
      }
    }
    if (size > always_plausible && size / most_values_a_byte > bytes) {
      throw InputError(path + ": " + variable.name + ": damaged (" + std::to_string(size) +
                       " values cannot be in a file of " + std::to_string(bytes) + " bytes) copy it again");
    }
    std::vector<double> values;
    if (foreign != nullptr) {
      values = foreign->read(static_cast<std::size_t>(&variable - catalogue.variables.data()), start, count);
    } else {
      auto const lock = lock_netcdf();
      values.resize(size);
      try {
        read_slab(variable, start, count, values.data());
      } catch (NetcdfFailure const& failure) {
        throw unreadable(failure);
      }
    }
    unpack(variable, values);
    return values;
  }
  std::vector<double> values(Variable const& variable) const {
    std::vector<std::size_t> start, count;
    for (auto const& dimension : variable.dimensions) {
      start.push_back(0);
      count.push_back(dimension.length);
    }
    return values(variable, start, count);
  }

  void unpack(Variable const& variable, std::vector<double>& values) const {
    auto missing = numbers(variable, "_FillValue");
    if (missing.empty() && variable.type == NC_FLOAT) missing = {NC_FILL_FLOAT};
    if (missing.empty() && variable.type == NC_DOUBLE) missing = {NC_FILL_DOUBLE};
    for (auto const value : numbers(variable, "missing_value")) missing.push_back(value);
    if (variable.type == NC_FLOAT) {
      // The attribute may have been written in double: 1e20 is then not the float 1e20 of the data.
      for (auto& value : missing) value = static_cast<float>(value);
    }
    auto const factors = numbers(variable, "scale_factor");
    auto const offsets = numbers(variable, "add_offset");
    auto const factor = factors.empty() ? 1. : factors[0];
    auto const offset = offsets.empty() ? 0. : offsets[0];
    auto const packed = !factors.empty() || !offsets.empty();
    for (auto& value : values) {
      if (std::find(missing.begin(), missing.end(), value) != missing.end()) {
        value = std::numeric_limits<double>::quiet_NaN();
      } else if (packed) {
        value = value * factor + offset;
      }
    }
  }

  /// Times as stored, with their units; the index where there is no time coordinate.
  std::pair<std::vector<double>, TimeUnits> raw_times(Variable const& variable) const {
    if (auto const* time = coordinate_of(variable, 0))
      return {values(*time), parse_time_units(text(*time, "units"))};
    std::vector<double> indices(variable.dimensions[0].length);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<double>(i);
    return {indices, TimeUnits{0, std::numeric_limits<double>::quiet_NaN()}};
  }

  FieldInfo info(Variable const& variable) const {
    FieldInfo info;
    info.name = variable.name;
    info.standard_name = text(variable, "standard_name");
    info.long_name = text(variable, "long_name");
    info.units = text(variable, "units");
    info.coordinates = text(variable, "coordinates");
    info.cell_methods = text(variable, "cell_methods");
    for (std::size_t d = has_time(variable) ? 1 : 0; d < variable.dimensions.size(); ++d) {
      info.dimensions.push_back(variable.dimensions[d].name);
      info.shape.push_back(static_cast<std::int64_t>(variable.dimensions[d].length));
    }
    return info;
  }
};

InputFile::InputFile(std::filesystem::path const& path) : file_{std::make_unique<File>()} {
  auto const name = path.string();
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    throw InputError(name + ": no such file (nothing of that name can be read) check the path");
  }
  if (std::filesystem::is_directory(status)) {
    throw InputError(name + ": not a NetCDF file (it is a folder) name a file in it");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InputError(name + ": not a NetCDF file (it is no ordinary file) name one");
  }
  file_->path = name;
  file_->bytes = std::filesystem::file_size(path, failed);
  auto const altered = [&](std::string const& why) {
    return InputError(name + ": is not as Ulpine wrote it (" + why + ") copy it again or repeat the run");
  };
  switch (remembered_seal(path)) {
    case Seal::broken:
      throw altered("its seal does not fit its content");
    case Seal::whole:
      file_->open_sealed();
      return;
    case Seal::absent:
      break;
  }
  auto const needed = netcdf_classic_size(path);
  if (!failed && file_->bytes < needed) {
    throw InputError(name + ": not a whole NetCDF file (" + std::to_string(file_->bytes) + " of " +
                     std::to_string(needed) + " bytes are there) copy it again");
  }
  file_->foreign = std::make_unique<ForeignNetcdf>(path);
  file_->catalogue = file_->foreign->catalogue();
  // A run's output is sealed at its end; before, nothing but a part of a record follows HDF5's part. Copies
  // by other programs keep the attributes, but nothing follows there either.
  auto const is_output = File::text(file_->catalogue.attributes, "source").starts_with("Ulpine ");
  if (auto const end = hdf5_end(path); is_output && end > 0 && has_lost_its_seal(path, end)) {
    throw altered("its end is no seal");
  }
}

InputFile::InputFile(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

std::vector<std::string> InputFile::variables() const { return file_->fields(); }

bool InputFile::has(std::string const& variable) const {
  auto const* found = file_->find(variable);
  return found != nullptr && found->numeric();
}

std::vector<double> InputFile::times(std::string const& variable) const {
  auto const& found = file_->get(variable);
  if (!file_->has_time(found)) return {};
  auto [times, units] = file_->raw_times(found);
  auto const unit = units.seconds > 0 ? units.seconds : 1.;
  auto const first = times.empty() ? 0. : times.front();
  for (auto& time : times) time = (time - first) * unit;
  return times;
}

double InputFile::first_time(std::string const& variable) const {
  constexpr auto unknown = std::numeric_limits<double>::quiet_NaN();
  auto const& found = file_->get(variable);
  auto const* time = file_->has_time(found) ? file_->coordinate_of(found, 0) : nullptr;
  if (time == nullptr) return unknown;
  auto const calendar = lower_case(file_->text(*time, "calendar"));
  if (!calendar.empty() && calendar != "standard" && calendar != "gregorian" &&
      calendar != "proleptic_gregorian") {
    return unknown;
  }
  auto const [times, units] = file_->raw_times(found);
  return times.empty() || units.seconds == 0 ? unknown : units.epoch + times.front() * units.seconds;
}

FieldData InputFile::read(std::string const& variable, std::int64_t time) const {
  auto const& found = file_->get(variable);
  FieldData data{file_->info(found), {}};
  std::vector<std::size_t> start, count;
  for (auto const& dimension : found.dimensions) {
    start.push_back(0);
    count.push_back(dimension.length);
  }
  if (file_->has_time(found)) {
    auto const times = static_cast<std::int64_t>(count[0]);
    auto const index = time < 0 ? times + time : time;
    if (index < 0 || index >= times) {
      throw InputError(file_->path + ": " + variable + ": no time index " + std::to_string(time) +
                       " (there are " + std::to_string(times) + " times) choose another");
    }
    start[0] = static_cast<std::size_t>(index);
    count[0] = 1;
  }
  data.values = file_->values(found, start, count);
  return data;
}

std::vector<double> InputFile::weights(std::string const& variable) const {
  auto const& found = file_->get(variable);
  auto const shape = file_->info(found).shape;
  auto const measures = words_of(file_->text(found, "cell_measures"));
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < measures.size(); i += 2) {
    if (measures[i] == "area:") names.push_back(measures[i + 1]);
  }
  names.emplace_back("cell_area");
  for (auto const& name : names) {
    auto const* area = file_->find_from(found, name);
    if (area == nullptr || !area->numeric() || file_->has_time(*area)) continue;
    if (file_->info(*area).shape == shape) return file_->values(*area);
  }
  return {};
}

double InputFile::spacing(std::string const& variable) const {
  auto const& found = file_->get(variable);
  double sum = 0;
  int axes = 0;
  for (std::size_t d = 0; d < found.dimensions.size(); ++d) {
    auto const* coordinate = file_->coordinate_of(found, d);
    if (coordinate == nullptr || found.dimensions[d].length < 2) continue;
    auto const axis = file_->text(*coordinate, "axis");
    auto const standard_name = file_->text(*coordinate, "standard_name");
    auto const initial = lower_case(found.dimensions[d].name).substr(0, 1);
    auto const horizontal = axis == "X" || axis == "Y" || standard_name.starts_with("projection_") ||
                            standard_name.starts_with("grid_") ||
                            (axis.empty() && (initial == "x" || initial == "y"));
    auto const units = file_->text(*coordinate, "units");
    auto const metres =
        units == "m" || units == "metre" || units == "meter" || units == "metres" || units == "meters" ? 1.
        : units == "km" || units == "kilometre" || units == "kilometer"                                ? 1000.
                                                                                                       : 0.;
    if (!horizontal || metres == 0) continue;
    auto const points = file_->values(*coordinate);
    sum += std::abs(points.back() - points.front()) / static_cast<double>(points.size() - 1) * metres;
    ++axes;
  }
  return axes == 0 || !std::isfinite(sum) ? 0 : sum / axes;
}

std::string InputFile::attribute(std::string const& name) const {
  return File::text(file_->catalogue.attributes, name);
}

std::string const& InputFile::path() const { return file_->path; }

}  // namespace ulpine::io
