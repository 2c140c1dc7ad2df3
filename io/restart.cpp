// SPDX-License-Identifier: Apache-2.0
#include "io/restart.hpp"

#include <netcdf.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "io/error.hpp"
#include "io/file_lock.hpp"
#include "io/netcdf_library.hpp"
#include "io/netcdf_writer.hpp"
#include "io/own_files.hpp"
#include "io/regular_file.hpp"
#include "io/seal.hpp"
#include "io/slabs.hpp"
#include "io/temporary.hpp"

// The file is NetCDF-4, followed by a seal (seal.hpp), which is checked before netCDF sees the file. Arrays
// have the NetCDF types of their values, which netCDF copies without conversion; it has no binary128: these
// are unsigned bytes with the bytes of a value as last dimension, and pairs of floats, which a double does
// not hold to the last bit, are floats with the two as last dimension.

namespace ulpine::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "restart files hold the memory's bytes, little-endian");

constexpr int schema = 1;
constexpr std::size_t largest_rank = 32;

/// Bytes of the array's values; nothing where an extent is negative or the product overflows.
std::optional<std::int64_t> bytes_in(StateArray const& array) {
  std::int64_t bytes = bytes_of(array.type);
  for (auto const length : array.shape) {
    if (length < 0 || __builtin_mul_overflow(bytes, length, &bytes)) return {};
  }
  return bytes;
}

/// Of values that are stored in variables of the NetCDF type `stored`.
std::optional<ValueType> type_of_bytes(int bytes_per_value, nc_type stored) {
  if (stored == NC_FLOAT && bytes_per_value == bytes_of(ValueType::float32_pair))
    return ValueType::float32_pair;
  for (auto const type : {ValueType::uint8, ValueType::float32, ValueType::float64, ValueType::binary128}) {
    if (bytes_of(type) == bytes_per_value) return type;
  }
  return {};
}

nc_type netcdf_type(ValueType type) {
  switch (type) {
    case ValueType::float32:
    case ValueType::float32_pair:
      return NC_FLOAT;
    case ValueType::float64:
      return NC_DOUBLE;
    default:
      return NC_UBYTE;
  }
}

/// How many values of the NetCDF type a value of the array is, in a dimension of their own; 0 without that.
int parts_of(StateArray const& array) {
  return array.type == ValueType::binary128      ? bytes_of(array.type)
         : array.type == ValueType::float32_pair ? 2
                                                 : 0;
}

/// Extents of the variable that holds the array.
std::vector<std::int64_t> extents_of(StateArray const& array) {
  auto extents = array.shape;
  if (parts_of(array) > 0) extents.push_back(parts_of(array));
  return extents;
}

/// The boxes of that variable that hold the array's values [first, first + count).
std::vector<Hyperslab> boxes_of(StateArray const& array, std::int64_t first, std::int64_t count) {
  auto boxes = hyperslabs(array.shape, first, count);
  if (parts_of(array) > 0) {
    for (auto& box : boxes) {
      box.start.push_back(0);
      box.count.push_back(static_cast<std::size_t>(parts_of(array)));
    }
  }
  return boxes;
}

EnvironmentError unwritable(std::filesystem::path const& path, std::string const& reason) {
  return EnvironmentError(final_name(path).string() + ": restart cannot be written (" + reason +
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

/// The array's values in pieces that are one box each.
Slabs slabs_of(StateArray const& array) {
  return {array.shape, std::vector<std::int64_t>(array.shape.size(), 1), slab_bytes / bytes_of(array.type)};
}

/// Calls `visit(number, first, count)` for every piece of every array.
template <class Visit>
void for_each_piece(StateHeader const& header, Visit visit) {
  for (std::size_t number = 0; number < header.arrays.size(); ++number) {
    auto const& array = header.arrays[number];
    auto const slabs = slabs_of(array);
    for (std::int64_t first = 0, size = array.size(); first < size;) {
      auto const count = slabs.length(first);
      visit(number, first, count);
      first += count;
    }
  }
}

/// Room for every piece of the state.
std::vector<std::byte> piece_buffer(StateHeader const& header) {
  std::int64_t largest = 0;
  for_each_piece(header, [&](std::size_t number, std::int64_t, std::int64_t count) {
    largest = std::max(largest, count * bytes_of(header.arrays[number].type));
  });
  return std::vector<std::byte>(static_cast<std::size_t>(largest));
}

std::uint64_t hash_of(std::byte const* bytes, std::int64_t count) {
  StreamHash hash;
  hash.add({reinterpret_cast<char const*>(bytes), static_cast<std::size_t>(count)});
  return hash.value();
}

netCDF::NcVar define(NetcdfWriter& file, StateArray const& array, std::string const& name) {
  static std::map<nc_type, netCDF::NcType> const types = {
      {NC_UBYTE, netCDF::ncUbyte}, {NC_FLOAT, netCDF::ncFloat}, {NC_DOUBLE, netCDF::ncDouble}};
  return file.run([&](netCDF::NcFile& netcdf) {
    std::vector<netCDF::NcDim> dimensions;
    for (auto const extent : extents_of(array)) {
      // NetCDF has no empty fixed dimension (0 means unlimited); the true shape is an attribute.
      dimensions.push_back(netcdf.addDim(name + "_" + std::to_string(dimensions.size()),
                                         std::max<std::size_t>(1, static_cast<std::size_t>(extent))));
    }
    auto const variable = netcdf.addVar(name, types.at(netcdf_type(array.type)), dimensions);
    variable.setFill(false, nullptr);
    std::vector<std::size_t> unused;
    if (!dimensions.empty()) variable.setChunking(netCDF::NcVar::nc_CONTIGUOUS, unused);
    variable.setEndianness(netCDF::NcVar::nc_ENDIAN_LITTLE);
    variable.putAtt("long_name", array.name);
    variable.putAtt("bytes_per_value", netCDF::ncInt, bytes_of(array.type));
    std::vector<long long> const shape(array.shape.begin(), array.shape.end());
    variable.putAtt("shape", netCDF::ncInt64, shape.size(), shape.data());
    return variable;
  });
}

/// Writes all but the seal; the hash of every piece as it came from the state.
std::vector<std::uint64_t> write_netcdf(std::filesystem::path const& path,
                                        std::filesystem::path const& final_path, StateReader const& state,
                                        Provenance const& provenance) {
  auto const& header = state.header();
  NetcdfWriter file{path, final_name(final_path).string() + ": restart cannot be written (",
                    ") check the folder, its permissions and the free space",
                    NetcdfWriter::AfterFailure::close};
  file.put_text("title", "Restart file of Ulpine");
  file.put_text("restart_core", header.core);
  file.put_text("restart_policy", header.policy);
  file.put_text("restart_case_hash", hex(header.case_hash));
  file.run([&](netCDF::NcFile& netcdf) {
    netcdf.putAtt("restart_schema", netCDF::ncInt, schema);
    netcdf.putAtt("restart_step", netCDF::ncInt64, static_cast<long long>(header.step));
    netcdf.putAtt("restart_time", netCDF::ncDouble, header.time);
  });
  for (auto const& [name, value] : provenance.items()) file.put_text("ulpine_" + name, value);

  std::set<std::string> used;
  std::vector<netCDF::NcVar> variables;
  for (auto const& array : header.arrays) {
    variables.push_back(define(file, array, variable_name(array.name, variables.size(), used)));
  }
  auto buffer = piece_buffer(header);
  std::vector<std::uint64_t> hashes;
  for_each_piece(header, [&](std::size_t number, std::int64_t first, std::int64_t count) {
    state.read(number, first, count, buffer.data());
    hashes.push_back(hash_of(buffer.data(), count * bytes_of(header.arrays[number].type)));
    file.put(variables[number], boxes_of(header.arrays[number], first, count).front(), buffer.data());
  });
  file.close(path);
  return hashes;
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
  require_regular_file(path);
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

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether the file holds the state whose pieces have these hashes.
bool holds(std::filesystem::path const& path, StateHeader const& header,
           std::vector<std::uint64_t> const& hashes) {
  RestartFile const file{path};
  auto const& found = file.header();
  if (found.core != header.core || found.policy != header.policy || found.case_hash != header.case_hash ||
      found.step != header.step || !same_bits(found.time, header.time) || found.arrays != header.arrays) {
    return false;
  }
  auto buffer = piece_buffer(header);
  auto next = hashes.begin();
  auto same = true;
  for_each_piece(header, [&](std::size_t number, std::int64_t first, std::int64_t count) {
    file.read(number, first, count, buffer.data());
    same = same && hash_of(buffer.data(), count * bytes_of(header.arrays[number].type)) == *next++;
  });
  return same;
}

}  // namespace

void write_restart(std::filesystem::path const& path, StateReader const& state,
                   Provenance const& provenance) {
  for (auto const& array : state.header().arrays) {
    if (!bytes_in(array)) throw std::invalid_argument("restart array " + array.name + " has no shape");
  }
  BegunFile file(path);
  auto const hashes = write_netcdf(file.begun(), path, state, provenance);
  append_seal(file.begun(), path);
  try {
    if (!holds(file.begun(), state.header(), hashes)) {
      throw unwritable(path, "what was written reads back differently");
    }
  } catch (InputError const& unreadable) {
    throw unwritable(path, std::string{"read back: "} + unreadable.what());
  }
  file.place();
}

struct RestartFile::File {
  std::string path;
  int id = -1;
  StateHeader header;
  std::vector<int> variables;  ///< netCDF ids of the arrays

  ~File() {
    if (id < 0) return;
    auto const lock = lock_netcdf();
    nc_close(id);
  }

  InputError unreadable(std::string const& why) const {
    return InputError(path + ": restart cannot be read (" + why + ") copy it again or take another");
  }
  template <class Call>
  void run(Call call) const {
    errno = 0;
    if (auto const status = call(); status != NC_NOERR) throw unreadable(netcdf_reason(status));
  }

  std::string text(int variable, char const* name) const {
    std::size_t length = 0;
    nc_type type = NC_NAT;
    run([&] { return nc_inq_att(id, variable, name, &type, &length); });
    if (type != NC_CHAR) throw unreadable(std::string{name} + " is no text");
    std::string value(length, '\0');
    if (length > 0) run([&] { return nc_get_att_text(id, variable, name, value.data()); });
    // Messages name these texts.
    if (one_line(value) != value) throw unreadable(std::string{name} + " is no line of text");
    return value;
  }

  void read_header() {
    int found = 0;
    if (nc_get_att_int(id, NC_GLOBAL, "restart_schema", &found) != NC_NOERR || found != schema) {
      throw InputError(path + ": restart file of another format (schema " + std::to_string(found) + ", not " +
                       std::to_string(schema) + ") use the version of Ulpine that wrote it");
    }
    header.core = text(NC_GLOBAL, "restart_core");
    header.policy = text(NC_GLOBAL, "restart_policy");
    auto const digits = text(NC_GLOBAL, "restart_case_hash");
    std::from_chars(digits.data(), digits.data() + digits.size(), header.case_hash, 16);
    long long step = 0;
    run([&] { return nc_get_att_longlong(id, NC_GLOBAL, "restart_step", &step); });
    header.step = step;
    run([&] { return nc_get_att_double(id, NC_GLOBAL, "restart_time", &header.time); });
    if (step < 0) throw unreadable("its step is " + std::to_string(step));
    if (!std::isfinite(header.time) || header.time < 0)
      throw unreadable("its time is " + std::to_string(header.time) + " s");

    auto const file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    int count = 0;
    run([&] { return nc_inq_nvars(id, &count); });
    for (int variable = 0; variable < count; ++variable) {
      auto array = array_of(variable);
      check_extents(variable, array);
      if (auto const size = bytes_in(array); !size || *size > file_bytes) {
        throw unreadable("array " + array.name + " would have more bytes than the file");
      }
      header.arrays.push_back(std::move(array));
      variables.push_back(variable);
    }
  }

  StateArray array_of(int variable) const {
    StateArray array;
    array.name = text(variable, "long_name");
    int bytes = 0;
    run([&] { return nc_get_att_int(id, variable, "bytes_per_value", &bytes); });
    nc_type stored = NC_NAT;
    run([&] { return nc_inq_vartype(id, variable, &stored); });
    auto const type = type_of_bytes(bytes, stored);
    if (!type) {
      throw unreadable("array " + array.name + " has values of " + std::to_string(bytes) + " bytes");
    }
    array.type = *type;
    std::size_t rank = 0;
    run([&] { return nc_inq_attlen(id, variable, "shape", &rank); });
    if (rank > largest_rank)
      throw unreadable("array " + array.name + " has " + std::to_string(rank) + " extents");
    std::vector<long long> shape(rank);
    if (rank > 0) run([&] { return nc_get_att_longlong(id, variable, "shape", shape.data()); });
    array.shape.assign(shape.begin(), shape.end());
    return array;
  }

  /// Checks that the variable holds as many bytes as the array's own description says.
  void check_extents(int variable, StateArray const& array) const {
    nc_type type = NC_NAT;
    int rank = 0;
    run([&] { return nc_inq_var(id, variable, nullptr, &type, &rank, nullptr, nullptr); });
    std::vector<int> dimensions(static_cast<std::size_t>(rank));
    run([&] { return nc_inq_vardimid(id, variable, dimensions.data()); });
    auto const extents = extents_of(array);
    auto agrees = type == netcdf_type(array.type) && extents.size() == dimensions.size();
    for (std::size_t d = 0; agrees && d < extents.size(); ++d) {
      std::size_t length = 0;
      run([&] { return nc_inq_dimlen(id, dimensions[d], &length); });
      agrees = extents[d] >= 0 && length == std::max<std::size_t>(1, static_cast<std::size_t>(extents[d]));
    }
    if (!agrees) throw unreadable("array " + array.name + " has another shape than it says");
  }
};

RestartFile::RestartFile(std::filesystem::path const& path) : file_{std::make_unique<File>()} {
  if (auto const problem = lock_problem(path, LockFor::reading); !problem.empty()) {
    throw InputError(path.string() + ": restart cannot be read (" + problem);
  }
  check_seal(path);
  auto& file = *file_;
  file.path = path.string();
  auto const lock = lock_netcdf();
  file.run([&] { return nc_open(path.c_str(), NC_NOWRITE, &file.id); });
  file.read_header();
}

RestartFile::RestartFile(RestartFile&&) noexcept = default;
RestartFile::~RestartFile() = default;

StateHeader const& RestartFile::header() const { return file_->header; }

void RestartFile::read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const {
  auto const& read = file_->header.arrays.at(array);
  if (first < 0 || count < 0 || count > read.size() - first) {
    throw std::out_of_range("restart array " + read.name + " has no values " + std::to_string(first) +
                            " to " + std::to_string(first + count));
  }
  auto const lock = lock_netcdf();
  for (auto const& box : boxes_of(read, first, count)) {
    file_->run([&] {
      return nc_get_vara(file_->id, file_->variables[array], box.start.data(), box.count.data(), values);
    });
    values += box.values * bytes_of(read.type);
  }
}

}  // namespace ulpine::io
