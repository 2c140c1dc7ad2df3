// SPDX-License-Identifier: Apache-2.0
#include <netcdf.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/absence.hpp"
#include "io/box_visit.hpp"
#include "io/error.hpp"
#include "io/foreign_reader.hpp"
#include "io/regular_file.hpp"
#include "io/zarr_store.hpp"

namespace ulpine::io {
namespace {

/// IEEE 754 binary16.
double half_number(std::uint16_t bits) {
  auto const exponent = bits >> 10 & 31, fraction = bits & 1023;
  auto const magnitude = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                          : std::numeric_limits<double>::quiet_NaN())
                         : exponent == 0 ? std::ldexp(fraction, -24)
                                         : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class Number>
Number number_at(char const* bytes) {
  Number number{};
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

/// An element as eight bytes: a double, or an integer of 64 bits as it is.
std::uint64_t widened(ZarrArray const& array, char const* stored) {
  char bytes[8] = {};
  auto const size = std::min(array.bytes, sizeof bytes);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = stored[array.swapped ? size - 1 - i : i];
  if (array.bytes == 8) return number_at<std::uint64_t>(bytes);
  auto const value = [&]() -> double {
    if (array.kind == 'f')
      return array.bytes == 4 ? number_at<float>(bytes) : half_number(number_at<std::uint16_t>(bytes));
    if (array.kind == 'u') return static_cast<double>(number_at<std::uint64_t>(bytes));
    if (array.bytes == 1) return number_at<std::int8_t>(bytes);
    return array.bytes == 2 ? number_at<std::int16_t>(bytes) : number_at<std::int32_t>(bytes);
  }();
  return std::bit_cast<std::uint64_t>(value);
}

/// What stands for elements of a chunk that is not there.
std::uint64_t element_of_no_chunk(ZarrArray const& array) {
  if (array.kind == 'f' || array.bytes < 8) {
    return std::bit_cast<std::uint64_t>(array.fill.value_or(absent(Absence::fill)));
  }
  // Without a number of its own it is netCDF's for what was never written.
  constexpr auto most = 0x1p63;
  auto const fits = array.fill && *array.fill >= (array.kind == 'u' ? 0 : -most) && *array.fill < most;
  if (!fits) return array.kind == 'u' ? NC_FILL_UINT64 : static_cast<std::uint64_t>(NC_FILL_INT64);
  return array.kind == 'u' ? static_cast<std::uint64_t>(*array.fill)
                           : static_cast<std::uint64_t>(static_cast<std::int64_t>(*array.fill));
}

class ZarrReader : public ForeignReader {
 public:
  ZarrReader(std::string const& path, Allowance const& allow) : allow_{allow}, store_{zarr_store(path)} {}

  NetcdfCatalogue const& catalogue() const override { return store_.catalogue; }

  void read(std::size_t number, Extents const& start, Extents const& count, void* target) override {
    auto const& array = store_.arrays.at(number);
    auto* const values = static_cast<std::uint64_t*>(target);
    auto const rank = start.size();
    Extents first(rank), chunks(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      if (count[d] == 0) return;
      first[d] = start[d] / array.chunk[d];
      chunks[d] = (start[d] + count[d] - 1) / array.chunk[d] - first[d] + 1;
    }
    auto const nothing = element_of_no_chunk(array);
    visit_box(first, chunks, [&](Extents const& chunk) {
      auto const& bytes = chunk_of(number, chunk);
      Extents from(rank), extent(rank);
      for (std::size_t d = 0; d < rank; ++d) {
        from[d] = std::max(start[d], chunk[d] * array.chunk[d]);
        extent[d] = std::min(start[d] + count[d], (chunk[d] + 1) * array.chunk[d]) - from[d];
      }
      visit_box(from, extent, [&](Extents const& index) {
        std::size_t place = 0, within = 0;
        for (std::size_t d = 0; d < rank; ++d) place = place * count[d] + index[d] - start[d];
        for (std::size_t i = 0; i < rank; ++i) {
          auto const d = array.columns_first ? rank - 1 - i : i;
          within = within * array.chunk[d] + index[d] - chunk[d] * array.chunk[d];
        }
        values[place] = bytes.empty() ? nothing : widened(array, bytes.data() + within * array.bytes);
      });
    });
  }

 private:
  /// The bytes of a chunk; none where there is no such chunk. The last one is kept.
  std::string const& chunk_of(std::size_t number, Extents const& index) {
    if (number == kept_array_ && index == kept_index_) return kept_;
    auto const& array = store_.arrays[number];
    std::string name;
    for (auto const along : index)
      name += (name.empty() ? "" : std::string(1, array.separator)) + std::to_string(along);
    auto const file = array.folder / (name.empty() ? "0" : name);
    kept_array_ = std::numeric_limits<std::size_t>::max();
    kept_.clear();
    auto const size = array.chunk_bytes();
    std::error_code failed;
    if (std::filesystem::exists(file, failed)) {
      constexpr std::uint64_t overhead = 1 << 20;  // bytes that packing may add
      allow_(size);
      try {
        auto content = regular_file_content(file, size + overhead);
        if (!content) throw NetcdfFailure("the chunk " + name + " cannot be read");
        kept_ = unpacked_chunk(array.codec, std::move(*content), size);
      } catch (InputError const&) {
        throw NetcdfFailure("the chunk " + name + " is not of the size that its array says");
      }
      if (array.shuffled > 0) kept_ = unshuffled(kept_, array.shuffled);
    }
    kept_array_ = number;
    kept_index_ = index;
    return kept_;
  }

  Allowance const allow_;
  ZarrStore const store_;
  std::size_t kept_array_ = std::numeric_limits<std::size_t>::max();
  Extents kept_index_;
  std::string kept_;
};

}  // namespace

std::unique_ptr<ForeignReader> open_zarr_reader(std::string const& path, Allowance const& allow) {
  return std::make_unique<ZarrReader>(path, allow);
}

}  // namespace ulpine::io
