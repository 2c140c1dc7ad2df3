// SPDX-License-Identifier: Apache-2.0
#include "io/restart.hpp"

#include <fcntl.h>
#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "io/error.hpp"
#include "io/netcdf_library.hpp"
#include "io/seal.hpp"
#include "io/temporary.hpp"

// The file is NetCDF-4, followed by a seal (seal.hpp), which is checked before netCDF sees the file. Arrays
// of 4 and 8 bytes a value are NC_FLOAT and NC_DOUBLE, which netCDF copies without conversion; all others are
// unsigned bytes with the bytes of a value as last dimension.

namespace ulpine::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "restart files hold the memory's bytes, little-endian");

constexpr int schema = 1;
constexpr std::size_t largest_rank = 32;

/// Bytes of the array's values; nothing where an extent is negative, a value has no bytes or more than a
/// binary128, or the product overflows.
std::optional<std::size_t> bytes_of(StateArray const& array) {
  if (array.bytes_per_value < 1 || array.bytes_per_value > 16) return {};
  auto bytes = static_cast<std::int64_t>(array.bytes_per_value);
  for (auto const length : array.shape) {
    if (length < 0 || __builtin_mul_overflow(bytes, length, &bytes)) return {};
  }
  return static_cast<std::size_t>(bytes);
}

nc_type type_of(std::int32_t bytes_per_value) {
  return bytes_per_value == 4 ? NC_FLOAT : bytes_per_value == 8 ? NC_DOUBLE : NC_UBYTE;
}

/// An open NetCDF file; failing calls throw `Error` with `before` and `after` around the reason.
template <class Error>
struct Netcdf {
  std::string before, after;
  int id = -1;

  template <class Call>
  void run(Call call) const {
    errno = 0;
    if (auto const status = call(); status != NC_NOERR) throw Error(before + netcdf_reason(status) + after);
  }
  ~Netcdf() {
    if (id >= 0) nc_close(id);
  }
};

EnvironmentError unwritable(std::filesystem::path const& path, std::string const& reason) {
  return EnvironmentError(path.string() + ": restart cannot be written (" + reason +
                          ") check the folder, its permissions and the free space");
}

/// The array's name where NetCDF can have it and no array before does; else a number's. (Names are the cores'
/// own.)
std::string variable_name(std::string const& name, std::size_t number, std::set<std::string>& used) {
  auto const letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto const plain =
      !name.empty() && letter(name[0]) && name.size() < NC_MAX_NAME / 2 &&
      std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
  auto candidate = plain ? name : std::string{"array_"}.append(std::to_string(number));
  while (!used.insert(candidate).second) candidate.append("_").append(std::to_string(number));
  return candidate;
}

void write_netcdf(std::filesystem::path const& path, std::filesystem::path const& final_path,
                  Snapshot const& snapshot, Provenance const& provenance) {
  auto const lock = lock_netcdf();
  Netcdf<EnvironmentError> file{final_path.string() + ": restart cannot be written (",
                                ") check the folder, its permissions and the free space"};
  file.run([&] { return nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file.id); });
  auto const put_text = [&](int variable, std::string const& name, std::string const& value) {
    file.run([&] { return nc_put_att_text(file.id, variable, name.c_str(), value.size(), value.c_str()); });
  };
  put_text(NC_GLOBAL, "title", "Restart file of Ulpine");
  file.run([&] { return nc_put_att_int(file.id, NC_GLOBAL, "restart_schema", NC_INT, 1, &schema); });
  put_text(NC_GLOBAL, "restart_core", snapshot.core);
  put_text(NC_GLOBAL, "restart_policy", snapshot.policy);
  put_text(NC_GLOBAL, "restart_case_hash", hex(snapshot.case_hash));
  long long const step = snapshot.step;
  file.run([&] { return nc_put_att_longlong(file.id, NC_GLOBAL, "restart_step", NC_INT64, 1, &step); });
  file.run(
      [&] { return nc_put_att_double(file.id, NC_GLOBAL, "restart_time", NC_DOUBLE, 1, &snapshot.time); });
  for (auto const& [name, value] : provenance.items()) put_text(NC_GLOBAL, "ulpine_" + name, value);

  std::set<std::string> used;
  for (std::size_t number = 0; number < snapshot.arrays.size(); ++number) {
    auto const& array = snapshot.arrays[number];
    auto const type = type_of(array.bytes_per_value);
    auto extents = array.shape;
    if (type == NC_UBYTE) extents.push_back(array.bytes_per_value);
    auto const name = variable_name(array.name, number, used);
    std::vector<int> dimensions;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      // NetCDF has no empty fixed dimension (0 means unlimited); the true shape is an attribute.
      auto const length = std::max<std::size_t>(1, static_cast<std::size_t>(extents[d]));
      dimensions.push_back(-1);
      file.run([&] {
        return nc_def_dim(file.id, (name + "_" + std::to_string(d)).c_str(), length, &dimensions.back());
      });
    }
    int variable = -1;
    auto const rank = static_cast<int>(dimensions.size());
    file.run([&] { return nc_def_var(file.id, name.c_str(), type, rank, dimensions.data(), &variable); });
    file.run([&] { return nc_def_var_fill(file.id, variable, NC_NOFILL, nullptr); });
    if (rank > 0) {
      file.run([&] { return nc_def_var_chunking(file.id, variable, NC_CONTIGUOUS, nullptr); });
    }
    file.run([&] { return nc_def_var_endian(file.id, variable, NC_ENDIAN_LITTLE); });
    put_text(variable, "long_name", array.name);
    int const bytes = array.bytes_per_value;
    file.run([&] { return nc_put_att_int(file.id, variable, "bytes_per_value", NC_INT, 1, &bytes); });
    std::vector<long long> const shape(array.shape.begin(), array.shape.end());
    file.run([&] {
      return nc_put_att_longlong(file.id, variable, "shape", NC_INT64, shape.size(), shape.data());
    });
    if (!array.data.empty()) file.run([&] { return nc_put_var(file.id, variable, array.data.data()); });
  }
  file.run([&] { return nc_close(std::exchange(file.id, -1)); });
}

void check_seal(std::filesystem::path const& path) {
  auto const name = path.string();
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    throw InputError(name + ": no such restart file (nothing of that name can be read) check the path");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InputError(name + ": not a restart file (it is no ordinary file) name the .nc file");
  }
  switch (seal_of(path)) {
    case Seal::absent:
      throw InputError(
          name +
          ": not a whole restart file of Ulpine (its end is missing) it may be cut short or another file");
    case Seal::broken:
      throw InputError(name + ": restart file was altered (its checksum does not match) copy it again");
    case Seal::whole:
      break;
  }
}

/// That the variable holds as many bytes as the array's own description says.
void check_extents(Netcdf<InputError> const& file, int variable, StateArray const& array) {
  nc_type type = NC_NAT;
  int rank = 0;
  file.run([&] { return nc_inq_var(file.id, variable, nullptr, &type, &rank, nullptr, nullptr); });
  std::vector<int> dimensions(static_cast<std::size_t>(rank));
  file.run([&] { return nc_inq_vardimid(file.id, variable, dimensions.data()); });
  auto extents = array.shape;
  if (type == NC_UBYTE) extents.push_back(array.bytes_per_value);
  auto agrees = type == type_of(array.bytes_per_value) && extents.size() == dimensions.size();
  for (std::size_t d = 0; agrees && d < extents.size(); ++d) {
    std::size_t length = 0;
    file.run([&] { return nc_inq_dimlen(file.id, dimensions[d], &length); });
    agrees = extents[d] >= 0 && length == std::max<std::size_t>(1, static_cast<std::size_t>(extents[d]));
  }
  if (!agrees)
    throw InputError(file.before + "array " + array.name + " has another shape than it says" + file.after);
}

Snapshot read_netcdf(std::filesystem::path const& path) {
  auto const lock = lock_netcdf();
  Netcdf<InputError> file{path.string() + ": restart cannot be read (", ") copy it again or take another"};
  file.run([&] { return nc_open(path.c_str(), NC_NOWRITE, &file.id); });
  auto const text = [&](int variable, char const* name) {
    std::size_t length = 0;
    nc_type type = NC_NAT;
    file.run([&] { return nc_inq_att(file.id, variable, name, &type, &length); });
    if (type != NC_CHAR) throw InputError(file.before + name + " is no text" + file.after);
    std::string value(length, '\0');
    if (length > 0) file.run([&] { return nc_get_att_text(file.id, variable, name, value.data()); });
    // Messages name these texts.
    if (one_line(value) != value) throw InputError(file.before + name + " is no line of text" + file.after);
    return value;
  };
  int found = 0;
  if (nc_get_att_int(file.id, NC_GLOBAL, "restart_schema", &found) != NC_NOERR || found != schema) {
    throw InputError(path.string() + ": restart file of another format (schema " + std::to_string(found) +
                     ", not " + std::to_string(schema) + ") use the version of Ulpine that wrote it");
  }
  Snapshot snapshot;
  snapshot.core = text(NC_GLOBAL, "restart_core");
  snapshot.policy = text(NC_GLOBAL, "restart_policy");
  auto const digits = text(NC_GLOBAL, "restart_case_hash");
  std::from_chars(digits.data(), digits.data() + digits.size(), snapshot.case_hash, 16);
  long long step = 0;
  file.run([&] { return nc_get_att_longlong(file.id, NC_GLOBAL, "restart_step", &step); });
  snapshot.step = step;
  file.run([&] { return nc_get_att_double(file.id, NC_GLOBAL, "restart_time", &snapshot.time); });
  auto const senseless = [&](std::string const& why) { return InputError(file.before + why + file.after); };
  if (step < 0) throw senseless("its step is " + std::to_string(step));
  if (!std::isfinite(snapshot.time) || snapshot.time < 0)
    throw senseless("its time is " + std::to_string(snapshot.time) + " s");

  auto const file_bytes = std::filesystem::file_size(path);
  int variables = 0;
  file.run([&] { return nc_inq_nvars(file.id, &variables); });
  for (int variable = 0; variable < variables; ++variable) {
    StateArray array;
    array.name = text(variable, "long_name");
    int bytes = 0;
    file.run([&] { return nc_get_att_int(file.id, variable, "bytes_per_value", &bytes); });
    array.bytes_per_value = bytes;
    std::size_t rank = 0;
    file.run([&] { return nc_inq_attlen(file.id, variable, "shape", &rank); });
    if (rank > largest_rank)
      throw senseless("array " + array.name + " has " + std::to_string(rank) + " extents");
    std::vector<long long> shape(rank);
    if (rank > 0) file.run([&] { return nc_get_att_longlong(file.id, variable, "shape", shape.data()); });
    array.shape.assign(shape.begin(), shape.end());
    check_extents(file, variable, array);
    auto const size = bytes_of(array);
    if (!size || *size > file_bytes) {
      throw senseless("array " + array.name + " would have more bytes than the file, or values of no size");
    }
    array.data.resize(*size);
    if (!array.data.empty()) file.run([&] { return nc_get_var(file.id, variable, array.data.data()); });
    snapshot.arrays.push_back(std::move(array));
  }
  return snapshot;
}

bool same(Snapshot const& a, Snapshot const& b) {
  auto const same_array = [](StateArray const& p, StateArray const& q) {
    return p.name == q.name && p.bytes_per_value == q.bytes_per_value && p.shape == q.shape &&
           p.data == q.data;
  };
  return a.core == b.core && a.policy == b.policy && a.case_hash == b.case_hash && a.step == b.step &&
         std::bit_cast<std::uint64_t>(a.time) == std::bit_cast<std::uint64_t>(b.time) &&
         std::equal(a.arrays.begin(), a.arrays.end(), b.arrays.begin(), b.arrays.end(), same_array);
}

/// Waits until a file's data, or a folder's entries, are on the disk.
void flush_to_disk(std::filesystem::path const& path, std::filesystem::path const& restart) {
  auto const descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto const failed = descriptor < 0 || fsync(descriptor) != 0;
  // Some file systems cannot sync a folder, and say so: then the rename is as safe as it gets.
  auto const error = failed && errno != EINVAL ? errno : 0;
  if (descriptor >= 0) close(descriptor);
  if (error != 0) throw unwritable(restart, std::strerror(error));
}

}  // namespace

void write_restart(std::filesystem::path const& path, Snapshot const& snapshot,
                   Provenance const& provenance) {
  for (auto const& array : snapshot.arrays) {
    if (array.data.size() != bytes_of(array)) {
      throw std::invalid_argument("restart array " + array.name + ": its data does not fill its shape");
    }
  }
  auto const temporary = temporary_name(path);
  try {
    write_netcdf(temporary, path, snapshot, provenance);
    append_seal(temporary, path);
    flush_to_disk(temporary, path);
    check_seal(temporary);
    if (!same(read_netcdf(temporary), snapshot)) {
      throw unwritable(path, "what was written reads back differently");
    }
    std::error_code failed;
    std::filesystem::rename(temporary, path, failed);
    if (failed) throw unwritable(path, failed.message());
  } catch (InputError const& unreadable) {
    std::filesystem::remove(temporary);
    throw unwritable(path, std::string{"read back: "} + unreadable.what());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  flush_to_disk(std::filesystem::absolute(path).parent_path(), path);
}

Snapshot read_restart(std::filesystem::path const& path) {
  check_seal(path);
  return read_netcdf(path);
}

}  // namespace ulpine::io
