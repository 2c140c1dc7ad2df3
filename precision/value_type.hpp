// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace ulpine {

/// The type of stored values: IEEE 754 binary32, binary64, binary128, a byte (masks), or two binary32 of
/// which the sum is meant (double_float.hpp).
enum class ValueType : std::uint8_t { uint8, float32, float64, binary128, float32_pair };

constexpr int bytes_of(ValueType type) {
  switch (type) {
    case ValueType::uint8:
      return 1;
    case ValueType::float32:
      return 4;
    case ValueType::float64:
    case ValueType::float32_pair:
      return 8;
    case ValueType::binary128:
      break;
  }
  return 16;
}

namespace detail {

template <class T>
constexpr ValueType value_type() {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return ValueType::uint8;
  } else if constexpr (std::is_same_v<T, float>) {
    return ValueType::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return ValueType::float64;
  } else {
    static_assert(sizeof(T) == 16, "only std::uint8_t, float, double and types of 16 bytes are stored");
    return ValueType::binary128;
  }
}

}  // namespace detail

/// ValueType of std::uint8_t, float and double; any type of 16 bytes counts as binary128.
template <class T>
inline constexpr ValueType value_type_of = detail::value_type<T>();

}  // namespace ulpine
