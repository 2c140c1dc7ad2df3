// SPDX-License-Identifier: Apache-2.0
#include "io/state.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "io/error.hpp"
#include "precision/double_float.hpp"

namespace ulpine::io {
namespace {

/// Visits every piece [first, first + count) of `array` that a slab holds.
template <class Visit>
void for_each_piece(StateArray const& array, Visit visit) {
  auto const most = slab_bytes / bytes_of(array.type);
  for (std::int64_t first = 0, size = array.size(); first < size; first += most) {
    visit(first, std::min(most, size - first));
  }
}

template <class From, class To>
void convert_values(std::byte const* source, std::int64_t count, std::byte* target) {
  for (std::int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, source + i * static_cast<std::int64_t>(sizeof(From)), sizeof(From));
    auto const rounded = converted<To>(value);
    std::memcpy(target + i * static_cast<std::int64_t>(sizeof(To)), &rounded, sizeof(To));
  }
}

using Conversion = void (*)(std::byte const*, std::int64_t, std::byte*);

template <class From>
Conversion conversion_to(ValueType type) {
  return type == ValueType::float32        ? convert_values<From, float>
         : type == ValueType::float64      ? convert_values<From, double>
         : type == ValueType::float32_pair ? convert_values<From, DoubleFloat>
                                           : convert_values<From, __float128>;
}

Conversion conversion_between(ValueType from, ValueType to) {
  return from == ValueType::float32        ? conversion_to<float>(to)
         : from == ValueType::float64      ? conversion_to<double>(to)
         : from == ValueType::float32_pair ? conversion_to<DoubleFloat>(to)
                                           : conversion_to<__float128>(to);
}

class ConvertedState : public StateReader {
 public:
  ConvertedState(StateReader const& source, StateHeader header, std::vector<std::size_t> numbers)
      : source_{source}, header_{std::move(header)}, numbers_{std::move(numbers)} {}

  StateHeader const& header() const override { return header_; }

  void read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const override {
    auto const number = numbers_.at(array);
    auto const from = source_.header().arrays[number].type, to = header_.arrays[array].type;
    if (from == to) {
      source_.read(number, first, count, values);
      return;
    }
    auto const apply = conversion_between(from, to);
    constexpr std::int64_t most = 1 << 18;  // values: at most 4 MiB
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(count, most) * bytes_of(from)));
    for (std::int64_t done = 0; done < count; done += most) {
      auto const part = std::min(most, count - done);
      source_.read(number, first + done, part, buffer.data());
      apply(buffer.data(), part, values + done * bytes_of(to));
    }
  }

 private:
  StateReader const& source_;
  StateHeader header_;
  std::vector<std::size_t> numbers_;  ///< index of each array in the source
};

}  // namespace

StateReader::~StateReader() = default;

StoredState::StoredState(StateHeader header) : header_{std::move(header)} {
  for (auto const& array : header_.arrays) {
    bytes_.emplace_back(static_cast<std::size_t>(array.size() * bytes_of(array.type)));
  }
}

StoredState::StoredState(StateReader const& source) : StoredState(source.header()) {
  for (std::size_t number = 0; number < header_.arrays.size(); ++number) {
    auto const& array = header_.arrays[number];
    for_each_piece(array, [&](std::int64_t first, std::int64_t count) {
      source.read(number, first, count, bytes_[number].data() + first * bytes_of(array.type));
    });
  }
}

void StoredState::read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const {
  auto const width = bytes_of(header_.arrays.at(array).type);
  auto const& bytes = bytes_.at(array);
  auto const held = static_cast<std::int64_t>(bytes.size()) / width;
  if (first < 0 || count < 0 || count > held - first) {
    throw std::out_of_range("state array " + header_.arrays[array].name + " has no values " +
                            std::to_string(first) + " to " + std::to_string(first + count));
  }
  if (count > 0) std::memcpy(values, bytes.data() + first * width, static_cast<std::size_t>(count * width));
}

std::unique_ptr<StateReader> convert(StateReader const& source, StateHeader const& layout) {
  auto const& held = source.header();
  auto const refuse = [&](std::string const& why) {
    return InputError("cannot go on from the " + held.core + " state in " + held.policy + " with " +
                      layout.policy + " (" + why + ") start both from the same case");
  };
  if (held.core != layout.core) throw refuse("the model is a " + layout.core + " core");
  if (held.arrays.size() != layout.arrays.size()) {
    throw refuse("it has " + std::to_string(held.arrays.size()) + " arrays, the model " +
                 std::to_string(layout.arrays.size()));
  }
  std::vector<std::size_t> numbers;
  for (auto const& wanted : layout.arrays) {
    auto const found = std::find_if(held.arrays.begin(), held.arrays.end(),
                                    [&](StateArray const& array) { return array.name == wanted.name; });
    if (found == held.arrays.end()) throw refuse("it lacks the array '" + wanted.name + "'");
    if (found->shape != wanted.shape) throw refuse("the array '" + wanted.name + "' has another shape");
    if (found->type != wanted.type && (found->type == ValueType::uint8 || wanted.type == ValueType::uint8)) {
      throw refuse("the array '" + wanted.name + "' has values of another kind");
    }
    numbers.push_back(static_cast<std::size_t>(found - held.arrays.begin()));
  }
  auto header = held;
  header.policy = layout.policy;
  header.arrays = layout.arrays;
  return std::make_unique<ConvertedState>(source, std::move(header), std::move(numbers));
}

}  // namespace ulpine::io
