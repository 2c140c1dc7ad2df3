// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/case_file.hpp"

namespace ulpine::io {

enum class KeyKind : std::uint8_t { number, integer, flag, text, choice, duration, file, numbers, texts };

/// A value that a key of kind `choice` may have.
struct KeyChoice {
  std::string name;
  std::string meaning;  ///< a few words
  /// The choice's name under the key's former name. Where any choice has one, those without were selected by
  /// leaving the key out.
  std::string formerly = {};
};

/// One key of a case file: what its reader, the refusals, `ulpine cases --keys`, the pages of the reference
/// and the shell's completion know of it. Made by the functions below.
struct CaseKey {
  std::string name;  ///< dotted: "grid.dx"; `*` stands for a name that the case chooses: "verify.*"
  KeyKind kind{};
  std::string about;  ///< one sentence without a full stop: "distance between columns along x"
  /// As UDUNITS writes it: "m s-1"; of a key whose unit follows from another key all of them: "K or Pa".
  /// Empty for pure numbers and what is no number.
  std::string unit;
  std::string fallback;  ///< the default as a case writes it; words where it follows from other keys
  double least = -std::numeric_limits<double>::infinity();  ///< limits of a number, of elements, of seconds
  double most = std::numeric_limits<double>::infinity();
  std::vector<KeyChoice> choices;  ///< for a number: the allowed ones, if they are few
  std::size_t fewest = 0;          ///< elements of an array
  std::size_t most_elements = std::numeric_limits<std::size_t>::max();
  std::string needs;  ///< condition on other keys for the key to have an effect: "closure.kind = \"energy\""
  /// The name that the key had in earlier versions, under which it is still read; also an element of an
  /// array: "start.bubble.centre[0]". Empty where it has always had its name.
  std::string formerly;
  std::optional<double> value;  ///< the default of a number, integer, flag or duration (s), if it is fixed

  /// The default follows from other keys, as these words say, or there is none: "required".
  CaseKey follows(std::string words) &&;
  /// Only these of the numbers within the limits are allowed; the reader of the key checks it.
  CaseKey among(std::vector<KeyChoice> few) &&;
  /// The key has an effect only in cases that say this.
  CaseKey needing(std::string condition) &&;
  /// The key had this name in earlier versions.
  CaseKey renamed_from(std::string name) &&;
};

/// Tables of keys that hold side by side: of a core, and what all cores share.
using KeyTables = std::vector<std::vector<CaseKey> const*>;

/// Whether `key` declares the key `name` of a case: its own name, each `*` of it any one part between dots,
/// or where it is a file that with the file's content, "base.file_xxh64".
bool declares(CaseKey const& key, std::string const& name);
/// The first of `tables` that declares `name`; null where none does.
CaseKey const* find_key(KeyTables const& tables, std::string const& name);
/// CaseFile::reject_unknown() with what `tables` know: a key that they declare and that nothing has read is
/// refused by what it needs, and of a key that nobody declares the nearest declared one is named.
void reject_unknown(CaseFile const& case_file, KeyTables const& tables);

CaseKey number_key(std::string name, double fallback, double least, double most, std::string about);
/// A number with a unit.
CaseKey quantity_key(std::string name, std::string unit, double fallback, double least, double most,
                     std::string about);
CaseKey integer_key(std::string name, std::int64_t fallback, std::int64_t least, std::int64_t most,
                    std::string about);
CaseKey flag_key(std::string name, bool fallback, std::string about);
CaseKey text_key(std::string name, std::string fallback, std::string about);
/// The first of the choices is the default.
CaseKey choice_key(std::string name, std::vector<KeyChoice> choices, std::string about);
/// A time, in [least, most] seconds; the default as a case writes it: "90 s".
CaseKey duration_key(std::string name, std::string fallback, double least, double most, std::string about);
/// A file that exists; a relative path starts at the case file's folder.
CaseKey file_key(std::string name, std::string about);
/// An array of numbers; the default as a case writes it: "[0.0]".
CaseKey numbers_key(std::string name, std::string unit, std::string fallback, double least, double most,
                    std::size_t fewest, std::size_t most_elements, std::string about);
CaseKey texts_key(std::string name, std::string fallback, std::size_t fewest, std::size_t most_elements,
                  std::string about);

/// Reads the keys of a case that are declared in a table, with the table's defaults, limits and units. A name
/// that the table lacks, or of another kind, is a std::logic_error. Both arguments must outlive the reader.
class KeyReader {
 public:
  KeyReader(CaseFile const& case_file, std::vector<CaseKey> const& keys)
      : case_file_{case_file}, keys_{keys} {}

  CaseFile const& case_file() const { return case_file_; }
  bool has(char const* name) const;

  /// Reads a number with the default of the table.
  double number(char const* name) const;
  /// Reads a number with a default that follows from other keys.
  double number(char const* name, double fallback) const;
  /// As above, with limits that follow from other keys; those of the table hold beside them.
  double number(char const* name, double fallback, double least, double most) const;
  /// In `unit`, which is one of those that the table has for it ("K or Pa").
  double number(char const* name, char const* unit, double fallback, double least, double most) const;

  template <std::signed_integral Integer = std::int32_t>
  Integer integer(char const* name) const {
    return integer<Integer>(name, static_cast<Integer>(default_of(name)));
  }
  template <std::signed_integral Integer = std::int32_t>
  Integer integer(char const* name, Integer fallback) const {
    return integer<Integer>(name, fallback, std::numeric_limits<Integer>::min(),
                            std::numeric_limits<Integer>::max());
  }
  /// As above, with limits that follow from other keys; those of the table hold beside them.
  template <std::signed_integral Integer = std::int32_t>
  Integer integer(char const* name, Integer fallback, Integer least, Integer most) const {
    return static_cast<Integer>(integer_within(name, fallback, least, most));
  }

  bool flag(char const* name) const;
  /// Reads a flag with a default that follows from other keys.
  bool flag(char const* name, bool fallback) const;
  std::string text(char const* name) const;
  /// Reads a text with a default that follows from other keys.
  std::string text(char const* name, std::string const& fallback) const;
  std::string choice(char const* name) const;
  /// Reads a choice with a default and choices that follow from other keys; all of them are in the table.
  std::string choice(char const* name, std::string const& fallback,
                     std::vector<std::string> const& choices) const;
  double duration(char const* name) const;  ///< s
  /// Reads a duration with a default that follows from other keys.
  double duration(char const* name, std::string const& fallback) const;
  std::filesystem::path file(char const* name, bool required) const;
  std::vector<double> numbers(char const* name, std::vector<double> const& fallback) const;
  std::vector<std::string> texts(char const* name, std::vector<std::string> const& fallback) const;

 private:
  CaseKey const& declared(char const* name, KeyKind kind) const;
  CaseKey const& declared(char const* name) const;
  double default_of(char const* name) const;
  std::int64_t integer_within(char const* name, std::int64_t fallback, std::int64_t least,
                              std::int64_t most) const;

  CaseFile const& case_file_;
  std::vector<CaseKey> const& keys_;
};

}  // namespace ulpine::io
