// SPDX-License-Identifier: Apache-2.0
#include "core/field/field.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace ulpine {
namespace {

/// `other` along the axes of `field`: stride 0 along those that it does not have. `what` it is to the field.
RawField along_axes_of(FieldDescription const& field, Layout const& layout, Field const& other,
                       std::string const& what) {
  std::array<LayoutAxis, Layout::most_axes> axes{};
  std::size_t found = 0;
  std::int64_t shift = 0;  // to what this rank owns, where it owns all of `other`
  for (int a = 0; a < layout.rank(); ++a) {
    auto const& names = other.description().dimensions;
    auto const name = std::find(names.begin(), names.end(), field.dimensions.at(static_cast<std::size_t>(a)));
    auto& axis = axes[static_cast<std::size_t>(a)];
    axis = layout.axis(a);
    axis.stride = 0;
    if (name == names.end()) continue;
    auto const& own = other.layout().axis(static_cast<int>(name - names.begin()));
    if (own.extent == axis.global_extent) {
      shift += axis.begin * own.stride;
    } else if (own.extent != axis.extent) {
      throw std::logic_error(what + " " + other.name() + " of field " + field.name + " has another shape");
    }
    axis.stride = own.stride;
    ++found;
  }
  if (found != other.description().dimensions.size()) {
    throw std::logic_error(what + " " + other.name() + " has dimensions that field " + field.name + " lacks");
  }
  auto const& own = other.layout();
  auto const rank = static_cast<std::size_t>(layout.rank());
  if (own.positions() != nullptr && other.description().dimensions.back() != field.dimensions.back()) {
    throw std::logic_error(what + " " + other.name() + " of field " + field.name +
                           " is stored in another order along an axis that is not the field's last");
  }
  auto raw = other.raw();
  raw.layout =
      Layout(std::span(axes).first(rank), own.offset() + shift, own.allocated()).with_entities_of(own);
  return raw;
}

}  // namespace

Field::Field(FieldDescription description, RawField raw)
    : raw_{std::move(raw)}, description_{std::move(description)} {
  if (!description_.dimensions.empty() &&
      static_cast<int>(description_.dimensions.size()) != raw_.layout.rank()) {
    throw std::logic_error("field " + description_.name + ": one name for each of its axes is needed");
  }
  if (description_.domain != nullptr) {
    domain_ = along_axes_of(description_, raw_.layout, *description_.domain, "the domain");
  }
}

RawField Field::broadcast(Field const& other) const {
  return along_axes_of(description_, layout(), other, "the weights");
}

std::vector<std::int64_t> Field::shape() const {
  std::vector<std::int64_t> extents;
  for (int a = 0; a < layout().rank(); ++a) extents.push_back(layout().axis(a).global_extent);
  return extents;
}

std::string Field::place(std::int64_t dense_index) const {
  std::string text = ")";
  for (int a = layout().rank(); a-- > 0;) {
    auto const extent = layout().axis(a).global_extent;
    text = (a == 0 ? "(" : ", ") + std::to_string(dense_index % extent) + text;
    dense_index /= extent;
  }
  return text;
}

}  // namespace ulpine
