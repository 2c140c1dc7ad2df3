// SPDX-License-Identifier: Apache-2.0
#include <netcdf.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_library.hpp"

namespace ulpine::io {
namespace {

constexpr std::uint64_t largest_field = std::uint64_t{1} << 36;  // values; more is a damaged header

struct Dimension {
  std::string name;
  std::size_t length = 0;
  bool unlimited = false;
};

struct Variable {
  std::string name;  ///< with its groups
  int group = -1, id = -1;
  nc_type type = NC_NAT;
  std::vector<Dimension> dimensions;

  bool numeric() const { return type >= NC_BYTE && type <= NC_UINT64 && type != NC_CHAR; }
};

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

}  // namespace

struct InputFile::File {
  std::string path;
  int id = -1;
  std::vector<Variable> all;  ///< in the order of the file

  ~File() {
    if (id >= 0) nc_close(id);
  }

  /// Runs a netCDF call on a file that is open.
  template <class Call>
  void run(Call call) const {
    errno = 0;
    if (auto const status = call(); status != NC_NOERR) {
      throw InputError(path + ": cannot be read (" + netcdf_reason(status) +
                       ") it may be damaged; copy it again");
    }
  }

  void list(int group, std::string const& prefix) {
    int count = 0;
    run([&] { return nc_inq_unlimdims(group, &count, nullptr); });
    std::vector<int> unlimited(static_cast<std::size_t>(count));
    run([&] { return nc_inq_unlimdims(group, &count, unlimited.data()); });
    run([&] { return nc_inq_nvars(group, &count); });
    for (int id_of_variable = 0; id_of_variable < count; ++id_of_variable) {
      Variable variable;
      variable.group = group;
      variable.id = id_of_variable;
      char name[NC_MAX_NAME + 1] = {};
      int rank = 0;
      run([&] { return nc_inq_var(group, id_of_variable, name, &variable.type, &rank, nullptr, nullptr); });
      variable.name = prefix + name;
      std::vector<int> ids(static_cast<std::size_t>(rank));
      run([&] { return nc_inq_vardimid(group, id_of_variable, ids.data()); });
      for (auto const dimension_id : ids) {
        Dimension dimension;
        run([&] { return nc_inq_dim(group, dimension_id, name, &dimension.length); });
        dimension.name = name;
        dimension.unlimited = std::find(unlimited.begin(), unlimited.end(), dimension_id) != unlimited.end();
        variable.dimensions.push_back(dimension);
      }
      all.push_back(std::move(variable));
    }
    run([&] { return nc_inq_grps(group, &count, nullptr); });
    std::vector<int> groups(static_cast<std::size_t>(count));
    run([&] { return nc_inq_grps(group, &count, groups.data()); });
    for (auto const inner : groups) {
      char name[NC_MAX_NAME + 1] = {};
      run([&] { return nc_inq_grpname(inner, name); });
      list(inner, prefix + name + "/");
    }
  }

  Variable const* find(std::string const& name) const {
    auto const found =
        std::find_if(all.begin(), all.end(), [&](Variable const& v) { return v.name == name; });
    return found == all.end() ? nullptr : &*found;
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

  std::string text(int group, int variable, char const* name) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    if (nc_inq_att(group, variable, name, &type, &length) != NC_NOERR || length == 0) return {};
    if (type == NC_CHAR) {
      std::string value(length, '\0');
      run([&] { return nc_get_att_text(group, variable, name, value.data()); });
      return value.substr(0, value.find('\0'));
    }
    if (type != NC_STRING) return {};
    std::vector<char*> values(length, nullptr);
    run([&] { return nc_get_att_string(group, variable, name, values.data()); });
    std::string const value = values.front() == nullptr ? "" : values.front();
    nc_free_string(length, values.data());
    return value;
  }
  std::string text(Variable const& variable, char const* name) const {
    return text(variable.group, variable.id, name);
  }

  /// A numeric attribute's values; empty where absent or not numeric.
  std::vector<double> numbers(Variable const& variable, char const* name) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    if (nc_inq_att(variable.group, variable.id, name, &type, &length) != NC_NOERR) return {};
    if (type == NC_CHAR || type == NC_STRING || type > NC_MAX_ATOMIC_TYPE) return {};
    std::vector<double> values(length);
    run([&] { return nc_get_att_double(variable.group, variable.id, name, values.data()); });
    return values;
  }

  bool is_coordinate(Variable const& variable) const {
    return variable.dimensions.size() == 1 &&
           folder_of(variable.name) + variable.dimensions[0].name == variable.name;
  }

  std::vector<std::string> fields() const {
    std::set<std::string> described;
    for (auto const& variable : all) {
      for (auto const* attribute : {"coordinates", "bounds", "climatology", "grid_mapping"}) {
        for (auto const& word : words_of(text(variable, attribute))) {
          if (auto const* found = find_from(variable, word)) described.insert(found->name);
        }
      }
    }
    std::vector<std::string> names;
    for (auto const& variable : all) {
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
    std::vector<double> values(size);
    run([&] {
      return nc_get_vara_double(variable.group, variable.id, start.data(), count.data(), values.data());
    });
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
  auto const bytes = std::filesystem::file_size(path, failed);
  auto const needed = netcdf_classic_size(path);
  if (!failed && bytes < needed) {
    throw InputError(name + ": not a whole NetCDF file (" + std::to_string(bytes) + " of " +
                     std::to_string(needed) + " bytes are there) copy it again");
  }
  auto const lock = lock_netcdf();
  file_->path = name;
  errno = 0;
  if (auto const opened = nc_open(path.c_str(), NC_NOWRITE, &file_->id); opened != NC_NOERR) {
    file_->id = -1;
    throw InputError(name + ": cannot be opened as NetCDF (" + netcdf_reason(opened) +
                     ") it may be cut short, of another format, or open for writing elsewhere");
  }
  try {
    file_->list(file_->id, "");
  } catch (...) {
    file_.reset();  // while the lock is held
    throw;
  }
}

InputFile::InputFile(InputFile&&) noexcept = default;

InputFile::~InputFile() {
  if (file_ == nullptr) return;
  auto const lock = lock_netcdf();
  file_.reset();
}

std::vector<std::string> InputFile::variables() const {
  auto const lock = lock_netcdf();
  return file_->fields();
}

bool InputFile::has(std::string const& variable) const {
  auto const* found = file_->find(variable);
  return found != nullptr && found->numeric();
}

std::vector<double> InputFile::times(std::string const& variable) const {
  auto const lock = lock_netcdf();
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
  auto const lock = lock_netcdf();
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
  auto const lock = lock_netcdf();
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
  auto const lock = lock_netcdf();
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
  auto const lock = lock_netcdf();
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
  auto const lock = lock_netcdf();
  return file_->text(file_->id, NC_GLOBAL, name.c_str());
}

}  // namespace ulpine::io
