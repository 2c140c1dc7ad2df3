// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stage/override.hpp"
#include "ensembles/search/cheapest.hpp"
#include "ensembles/search/cost_model.hpp"
#include "ensembles/study/case_source.hpp"

namespace ulpine::ensembles::search {

/// The options of `ulpine search`.
struct Options {
  std::string variant = {};  ///< of the program that the case names; empty: its first
  std::vector<std::string> precisions = {"fp32", "e5m10", "e8m7"};  ///< policies and formats
  std::vector<std::string> policies = {"mixed", "fp32"};            ///< for whole runs, to compare with
  /// That may be lowered; empty: all that can be. Of a program its fields, as STAGE.FIELD of the probe.
  std::vector<std::string> stages = {};
  /// Largest error accepted, over the tolerated perturbation's. Above a third, statistics of members are not
  /// told from one trajectory's (docs/explanation/verdict.md), and the verdict on them is undecided.
  double within = 1.0 / 3;
  int members = 24;       ///< members of the reference at the tolerated amplitude, and in confirmations
  int confirmations = 3;  ///< most assignments of which a full study is made; 0: none
  std::uint64_t seed = 1;
  std::optional<double> until = {};  ///< s; default: the case's `time.end`
  /// run.json of runs whose stages' seconds stand for bytes, by precision, fp64 first.
  std::vector<std::pair<std::string, std::filesystem::path>> costs = {};
  std::string on = {};                ///< card whose predicted seconds of stages stand for bytes; empty: none
  std::int64_t runs = 1000;           ///< most assignments tried
  std::optional<double> time_s = {};  ///< after which nothing more is tried
  int threads = 1;                    ///< a run
  int jobs = 1;                       ///< runs side by side
  bool resume = false;
};

struct Progress {
  std::string what;
  double fraction = 0;  ///< done, of the budget of runs or of a study
  std::string event;    ///< a line worth keeping; empty otherwise
};

struct Callbacks {
  std::function<void(Progress const&)> progress = {};
  std::atomic<bool> const* cancel = nullptr;
};

/// A run in one policy, beside the assignments.
struct WholePolicy {
  std::string policy;
  double cost = 0;
  Outcome outcome;
};

/// Runs, and their seconds on the clock, each for itself.
struct Spent {
  std::int64_t runs = 0;
  double wall_s = 0;
};

/// A full study of one of the accepted assignments.
struct Confirmation {
  std::size_t trial = 0;  ///< index in Found::tried
  std::string study;      ///< its folder below DIR
  verification::Answer answer = verification::Answer::undecided;
};

struct Result {
  std::string core, case_name, case_hash;
  std::vector<std::pair<std::string, std::string>> provenance;
  std::string reference, tolerated;
  double until_s = 0;  ///< end of every run
  Options options;
  CostModel costs;
  std::vector<std::size_t> stages;  ///< those of the cost model that may be lowered, in an Assignment's order
  std::vector<std::pair<std::string, std::string>> refused;  ///< stages that cannot, with the core's reason
  Found found;
  std::vector<WholePolicy> whole;
  std::vector<Confirmation> confirmations;
  std::optional<std::size_t> chosen;  ///< index in Found::tried
  Spent spent;                        ///< on what was tried, in this call and those before it
  Spent studies;                      ///< on the reference's members and on what was confirmed
  std::vector<std::string> notes;

  /// The stages that an assignment lowers.
  std::vector<StageOverride> overrides(Assignment const& assignment) const;
  Trial const* choice() const { return chosen ? &found.tried[*chosen] : nullptr; }
};

/// Runs the reference and its members into `folder`/reference, then what find_cheapest() asks for, and
/// studies of the cheapest accepted assignments (`folder`/confirm, confirm-2, ...) until one is equal or
/// equivalent. Writes `folder`/search.json (search_json()), search.txt (words_of()) and, where one was
/// chosen, stages.toml, which is removed otherwise. InputError, also where the core runs no single stages in
/// another precision or the case names no tolerated amplitude; Interrupted, after which `resume` goes on.
Result search(CaseSource const& source, Options const& options, std::filesystem::path const& folder,
              Callbacks const& callbacks);

/// Schema ulpine.search/1, unsealed.
std::string search_json(Result const& result);
/// The table for people.
std::string words_of(Result const& result);

}  // namespace ulpine::ensembles::search
