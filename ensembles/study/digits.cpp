// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/digits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "core/model/model.hpp"
#include "ensembles/programs/program_case.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "io/error.hpp"
#include "precision/format_name.hpp"

namespace ulpine::ensembles {
namespace {

/// The arithmetic's format to nearest, as a policy.
std::string nearest_of(std::string const& arithmetic) {
  auto const format = parse_format(arithmetic);
  auto const random = format && (arithmetic.ends_with("-sr") || arithmetic.ends_with("-rr"));
  if (!random) {
    throw InputError("--arithmetic '" + arithmetic +
                     "' does not round at random (eXmY-sr or eXmY-rr is needed, without a seed) write e.g. "
                     "e11m52-sr");
  }
  auto const nearest = arithmetic.substr(0, arithmetic.size() - 3);
  return nearest == "e11m52" ? "fp64" : nearest;  // the same bits, an order of magnitude sooner
}

void require_request(SampleRequest const& request) {
  if (request.samples < 2) {
    throw InputError(
        fmt::format("--samples = {} (a spread needs two at least) give e.g. 30", request.samples));
  }
  if (std::uint64_t{request.seed} + std::uint64_t(request.samples) - 1 >
      std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(fmt::format("--seed = {} (with {} samples seeds end beyond 2^32) give a smaller one",
                                 request.seed, request.samples));
  }
}

std::string sample_name(SampleRequest const& request, int sample) {
  return fmt::format("{}{}", request.arithmetic, request.seed + std::uint32_t(sample));
}

/// The stages that are to round at random alone; a note of those that cannot.
std::vector<std::string> stages_of(CaseSource const& source, SampleRequest const& request,
                                   std::string const& nearest, std::vector<std::string>& notes) {
  if (request.stages.empty()) return {};
  auto const case_file = source.load();
  std::vector<std::string> names;
  for (auto const& stage : make_model(case_file, {.policy = nearest})->stages()) names.push_back(stage.name);
  auto const all = request.stages == std::vector<std::string>{"all"};
  std::vector<std::string> chosen, refused;
  for (auto const& name : all ? names : request.stages) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError("--stages: unknown stage '" + name + "'" + choices_hint(name, names));
    }
    try {
      make_model(case_file, {.policy = nearest, .stages = {{name, sample_name(request, 0)}}});
      chosen.push_back(name);
    } catch (InputError const&) {
      if (!all) throw;
      refused.push_back(name);
    }
  }
  if (!refused.empty()) {
    notes.push_back(fmt::format("stages that do not run in a format alone: {}", fmt::join(refused, ", ")));
  }
  return chosen;
}

/// The study of a core's model: a run to nearest, then the samples of each set.
StudyOptions study_of_model(SampleRequest const& request, std::vector<SampleSet> const& sets) {
  StudyOptions study;
  auto const nearest = nearest_of(request.arithmetic);
  study.reference = nearest;
  study.configurations = {nearest};
  for (auto const& set : sets) {
    for (int sample = 0; sample < request.samples; ++sample) {
      auto const name = sample_name(request, sample);
      study.configurations.push_back(set.stage.empty() ? name : nearest + "/" + set.stage + "=" + name);
    }
  }
  study.quad_until = request.quad_until;
  return study;
}

/// The study of a program, whose fields the probe rounds where the program tells of them: a run as it is,
/// then the samples of each set.
StudyOptions study_of_program(io::CaseFile const& case_file, SampleRequest const& request,
                              std::vector<SampleSet> const& sets) {
  auto const program = read_program(case_file);
  StudyOptions study;
  study.variants = planned_variants(program);
  auto const variant =
      program.variant(request.variant.empty() ? program.variants.front().name : request.variant).name;
  study.reference = variant;
  study.configurations = {variant};
  for (auto const& set : sets) {
    for (int sample = 0; sample < request.samples; ++sample) {
      study.configurations.push_back(fmt::format("{}/{}={}", variant, set.stage.empty() ? "*" : set.stage,
                                                 sample_name(request, sample)));
    }
  }
  return study;
}

/// One set for all stages, and one for each that is to round at random alone.
std::vector<SampleSet> sets_of(CaseSource const& source, io::CaseFile const& case_file,
                               SampleRequest const& request, std::vector<std::string>& notes) {
  std::vector<SampleSet> sets = {{}};
  if (!is_program(case_file)) {
    for (auto const& stage : stages_of(source, request, nearest_of(request.arithmetic), notes))
      sets.push_back({stage});
    return sets;
  }
  for (auto const& fields : request.stages) {
    if (fields == "all") {
      throw InputError(
          "--stages: all (which fields a program tells of is known when it runs) name them, as STAGE.FIELD");
    }
    sets.push_back({fields});
  }
  notes.emplace_back(
      "rounded at random are the fields that the program tells the probe of, where it tells of them; its "
      "arithmetic "
      "between is its own: true errors of this arithmetic are larger");
  return sets;
}

}  // namespace

SampleRuns run_samples(CaseSource const& source, SampleRequest const& request,
                       std::filesystem::path const& folder, StudyExecution const& execution) {
  nearest_of(request.arithmetic);
  require_request(request);
  SampleRuns runs;
  runs.mantissa = parse_format(request.arithmetic)->format.precision;
  auto const case_file = source.load();
  runs.sets = sets_of(source, case_file, request, runs.notes);
  auto study = is_program(case_file) ? study_of_program(case_file, request, runs.sets)
                                     : study_of_model(request, runs.sets);
  study.members = 0;
  study.until = request.until;
  study.threads = request.threads;
  auto const plan = make_plan(study);
  clear_study(folder);
  if (run_study(source, plan, folder, execution).interrupted) throw Interrupted();

  auto const manifest = read_manifest(folder, execution.cancel);
  auto const output_of = [&](ManifestEntry const& entry) { return folder / entry.run.path / "output.nc"; };
  auto const& entries = manifest.entries;
  if (entries.front().state != RunState::done) {
    throw RunFailed(entries.front().run.id + " failed: " + entries.front().reason +
                    " (what rounds at random is held against that run) mend the case");
  }
  runs.baseline = output_of(entries.front());
  runs.record = read_run(folder / entries.front().run.path / "run.json");
  // The plan has them in the order of their configurations.
  auto entry = entries.begin() + 1;
  for (auto& set : runs.sets) {
    for (int sample = 0; sample < request.samples; ++sample, ++entry) {
      if (entry->state == RunState::done) {
        set.outputs.push_back(output_of(*entry));
      } else {
        set.failures.push_back(entry->run.id + " failed: " + entry->reason);
      }
    }
    if (set.outputs.size() < 2) {
      throw RunFailed(fmt::format("{} of {} samples failed, {} (a spread needs two at least) mend the case",
                                  set.failures.size(), request.samples, set.failures.front()));
    }
  }
  if (entry != entries.end()) {
    if (entry->state == RunState::done) {
      runs.wider = output_of(*entry);
    } else {
      runs.sets.front().failures.push_back(entry->run.id + " failed: " + entry->reason);
    }
  }
  if (!manifest.quad_note.empty()) runs.notes.push_back(manifest.quad_note);
  return runs;
}

}  // namespace ulpine::ensembles
