// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/study/case_source.hpp"
#include "ensembles/study/configuration.hpp"

namespace ulpine::ensembles {

/// Variants of a program that are run one after the other, each alone.
struct VariantsRequest {
  CaseSource source;
  std::vector<std::string> variants = {};  ///< texts of configurations; empty: all of the case
  std::optional<double> until = {};        ///< s; default: the case's `time.end`
  std::filesystem::path scratch = {};      ///< folder for the runs, which stay there
  std::function<void(std::string const& what, double fraction)> progress = {};
  std::atomic<bool> const* cancel = nullptr;
};

struct VariantOutcome {
  std::string name;
  std::string hash;          ///< of what its output holds, 16 hex digits
  std::string watched_hash;  ///< of its output when the probe watched it; empty: it does not call the probe
  std::int64_t records = 0;  ///< that the probe made
  std::size_t group =
      0;  ///< variants of a group have the same output, and no difference between their traces
  std::string difference;  ///< from the first variant, where it begins; of the first of a group alone
  std::vector<std::string> notes;
};

struct VariantsResult {
  std::string name;  ///< of the case
  std::vector<VariantOutcome> outcomes;
  std::size_t groups = 0;
  bool watching_changes_nothing() const;
};

/// Runs each variant twice, watched by the probe where it calls it and unwatched, and compares outputs and
/// traces bit by bit. RunFailed for a run that fails; InputError; Interrupted.
VariantsResult compare_variants(VariantsRequest const& request);
std::string table(VariantsResult const& result);

/// The first time, variable and place at which two outputs of program runs differ, in words; empty where they
/// have the same values.
std::string first_difference_of_outputs(std::filesystem::path const& reference,
                                        std::filesystem::path const& test);

}  // namespace ulpine::ensembles
