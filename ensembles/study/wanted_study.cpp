// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/wanted_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/model/ranked_model.hpp"
#include "ensembles/programs/program_case.hpp"
#include "ensembles/runs/quad_run.hpp"
#include "ensembles/runs/run.hpp"
#include "io/error.hpp"
#include "ulpine_version.hpp"
#include "verification/evaluators/evaluation.hpp"
#include "verification/metrics/vectors.hpp"

namespace ulpine::ensembles {
namespace {

/// InputError, by the core, for what it refuses: stages that it has not, policies and keys on several ranks.
/// On the host, as there, and on ranks where the program has them.
void require_configurations(CaseSource const& source, StudyPlan const& plan) {
  bool ranks_known = false;
  for (auto const& run : plan.runs) {
    if (run.member) continue;
    auto configuration = run.configuration;
    configuration.device = "cpu";
    configuration.size = 0;
    if (configuration.ranks > team_size()) configuration.ranks = 0;
    // Ranks refuse a case whatever its policy, or policies of few runs and formats: the others need not all
    // be asked.
    auto const* const row = find_policy(configuration.policy);
    bool const everywhere = row != nullptr && row->runs == Runs::everywhere;
    auto const on_ranks = configuration.ranks > 1 && (!ranks_known || !everywhere);
    if (configuration.stages.empty() && !on_ranks) continue;
    make_model(source.load(), model_options(configuration));
    ranks_known = ranks_known || configuration.ranks > 1;
  }
}

/// InputError where the case evaluates a field that the output will not have.
void require_evaluated_fields(io::CaseFile const& case_file, Model const& model) {
  auto const infos = model.fields();
  std::vector<std::string> names;
  for (auto const& info : infos) names.push_back(info.name);
  for (auto const& components : verification::vector_components(infos)) {
    names.push_back(verification::speed_name(components));
  }
  verification::require_fields(verification::read_evaluations(case_file, judging_of(case_file.core())),
                               names);
}

/// What is known of a study before its model or program is asked.
Manifest manifest_of(io::CaseFile const& case_file, StudyPlan const& plan) {
  Manifest manifest;
  manifest.plan.options = plan.options;
  manifest.plan.reference = plan.reference;
  manifest.core = case_file.core();
  manifest.case_name = case_file.name();
  manifest.case_text = case_file.resolved();
  manifest.case_hash = io::hex(case_file.hash());
  manifest.version = fmt::format("{} ({})", build::version, build::commit);
  return manifest;
}

void add_runs(Manifest& manifest) {
  for (auto& run : make_plan(manifest.plan.options).runs) {
    manifest.entries.push_back({std::move(run)});
  }
}

Manifest manifest_of_program(io::CaseFile const& case_file, StudyPlan const& plan) {
  auto const program = read_program(case_file);
  require_end(case_file, program, plan.options.until);
  auto manifest = manifest_of(case_file, plan);
  auto& options = manifest.plan.options;
  options.perturb = perturbed_fields(program, options.perturb, options.members > 0);
  options.quad_until = 0;
  add_runs(manifest);
  return manifest;
}

}  // namespace

Manifest wanted_manifest(CaseSource const& source, StudyPlan const& plan) {
  auto const case_file = source.load();
  if (is_program(case_file)) return manifest_of_program(case_file, plan);
  auto const model = make_model(case_file, {});
  require_configurations(source, plan);
  require_evaluated_fields(case_file, *model);
  if (plan.options.until) {
    time_of_steps(*plan.options.until, model->time_step(), "--until");
  } else {
    time_of_steps(end_time(case_file), model->time_step(), case_file.path().string() + ": time.end");
  }
  auto manifest = manifest_of(case_file, plan);
  auto& fields = manifest.plan.options.perturb;
  auto const known = model->perturbable();
  if (fields.empty()) {
    fields = known;
  }
  for (auto const& field : fields) {
    if (std::find(known.begin(), known.end(), field) == known.end()) {
      throw InputError("the model cannot perturb '" + field + "'" + choices_hint(field, known));
    }
  }
  manifest.core = model->core();
  manifest.cells = model->cells();
  manifest.memory_bytes = model->memory_bytes();
  auto const quad = decide_quad_run(case_file, *model, plan);
  manifest.quad_note = quad.note;
  manifest.plan.options.quad_until = quad.until;
  add_runs(manifest);
  return manifest;
}

}  // namespace ulpine::ensembles
