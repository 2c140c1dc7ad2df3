// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "probe/source/part.hpp"
#include "probe/source/place.hpp"

namespace ulpine::probe::test {

template <class T>
constexpr ulpine_type type_of() {
  if constexpr (std::is_same_v<T, float>) return ULPINE_F32;
  if constexpr (std::is_same_v<T, double>) return ULPINE_F64;
  if constexpr (std::is_same_v<T, std::int8_t>) return ULPINE_I8;
  if constexpr (std::is_same_v<T, std::int16_t>) return ULPINE_I16;
  if constexpr (std::is_same_v<T, std::int32_t>) return ULPINE_I32;
  return ULPINE_I64;
}

/// The description of a whole dense array in C's order of axes.
template <class T>
ulpine_array array_of(std::vector<T>& values, std::vector<std::int64_t> const& extents) {
  ulpine_array array{};
  array.data = values.data();
  array.type = type_of<T>();
  array.rank = static_cast<int>(extents.size());
  for (std::size_t a = 0; a < extents.size(); ++a) array.extent[a] = extents[a];
  return array;
}

inline Part part_of(ulpine_array const& array) { return probe::part_of("x", 1, array); }

template <class T>
Part part_of(std::vector<T>& values, std::vector<std::int64_t> const& extents) {
  return part_of(array_of(values, extents));
}

/// A place that owns its names.
struct Where {
  std::vector<io::LoopIndex> position;
  std::string stage = "stage", field = "x";
  Place place() const { return {position, stage, field}; }
};
inline Where at_step(std::int64_t step, std::string stage = "stage", std::string field = "x") {
  return {{{"step", step}}, std::move(stage), std::move(field)};
}

/// Lines told to a user.
struct Lines {
  std::vector<std::string> lines;
  Tell tell() {
    return [this](std::string const& line) { lines.push_back(line); };
  }
};

}  // namespace ulpine::probe::test
