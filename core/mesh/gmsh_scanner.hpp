// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "io/error.hpp"

namespace ulpine {

/// Numbers and words of a file of gmsh, one after the other. Every failure is an InputError that names
/// `source`.
class GmshScanner {
 public:
  /// `text` and `source` must last as long as the scanner.
  GmshScanner(std::string_view text, std::string const& source) : text_{text}, source_{source} {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  }

  bool binary = false;        ///< numbers are bytes, as read() takes them
  bool other_endian = false;  ///< and their bytes are in the other order
  bool long_numbers = true;   ///< numbers of nodes and elements have 8 bytes, not 4

  [[noreturn]] void refuse(std::string const& problem, std::string const& why,
                           std::string const& remedy) const {
    throw InputError(source_ + ": " + one_line(problem) + " (" + one_line(why) + ") " + remedy);
  }
  [[noreturn]] void refuse_truncated() const {
    refuse("ends or breaks off at byte " + std::to_string(at_), "a number or a section's end is missing",
           "write the mesh again");
  }

  std::string_view word() {
    skip_blanks();
    auto const begin = at_;
    while (at_ < text_.size() && !blank(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  /// The text between quotation marks; where there are none, the rest of the line.
  std::string name() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ == text_.size()) refuse_truncated();
    bool const quoted = text_[at_] == '"';
    auto const end = text_.find(quoted ? '"' : '\n', at_ + 1);
    if (end == text_.npos) refuse_truncated();
    auto const begin = quoted ? at_ + 1 : at_;
    auto name = text_.substr(begin, end - begin);
    at_ = end + 1;
    while (!quoted && !name.empty() && blank(name.back())) name.remove_suffix(1);
    return one_line(name);
  }
  /// Moves to behind the next `mark`.
  void skip_past(std::string const& mark) {
    auto const found = text_.find(mark, at_);
    if (found == text_.npos) refuse_truncated();
    at_ = found + mark.size();
  }
  void end_line() { skip_past("\n"); }

  /// A number in words, whatever `binary` says.
  template <class T>
  T ascii() {
    auto const text = word();
    if (text.empty()) refuse_truncated();
    T value{};
    if (!convert(text, value)) {
      auto const line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n') + 1;
      refuse("'" + std::string(text.substr(0, 20)) + "' in line " + std::to_string(line),
             std::string("it is no ") + (std::is_floating_point_v<T> ? "number" : "whole number") +
                 ", or one that is too large",
             "correct it, or write the mesh again");
    }
    return value;
  }
  template <class T>
  T raw() {
    if (text_.size() - at_ < sizeof(T)) refuse_truncated();
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), text_.data() + at_, sizeof(T));
    if (other_endian) std::ranges::reverse(bytes);
    at_ += sizeof(T);
    return std::bit_cast<T>(bytes);
  }
  template <class T>
  T read() {
    return binary ? raw<T>() : ascii<T>();
  }
  std::int32_t integer() { return read<std::int32_t>(); }
  /// How many of something follow: 4 bytes or 8.
  std::int64_t short_count() { return counted(binary ? raw<std::int32_t>() : ascii<std::int64_t>()); }
  std::int64_t count() { return counted(read<std::int64_t>()); }
  /// The number of a node or an element.
  std::int64_t number() { return long_numbers ? count() : short_count(); }

 private:
  static bool blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v';
  }
  void skip_blanks() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }
  std::int64_t counted(std::int64_t value) const {
    if (value < 0) {
      refuse("the number " + std::to_string(value) + " before byte " + std::to_string(at_),
             "counts and numbers of nodes and elements are not negative", "write the mesh again");
    }
    return value;
  }
  /// As C reads numbers, and with Fortran's D before an exponent; what is too small becomes 0.
  template <class T>
  static bool convert(std::string_view text, T& value) {
    std::string plain;
    if (text.starts_with('+')) text.remove_prefix(1);
    if constexpr (std::is_floating_point_v<T>) {
      if (text.find_first_of("dD") != text.npos) {
        plain = text;
        std::ranges::replace_if(
            plain, [](char c) { return c == 'd' || c == 'D'; }, 'e');
        text = plain;
      }
    }
    auto const* const last = text.data() + text.size();
    auto const [end, error] = std::from_chars(text.data(), last, value);
    if constexpr (std::is_floating_point_v<T>) {
      bool const tiny = error == std::errc::result_out_of_range && text.find_first_of("eE") != text.npos &&
                        text.find("-", 1) != text.npos;
      if (tiny && end == last) {
        value = 0;
        return true;
      }
    }
    return error == std::errc() && end == last;
  }

  std::string_view text_;
  std::string const& source_;
  std::size_t at_ = 0;
};

}  // namespace ulpine
