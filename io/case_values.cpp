// SPDX-License-Identifier: Apache-2.0
// Values of case files as texts: how they are written and how times and powers are read.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "io/case_entries.hpp"
#include "io/case_file.hpp"

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

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

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
  auto rest = trimmed(text);
  double value = 0;
  if (take_number(rest, value)) {
    rest = trimmed(rest);
    auto const unit = rest == "s"     ? 1.
                      : rest == "min" ? 60.
                      : rest == "h"   ? 3600.
                      : rest == "d"   ? 86400.
                                      : 0.;
    if (unit > 0 && std::isfinite(value * unit)) return value * unit;
  }
  throw InputError(
      toml_text(text) +
      " is not a time (a number with one of s, min, h, d) write e.g. \"90 s\", \"30 min\", \"2 h\", \"4 d\"");
}

double parse_power(std::string const& text) {
  auto rest = trimmed(text);
  double value = 0;
  if (take_number(rest, value)) {
    if (rest.empty()) return value;
    double exponent = 0;
    if (rest.front() == '^') {
      rest.remove_prefix(1);
      auto const power = take_number(rest, exponent) ? std::pow(value, exponent) : 0.;
      if (rest.empty() && std::isfinite(power) && power != 0) return power;
    }
  }
  throw InputError(toml_text(text) +
                   " is not a number (a decimal, or a power that double holds) write e.g. 1e-7 or 2^-23");
}

}  // namespace ulpine::io
