// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/error.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr std::array<MethodInfo, 4> rules = {{
    {"pycect", "do principal components of 3 runs lie where the ensemble's do?",
     "PyCECT (Baker et al. 2015)"},
    {"eet", "how many choices of 3 of all runs fail that?", "PyCECT (EET.py; Milroy et al. 2018)"},
    {"probtest", "do extremes and means of levels stay within the members' tolerances?", "probtest"},
    {"evv", "do annual means of each variable come from one distribution?", "EVV4ESM (Mahajan et al. 2017)"},
}};

/// Whether a level has infinite values, or as many points without a value as no run of the ensemble, where
/// all of these agree: the mark of NaN, which no tool averages away.
bool is_unsound(EnsembleSummary const& ensemble, LevelSummary const& level, std::size_t variable,
                std::size_t time, std::size_t k) {
  if (level.not_finite > 0) return true;
  auto const missing_in = [&](RunSummary const& run) {
    return run.variables[variable][time].levels[k].missing;
  };
  auto const usual = missing_in(ensemble.members.front());
  auto const agree =
      std::ranges::all_of(ensemble.members, [&](RunSummary const& run) { return missing_in(run) == usual; });
  return agree && level.missing != usual;
}

/// Takes the numbers of unsound levels for NaN.
void blank_unsound(EnsembleSummary const& ensemble, EnsembleSummary& tests) {
  for (auto& run : tests.members) {
    for (std::size_t v = 0; v < run.variables.size(); ++v) {
      for (std::size_t t = 0; t < run.variables[v].size(); ++t) {
        auto& time = run.variables[v][t];
        for (std::size_t k = 0; k < time.levels.size(); ++k) {
          auto& level = time.levels[k];
          if (!is_unsound(ensemble, level, v, t, k)) continue;
          level.min = level.mean = level.max = time.mean = not_a_number;
        }
      }
    }
  }
}

}  // namespace

std::span<MethodInfo const> published_rules() { return rules; }

void require_rule(std::string const& name) {
  std::vector<std::string> known;
  for (auto const& rule : rules) known.emplace_back(rule.name);
  if (std::ranges::count(known, name) == 0)
    throw InputError("--as " + name + ": no such rule" + choices_hint(name, known));
}

std::optional<Verdict> judge_as(PublishedRequest const& request, ReadingProgress const& progress) {
  require_rule(request.rule);
  for (auto const& [key, value] : request.parameters) {
    if (!key.starts_with(request.rule + ".")) {
      throw InputError("--parameter " + key + ": is none of --as " + request.rule +
                       " (nothing else is judged) begin it with " + request.rule + ".");
    }
  }
  Parameters parameters(request.rule, request.parameters);
  Verdict verdict;
  auto const apply = request.rule == "probtest" ? as_probtest : request.rule == "evv" ? as_evv : as_pycect;
  auto outcome = apply(request, parameters, progress, verdict.notes);
  if (!outcome) return std::nullopt;
  verdict.answer = outcome->answer;
  verdict.statement = outcome->statement + "; Ulpine's own verdict is the same command without --as";
  verdict.outcomes.push_back(std::move(*outcome));
  return verdict;
}

void refuse_options(PublishedRequest const& request, std::string const& why) {
  if (!request.reading_option.empty())
    throw InputError(request.reading_option + ": has no effect (" + why + ") leave the option out");
}

ReadForRule read_for_rule(PublishedRequest const& request, bool unweighted, ReadingProgress const& progress,
                          std::vector<std::string>& notes) {
  auto files = request.runs();
  if (unweighted && !request.weights_given) files.weighting = Weighting("none");
  auto accepted = read_accepted(files, progress);
  notes.insert(notes.end(), files.notes.begin(), files.notes.end());
  notes.insert(notes.end(), accepted.grid.notes.begin(), accepted.grid.notes.end());
  ReadForRule result{std::move(accepted.ensemble.summary), {}, {}};
  for (auto const* list : {&files.ensemble, &files.tests}) {
    if (!list->members.empty() && result.file.empty()) result.file = list->members.front().files.front();
  }
  if (!files.tests.members.empty()) result.tests = read_runs(files.tests, accepted.grid, progress).summary;
  return result;
}

std::size_t time_of_rule(std::int64_t index, EnsembleSummary const& ensemble, std::string const& key,
                         std::vector<std::string>& notes) {
  auto const count = std::int64_t(ensemble.times.size());
  auto const time = index < 0 ? index + count : index;
  if (time < 0 || time >= count) {
    throw InputError(
        fmt::format("--parameter {}={}: there is no such time (the runs have {} in common) give one "
                    "from {} to {}",
                    key, index, count, -count, count - 1));
  }
  if (count > 1) {
    notes.push_back(fmt::format("time {} of {} is looked at, {} ({}={}; -1 is the last)", time + 1, count,
                                ensemble.time_text(std::size_t(time)), key, index));
  }
  return std::size_t(time);
}

}  // namespace ulpine::verification::consistency
