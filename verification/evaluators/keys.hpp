// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/case_file.hpp"

namespace ulpine::verification {

/// The keys of one evaluation: what its core declares and a case alters, both in a table [evaluate.NAME].
/// Every read names its key, default and limits; errors are InputErrors with file, line, key and remedy.
class EvaluationKeys {
 public:
  using Value = std::variant<std::string, double>;

  /// `declared` is null where no core declares anything. `case_keys` are also read from the case's table
  /// [kind].
  EvaluationKeys(std::string name, io::CaseFile const& case_file, io::CaseFile const* declared);
  void accept_for_kind(std::string const& kind, std::vector<std::string> case_keys);

  std::string text(std::string const& key, std::string const& fallback) const;
  /// InputError where neither core nor case gives it.
  std::string required_text(std::string const& key) const;
  std::string choice(std::string const& key, std::string const& fallback,
                     std::vector<std::string> const& choices) const;
  double number(std::string const& key, double fallback,
                double least = -std::numeric_limits<double>::infinity(),
                double most = std::numeric_limits<double>::infinity()) const;
  /// s; written as a text like "6 h" or a number.
  double duration(std::string const& key, double least) const;
  bool has(std::string const& key) const;

  /// An InputError about `key` where it was given, or about the whole table for an empty one.
  InputError error(std::string const& key, std::string const& problem) const;
  /// InputError for a key that nothing has read.
  void reject_unknown() const;
  /// The keys that were read and their values, but for `kind` and `field`, in the order of reading.
  std::vector<std::pair<std::string, Value>> const& read() const { return read_; }
  std::string const& name() const { return name_; }

 private:
  template <class T, class Read>
  T value(std::string const& key, T fallback, Read read_from) const;
  std::string at(std::string const& key) const { return "evaluate." + name_ + "." + key; }

  std::string name_;
  io::CaseFile const& case_;
  io::CaseFile const* declared_;
  std::string kind_;
  std::vector<std::string> case_keys_;
  mutable std::vector<std::pair<std::string, Value>> read_;
  mutable std::vector<std::string> known_;
};

}  // namespace ulpine::verification
