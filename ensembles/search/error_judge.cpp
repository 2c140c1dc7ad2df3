// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/error_judge.hpp"

#include <algorithm>
#include <utility>

namespace ulpine::ensembles::search {
namespace {

Outcome outcome_of(verification::Verdict const& verdict) {
  Outcome outcome;
  outcome.answer = verdict.answer;
  for (auto const& evidence : verdict.evidence) {
    if (evidence.kind != "error" || !evidence.value || (outcome.ratio && *evidence.value <= *outcome.ratio)) {
      continue;
    }
    outcome.ratio = evidence.value;
    outcome.interval = evidence.interval;
    outcome.field = evidence.subject;
    outcome.time_s = evidence.time_s;
  }
  if (verdict.answer == verification::Answer::equal) outcome.ratio = 0;
  return outcome;
}

}  // namespace

ErrorJudge::ErrorJudge(std::filesystem::path study, ResultsOptions options)
    : study_{std::move(study)},
      options_{std::move(options)},
      manifest_{read_manifest(study_, options_.cancel)} {
  refresh_states(study_, manifest_, options_.cancel);
  auto evaluation = begin_evaluation(study_, manifest_, options_);
  evaluate_files(evaluation);
  for (auto& run : evaluation.runs) {
    if (run.plan.member) members_.push_back(std::move(run));
  }
  manifest_.entries.resize(1);
  options_.threads = 1;  // of a run's own evaluation
  options_.progress = {};
}

Outcome ErrorJudge::judge(PlannedRun const& run, std::string const& problem) const {
  auto manifest = manifest_;
  manifest.entries.push_back({run, problem.empty() ? RunState::done : RunState::planned, {}, 0, problem});
  auto evaluation = begin_evaluation(study_, std::move(manifest), options_);
  evaluate_files(evaluation);
  evaluation.runs.insert(evaluation.runs.end(), members_.begin(), members_.end());
  auto const results = finish_evaluation(std::move(evaluation));
  auto const verdict =
      std::find_if(results.verdicts.begin(), results.verdicts.end(),
                   [&](verification::Verdict const& other) { return other.configuration == run.id; });
  return verdict == results.verdicts.end() ? Outcome{} : outcome_of(*verdict);
}

}  // namespace ulpine::ensembles::search
