// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/error_judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ensembles/runs/run.hpp"

namespace ulpine::ensembles::search {
namespace {

/// The difference that a statistic may have; 0 where members of the reference do not scatter and the margin
/// is a multiple of their scatter.
double allowance(verification::Margin const& margin, verification::MeanSd const& members) {
  switch (margin.kind) {
    case verification::Margin::Kind::spread:
      return margin.value * members.sd;
    case verification::Margin::Kind::relative:
      return margin.value * std::abs(members.mean);
    default:
      return margin.value;
  }
}

/// Holds statistics of the run at the end against the margins of the verdicts on members: where errors are
/// small, members are off by what the unperturbed run is off by.
void add_statistics(Outcome& outcome, verification::RunResult const& run,
                    verification::RunResult const& reference,
                    std::map<std::string, verification::MeanSd> const& members,
                    verification::Rules const& rules) {
  for (auto const& [name, value] : run.statistics) {
    auto const expected = reference.statistics.find(name);
    auto const scatter = members.find(name);
    if (expected == reference.statistics.end() || scatter == members.end()) continue;
    auto const shift = std::abs(value - expected->second);
    if (shift == 0 || (std::isnan(value) && std::isnan(expected->second))) continue;
    auto const ratio = shift / allowance(rules.of_statistic(name), scatter->second);
    if (!(ratio <= 1) && outcome.answer == verification::Answer::equivalent) {
      outcome.answer = verification::Answer::undecided;
    }
    if (std::isfinite(ratio) && outcome.ratio && ratio > *outcome.ratio) {
      outcome.ratio = ratio;
      outcome.interval = {};
      outcome.field = name;
      outcome.time_s = {};
    }
  }
}

}  // namespace

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

ErrorJudge::ErrorJudge(std::filesystem::path study, ResultsOptions options)
    : study_{std::move(study)},
      options_{std::move(options)},
      manifest_{read_manifest(study_, options_.cancel)} {
  refresh_states(study_, manifest_, options_.cancel);
  if (auto const& reference = manifest_.entries.front(); reference.state == RunState::failed) {
    throw RunFailed(study_.string() + ": the reference " + reference.run.id + " failed: " + reference.reason +
                    " (nothing can be held against it) mend the case and search anew");
  }
  auto evaluation = begin_evaluation(study_, manifest_, options_);
  evaluate_files(evaluation);
  for (auto& run : evaluation.runs) {
    if (run.plan.member) members_.push_back(std::move(run));
  }
  std::map<std::string, std::vector<double>> values;
  for (auto const& member : members_) {
    for (auto const& [name, value] : member.result.statistics) values[name].push_back(value);
  }
  for (auto const& [name, of_members] : values) scatter_[name] = mean_sd(of_members);
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
  if (verdict == results.verdicts.end()) return {};
  auto outcome = outcome_of(*verdict);
  auto const* found = results.find_run(run.id);
  auto const* reference = results.find_run(results.reference);
  if (found != nullptr && reference != nullptr) {
    add_statistics(outcome, *found, *reference, scatter_, results.rules);
  }
  return outcome;
}

}  // namespace ulpine::ensembles::search
