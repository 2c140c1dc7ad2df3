// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_arrays.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "io/temporary.hpp"

namespace ulpine::io {
namespace {

/// docs/results/performance.md has the measurements.
constexpr std::int64_t chunk_bytes = std::int64_t{1} << 20;

bool is_pressure(std::string const& units) {
  return units == "Pa" || units == "hPa" || units == "mbar" || units == "millibar" || units == "dbar" ||
         units == "bar";
}

}  // namespace

OutputType output_type(ValueType type, bool flags) {
  switch (type) {
    case ValueType::uint8:
      if (flags) return {netCDF::ncByte, 1, 1, static_cast<signed char>(fill_value<std::uint8_t>())};
      return {netCDF::ncShort, 1, 2, missing_value(type)};
    case ValueType::float32:
      return {netCDF::ncFloat, 4, 4, missing_value(type)};
    default:
      return {netCDF::ncDouble, 8, 8, missing_value(type)};
  }
}

OutputType output_index_type() { return {netCDF::ncInt, 4, 4}; }

std::string positive(std::string const& standard_name, std::string const& units) {
  return is_pressure(units) ? "" : standard_name == "depth" ? "down" : "up";
}

OutputArrays::OutputArrays(std::filesystem::path const& path)
    : path_{path.string()},
      writer_{path, final_name(path).string() + ": cannot be written (",
              ") check the folder, its permissions and the free space", NetcdfWriter::AfterFailure::leave} {}

void OutputArrays::put_text(netCDF::NcVar const& variable, char const* name, std::string const& text) {
  if (!text.empty()) writer_.put_text(variable, name, text);
}

void OutputArrays::put_string(netCDF::NcVar const& variable, char const* name, std::string const& text) {
  auto const* value = text.c_str();
  writer_.run([&](auto&) { variable.putAtt(name, 1, &value); });
}

void OutputArrays::describe(netCDF::NcVar const& variable, std::string const& standard_name,
                            std::string const& long_name, std::string const& units) {
  put_text(variable, "standard_name", standard_name);
  put_text(variable, "long_name", long_name);
  put_text(variable, "units", units);
}

void OutputArrays::put_flags(netCDF::NcVar const& variable, std::string const& meanings) {
  std::istringstream words{meanings};
  std::vector<signed char> values;
  for (std::string word; words >> word;) values.push_back(static_cast<signed char>(values.size()));
  writer_.run([&](auto&) { variable.putAtt("flag_values", netCDF::ncByte, values.size(), values.data()); });
  put_text(variable, "flag_meanings", meanings);
}

netCDF::NcDim OutputArrays::dimension(std::string const& name, std::optional<std::int64_t> length,
                                      std::string const& user) {
  auto const known = dimensions_.find(name);
  if (known == dimensions_.end()) {
    auto const added = writer_.run([&](netCDF::NcFile& file) {
      return length ? file.addDim(name, static_cast<std::size_t>(*length)) : file.addDim(name);
    });
    return dimensions_.emplace(name, added).first->second;
  }
  auto const size = writer_.run([&](auto&) { return known->second.getSize(); });
  if (!length || size != static_cast<std::size_t>(*length)) {
    throw std::invalid_argument(user + ": dimension " + name + " has another length");
  }
  return known->second;
}

OutputArray OutputArrays::define(std::string const& name, OutputType const& type,
                                 std::vector<std::string> const& dimensions,
                                 std::vector<std::int64_t> const& shape, bool of_time) {
  if (dimensions.size() != shape.size()) {
    throw std::invalid_argument(name + ": as many dimensions as extents are needed");
  }
  OutputArray array{{}, type, shape, chunk_extents(shape, chunk_bytes / type.stored_bytes)};
  std::vector<netCDF::NcDim> used;
  std::vector<std::size_t> chunk{array.chunk.begin(), array.chunk.end()};
  if (of_time) {
    used.push_back(dimensions_.at("time"));
    chunk.insert(chunk.begin(), 1);
  }
  for (std::size_t d = 0; d < shape.size(); ++d) used.push_back(dimension(dimensions[d], shape[d], name));
  array.variable = writer_.run([&](netCDF::NcFile& file) {
    auto const variable = file.addVar(name, type.netcdf, used);
    if (!used.empty()) {
      constexpr int fastest = 1;
      variable.setChunking(netCDF::NcVar::nc_CHUNKED, chunk);
      variable.setCompression(true, true, fastest);
      variable.setChunkCache(1, 1, 0);  // one byte: 0 means netCDF's own choice
    }
    if (!type.fill) return variable;
    if (type.netcdf == netCDF::ncByte) variable.setFill(true, static_cast<signed char>(*type.fill));
    if (type.netcdf == netCDF::ncShort) variable.setFill(true, static_cast<short>(*type.fill));
    if (type.netcdf == netCDF::ncInt) variable.setFill(true, static_cast<int>(*type.fill));
    if (type.netcdf == netCDF::ncFloat) variable.setFill(true, static_cast<float>(*type.fill));
    if (type.netcdf == netCDF::ncDouble) variable.setFill(true, *type.fill);
    return variable;
  });
  return array;
}

void OutputArrays::write(OutputArray const& array, std::optional<std::size_t> record,
                         SlabSource const& source) {
  Slabs const slabs{array.shape, array.chunk, slab_bytes / array.type.bytes};
  auto const size = values_in(array.shape);
  auto const buffer = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(size > 0 ? slabs.length(0) * array.type.bytes : 0));
  for (std::int64_t first = 0; first < size;) {
    auto const count = slabs.length(first);
    source(first, count, buffer.get());
    auto box = hyperslabs(array.shape, first, count).front();
    if (record) {
      box.start.insert(box.start.begin(), *record);
      box.count.insert(box.count.begin(), 1);
    }
    if (array.type.bytes < array.type.stored_bytes) {
      writer_.put_widened(array.variable, box, reinterpret_cast<unsigned char const*>(buffer.get()));
    } else {
      writer_.put(array.variable, box, buffer.get());
    }
    first += count;
  }
}

void OutputArrays::check_space(std::vector<OutputArray const*> const& arrays) const {
  constexpr std::int64_t books = 64 << 10, books_of_a_chunk = 256;
  auto bytes = books;
  for (auto const* array : arrays) {
    auto const values = values_in(array->shape);
    auto const chunks = values / std::max<std::int64_t>(1, values_in(array->chunk)) + 1;
    bytes += values * array->type.stored_bytes + chunks * books_of_a_chunk;
  }
  auto const needed = static_cast<off_t>(bytes);
  auto const descriptor = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    auto const end = lseek(descriptor, 0, SEEK_END);
    auto const error = fallocate(descriptor, 0, end, needed) == 0 ? 0 : errno;
    auto const restored = ftruncate(descriptor, end) == 0;
    ::close(descriptor);
    if (error == 0 && restored) return;
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) throw writer_.error(std::strerror(error));
  }
  std::error_code unknown;
  auto const space = std::filesystem::space(path_, unknown);
  if (!unknown && space.available < static_cast<std::uintmax_t>(needed)) {
    throw writer_.error(std::strerror(ENOSPC));
  }
}

void OutputArrays::sync() {
  writer_.run([](netCDF::NcFile& file) { file.sync(); });
}

}  // namespace ulpine::io
