// SPDX-License-Identifier: Apache-2.0
// Values of case files as texts: how they are written and how times and powers are read.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>

#include "io/case_entries.hpp"
#include "io/case_file.hpp"
#include "io/text.hpp"

namespace ulpine::io {
namespace {

bool is_bare(std::string const& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// The finite number at the start of `text`, which is shortened by it; false where there is none.
bool take_number(std::string_view& text, double& value) {
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || !std::isfinite(value)) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// The double nearest to the decimal `text` times `factor`: digit by digit, so that only the result is
/// rounded, and 1.1 h are 3960 s. Infinity where it is too large, 0 where it is too small.
double product(std::string_view text, unsigned factor) {
  auto const exponent = std::min(text.find_first_of("eE"), text.size());
  std::string reversed;
  unsigned carry = 0;
  for (auto k = exponent; k-- > 0;) {
    if (text[k] == '-') break;
    if (text[k] == '.') {
      reversed += '.';
      continue;
    }
    carry += static_cast<unsigned>(text[k] - '0') * factor;
    reversed += static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  for (; carry > 0; carry /= 10) reversed += static_cast<char>('0' + carry % 10);
  if (text.front() == '-') reversed += '-';
  std::string const whole =
      std::string(reversed.rbegin(), reversed.rend()) + std::string(text.substr(exponent));
  auto value = std::numeric_limits<double>::infinity();
  std::from_chars(whole.data(), whole.data() + whole.size(), value);
  return value;
}

}  // namespace

std::string range_problem(std::string_view word) {
  auto const* const end = word.data() + word.size();
  double value = 0;
  auto const [rest, failed] = std::from_chars(word.data(), end, value);
  if (rest != end || failed == std::errc::invalid_argument) return {};
  auto small = std::fpclassify(value) == FP_SUBNORMAL;
  if (failed == std::errc::result_out_of_range) {
    // Beyond the wider exponents of long double a sign in the exponent tells.
    long double wide = word.find("e-") != word.npos || word.find("E-") != word.npos ? 0 : 1;
    std::from_chars(word.data(), end, wide);
    small = std::abs(wide) < 1;
  } else if (!small) {
    return {};
  }
  constexpr std::size_t legible = 40;
  auto const shown = std::string(word.substr(0, legible)) + (word.size() > legible ? "..." : "");
  return small ? shown + " is too small (double holds all digits from 2.3e-308 up) write 0 or a larger number"
               : shown + " is too large (double holds numbers to 1.7e308) write a smaller number";
}

std::string number_text(double value) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string toml_number(double value) {
  auto text = number_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string toml_text(std::string const& value) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (char const c : value) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20 || code == 0x7f) {
      quoted += "\\u00";
      quoted += digits[code >> 4];
      quoted += digits[code & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_array(std::vector<std::string> const& elements) {
  std::string text = "[";
  for (auto const& element : elements) text.append(text.size() > 1 ? ", " : "").append(element);
  return text + "]";
}

std::string toml_key(std::string const& key) {
  std::string text;
  for (std::size_t begin = 0; begin <= key.size();) {
    auto const end = std::min(key.find('.', begin), key.size());
    auto const word = key.substr(begin, end - begin);
    if (begin > 0) text += '.';
    text += is_bare(word) ? word : toml_text(word);
    begin = end + 1;
  }
  return text;
}

double parse_duration(std::string const& text) {
  auto const word = trimmed(text);
  auto const number = word.substr(0, word.find_first_of(" \tsmhd"));
  auto rest = word;
  double value = 0;
  if (auto const problem = range_problem(number); !problem.empty()) {
    throw InputError(toml_text(text) + ": " + problem);
  }
  if (take_number(rest, value)) {
    auto const digits = word.substr(0, word.size() - rest.size());
    rest = trimmed(rest);
    auto const unit = rest == "s"     ? 1u
                      : rest == "min" ? 60u
                      : rest == "h"   ? 3600u
                      : rest == "d"   ? 86400u
                                      : 0u;
    if (unit > 0) {
      auto const seconds = product(digits, unit);
      if (std::isfinite(seconds)) return seconds;
      throw InputError(toml_text(text) + " is too long (double holds 1.7e308 s) write a shorter time");
    }
  }
  throw InputError(
      toml_text(text) +
      " is not a time (a number with one of s, min, h, d) write e.g. \"90 s\", \"30 min\", \"2 h\", \"4 d\"");
}

double parse_power(std::string const& text) {
  auto rest = trimmed(text);
  double value = 0;
  if (auto const problem = range_problem(rest.substr(0, rest.find('^'))); !problem.empty()) {
    throw InputError(problem);
  }
  if (take_number(rest, value)) {
    if (rest.empty()) return value;
    double exponent = 0;
    if (rest.front() == '^') {
      rest.remove_prefix(1);
      auto const power = take_number(rest, exponent) ? std::pow(value, exponent) : 0.;
      if (rest.empty() && std::isnormal(power)) return power;
    }
  }
  throw InputError(toml_text(text) +
                   " is not a number (a decimal, or a power that double holds) write e.g. 1e-7 or 2^-23");
}

}  // namespace ulpine::io
