// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/planned_request.hpp"

#include "ensembles/study/configuration.hpp"

namespace ulpine::ensembles {

void take_variant(Configuration const& configuration, int threads, RunRequest& request) {
  request.variant = configuration.variant;
  request.variant_ranks = configuration.variant_ranks;
  request.options.threads = configuration.variant_threads > 0 ? configuration.variant_threads : threads;
  request.options.stages = configuration.stages;
}

RunRequest request_of(PlannedRun const& run, StudyOptions const& options,
                      std::filesystem::path const& study) {
  RunRequest request;
  request.source = {study / "case.toml"};
  request.options = model_options(run.configuration, options.threads, options.block);
  if (!run.configuration.variant.empty()) take_variant(run.configuration, options.threads, request);
  request.folder = study / run.path;
  request.id = run.id;
  request.until = run.until ? run.until : options.until;
  request.member = run.member;
  if (run.epsilon) {
    request.epsilon = run.epsilon->value;
    for (auto const& field : options.perturb) {
      // The noise of a member is the same for every policy: they are compared pair by pair.
      request.perturbations.push_back(
          {field, {run.seed, static_cast<std::uint32_t>(run.member.value_or(0)), run.epsilon->value}});
    }
  }
  return request;
}

}  // namespace ulpine::ensembles
