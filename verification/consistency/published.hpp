// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/own_files.hpp"
#include "verification/consistency/consistency.hpp"
#include "verification/consistency/method.hpp"
#include "verification/consistency/reading.hpp"
#include "verification/consistency/runs_of_files.hpp"

// Published rules as the tools that they are of apply them, on the tools' own files too: `--as`.

namespace ulpine::verification::consistency {

/// "pycect", "eet", "probtest", "evv"; `after` names the tool.
std::span<MethodInfo const> published_rules();
/// InputError where there is no rule of that name.
void require_rule(std::string const& name);

/// What a rule is applied to.
struct PublishedRequest {
  std::string rule;
  std::filesystem::path ensemble;            ///< runs, or what a tool keeps of them
  std::vector<std::filesystem::path> tests;  ///< files or folders; empty: nothing is judged
  std::filesystem::path unperturbed;         ///< reference run, or what a tool keeps of it; may be empty
  std::vector<std::string> variables;        ///< empty: those that the tool takes
  std::vector<std::pair<std::string, std::string>> parameters;  ///< "pycect.sigMul", "2"
  std::uint64_t seed = 1;
  bool weights_given = false;         ///< means are weighted as the user says, not as the tool does
  std::string reading_option = {};    ///< one given that a tool's own files have no use for: "--weights"
  std::filesystem::path write;        ///< where the tool's file of the ensemble is written; may be empty
  std::function<FileRequest()> runs;  ///< the same runs as any model's files
  std::function<void(std::filesystem::path const&, io::FileSignature const&)>
      require_own;  ///< refuses a file to be written that is another's; given its signature
};

/// Applies the rule, and writes the tool's file first where that is asked for. Nothing where nothing is to be
/// judged. The verdict is `consistent` where the tool passes and `different` where it fails; its statement
/// says whose rule it is and its false-alarm rate in theory. InputError for what the tool has no answer to.
std::optional<Verdict> judge_as(PublishedRequest const& request, ReadingProgress const& progress);

/// Whether a file is a summary of PyCECT's, which has means and no points.
bool is_summary_of_pycect(std::filesystem::path const& path);
/// The verdict of Ulpine's own methods on these means and those of new runs' histories at time index `time`,
/// or of saved results: of `methods`, which are among pca and twosample; empty: both. InputError.
Verdict judge_by_means(PublishedRequest const& request, std::vector<std::string> methods, std::int64_t time,
                       ReadingProgress const& progress);

/// The part of judge_as() of each tool: an outcome, where something is to be judged.
std::optional<Outcome> as_pycect(PublishedRequest const& request, Parameters& parameters,
                                 ReadingProgress const& progress, std::vector<std::string>& notes);
std::optional<Outcome> as_probtest(PublishedRequest const& request, Parameters& parameters,
                                   ReadingProgress const& progress, std::vector<std::string>& notes);
std::optional<Outcome> as_evv(PublishedRequest const& request, Parameters& parameters,
                              ReadingProgress const& progress, std::vector<std::string>& notes);

/// InputError where a tool's own files, which are read as the tool does, were given an option of reading.
void refuse_options(PublishedRequest const& request, std::string const& why);

/// Numbers of runs of any model; of new ones NaN where a level has infinite values, or lacks points that all
/// of the ensemble have.
struct ReadForRule {
  EnsembleSummary ensemble, tests;
  std::filesystem::path file;  ///< one of a run, on the grid; empty of a summary alone
};
/// `unweighted`: the tool's means are, unless the user weights them. Notes get those of the reading.
ReadForRule read_for_rule(PublishedRequest const& request, bool unweighted, ReadingProgress const& progress,
                          std::vector<std::string>& notes);
/// The time index of a rule, counted from the end where it is negative, with a note where there are several.
/// InputError where there is none.
std::size_t time_of_rule(std::int64_t index, EnsembleSummary const& ensemble, std::string const& key,
                         std::vector<std::string>& notes);

}  // namespace ulpine::verification::consistency
