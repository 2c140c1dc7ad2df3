// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ensembles/configuration.hpp"
#include "ensembles/progress.hpp"
#include "ensembles/study_evaluation.hpp"

namespace ulpine::ensembles {
namespace {

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void note_slow_runs(StudyEvaluation& study) {
  constexpr std::size_t least_runs = 3;
  constexpr double factor = 10, least_s = 10;
  std::map<std::string, std::vector<double>> times;
  auto const kind_of = [](EvaluatedRun const& run) {
    return run.result.device + "/" + policy_text(run.plan.configuration);
  };
  for (auto const& run : study.runs) {
    if (!run.result.failed) times[kind_of(run)].push_back(run.result.wall_s);
  }
  for (auto const& run : study.runs) {
    if (run.result.failed || run.result.wall_s < least_s) continue;
    auto const& of_kind = times.at(kind_of(run));
    if (of_kind.size() < least_runs) continue;
    auto const usual = median(of_kind);
    if (run.result.wall_s <= factor * usual) continue;
    study.results.notes.push_back(fmt::format(
        "{} took {}, more than {:g} times the median of the {} runs of its kind ({})", run.result.id,
        readable_duration(run.result.wall_s), factor, of_kind.size(), readable_duration(usual)));
  }
}

}  // namespace ulpine::ensembles
