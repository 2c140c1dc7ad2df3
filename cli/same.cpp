// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/csv.hpp"
#include "cli/named_runs.hpp"
#include "ensembles/study/failed_run.hpp"
#include "io/error.hpp"
#include "verification/consistency/runs_of_files.hpp"
#include "verification/sameness/sameness.hpp"

namespace ulpine::cli {
namespace {

namespace fs = std::filesystem;
using namespace verification::sameness;
using verification::consistency::RunFiles;

/// Noisy runs of the reference, and the amplitude of their noise where that is known.
struct NoisyRuns {
  std::vector<RunFiles> runs;
  std::string amplitude;
};

/// Files are a run each; a folder is one where the reference has several files and they lie in it, else a
/// folder of runs.
std::vector<RunFiles> runs_at(fs::path const& path, RunFiles const& reference) {
  if (!fs::is_directory(path)) return {outputs_of(path)};
  auto runs = verification::consistency::runs_of({path});
  auto const in_folder = std::ranges::all_of(runs, [&](RunFiles const& run) {
    return std::ranges::all_of(
        run.files, [&](fs::path const& file) { return fs::equivalent(file.parent_path(), path); });
  });
  return reference.files.size() > 1 && in_folder ? std::vector{outputs_of(path)} : runs;
}

NoisyRuns noisy_runs(SameOptions const& options, RunFiles const& reference) {
  NoisyRuns noisy;
  for (auto const& path : options.noise) {
    if (is_study(path)) {
      auto study = runs_of_study(path, options.epsilon);
      noisy.amplitude = study.amplitude;
      std::ranges::move(study.ensemble.members, std::back_inserter(noisy.runs));
    } else {
      std::ranges::move(runs_at(path, reference), std::back_inserter(noisy.runs));
    }
  }
  auto const any_study = std::ranges::any_of(options.noise, is_study);
  if (!options.epsilon.empty() && !any_study) {
    throw InputError(
        "--epsilon: has no effect (--noise names no study of amplitudes) name a study, or leave "
        "the option out");
  }
  if (options.noise.size() > 1) noisy.amplitude.clear();
  return noisy;
}

bool shares_file(RunFiles const& a, RunFiles const& b) {
  return std::ranges::any_of(a.files, [&](fs::path const& file) {
    return std::ranges::any_of(b.files, [&](fs::path const& other) {
      std::error_code no_files;  // of patterns
      return fs::equivalent(file, other, no_files) || file == other;
    });
  });
}

/// Says of runs of Ulpine that they failed: what they would have written is not compared.
void tell_of_failures(RunFiles const& files, RunDistance& run) {
  for (auto const& file : files.files) {
    if (file.filename() != "output.nc") continue;
    if (auto const failure = ensembles::failure_in(file.parent_path()))
      run.not_compared.push_back(file.string() + " is of a run that failed: " + *failure);
  }
}

int code_of(Answer answer) {
  return answer == Answer::different   ? exit_code::different
         : answer == Answer::undecided ? exit_code::undecided
                                       : exit_code::done;
}

/// A row for each variable and time.
nlohmann::ordered_json rows_of_times(std::string const& json) {
  auto variables = nlohmann::ordered_json::parse(json).at("variables");
  for (auto& [name, variable] : variables.items()) {
    auto const times = variable.at("times");
    variable = times;
  }
  return rows_by_name(variables, "variable");
}

}  // namespace

int same(SameOptions const& options) {
  auto const reference = outputs_of(options.reference), test = outputs_of(options.test);
  auto const weighting =
      options.weights.empty() ? verification::Weighting() : verification::Weighting(options.weights);
  auto const noisy = noisy_runs(options, reference);
  auto run = distance_of(reference, test, options.variables, weighting);
  for (auto const* files : {&reference, &test}) tell_of_failures(*files, run);
  std::vector<RunDistance> members;
  for (auto const& files : noisy.runs) {
    if (shares_file(files, reference) || shares_file(files, test)) {
      run.notes.push_back(files.name + ": is one of the two runs and no noisy one, left out");
      continue;
    }
    auto member = distance_of(reference, files, options.variables, weighting);
    if (!member.differs()) {
      run.notes.push_back(files.name + ": has no noise, its values are the reference's, left out");
      continue;
    }
    members.push_back(std::move(member));
  }
  auto const verdict = judge(run, members, noisy.amplitude);
  print(options.common, options.json  ? to_json(run, verdict)
                        : options.csv ? csv_table(rows_of_times(to_json(run, verdict)))
                                      : to_text(run, verdict));
  return code_of(verdict.answer);
}

}  // namespace ulpine::cli
