// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ulpine {

/// What the values of an array are.
enum class ValueType : std::uint8_t { uint8, float32, float64, binary128 };

constexpr int bytes_of(ValueType type) {
  switch (type) {
    case ValueType::uint8:
      return 1;
    case ValueType::float32:
      return 4;
    case ValueType::float64:
      return 8;
    default:
      return 16;
  }
}

template <class T>
inline constexpr ValueType value_type_of = ValueType::binary128;
template <>
inline constexpr ValueType value_type_of<std::uint8_t> = ValueType::uint8;
template <>
inline constexpr ValueType value_type_of<float> = ValueType::float32;
template <>
inline constexpr ValueType value_type_of<double> = ValueType::float64;

}  // namespace ulpine
