// SPDX-License-Identifier: Apache-2.0
#include "probe/source/whole_fields.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "io/error.hpp"

namespace ulpine::probe {
namespace {

constexpr std::size_t most_kept = 4;

InputError contradiction(FieldsFile const& file, RecordedPart const& part) {
  return InputError(file.name() + ": parts of " + text_of(Place{part.position, part.stage, part.field}) +
                    " do not go together (their types, domains or sizes differ) record them again");
}

/// Puts the values of a part to their dense indices.
void place_values(RecordedPart const& part, std::vector<std::byte> const& values, WholeField& field) {
  auto const size = static_cast<std::size_t>(part.element_size);
  std::array<std::int64_t, Part::most_axes> at = {};
  auto const rank = static_cast<int>(part.axes.size());
  for (std::int64_t k = 0; k < part.count; ++k) {
    std::int64_t index = 0;
    for (int a = 0; a < rank; ++a) {
      auto const& axis = part.axes[static_cast<std::size_t>(a)];
      auto const along = at[static_cast<std::size_t>(a)];
      index = index * axis.whole +
              (axis.numbers.empty() ? axis.first + along : axis.numbers[static_cast<std::size_t>(along)]);
    }
    std::memcpy(field.values.data() + static_cast<std::size_t>(index) * size,
                values.data() + static_cast<std::size_t>(k) * size, size);
    field.there[static_cast<std::size_t>(index)] = true;
    for (int a = rank - 1; a >= 0; --a) {
      if (++at[static_cast<std::size_t>(a)] < part.axes[static_cast<std::size_t>(a)].extent) break;
      at[static_cast<std::size_t>(a)] = 0;
    }
  }
}

std::vector<std::int64_t> shape_of(RecordedPart const& part) {
  std::vector<std::int64_t> shape;
  for (auto const& axis : part.axes) shape.push_back(axis.whole);
  return shape;
}

}  // namespace

bool WholeField::goes_with(Part const& part) const {
  if (type != type_name(part) || element_size != probe::element_size(part.type) ||
      shape.size() != static_cast<std::size_t>(part.rank)) {
    return false;
  }
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (shape[a] != part.axes[a].whole) return false;
  }
  return true;
}

struct WholeFields::State {
  explicit State(std::string const& name) : file{name} {
    for (std::size_t k = 0; k < file.parts().size(); ++k) {
      auto const& part = file.parts()[k];
      numbers[key_of(Place{part.position, part.stage, part.field})].push_back(k);
    }
  }

  FieldsFile file;
  std::unordered_map<std::string, std::vector<std::size_t>> numbers;
  std::mutex mutex;                                                           ///< guards what is below
  std::list<std::pair<std::string, std::shared_ptr<WholeField const>>> kept;  ///< the last used first

  std::shared_ptr<WholeField const> read(std::vector<std::size_t> const& parts) const {
    auto const& first = file.parts()[parts.front()];
    auto field = std::make_shared<WholeField>();
    field->type = first.type;
    field->element_size = first.element_size;
    field->shape = shape_of(first);
    std::size_t count = 1;
    for (auto const extent : field->shape) count *= static_cast<std::size_t>(extent);
    field->values.resize(count * static_cast<std::size_t>(first.element_size));
    field->there.resize(count);
    for (auto const number : parts) {
      auto const& part = file.parts()[number];
      if (part.type != first.type || part.element_size != first.element_size ||
          shape_of(part) != field->shape) {
        throw contradiction(file, part);
      }
      place_values(part, file.values(part), *field);
    }
    return field;
  }
};

WholeFields::WholeFields(std::string const& name) : state_{std::make_unique<State>(name)} {}
WholeFields::~WholeFields() = default;

FieldsFile const& WholeFields::file() const { return state_->file; }

std::shared_ptr<WholeField const> WholeFields::find(Place const& place) {
  auto const key = key_of(place);
  auto const parts = state_->numbers.find(key);
  if (parts == state_->numbers.end()) return nullptr;
  std::lock_guard const lock{state_->mutex};
  auto& kept = state_->kept;
  auto const found = std::ranges::find_if(kept, [&key](auto const& one) { return one.first == key; });
  if (found != kept.end()) {
    kept.splice(kept.begin(), kept, found);
  } else {
    kept.emplace_front(key, state_->read(parts->second));
    if (kept.size() > most_kept) kept.pop_back();
  }
  return kept.front().second;
}

}  // namespace ulpine::probe
