// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "ensembles/search/assignment.hpp"

namespace ulpine::ensembles::search {

/// DIR/tried.json: what has been found of configurations, so that a search can be gone on with. Sealed,
/// written anew after every run.
class Log {
 public:
  /// `question` says what the outcomes are answers to (case, end, members, seed). With `resume` the file is
  /// read where there is one: InputError where it is altered or of another question.
  Log(std::filesystem::path path, std::string question, bool resume);

  /// Null where nothing is known of the configuration.
  Outcome const* find(std::string const& configuration) const;
  std::map<std::string, Outcome> const& outcomes() const { return outcomes_; }
  /// EnvironmentError where it cannot be written.
  void add(std::string const& configuration, Outcome const& outcome);

 private:
  std::filesystem::path path_;
  std::string question_;
  std::map<std::string, Outcome> outcomes_;
};

}  // namespace ulpine::ensembles::search
