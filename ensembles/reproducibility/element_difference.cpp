// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/element_difference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "precision/double_float.hpp"

namespace ulpine::ensembles {
namespace {

template <class Value>
double number_in(std::byte const* data) {
  Value value;
  std::memcpy(&value, data, sizeof value);
  return static_cast<double>(value);
}

double number(std::byte const* data, ValueType type) {
  switch (type) {
    case ValueType::uint8:
      return number_in<std::uint8_t>(data);
    case ValueType::float32:
      return number_in<float>(data);
    case ValueType::float64:
      return number_in<double>(data);
    case ValueType::float32_pair:
      return number_in<DoubleFloat>(data);
    default:
      return number_in<__float128>(data);
  }
}

std::string bits(std::byte const* data, std::size_t width) {
  std::string text;
  for (auto i = width; i-- > 0;) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(data[i]));
  }
  return text;
}

}  // namespace

void add_differences(ElementDifference& result, ValueType type, std::int64_t first,
                     std::span<std::byte const> reference, std::span<std::byte const> values) {
  auto const width = static_cast<std::size_t>(bytes_of(type));
  for (std::size_t at = 0; at + width <= reference.size(); at += width) {
    auto const* const before = reference.data() + at;
    auto const* const after = values.data() + at;
    // Processors choose payload and sign of NaN differently.
    auto const same = std::memcmp(before, after, width) == 0 ||
                      (std::isnan(number(before, type)) && std::isnan(number(after, type)));
    if (!same && result.differing++ == 0) {
      result.element = first + static_cast<std::int64_t>(at / width);
      result.reference = number(before, type);
      result.value = number(after, type);
      result.reference_bits = bits(before, width);
      result.value_bits = bits(after, width);
    }
  }
}

std::string describe(ElementDifference const& d) {
  return fmt::format("element {}: {} (0x{}) against {} (0x{}); {} {}", d.element, d.reference,
                     d.reference_bits, d.value, d.value_bits, d.differing,
                     d.differing == 1 ? "element differs" : "elements differ");
}

}  // namespace ulpine::ensembles
