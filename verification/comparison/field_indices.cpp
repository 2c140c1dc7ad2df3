// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/field_indices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ulpine::verification {
namespace {

std::string_view attribute(io::TraceEntry const& entry, std::string_view key) {
  for (auto const& [name, value] : entry.attributes) {
    if (name == key) return value;
  }
  return {};
}

bool has(io::TraceEntry const& entry, std::string_view key) {
  return std::ranges::any_of(entry.attributes, [&](auto const& item) { return item.first == key; });
}

/// The numbers of "30,20,10", none of them below 1; nothing where it is no such text.
std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
  std::vector<std::int64_t> shape;
  while (!text.empty()) {
    std::int64_t extent = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (failed != std::errc{} || extent < 1) return {};
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return {};
    text.remove_prefix(1);
  }
  return shape;
}

/// Whether the shape has just `count` elements.
bool holds(std::vector<std::int64_t> const& shape, std::int64_t count) {
  for (auto const extent : shape) {
    if (count < extent || count % extent != 0) return false;
    count /= extent;
  }
  return count == 1;
}

}  // namespace

std::optional<FieldIndices> indices_of(io::TraceEntry const& field, std::int64_t count) {
  auto const order = attribute(field, "indices");
  auto shape = shape_of(attribute(field, "shape"));
  if (!shape || !has(field, "shape") || (order != "fortran" && order != "c")) return {};
  FieldIndices indices{std::move(*shape), order == "fortran",
                       attribute(field, "type").starts_with("complex")};
  if (indices.complex && count % 2 != 0) return {};
  if (!holds(indices.shape, indices.complex ? count / 2 : count)) return {};
  return indices;
}

std::vector<std::int64_t> indices_at(FieldIndices const& field, std::int64_t element) {
  auto place = field.complex ? element / 2 : element;
  std::vector<std::int64_t> indices(field.shape.size());
  for (auto axis = indices.size(); axis-- > 0;) {
    indices[axis] = place % field.shape[axis] + (field.fastest_first ? 1 : 0);
    place /= field.shape[axis];
  }
  if (field.fastest_first) std::ranges::reverse(indices);
  return indices;
}

std::string indices_text(FieldIndices const& field, std::int64_t first, std::int64_t last) {
  auto const one = [&](std::int64_t element) {
    auto const indices = indices_at(field, element);
    if (indices.size() == 1 && field.fastest_first) return std::to_string(indices[0]);
    return fmt::format(fmt::runtime(field.fastest_first ? "({})" : "[{}]"), fmt::join(indices, ", "));
  };
  std::string text;
  if (!field.shape.empty()) {
    if (field.fastest_first) {
      for (std::size_t axis = 0; axis < field.shape.size(); ++axis) {
        text += (axis == 0 ? "" : ", ") + std::string(1, static_cast<char>('i' + axis));
      }
      text = field.shape.size() == 1 ? text + " = " : "(" + text + ") = ";
    }
    text += one(first);
    if (one(last) != one(first)) text += " to " + one(last);
  }
  if (field.complex && first == last) {
    text += std::string(text.empty() ? "" : " ") + (first % 2 == 0 ? "real part" : "imaginary part");
  }
  return text;
}

}  // namespace ulpine::verification
