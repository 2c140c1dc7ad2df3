// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutation.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace ulpine::fuzz {
namespace {

/// A place in a file: often near its ends, where headers, lengths and seals are.
std::size_t place(std::string const& bytes, Draws& draws) {
  auto const near = std::min<std::size_t>(bytes.size(), std::size_t{8} << draws.below(10));
  switch (draws.below(4)) {
    case 0:
      return draws.below(near);
    case 1:
      return bytes.size() - near + draws.below(near);
    default:
      return draws.below(bytes.size());
  }
}

/// A length from 1 to what is left behind `begin`, short ones as likely as long ones.
std::size_t length_from(std::string const& bytes, std::size_t begin, Draws& draws) {
  auto const left = bytes.size() - begin;
  return left == 0 ? 0 : 1 + draws.below(std::min(left, std::size_t{1} << draws.below(16)));
}

/// Writes an integer of 1, 2, 4 or 8 bytes, of either order, that programs are apt to stumble over.
void set_integer(std::string& bytes, std::size_t begin, Draws& draws) {
  static constexpr std::uint64_t odd[] = {0,
                                          1,
                                          0x7f,
                                          0x80,
                                          0xff,
                                          0x7fff,
                                          0xffff,
                                          0x10000,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          0x100000001,
                                          std::uint64_t{1} << 36,
                                          0x7fffffffffffffff,
                                          0x8000000000000000,
                                          0xffffffffffffffff,
                                          0x7ff0000000000000,   // infinity
                                          0xfff8000000000000};  // NaN
  auto value = odd[draws.below(std::size(odd))];
  auto const size = std::size_t{1} << draws.below(4);
  bool const big_endian = draws.one_in(2);
  for (std::size_t i = 0; i < size && begin + i < bytes.size(); ++i) {
    auto const shift = 8 * (big_endian ? size - 1 - i : i);
    bytes[begin + i] = static_cast<char>(value >> shift & 0xff);
  }
}

std::string noise(std::size_t size, Draws& draws) {
  std::string bytes(size, '\0');
  if (draws.one_in(2)) {
    for (auto& byte : bytes) {
      byte = static_cast<char>(draws.below(256));
    }
  }
  return bytes;
}

void edit_bytes(std::string& bytes, std::string const& other, Draws& draws) {
  if (bytes.empty()) {
    bytes = noise(1 + draws.below(64), draws);
    return;
  }
  auto const at = place(bytes, draws);
  auto const length = length_from(bytes, at, draws);
  switch (draws.below(14)) {
    case 0:
    case 1:
    case 2:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << draws.below(8));
      break;
    case 3:
      bytes[at] = static_cast<char>(draws.below(256));
      break;
    case 4:
    case 5:
      set_integer(bytes, at, draws);
      break;
    case 6:
      bytes.resize(at);
      break;
    case 7:
      bytes.erase(at, length);
      break;
    case 8:
      bytes.insert(at, noise(length_from(bytes, 0, draws), draws));
      break;
    case 9:
      bytes.insert(place(bytes, draws), bytes.substr(at, length));
      break;
    case 10: {
      auto const second = place(bytes, draws);
      auto const size =
          std::min({length, bytes.size() - second, std::max(at, second) - std::min(at, second)});
      std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                       bytes.begin() + static_cast<std::ptrdiff_t>(at + size),
                       bytes.begin() + static_cast<std::ptrdiff_t>(second));
      break;
    }
    case 11:
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, draws.one_in(2) ? '\0' : '\xff');
      break;
    case 12:
      if (at < other.size()) {
        bytes.replace(at, length, other, at, length);
      }
      break;
    default:  // the rest of the other file
      bytes.resize(at);
      bytes += other.substr(std::min(at, other.size()));
  }
}

std::string deep(Draws& draws) {
  static constexpr std::pair<char const*, char const*> brackets[] = {
      {"[", "]"}, {"{\"a\":", "}"}, {"{a=", "}"}, {"a.", "a"}, {"(", ")"}};
  auto const [open, close] = brackets[draws.below(std::size(brackets))];
  auto const depth = std::size_t{10} << draws.below(14);
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  if (draws.one_in(4)) return text;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

/// What a number or a text may be replaced by.
std::string odd_word(Draws& draws) {
  static constexpr char const* words[] = {"nan",
                                          "inf",
                                          "-inf",
                                          "NaN",
                                          "null",
                                          "true",
                                          "1e999",
                                          "-1e999",
                                          "1e308",
                                          "1e-320",
                                          "-0.0",
                                          "0",
                                          "-1",
                                          "1",
                                          "2",
                                          "7",
                                          "4294967297",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483649",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "-9223372036854775808",
                                          "18446744073709551616",
                                          "0x7fffffffffffffff",
                                          "1_000",
                                          "0.5",
                                          "3.7e5",
                                          "1e-9",
                                          "65536",
                                          "",
                                          "\"\"",
                                          "\"x\"",
                                          "\"-1 s\"",
                                          "\"1e-9 s\"",
                                          "\"1e300 d\"",
                                          "\"nan s\"",
                                          "\"/dev/null\"",
                                          "\"..\"",
                                          "\"\\u0000\"",
                                          "\"\xff\xfe\"",
                                          "[]",
                                          "[1, 2]",
                                          "{}",
                                          "2000-01-01",
                                          "fp64",
                                          "ParametricMesh"};
  switch (draws.below(12)) {
    case 0:
      return std::string(1 + draws.below(400), static_cast<char>('0' + draws.below(10)));
    case 1:
      return std::string(std::size_t{1} << draws.below(18), 'a');
    default:
      return words[draws.below(std::size(words))];
  }
}

/// A number made a little or much larger, smaller or negative.
std::string other_number(std::string const& word, Draws& draws) {
  auto const value = std::strtod(word.c_str(), nullptr);
  static constexpr double factors[] = {-1, 0, 0.5, 2, 0.999, 1.001, 0.9, 1.2, 10, 1e-3, 1e3, 1e12};
  auto const whole = word.find_first_of(".e") == std::string::npos;
  auto const changed =
      draws.one_in(4) ? value + (draws.one_in(2) ? 1 : -1) : value * factors[draws.below(std::size(factors))];
  char buffer[64];
  auto const digits = whole && std::abs(changed) < 1e15
                          ? std::snprintf(buffer, sizeof buffer, "%.0f", changed)
                          : std::snprintf(buffer, sizeof buffer, "%.17g", changed);
  return {buffer, static_cast<std::size_t>(digits)};
}

struct Token {
  std::size_t begin, size;
};

/// Numbers, names and texts in quotes (without those).
std::vector<Token> tokens_of(std::string const& text) {
  auto const part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' || c == '+';
  };
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < text.size();) {
    auto end = i;
    while (end < text.size() && part(text[end])) ++end;
    if (end > i) tokens.push_back({i, end - i});
    i = end + 1;
  }
  return tokens;
}

std::vector<Token> lines_of(std::string const& text) {
  std::vector<Token> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    auto const end = std::min(text.find('\n', begin), text.size() - 1);
    lines.push_back({begin, end - begin + 1});
    begin = end + 1;
  }
  return lines;
}

bool is_number(std::string const& text, Token token) {
  double value = 0;
  auto const* const end = text.data() + token.begin + token.size;
  auto const [last, error] = std::from_chars(text.data() + token.begin, end, value);
  return error == std::errc{} && last == end;
}

/// Changes one number and nothing else.
void edit_number(std::string& text, Draws& draws) {
  auto numbers = tokens_of(text);
  std::erase_if(numbers, [&](Token token) { return !is_number(text, token); });
  if (!numbers.empty()) {
    auto const [begin, size] = numbers[draws.below(numbers.size())];
    text.replace(begin, size,
                 draws.one_in(4) ? odd_word(draws) : other_number(text.substr(begin, size), draws));
  }
}

void edit_text(std::string& text, std::string const& other, Draws& draws) {
  auto const tokens = tokens_of(text);
  auto const lines = lines_of(text);
  if (tokens.empty() || draws.one_in(4)) {
    edit_bytes(text, other, draws);
    return;
  }
  auto const token = tokens[draws.below(tokens.size())];
  auto const line = lines[draws.below(lines.size())];
  auto const content = text.substr(line.begin, line.size);
  switch (draws.below(10)) {
    case 0:
    case 1:
    case 2:
      text.replace(token.begin, token.size, odd_word(draws));
      break;
    case 3:
      edit_number(text, draws);
      break;
    case 4: {
      auto const second = tokens[draws.below(tokens.size())];
      auto const first_word = text.substr(token.begin, token.size);
      auto const second_word = text.substr(second.begin, second.size);
      if (token.begin < second.begin) {
        text.replace(second.begin, second.size, first_word).replace(token.begin, token.size, second_word);
      }
      break;
    }
    case 5:
      text.insert(lines[draws.below(lines.size())].begin, content);
      break;
    case 6:
      text.erase(line.begin, line.size);
      break;
    case 7: {
      auto const lines_of_other = lines_of(other);
      if (!lines_of_other.empty()) {
        auto const strange = lines_of_other[draws.below(lines_of_other.size())];
        text.replace(line.begin, line.size, other, strange.begin, strange.size);
      }
      break;
    }
    case 8:
      // Digits more or fewer change a number by orders of magnitude.
      text.insert(token.begin + draws.below(token.size + 1), 1, "0123456789-.e"[draws.below(13)]);
      break;
    default:
      if (draws.one_in(3)) {
        text.replace(token.begin, token.size, deep(draws));
      } else {
        text.erase(token.begin, token.size);
      }
  }
}

template <class Edit>
std::string mutate(std::string const& base, std::string const& other, Draws& draws, Edit edit) {
  auto changed = base;
  while (changed == base || changed == other) {
    static constexpr std::size_t counts[] = {1, 1, 1, 1, 1, 2, 3, 4, 8, 20};
    for (auto left = counts[draws.below(std::size(counts))]; left > 0; --left) {
      edit(changed);
    }
  }
  return changed;
}

}  // namespace

Draws::Draws(std::uint64_t seed, std::string_view kind, std::int64_t number)
    : seed_{seed}, kind_{name_key(kind)}, number_{static_cast<std::uint64_t>(number)} {}

std::uint64_t Draws::bits() {
  if (left_ == 0) {
    values_ = philox_block(
        {static_cast<std::uint32_t>(number_), static_cast<std::uint32_t>(number_ >> 32), block_++, kind_},
        {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    left_ = std::size(values_.words);
  }
  left_ -= 2;
  return std::uint64_t{values_.words[left_]} << 32 | values_.words[left_ + 1];
}

std::size_t Draws::below(std::size_t limit) { return limit == 0 ? 0 : bits() % limit; }

std::string mutate_bytes(std::string const& base, std::string const& other, Draws& draws) {
  return mutate(base, other, draws, [&](std::string& bytes) { edit_bytes(bytes, other, draws); });
}

std::string mutate_text(std::string const& base, std::string const& other, Draws& draws) {
  // Half of them stay well formed, so that what is behind the parser sees them too.
  auto const numbers_only = draws.one_in(2);
  return mutate(base, other, draws, [&](std::string& text) {
    if (numbers_only) {
      edit_number(text, draws);
    } else {
      edit_text(text, other, draws);
    }
  });
}

}  // namespace ulpine::fuzz
