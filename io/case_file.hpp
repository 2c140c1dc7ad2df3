// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/error.hpp"

namespace ulpine::io {

struct Entry;

/// A TOML case file with overrides. Every read names its key, default and limits, is checked (InputError with
/// file, line, key and remedy) and remembered, so that unknown keys can be refused and the case echoed in
/// full, defaults included. Reads are safe from several threads at once. Keys that the file lacks are
/// reported without a line, keys of an override as "--set key=value: key: ...".
class CaseFile {
 public:
  /// Reads `path` and applies `overrides`, each `key.path=TOML value`; what is no TOML value and does not
  /// start like a quoted or bracketed one is taken as text (`seaice.limiter=nextsim`). InputError where the
  /// file or an override is bad.
  static CaseFile load(std::filesystem::path const& path, std::vector<std::string> const& overrides = {});
  /// As load(), from text; `name` stands for the file in messages, relative paths start at `folder`.
  static CaseFile parse(std::string const& text, std::string const& name,
                        std::filesystem::path const& folder = ".",
                        std::vector<std::string> const& overrides = {});

  /// All that another process needs to make the same case.
  struct Origin {
    std::string text, name, folder;
    std::vector<std::string> overrides, accepted, aside;
  };
  Origin origin() const;
  /// The case of an origin(), with the keys that were accepted, read and set aside there so far.
  static CaseFile from(Origin const& origin);

  CaseFile(CaseFile&&) noexcept;
  CaseFile& operator=(CaseFile&&) noexcept;
  ~CaseFile();

  /// `core` key (required) and `name` key (default: the file's stem): one line of text, not blank.
  std::string core() const;
  std::string name() const;

  bool has(std::string const& key) const;
  /// A number in [least, most]; integers are accepted. A fallback that follows from other keys is checked
  /// too.
  double number(std::string const& key, double fallback,
                double least = -std::numeric_limits<double>::infinity(),
                double most = std::numeric_limits<double>::infinity()) const;
  /// An integer in [least, most], as the type of `fallback`: what that type cannot hold is out of range.
  template <std::signed_integral Integer>
  Integer integer(std::string const& key, Integer fallback,
                  std::type_identity_t<Integer> least = std::numeric_limits<Integer>::min(),
                  std::type_identity_t<Integer> most = std::numeric_limits<Integer>::max()) const {
    return static_cast<Integer>(integer_within(key, fallback, least, most));
  }
  /// Whether the key is there and holds a number.
  bool is_number(std::string const& key) const;
  bool flag(std::string const& key, bool fallback) const;
  std::string text(std::string const& key, std::string const& fallback) const;
  /// An array of numbers in [least, most], with at least `fewest` and at most `most_elements` of them. Errors
  /// name the element, from 0: "case.toml:7: grid.levels[3]: out of range ...".
  std::vector<double> numbers(std::string const& key, std::vector<double> const& fallback,
                              double least = -std::numeric_limits<double>::infinity(),
                              double most = std::numeric_limits<double>::infinity(), std::size_t fewest = 0,
                              std::size_t most_elements = std::numeric_limits<std::size_t>::max()) const;
  /// An array of texts.
  std::vector<std::string> texts(std::string const& key, std::vector<std::string> const& fallback,
                                 std::size_t fewest = 0,
                                 std::size_t most_elements = std::numeric_limits<std::size_t>::max()) const;
  /// One of `choices`; the error names the nearest.
  std::string choice(std::string const& key, std::string const& fallback,
                     std::vector<std::string> const& choices) const;
  /// A time in seconds from "90 s", "30 min", "2 h", "4 d"; in [least, most] seconds.
  double duration(std::string const& key, std::string const& fallback, double least = 0,
                  double most = std::numeric_limits<double>::infinity()) const;
  /// An existing file, relative paths from the case file's folder. Empty where the key is absent and not
  /// required. The case remembers the file's content by its hash: as key `<key>_xxh64` (16 hex digits) in
  /// resolved(). Where the case has that key already, a file of another content is an InputError.
  std::filesystem::path file(std::string const& key, bool required) const;
  /// Sub-keys of a table, e.g. the gates under `verify`, of the whole file where the name is empty, in the
  /// order of the file, overrides last; empty where absent.
  std::vector<std::string> keys_under(std::string const& table) const;

  /// Declares `key`, or the table of that name with all its keys, as read by another part of the program
  /// (e.g. `verify` in a plain run): reject_unknown() lets it pass. Such keys are not echoed.
  void accept(std::string const& key) const;
  /// Declares that the keys of `table` only say how a run is judged: no part of hash(). To be called before
  /// reject_unknown().
  void set_aside(std::string const& table) const;
  /// Throws InputError for the first key of the file that nothing has read or asked for with has(), naming
  /// the nearest known one. Where there is none, hash() is fixed: to read a key then that was not read
  /// before, or with another default, is a std::logic_error.
  void reject_unknown() const;
  /// An InputError about `key` of this file, or an element "key[3]" of an array: "<file>:<line>: <key>:
  /// <problem>".
  InputError error(std::string const& key, std::string const& problem) const;

  /// Every key read so far with its value, defaults included, as TOML in sorted order; paths absolute,
  /// durations in seconds, numbers in the shortest form that reads back to the same bits.
  std::string resolved() const;
  /// xxHash64 of resolved() without what may differ between a run and its continuation: `output.*`,
  /// `verify.*`, the tables that were set aside, `name`, `description` and `time.end`; of files only the
  /// content counts, so that a case may be moved. What must agree for a restart. std::logic_error before
  /// reject_unknown(), as long as further reads could change it.
  std::uint64_t hash() const;
  /// The first key whose value is not that of `before`, as "<file>:<line>: <key>: is 2, was 1"; keys of the
  /// tables `except` apart. Empty where there is none. Values are compared as written, not as read.
  std::string difference(CaseFile const& before, std::vector<std::string> const& except) const;
  std::filesystem::path path() const;

 private:
  struct Contents;
  double number_within(std::string const& key, Entry const* entry, double fallback, double least,
                       double most) const;
  std::vector<Entry> const* elements(std::string const& key, std::string const& kind,
                                     std::string const& example, std::size_t fallback, std::size_t fewest,
                                     std::size_t most) const;
  std::int64_t integer_within(std::string const& key, std::int64_t fallback, std::int64_t least,
                              std::int64_t most) const;
  explicit CaseFile(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

/// The shortest decimal that reads back to the same bits.
std::string number_text(double value);
/// The problem of a decimal that is too large or too small to be a double with all its digits, as one
/// line without its place; empty where there is no problem, and for text that is no decimal.
std::string range_problem(std::string_view word);
/// The double nearest to the seconds in "90 s", "30 min", "2 h", "4 d" (also "1.5 h"); InputError otherwise.
double parse_duration(std::string const& text);
/// A number, or a power as "2^-23"; InputError otherwise, and where double does not hold it in full.
double parse_power(std::string const& text);

}  // namespace ulpine::io
