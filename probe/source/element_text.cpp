// SPDX-License-Identifier: Apache-2.0
#include "probe/source/element_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/field/hash.hpp"
#include "precision/bits.hpp"

namespace ulpine::probe {
namespace {

template <class Word>
constexpr Word sign_of = Word{1} << (sizeof(Word) * 8 - 1);

/// Neither std::printf nor streams, which write as the model's locale has it.
template <class Number, class... Format>
std::string printed(Number value, Format... format) {
  std::array<char, 64> text;
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value, format...).ptr;
  return {text.data(), end};
}

template <class Word>
std::string hexadecimal(Word bits) {
  auto const digits = printed(bits, 16);
  return "0x" + std::string(2 * sizeof bits - digits.size(), '0') + digits;
}

template <class Word>
std::string number_text(Word bits) {
  constexpr int digits = sizeof bits == 4 ? 8 : 16;  // after the point: 9 and 17 tell any two apart
  return printed(from_bits(bits), std::chars_format::scientific, digits) + " (" + hexadecimal(bits) + ")";
}

/// As far as the line of numbers goes, of which +0 and -0 are neighbours.
template <class Word>
Word place_on_line(Word bits) {
  return (bits & sign_of<Word>) != 0 ? static_cast<Word>(~bits) : static_cast<Word>(bits | sign_of<Word>);
}

std::string units_text(std::uint64_t units) {
  return ", " + std::to_string(units) + (units == 1 ? " unit" : " units") + " in the last place apart";
}

template <class Word>
std::string floating_difference(Word here, Word there, Word infinity) {
  auto const is_number = [infinity](Word bits) { return (bits & infinity) != infinity; };
  auto text = number_text(here) + " here, " + number_text(there) + " there";
  if (is_number(here) && is_number(there)) {
    auto const a = place_on_line(here), b = place_on_line(there);
    text += units_text(std::max(a, b) - std::min(a, b));
  }
  return text;
}

template <class Integer>
std::string integer_difference(std::byte const* here, std::byte const* there) {
  return std::to_string(load<Integer>(here)) + " here, " + std::to_string(load<Integer>(there)) + " there";
}

template <class Word>
bool same_number(Word a, Word b, bool zeros_equal) {
  auto const both_zero = ((a | b) & ~sign_of<Word>) == 0;
  return detail::canonical(a) == detail::canonical(b) || (zeros_equal && both_zero);
}

bool is_true(std::byte const* value, std::size_t size) {
  return std::any_of(value, value + size, [](std::byte one) { return one != std::byte{0}; });
}

/// Bytes of a truth value; 0 of another type.
std::size_t logical_size(ulpine_type type) {
  return type == ULPINE_L8 ? 1 : type == ULPINE_L32 ? 4 : type == ULPINE_L64 ? 8 : 0;
}

}  // namespace

bool same_element(ulpine_type type, bool zeros_equal, std::byte const* a, std::byte const* b) {
  if (type == ULPINE_F32) return same_number(load<std::uint32_t>(a), load<std::uint32_t>(b), zeros_equal);
  if (type == ULPINE_F64) return same_number(load<std::uint64_t>(a), load<std::uint64_t>(b), zeros_equal);
  if (auto const size = logical_size(type); size != 0) return is_true(a, size) == is_true(b, size);
  auto const size = type == ULPINE_I8 ? 1u : type == ULPINE_I16 ? 2u : type == ULPINE_I32 ? 4u : 8u;
  return std::memcmp(a, b, size) == 0;
}

std::string difference_text(ulpine_type type, std::byte const* here, std::byte const* there) {
  switch (type) {
    case ULPINE_F32:
      return floating_difference<std::uint32_t>(load<std::uint32_t>(here), load<std::uint32_t>(there),
                                                0x7f800000u);
    case ULPINE_F64:
      return floating_difference<std::uint64_t>(load<std::uint64_t>(here), load<std::uint64_t>(there),
                                                0x7ff0000000000000u);
    case ULPINE_I8:
      return integer_difference<std::int8_t>(here, there);
    case ULPINE_I16:
      return integer_difference<std::int16_t>(here, there);
    case ULPINE_I32:
      return integer_difference<std::int32_t>(here, there);
    case ULPINE_I64:
      return integer_difference<std::int64_t>(here, there);
    default: {
      auto const size = logical_size(type);
      return std::string{is_true(here, size) ? "true" : "false"} + " here, " +
             (is_true(there, size) ? "true" : "false") + " there";
    }
  }
}

}  // namespace ulpine::probe
