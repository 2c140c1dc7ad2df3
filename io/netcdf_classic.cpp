// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_classic.hpp"

#include <fcntl.h>
#include <netcdf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <type_traits>

#include "io/error.hpp"

namespace ulpine::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the files' numbers are the other way round");

/// A header that is not as netCDF writes it.
struct Unusual {};

template <class Word>
Word turned(Word word) {
  if constexpr (sizeof(Word) == 8) {
    return __builtin_bswap64(word);
  } else if constexpr (sizeof(Word) == 4) {
    return __builtin_bswap32(word);
  } else if constexpr (sizeof(Word) == 2) {
    return __builtin_bswap16(word);
  } else {
    return word;
  }
}

template <class Number>
using WordOf = std::conditional_t<
    sizeof(Number) == 8, std::uint64_t,
    std::conditional_t<sizeof(Number) == 4, std::uint32_t,
                       std::conditional_t<sizeof(Number) == 2, std::uint16_t, std::uint8_t>>>;

/// Makes `count` stored numbers, the other way round, values of another type.
template <class Number, class Value>
void convert(std::byte const* stored, std::size_t count, Value* values) {
  for (std::size_t i = 0; i < count; ++i) {
    WordOf<Number> word;
    std::memcpy(&word, stored + i * sizeof word, sizeof word);
    values[i] = static_cast<Value>(std::bit_cast<Number>(turned(word)));
  }
}

std::size_t bytes_of(std::int32_t type) {
  static constexpr std::array<std::size_t, 12> sizes = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  return sizes[static_cast<std::size_t>(type)];
}

/// Stored values as read_hyperslab() gives them, of eight bytes each.
void widen(std::int32_t type, std::byte const* stored, std::size_t count, void* values) {
  auto* const doubles = static_cast<double*>(values);
  switch (type) {
    case NC_BYTE:
      return convert<std::int8_t>(stored, count, doubles);
    case NC_CHAR:
      return convert<char>(stored, count, doubles);
    case NC_SHORT:
      return convert<std::int16_t>(stored, count, doubles);
    case NC_INT:
      return convert<std::int32_t>(stored, count, doubles);
    case NC_FLOAT:
      return convert<float>(stored, count, doubles);
    case NC_DOUBLE:
      return convert<double>(stored, count, doubles);
    case NC_UBYTE:
      return convert<std::uint8_t>(stored, count, doubles);
    case NC_USHORT:
      return convert<std::uint16_t>(stored, count, doubles);
    case NC_UINT:
      return convert<std::uint32_t>(stored, count, doubles);
    default:  // 64-bit integers
      return convert<std::uint64_t>(stored, count, static_cast<std::uint64_t*>(values));
  }
}

std::uint64_t product_of(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw Unusual{};
  return product;
}

/// Reads the header from its bytes.
class Header {
 public:
  Header(std::string_view bytes, std::uint64_t file_bytes) : rest_{bytes}, file_bytes_{file_bytes} {}

  void read(NetcdfCatalogue& catalogue, std::vector<ClassicNetcdf::Place>& places) {
    auto const magic = take(4);
    version_ = magic[3];
    if (!magic.starts_with("CDF") || (version_ != 1 && version_ != 2 && version_ != 5)) throw Unusual{};
    auto const records = count();
    if (records > (version_ == 5 ? ~std::uint64_t{0} >> 1 : 0xfffffffe)) throw Unusual{};
    std::vector<NetcdfDimension> dimensions;
    std::set<std::string> names;
    for (auto left = items(dimensions_follow); left > 0; --left) {
      auto& dimension = dimensions.emplace_back();
      dimension.name = name();
      if (!names.insert(dimension.name).second) throw Unusual{};
      dimension.length = count();
      dimension.id = static_cast<std::int32_t>(dimensions.size() - 1);
      dimension.unlimited = dimension.length == 0;
      if (dimension.unlimited) dimension.length = records;
    }
    if (std::ranges::count(dimensions, true, &NetcdfDimension::unlimited) > 1) throw Unusual{};
    catalogue.attributes = attributes();
    names.clear();
    std::vector<std::uint64_t> of_record;  // bytes of each variable that has records
    for (auto left = items(variables_follow); left > 0; --left) {
      auto& variable = catalogue.variables.emplace_back();
      variable.name = name();
      if (!names.insert(variable.name).second) throw Unusual{};
      variable.group = 0;
      variable.id = static_cast<std::int32_t>(catalogue.variables.size() - 1);
      for (auto rank = count(); rank > 0; --rank) {
        auto const number = count();
        if (number >= dimensions.size()) throw Unusual{};
        variable.dimensions.push_back(dimensions[number]);
        if (variable.dimensions.back().unlimited && variable.dimensions.size() > 1) throw Unusual{};
      }
      variable.chunk.assign(variable.dimensions.size(), 1);
      variable.attributes = attributes();
      variable.type = type();
      count();  // its size, which overflows in large files
      auto& place = places.emplace_back();
      place.begin = version_ == 1 ? word() : wide_word();
      auto bytes = std::uint64_t{bytes_of(variable.type)};
      auto const has_records = !variable.dimensions.empty() && variable.dimensions.front().unlimited;
      for (std::size_t d = has_records ? 1 : 0; d < variable.dimensions.size(); ++d)
        bytes = product_of(bytes, variable.dimensions[d].length);
      if (has_records) {
        of_record.push_back(bytes);
        place.record = 1;
      } else {
        require_within(place.begin, bytes);
      }
    }
    // Records are padded to 4 bytes, except where there is a single variable that has some.
    std::uint64_t record = 0;
    for (auto const bytes : of_record) {
      record += of_record.size() == 1 ? bytes : (bytes + 3) / 4 * 4;
      if (record > file_bytes_ && records > 0) throw Unusual{};
    }
    std::size_t next = 0;
    for (auto& place : places) {
      if (place.record == 0) continue;
      place.record = record;
      if (records > 0) {
        auto const before = product_of(records - 1, record);
        if (before > file_bytes_) throw Unusual{};
        require_within(place.begin + before, of_record[next]);
      }
      ++next;
    }
  }

 private:
  static constexpr std::uint32_t dimensions_follow = 10, variables_follow = 11, attributes_follow = 12;

  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw Unusual{};
    auto const taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::uint32_t word() {
    std::uint32_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return turned(value);
  }
  std::uint64_t wide_word() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return turned(value);
  }
  std::uint64_t count() { return version_ == 5 ? wide_word() : word(); }
  /// The number of items of a list, each of at least four bytes.
  std::uint64_t items(std::uint32_t tag) {
    auto const found = word();
    auto const number = count();
    if ((found != tag && (found != 0 || number != 0)) || number > rest_.size() / 4) throw Unusual{};
    return number;
  }
  std::string_view padded(std::uint64_t bytes) {
    auto const taken = take(bytes);
    take((4 - bytes % 4) % 4);
    return taken;
  }
  std::string name() {
    auto const text = padded(count());
    if (text.empty() || text.size() > NC_MAX_NAME || text.find('/') != text.npos ||
        text.find('\0') != text.npos)
      throw Unusual{};
    // netCDF brings other letters to one form.
    if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; })) throw Unusual{};
    return std::string{text};
  }
  std::int32_t type() {
    auto const number = word();
    if (number < NC_BYTE || number > (version_ == 5 ? NC_UINT64 : NC_DOUBLE)) throw Unusual{};
    return static_cast<std::int32_t>(number);
  }
  NetcdfAttributes attributes() {
    NetcdfAttributes result;
    for (auto left = items(attributes_follow); left > 0; --left) {
      auto const key = name();
      auto const of = type();
      auto const number = count();
      if (number > rest_.size()) throw Unusual{};
      auto const stored = padded(number * bytes_of(of));
      if (number == 0) continue;
      auto const* const bytes = reinterpret_cast<std::byte const*>(stored.data());
      if (of == NC_CHAR) {
        result[key] = std::string{stored.substr(0, stored.find('\0'))};
      } else if (of == NC_FLOAT || of == NC_DOUBLE) {
        std::vector<double> values(number);
        widen(of, bytes, number, values.data());
        result[key] = std::move(values);
      } else if (of == NC_UINT64) {
        std::vector<std::uint64_t> values(number);
        widen(of, bytes, number, values.data());
        result[key] = std::move(values);
      } else if (of == NC_INT64) {
        std::vector<std::int64_t> values(number);
        widen(of, bytes, number, values.data());
        result[key] = std::move(values);
      } else {
        std::vector<double> values(number);
        widen(of, bytes, number, values.data());
        result[key] = std::vector<std::int64_t>(values.begin(), values.end());
      }
    }
    return result;
  }
  void require_within(std::uint64_t begin, std::uint64_t bytes) const {
    if (begin > file_bytes_ || bytes > file_bytes_ - begin) throw Unusual{};
  }

  std::string_view rest_;
  std::uint64_t file_bytes_;
  int version_ = 0;
};

}  // namespace

std::unique_ptr<ClassicNetcdf> ClassicNetcdf::open(std::filesystem::path const& path) {
  std::unique_ptr<ClassicNetcdf> classic(
      new ClassicNetcdf(path.string(), ::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
  struct stat found {};
  auto const file = classic->file_.number();
  if (file < 0 || fstat(file, &found) != 0) return nullptr;
  auto const size = static_cast<std::uint64_t>(found.st_size);
  constexpr std::uint64_t most_usual = std::uint64_t{1} << 16, most = std::uint64_t{1} << 24;  // bytes
  for (auto const bytes : {std::min(size, most_usual), std::min(size, most)}) {
    std::string header(bytes, '\0');
    try {
      classic->read_bytes(0, header.data(), header.size());
      classic->catalogue_ = {};
      classic->places_.clear();
      if (!header.starts_with("CDF")) return nullptr;
      Header(header, size).read(classic->catalogue_, classic->places_);
      return classic;
    } catch (Unusual const&) {
      // Perhaps the header is longer than what was read of it.
    } catch (InputError const&) {
      return nullptr;
    }
  }
  return nullptr;
}

void ClassicNetcdf::read_bytes(std::uint64_t offset, void* bytes, std::size_t count) const {
  auto* next = static_cast<char*>(bytes);
  while (count > 0) {
    auto const got = ::pread(file_.number(), next, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw InputError(path_ + ": cannot be read (" +
                       (got < 0 ? std::strerror(errno) : "it became shorter meanwhile") + ") copy it again");
    }
    next += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

void ClassicNetcdf::read(std::size_t number, std::vector<std::size_t> const& start,
                         std::vector<std::size_t> const& count, Sink const& sink) const {
  auto const& variable = catalogue_.variables[number];
  auto const& place = places_[number];
  auto const size = std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>{});
  if (size == 0) return;
  auto const rank = count.size();
  for (std::size_t d = 0; d < rank; ++d) {
    if (start[d] + count[d] > variable.dimensions[d].length)
      throw InputError(path_ + ": " + variable.name +
                       ": has no such part (the file was changed while it was "
                       "read) call again");
  }
  auto const bytes = bytes_of(variable.type);
  // Bytes from one index to the next along each dimension, and the values that follow each other in the file.
  std::vector<std::uint64_t> steps(rank);
  std::uint64_t step = bytes;
  for (auto d = rank; d-- > 0;) {
    auto const is_record = d == 0 && place.record > 0;
    steps[d] = is_record ? place.record : step;
    step *= variable.dimensions[d].length;
  }
  std::size_t outer = rank, row = 1;
  for (; outer > 0; --outer) {
    if (steps[outer - 1] != row * bytes) break;
    row *= count[outer - 1];
    if (count[outer - 1] != variable.dimensions[outer - 1].length) {
      --outer;
      break;
    }
  }
  auto offset = place.begin;
  for (std::size_t d = 0; d < rank; ++d) offset += start[d] * steps[d];
  std::vector<std::size_t> index(outer, 0);
  auto* target = static_cast<std::byte*>(sink(size));
  std::array<std::byte, std::size_t{1} << 16> some;
  std::uint64_t first = 0, held = 0;  // bytes of the file that are in `some`
  constexpr std::size_t value_bytes = 8, ahead = 1 << 14;
  auto const end = [&] {
    auto last = place.begin;
    for (std::size_t d = 0; d < rank; ++d) last += (start[d] + count[d] - 1) * steps[d];
    return last + bytes;
  }();
  for (std::size_t done = 0; done < size; done += row) {
    for (std::size_t in_row = 0; in_row < row;) {
      auto const from = offset + in_row * bytes;
      if (from < first || from + bytes > first + held) {
        // What comes soon is read along: rows may be short.
        auto const wanted = std::max<std::uint64_t>((row - in_row) * bytes, ahead);
        held = std::min<std::uint64_t>({wanted, end - from, some.size() / value_bytes * value_bytes});
        first = from;
        read_bytes(first, some.data(), held);
      }
      auto const values = std::min<std::size_t>((first + held - from) / bytes, row - in_row);
      widen(variable.type, some.data() + (from - first), values, target);
      target += values * value_bytes;
      in_row += values;
    }
    for (auto d = outer; d-- > 0;) {
      offset += steps[d];
      if (++index[d] < count[d]) break;
      offset -= steps[d] * count[d];
      index[d] = 0;
    }
  }
}

}  // namespace ulpine::io
