// SPDX-License-Identifier: Apache-2.0
#include "core/model/convert.hpp"

#include <algorithm>
#include <cstring>

#include "io/error.hpp"

namespace ulpine {
namespace {

template <class From, class To>
std::vector<std::byte> converted(std::vector<std::byte> const& source) {
  auto const count = source.size() / sizeof(From);
  std::vector<std::byte> target(count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, source.data() + i * sizeof(From), sizeof(From));
    auto const rounded = static_cast<To>(value);
    std::memcpy(target.data() + i * sizeof(To), &rounded, sizeof(To));
  }
  return target;
}

template <class From>
std::vector<std::byte> converted_to(std::int32_t bytes, std::vector<std::byte> const& source) {
  switch (bytes) {
    case 4:
      return converted<From, float>(source);
    case 8:
      return converted<From, double>(source);
    default:
      return converted<From, __float128>(source);
  }
}

std::vector<std::byte> values_of(io::StateArray const& source, std::int32_t bytes) {
  if (source.bytes_per_value == bytes) {
    return source.data;
  }
  switch (source.bytes_per_value) {
    case 4:
      return converted_to<float>(bytes, source.data);
    case 8:
      return converted_to<double>(bytes, source.data);
    default:
      return converted_to<__float128>(bytes, source.data);
  }
}

}  // namespace

io::Snapshot convert(io::Snapshot const& source, io::Snapshot const& layout) {
  auto const refuse = [&](std::string const& why) {
    return InputError("cannot go on from the " + source.core + " state in " + source.policy + " with " +
                      layout.policy + " (" + why + ") start both from the same case");
  };
  if (source.core != layout.core) {
    throw refuse("the model is a " + layout.core + " core");
  }
  if (source.arrays.size() != layout.arrays.size()) {
    throw refuse("it has " + std::to_string(source.arrays.size()) + " arrays, the model " +
                 std::to_string(layout.arrays.size()));
  }
  auto target = source;
  target.policy = layout.policy;
  target.arrays.clear();
  for (auto const& wanted : layout.arrays) {
    auto const found = std::find_if(source.arrays.begin(), source.arrays.end(),
                                    [&](io::StateArray const& array) { return array.name == wanted.name; });
    if (found == source.arrays.end()) {
      throw refuse("it lacks the array '" + wanted.name + "'");
    }
    if (found->shape != wanted.shape) {
      throw refuse("the array '" + wanted.name + "' has another shape");
    }
    target.arrays.push_back(
        {wanted.name, wanted.bytes_per_value, wanted.shape, values_of(*found, wanted.bytes_per_value)});
  }
  return target;
}

}  // namespace ulpine
