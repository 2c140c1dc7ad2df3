// SPDX-License-Identifier: Apache-2.0
#include "cli/named_runs.hpp"

#include <optional>
#include <utility>

#include "ensembles/study/manifest.hpp"
#include "io/error.hpp"

namespace ulpine::cli {

namespace fs = std::filesystem;
using namespace verification::consistency;

bool is_study(fs::path const& folder) { return fs::exists(folder / "manifest.json"); }

StudyRuns runs_of_study(fs::path const& study, std::string const& epsilon) {
  auto const manifest = ensembles::read_manifest(study);
  std::vector<std::string> amplitudes;
  std::optional<ensembles::Epsilon> wanted;
  for (auto const& entry : manifest.entries) {
    auto const& run = entry.run;
    if (!run.epsilon || run.control || run.ensemble != manifest.plan.reference) continue;
    amplitudes.push_back(run.epsilon->text);
    auto const chosen =
        epsilon.empty() ? !wanted || run.epsilon->value > wanted->value : run.epsilon->text == epsilon;
    if (chosen) wanted = run.epsilon;
  }
  if (!wanted) {
    throw InputError(study.string() + ": the reference has no members" +
                     (epsilon.empty() ? "" : " of amplitude " + epsilon) +
                     (amplitudes.empty() ? " (a study without members has no spread) repeat it with --members"
                                         : choices_hint(epsilon, amplitudes)));
  }
  StudyRuns runs;
  runs.amplitude = wanted->text;
  runs.note = "members of " + manifest.plan.reference + " with noise of " + wanted->text;
  for (auto const& entry : manifest.entries) {
    auto const& run = entry.run;
    auto const is_reference = run.id == manifest.plan.reference;
    auto const is_member = run.epsilon && run.epsilon->value == wanted->value &&
                           (run.control || run.ensemble == manifest.plan.reference);
    if (!is_reference && !is_member) continue;
    auto const output = study / run.path / "output.nc";
    if (entry.state == ensembles::RunState::failed) {
      throw InputError((study / run.path).string() + ": run " + run.id +
                       " of the study failed: " + entry.reason +
                       " (the ensemble would lack it) name a folder of the runs that came to their end");
    }
    if (entry.state != ensembles::RunState::done || !fs::exists(output)) {
      throw InputError(output.string() + ": has not been done (run " + run.id +
                       " of the study) go on with the study first");
    }
    RunFiles files{run.id, {output}};
    if (is_reference) {
      runs.ensemble.unperturbed = std::move(files);
    } else {
      (run.control ? runs.control : runs.ensemble).members.push_back(std::move(files));
    }
  }
  return runs;
}

}  // namespace ulpine::cli
