// SPDX-License-Identifier: Apache-2.0
#include "io/raw_change.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "io/error.hpp"

namespace ulpine::io {
namespace {

static_assert(std::endian::native == std::endian::little);

/// The number that begins at `bytes`, and one written there.
template <class T>
double number_at(char const* bytes, bool reversed) {
  char own[sizeof(T)];
  std::memcpy(own, bytes, sizeof(T));
  if (reversed) std::reverse(own, own + sizeof(T));
  T value;
  std::memcpy(&value, own, sizeof(T));
  return static_cast<double>(value);
}
template <class T>
void put_number(char* bytes, double number, bool reversed) {
  auto const value = static_cast<T>(number);
  std::memcpy(bytes, &value, sizeof(T));
  if (reversed) std::reverse(bytes, bytes + sizeof(T));
}

}  // namespace

std::int64_t raw_count(std::filesystem::path const& path, RawValues const& values) {
  auto const width = std::int64_t{bytes_of(values.type)};
  std::error_code failed;
  auto const size = static_cast<std::int64_t>(std::filesystem::file_size(path, failed));
  auto const there = failed ? 0 : size - values.first_byte;
  if (values.count > 0 && there / width >= values.count && there >= 0) return values.count;
  if (values.count == 0 && there > 0 && there % width == 0) return there / width;
  throw InputError(path.string() + ": has no such numbers (" +
                   std::to_string(std::max<std::int64_t>(there, 0)) + " bytes from byte " +
                   std::to_string(values.first_byte) + ", of " + std::to_string(width) +
                   " each) mend where they begin, their number or their type");
}

void change_raw(std::filesystem::path const& path, RawValues const& values, ValueChange const& change) {
  auto const count = raw_count(path, values);
  auto const width = std::int64_t{bytes_of(values.type)};
  auto const is_float = values.type == ValueType::float32;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  constexpr std::int64_t together = std::int64_t{4} << 20;
  std::vector<char> bytes;
  std::vector<double> numbers;
  for (std::int64_t first = 0; first < count && file; first += together) {
    auto const here = std::min(together, count - first);
    bytes.resize(static_cast<std::size_t>(here * width));
    file.seekg(values.first_byte + first * width);
    file.read(bytes.data(), std::ssize(bytes));
    auto const at = [&](std::int64_t i) { return bytes.data() + i * width; };
    numbers.resize(static_cast<std::size_t>(here));
    for (std::int64_t i = 0; i < here; ++i) {
      numbers[static_cast<std::size_t>(i)] =
          is_float ? number_at<float>(at(i), values.big_endian) : number_at<double>(at(i), values.big_endian);
    }
    auto const before = numbers;
    change(first, numbers);
    for (std::int64_t i = 0; i < here; ++i) {
      auto const n = static_cast<std::size_t>(i);
      if (std::isnan(before[n])) continue;
      if (is_float) {
        put_number<float>(at(i), numbers[n], values.big_endian);
      } else {
        put_number<double>(at(i), numbers[n], values.big_endian);
      }
    }
    file.seekp(values.first_byte + first * width);
    file.write(bytes.data(), std::ssize(bytes));
  }
  file.close();
  if (!file)
    throw EnvironmentError(path.string() + ": cannot be written (is the disk full?) make room there");
}

}  // namespace ulpine::io
