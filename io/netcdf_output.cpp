// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_library.hpp"
#include "io/seal.hpp"

namespace ulpine::io {

std::int64_t FieldInfo::size() const {
  std::int64_t values = 1;
  for (auto const length : shape) values *= length;
  return values;
}

namespace {

constexpr std::size_t largest_chunk = std::size_t{1} << 19;  // values: 4 MiB, below netCDF's chunk cache

/// The command line as the system has it; the program's name where it has none.
std::string command_line() {
  std::ifstream stream{"/proc/self/cmdline", std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{stream}, {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text.empty() ? "ulpine" : text;
}

bool is_pressure(std::string const& units) {
  return units == "Pa" || units == "hPa" || units == "mbar" || units == "millibar" || units == "dbar" ||
         units == "bar";
}

}  // namespace

struct OutputFile::File {
  struct Variable {
    int id = -1;
    FieldInfo info;
    bool is_static = false;
    std::vector<double> values;  ///< of the record begun, empty where it did not get any
  };

  std::string path;
  int id = -1;
  int time_id = -1;
  std::map<std::string, Variable> variables;
  std::size_t records = 0;            ///< whole ones in the file
  std::optional<double> last, begun;  ///< time of the last whole record and of the one begun

  mutable bool failed = false;

  EnvironmentError unwritable(std::string const& reason) const {
    return EnvironmentError(path + ": cannot be written (" + reason +
                            ") check the folder, its permissions and the free space");
  }
  /// Runs a netCDF call; the file is named where it fails.
  template <class Call>
  void run(Call call) const {
    errno = 0;
    if (auto const status = call(); status != NC_NOERR) {
      failed = true;
      throw unwritable(netcdf_reason(status));
    }
  }
  /// A file whose write failed is left as it was last synced: closing would write again, and half.
  ~File() {
    if (id >= 0 && !failed) nc_close(id);
  }
  /// A disk or quota that ends in the middle of a record can cost the whole file, so the room is tried
  /// before: the file is lengthened and cut back, or free space compared where the file system cannot do
  /// that.
  void check_space(std::size_t bytes) const {
    constexpr std::size_t bookkeeping = 64 << 10;
    auto const needed = static_cast<off_t>(bytes + bookkeeping);
    auto const descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor >= 0) {
      auto const end = lseek(descriptor, 0, SEEK_END);
      auto const error = fallocate(descriptor, 0, end, needed) == 0 ? 0 : errno;
      auto const restored = ftruncate(descriptor, end) == 0;
      ::close(descriptor);
      if (error == 0 && restored) return;
      if (error == ENOSPC || error == EDQUOT || error == EFBIG) throw unwritable(std::strerror(error));
    }
    std::error_code unknown;
    auto const space = std::filesystem::space(path, unknown);
    if (!unknown && space.available < static_cast<std::uintmax_t>(needed))
      throw unwritable(std::strerror(ENOSPC));
  }
  void put_text(int variable, char const* name, std::string const& value) const {
    if (value.empty()) return;
    run([&] { return nc_put_att_text(id, variable, name, value.size(), value.c_str()); });
  }
  void define_coordinate(Coordinate const& coordinate, int dimension) const {
    int variable = -1;
    run([&] { return nc_def_var(id, coordinate.name.c_str(), NC_DOUBLE, 1, &dimension, &variable); });
    put_text(variable, "standard_name", coordinate.standard_name);
    put_text(variable, "long_name", coordinate.long_name);
    put_text(variable, "units", coordinate.units);
    put_text(variable, "axis", coordinate.axis);
    if (coordinate.axis == "Z" && !is_pressure(coordinate.units)) {
      put_text(variable, "positive", coordinate.standard_name == "depth" ? "down" : "up");
    }
    run([&] { return nc_put_var_double(id, variable, coordinate.values.data()); });
  }
  void define_field(FieldInfo const& info, bool is_static, std::map<std::string, int>& dimensions, int time,
                    std::vector<std::string> const& area_dimensions) {
    if (info.dimensions.size() != info.shape.size()) {
      throw std::invalid_argument("field " + info.name + ": as many dimensions as extents are needed");
    }
    std::vector<int> ids;
    std::vector<std::size_t> chunk;
    if (!is_static) {
      ids.push_back(time);
      chunk.push_back(1);
    }
    for (std::size_t d = 0; d < info.shape.size(); ++d) {
      auto const length = static_cast<std::size_t>(info.shape[d]);
      auto const [found, added] = dimensions.emplace(info.dimensions[d], -1);
      if (added) run([&] { return nc_def_dim(id, info.dimensions[d].c_str(), length, &found->second); });
      std::size_t known = 0;
      run([&] { return nc_inq_dimlen(id, found->second, &known); });
      if (known != length) {
        throw std::invalid_argument("field " + info.name + ": dimension " + info.dimensions[d] +
                                    " has another length");
      }
      ids.push_back(found->second);
      chunk.push_back(length);
    }
    // Whole rows together: halve the slowest extents until the chunk fits.
    for (auto extent = chunk.begin(); extent != chunk.end();) {
      std::size_t values = 1;
      for (auto const length : chunk) values *= length;
      if (values <= largest_chunk) break;
      if (*extent == 1) {
        ++extent;
      } else {
        *extent = (*extent + 1) / 2;
      }
    }
    Variable variable{-1, info, is_static, {}};
    run([&] {
      return nc_def_var(id, info.name.c_str(), NC_DOUBLE, static_cast<int>(ids.size()), ids.data(),
                        &variable.id);
    });
    if (!ids.empty()) {
      constexpr int shuffle = 1, deflate = 1, fastest = 1;
      run([&] { return nc_def_var_chunking(id, variable.id, NC_CHUNKED, chunk.data()); });
      run([&] { return nc_def_var_deflate(id, variable.id, shuffle, deflate, fastest); });
    }
    double const fill = NC_FILL_DOUBLE;
    run([&] { return nc_def_var_fill(id, variable.id, NC_FILL, &fill); });
    put_text(variable.id, "standard_name", info.standard_name);
    put_text(variable.id, "long_name", info.long_name);
    put_text(variable.id, "units", info.units);
    put_text(variable.id, "coordinates", info.coordinates);
    put_text(variable.id, "cell_methods", info.cell_methods);
    if (info.name != "cell_area" && !info.dimensions.empty() && info.dimensions == area_dimensions) {
      put_text(variable.id, "cell_measures", "area: cell_area");
    }
    variables.insert_or_assign(info.name, std::move(variable));
  }
  Variable& find(std::string const& name, bool is_static, std::size_t values) {
    auto const found = variables.find(name);
    if (found == variables.end() || found->second.is_static != is_static) {
      throw std::invalid_argument(path + ": no such field in the file: " + name);
    }
    if (static_cast<std::size_t>(found->second.info.size()) != values) {
      throw std::invalid_argument(path + ": field " + name + " got " + std::to_string(values) + " values");
    }
    return found->second;
  }
};

OutputFile::OutputFile(std::filesystem::path const& path, std::string const& title,
                       std::vector<Coordinate> const& coordinates, std::vector<FieldInfo> const& fields,
                       std::vector<FieldInfo> const& static_fields, Provenance const& provenance,
                       std::string const& case_text,
                       std::vector<std::pair<std::string, std::string>> const& attributes,
                       std::string const& epoch)
    : file_{std::make_unique<File>()} {
  auto const units = "seconds since " + epoch;
  if (!std::isfinite(parse_time_units(units).epoch)) {
    throw InputError(
        "\"" + epoch +
        "\" is not a date (times of the output count from it) write e.g. \"2000-01-01 00:00:00\"");
  }
  auto const lock = lock_netcdf();
  auto& file = *file_;
  file.path = path.string();
  file.run([&] { return nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file.id); });
  try {
    file.put_text(NC_GLOBAL, "Conventions", "CF-1.11");
    file.put_text(NC_GLOBAL, "title", title);
    file.put_text(NC_GLOBAL, "source", "Ulpine " + provenance.version);
    file.put_text(NC_GLOBAL, "history", provenance.created + " " + command_line());
    file.put_text(NC_GLOBAL, "references",
                  "Ulpine " + provenance.version + ", commit " + provenance.commit + ", docs/ of its source");
    for (auto const& [name, value] : provenance.items()) {
      file.put_text(NC_GLOBAL, ("ulpine_" + name).c_str(), value);
    }
    file.put_text(NC_GLOBAL, "ulpine_case", case_text);
    for (auto const& [name, value] : attributes) file.put_text(NC_GLOBAL, name.c_str(), value);

    int time = -1;
    file.run([&] { return nc_def_dim(file.id, "time", NC_UNLIMITED, &time); });
    file.run([&] { return nc_def_var(file.id, "time", NC_DOUBLE, 1, &time, &file.time_id); });
    file.put_text(file.time_id, "standard_name", "time");
    file.put_text(file.time_id, "long_name", "time");
    file.put_text(file.time_id, "units", units);
    file.put_text(file.time_id, "calendar", "standard");
    file.put_text(file.time_id, "axis", "T");

    std::map<std::string, int> dimensions;
    for (auto const& coordinate : coordinates) {
      auto& dimension = dimensions[coordinate.name];
      file.run(
          [&] { return nc_def_dim(file.id, coordinate.name.c_str(), coordinate.values.size(), &dimension); });
      file.define_coordinate(coordinate, dimension);
    }
    std::vector<std::string> area_dimensions;
    for (auto const& info : static_fields) {
      if (info.name == "cell_area") area_dimensions = info.dimensions;
    }
    for (auto const& info : static_fields) file.define_field(info, true, dimensions, time, area_dimensions);
    for (auto const& info : fields) file.define_field(info, false, dimensions, time, area_dimensions);
    file.run([&] { return nc_sync(file.id); });
  } catch (...) {
    file_.reset();  // while the lock is held
    throw;
  }
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  auto const lock = lock_netcdf();
  file_.reset();
}

void OutputFile::write_static(std::string const& field, std::span<double const> values) {
  auto const lock = lock_netcdf();
  auto const& variable = file_->find(field, true, values.size());
  file_->run([&] { return nc_put_var_double(file_->id, variable.id, values.data()); });
  file_->run([&] { return nc_sync(file_->id); });
}

void OutputFile::begin_time(double seconds) {
  if (!std::isfinite(seconds) || (file_->last && seconds < *file_->last)) {
    throw std::invalid_argument(file_->path + ": times must grow, got " + std::to_string(seconds) + " s");
  }
  for (auto& [name, variable] : file_->variables) variable.values.clear();
  file_->begun = seconds;
}

void OutputFile::write(std::string const& field, std::span<double const> values) {
  if (!file_->begun) throw std::invalid_argument(file_->path + ": begin_time() comes before write()");
  file_->find(field, false, values.size()).values.assign(values.begin(), values.end());
}

void OutputFile::finish_time() {
  auto& file = *file_;
  if (!file.begun) throw std::invalid_argument(file.path + ": begin_time() comes before finish_time()");
  auto const lock = lock_netcdf();
  std::size_t values = 0;
  for (auto const& [name, variable] : file.variables)
    values += static_cast<std::size_t>(variable.info.size());
  file.check_space(values * sizeof(double));
  auto const record = file.last == file.begun ? file.records - 1 : file.records;
  for (auto& [name, variable] : file.variables) {
    if (variable.is_static) continue;
    if (variable.values.empty()) {
      variable.values.assign(static_cast<std::size_t>(variable.info.size()), NC_FILL_DOUBLE);
    }
    std::vector<std::size_t> start{record}, count{1};
    for (auto const length : variable.info.shape) {
      start.push_back(0);
      count.push_back(static_cast<std::size_t>(length));
    }
    file.run([&] {
      return nc_put_vara_double(file.id, variable.id, start.data(), count.data(), variable.values.data());
    });
  }
  file.run([&] { return nc_put_var1_double(file.id, file.time_id, &record, &*file.begun); });
  file.run([&] { return nc_sync(file.id); });
  file.records = record + 1;
  file.last = std::exchange(file.begun, std::nullopt);
}

void OutputFile::close() {
  if (file_->id < 0 || file_->failed) return;
  {
    auto const lock = lock_netcdf();
    file_->run([&] { return nc_close(std::exchange(file_->id, -1)); });
  }
  append_seal(file_->path, file_->path);
}

}  // namespace ulpine::io
