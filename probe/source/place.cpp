// SPDX-License-Identifier: Apache-2.0
#include "probe/source/place.hpp"

#include <array>

#include "core/exec/random.hpp"
#include "core/field/hash.hpp"

namespace ulpine::probe {

std::string key_of(Place const& place) {
  std::string key = io::text_of(place.position);
  return key.append(1, '\n').append(place.stage).append(1, '\n').append(place.field);
}

std::uint64_t random_key(Place const& place) {
  std::uint64_t key = 0;
  auto const add = [&key](std::string_view name, std::int64_t index) {
    key = detail::mix((key ^ name_key(name)) + detail::index_key(index));
  };
  for (auto const& [loop, index] : place.position) add(loop, index);
  add(place.stage, -1);
  add(place.field, -2);
  return key;
}

std::string text_of(Place const& place) {
  std::string text = io::text_of(place.position);
  return text.append(", stage ").append(place.stage).append(", field ").append(place.field);
}

std::string_view type_name(Part const& part) {
  switch (part.type) {
    case ULPINE_F32:
      return part.complex ? "complex32" : "float32";
    case ULPINE_F64:
      return part.complex ? "complex64" : "float64";
    case ULPINE_I8:
      return "int8";
    case ULPINE_I16:
      return "int16";
    case ULPINE_I32:
      return "int32";
    case ULPINE_I64:
      return "int64";
    default:
      return "logical";
  }
}

int element_size(ulpine_type type) {
  switch (type) {
    case ULPINE_I8:
    case ULPINE_L8:
      return 1;
    case ULPINE_I16:
      return 2;
    case ULPINE_F32:
    case ULPINE_I32:
    case ULPINE_L32:
      return 4;
    default:
      return 8;
  }
}

std::string indices_text(Part const& part, std::int64_t dense_index) {
  std::array<std::int64_t, Part::most_axes> indices = {};
  for (int a = part.rank - 1; a >= 0; --a) {
    indices[static_cast<std::size_t>(a)] = dense_index % part.axes[static_cast<std::size_t>(a)].whole;
    dense_index /= part.axes[static_cast<std::size_t>(a)].whole;
  }
  auto const axes = part.complex ? part.rank - 1 : part.rank;
  std::string names, numbers;
  for (int a = 0; a < axes; ++a) {
    auto const index = indices[static_cast<std::size_t>(part.fastest_first ? axes - 1 - a : a)];
    names += (a == 0 ? "" : ", ") + std::string(1, static_cast<char>('i' + a));
    numbers += (a == 0 ? "" : ", ") + std::to_string(index + (part.fastest_first ? 1 : 0));
  }
  std::string text = axes == 0             ? ""
                     : !part.fastest_first ? "[" + numbers + "]"
                     : axes == 1           ? "i = " + numbers
                                           : "(" + names + ") = (" + numbers + ")";
  if (part.complex) {
    text += std::string(text.empty() ? "" : " ") +
            (indices[static_cast<std::size_t>(axes)] == 0 ? "real part" : "imaginary part");
  }
  return text;
}

std::uint64_t places_of(Part const& part) {
  std::uint64_t sum = 0;
  for_each_row(part, [&sum](std::int64_t index, std::byte const*, std::int64_t count, std::int64_t) {
    for (std::int64_t k = 0; k < count; ++k) sum += detail::index_key(index + k);
  });
  return sum;
}

}  // namespace ulpine::probe
