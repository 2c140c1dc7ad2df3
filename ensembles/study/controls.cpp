// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/controls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/exec/random.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/parallel.hpp"
#include "ensembles/study/study_evaluation.hpp"
#include "io/netcdf.hpp"
#include "precision/policy_roundoff.hpp"

namespace ulpine::ensembles {
namespace {

/// Statistics of one evaluation by amplitude.
void add_controls(StudyEvaluation const& study, verification::FittedEvaluation const& evaluation,
                  verification::Frame const& frame, std::vector<double> const& amplitudes,
                  ControlStatistics& controls) {
  std::vector<std::vector<double>> values(amplitudes.size() * control_draws);
  parallel_for(values.size(), study.options.threads, [&](std::size_t i) {
    stop_where(study.options.cancel);
    verification::Frame disturbed;
    for (auto const& field : evaluation.evaluation.info.fields) {
      disturbed[field] =
          noisy(frame.at(field), amplitudes[i / control_draws], study.results.seed,
                static_cast<std::uint32_t>(i % control_draws), evaluation.evaluation.info.name);
    }
    values[i] = evaluation.evaluation.evaluator->statistics(disturbed, study.layout);
  });
  for (std::size_t a = 0; a < amplitudes.size(); ++a) {
    for (std::size_t k = 0; k < evaluation.statistics.size(); ++k) {
      std::vector<double> of_draws;
      for (auto draw = a * control_draws; draw < (a + 1) * control_draws; ++draw) {
        of_draws.push_back(values[draw].at(k));
      }
      controls[amplitudes[a]][evaluation.statistics[k].name] = mean_sd(of_draws);
    }
  }
}

/// The fields that make the evaluation: those of the last time, or their mean.
verification::Frame seen_by(verification::FittedEvaluation const& evaluation, StudyEvaluation const& study,
                            verification::Frame const& last) {
  auto const& mean = evaluation.evaluation.mean;
  if (mean.length == 0 || !mean.of_fields) return last;
  io::InputFile const file(study.output_of(study.reference()));
  verification::EvaluationOverTime over_time;
  for (auto time = mean.first(study.layout.times); time < study.layout.times.size(); ++time) {
    over_time.add(evaluation, study.layout,
                  verification::read_frame(file, study.layout, static_cast<std::int64_t>(time)));
  }
  return over_time.mean_frame();
}

/// The reference's fields at the last time.
verification::Frame last_of_reference(StudyEvaluation const& study) {
  return verification::read_frame(io::InputFile(study.output_of(study.reference())), study.layout, -1);
}

}  // namespace

std::vector<double> noisy(std::vector<double> field, double amplitude, std::uint64_t seed, std::uint32_t draw,
                          std::string const& evaluation) {
  auto const key = name_key((evaluation + "_control").c_str());
  for (std::size_t i = 0; i < field.size(); ++i) {
    field[i] *= 1 + amplitude * uniform_symmetric(seed, draw, key, static_cast<std::int64_t>(i));
  }
  return field;
}

ControlStatistics control_statistics(StudyEvaluation const& study) {
  ControlStatistics controls;
  std::set<double> amplitudes;
  for (auto const& [run, state, hash, wall_s, reason] : study.manifest.entries) {
    if (run.member == 0) amplitudes.insert({unit_roundoff(run.configuration.policy), run.epsilon->value});
  }
  std::vector<double> const list(amplitudes.begin(), amplitudes.end());
  auto const frame = last_of_reference(study);
  for (auto const& evaluation : study.evaluations) {
    if (!evaluation.statistics.empty()) {
      add_controls(study, evaluation, seen_by(evaluation, study, frame), list, controls);
    }
  }
  return controls;
}

void fill_orientation_spreads(StudyEvaluation& study) {
  auto& results = study.results;
  for (auto const& evaluation : study.evaluations) {
    if (!evaluation.evaluation.evaluator->depends_on_orientation()) continue;
    stop_where(study.options.cancel);
    auto const frame = last_of_reference(study);
    auto const spreads = evaluation.evaluation.evaluator->spreads_over_orientations(
        seen_by(evaluation, study, frame), study.layout);
    for (std::size_t i = 0; i < spreads.size(); ++i) {
      auto const& name = evaluation.statistics.at(i).name;
      auto const statistic = std::ranges::find(results.statistics, name, &verification::Statistic::name);
      if (!(spreads[i] > 0)) continue;  // NaN where it has no value
      statistic->orientation_spread = spreads[i];
      results.notes.push_back(fmt::format(
          "{} of the reference differs by {:.4g}{} over the 8 orientations of its grid: no margin "
          "and no gate's limit is less",
          name, spreads[i],
          statistic->units == "1" || statistic->units.empty() ? "" : " " + statistic->units));
    }
  }
}

void fill_controls(StudyEvaluation& study) {
  auto& results = study.results;
  if (results.statistics.empty()) {
    return;
  }
  auto const controls = study.controls ? *study.controls : control_statistics(study);
  std::set<std::string> policies;
  for (auto& ensemble : results.ensembles) {
    if (policies.insert(ensemble.policy).second) {
      auto const noise = unit_roundoff(ensemble.policy);
      results.controls.push_back({ensemble.policy, noise, control_draws, controls.at(noise)});
    }
    ensemble.controls = controls.at(ensemble.epsilon);
  }
}

}  // namespace ulpine::ensembles
