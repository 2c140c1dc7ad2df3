// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "ensembles/runs/errors.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/parallel.hpp"
#include "ensembles/study/study_evaluation.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/metrics/metrics.hpp"

namespace ulpine::ensembles {
namespace {

using verification::Frame;
using verification::read_frame;

void evaluate_frame(StudyEvaluation const& study, EvaluatedRun& run, Frame const& frame, std::size_t time) {
  auto const last = time + 1 == study.layout.times.size();
  for (auto const& fitted : study.evaluations) {
    auto const& [evaluation, statistics, curves] = fitted;
    auto const over_time = evaluation.mean.length > 0;
    if (over_time && time >= evaluation.mean.first(study.layout.times)) {
      run.means[evaluation.info.name].add(fitted, study.layout, frame);
    }
    if (run.plan.member && !last) continue;
    std::vector<double> values;
    if (!run.plan.member || !over_time) values = evaluation.evaluator->statistics(frame, study.layout);
    for (std::size_t i = 0; !run.plan.member && i < statistics.size(); ++i) {
      run.result.series->statistics[statistics[i].name].push_back(values.at(i));
    }
    if (!last) continue;
    if (over_time) values = run.means.at(evaluation.info.name).statistics(fitted, study.layout);
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      run.result.statistics[statistics[i].name] = values.at(i);
    }
    if (curves.empty()) continue;
    auto const found = over_time ? run.means.at(evaluation.info.name).curves(fitted, study.layout)
                                 : evaluation.evaluator->curves(frame, study.layout);
    for (std::size_t i = 0; i < curves.size(); ++i) run.result.curves[curves[i].name] = found.at(i);
    run.means.erase(evaluation.info.name);
  }
}

/// Whether a run has the reference's output times, each but for a thousandth of the shortest interval:
/// programs add their steps up in their own precision.
bool same_times(std::vector<double> const& times, std::vector<double> const& reference) {
  if (times.size() != reference.size()) return false;
  auto shortest = std::numeric_limits<double>::infinity();
  for (std::size_t t = 1; t < reference.size(); ++t) {
    shortest = std::min(shortest, reference[t] - reference[t - 1]);
  }
  constexpr double share = 1e-3;
  auto const tolerance = std::isfinite(shortest) ? share * shortest : 0;
  return std::equal(times.begin(), times.end(), reference.begin(),
                    [&](double a, double b) { return std::abs(a - b) <= tolerance; });
}

/// InputError where it has other fields or times than the reference's.
io::InputFile open_output(StudyEvaluation const& study, PlannedRun const& run) {
  io::InputFile file(study.output_of(run));
  for (auto const& field : study.layout.fields) {
    if (!file.has(field) || !same_times(file.times(field), study.layout.times)) {
      throw InputError("its output lacks times or fields of the reference (field " + field +
                       ") repeat the run");
    }
  }
  return file;
}

/// Errors of one field of a run at one time, and the series they belong to.
struct FieldErrors {
  verification::ErrorSeries& series;
  std::vector<double>* growth;  ///< null: there is nothing that it has grown from
  std::optional<verification::Metrics> metrics = {};
};

/// Evaluates a run at the times of `study.shared`, the fields of a time on so many threads.
void evaluate(StudyEvaluation const& study, EvaluatedRun& run, int threads) {
  auto const file = open_output(study, run.plan);
  auto& series = run.result.series ? *run.result.series : run.result.series.emplace();
  auto const& frames = study.shared.runs;
  auto const& reference = frames.at(study.results.reference).frames;
  auto const baseline = run.plan.member ? frames.find(baseline_of(study, run.plan)) : frames.end();
  for (auto time = study.shared.begin; time < study.shared.end; ++time) {
    auto const index = static_cast<std::size_t>(time - study.shared.begin);
    auto const frame = read_frame(file, study.layout, time);
    auto const last = time + 1 == static_cast<std::int64_t>(study.layout.times.size());
    series.time_s.push_back(study.layout.times[static_cast<std::size_t>(time)]);
    std::vector<std::pair<std::string const*, FieldErrors>> fields;
    for (auto const& [name, values] : frame) {
      fields.emplace_back(
          &name, FieldErrors{series.fields[name], baseline != frames.end() ? &run.growth[name] : nullptr});
    }
    parallel_for(fields.size(), threads, [&](std::size_t k) {
      auto& [name, errors] = fields[k];
      auto const& values = frame.at(*name);
      auto const& expected = reference[index].at(*name);
      auto const weights = study.layout.weights_of(*name);
      add_errors(errors.series, values, expected, study.layout, *name);
      if (last) errors.metrics = verification::compute_metrics(values, expected, weights);
      if (errors.growth != nullptr) {
        auto const& origin = baseline->second.frames[index].at(*name);
        errors.growth->push_back(errors_of(values, origin, weights).l2_relative);
      }
    });
    for (auto const& [name, errors] : fields) {
      if (errors.metrics) run.result.set_metrics(*name, *errors.metrics);
    }
    evaluate_frame(study, run, frame, static_cast<std::size_t>(time));
  }
}

/// Frames from time `begin` up to `end` of these runs; those that are there already are not read again.
void share_frames(StudyEvaluation& study, std::vector<EvaluatedRun const*> const& runs, std::int64_t begin,
                  std::int64_t end) {
  auto& shared = study.shared;
  if (shared.begin != begin || shared.end != end) shared = {begin, end, {}};
  for (auto const* run : runs) {
    auto const there = shared.runs.find(run->plan.id);
    if (there != shared.runs.end() && there->second.output == run->output) continue;
    if (there != shared.runs.end()) shared.runs.erase(there);
    SharedFrames::OfRun read{run->output, {}};
    try {
      auto const file = open_output(study, run->plan);
      for (auto time = begin; time < end; ++time) {
        stop_where(study.options.cancel);
        read.frames.push_back(read_frame(file, study.layout, time));
      }
    } catch (InputError const&) {
      if (run->plan.id == study.results.reference) throw;
      continue;  // its own evaluation says what is wrong with it; its members merely have no growth
    }
    shared.runs.emplace(run->plan.id, std::move(read));
  }
}

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

bool fit_together(std::span<double const> test, std::span<double const> reference,
                  std::span<double const> weights) {
  return test.size() == reference.size() && (weights.empty() || weights.size() == test.size());
}

}  // namespace

Errors errors_of(std::span<double const> test, std::span<double const> reference,
                 std::span<double const> weights) {
  if (!fit_together(test, reference, weights)) {
    return {nan, nan};
  }
  double error = 0, size = 0, largest = 0;
  for (std::size_t i = 0; i < test.size(); ++i) {
    if (std::isnan(test[i]) && std::isnan(reference[i])) {
      continue;
    }
    auto const weight = weights.empty() ? 1 : weights[i];
    auto const difference = test[i] - reference[i];
    error += weight * difference * difference;
    size += weight * reference[i] * reference[i];
    largest = std::max(largest, std::abs(difference));
  }
  if (!std::isfinite(error)) {
    return {nan, nan};  // missing or infinite on one side alone
  }
  auto const undefined = size == 0 && error > 0;
  return {error == 0 ? 0 : undefined ? nan : std::sqrt(error / size), largest};
}

void add_errors(verification::ErrorSeries& series, std::vector<double> const& values,
                std::vector<double> const& reference, verification::FrameLayout const& layout,
                std::string const& field) {
  auto const weights = layout.weights_of(field);
  auto const errors = errors_of(values, reference, weights);
  series.l2_relative.push_back(errors.l2_relative);
  series.linf.push_back(errors.linf);
  if (auto const levels = layout.grids.at(field).levels; levels > 0) {
    auto& by_level = series.levels.emplace_back(errors_by_level(values, reference, weights, levels));
    auto const& aside = layout.grids.at(field).aside;
    for (std::size_t level = 0; level < aside.size(); ++level) {
      if (aside[level]) by_level[level] = nan;
    }
  }
}

std::vector<double> errors_by_level(std::span<double const> test, std::span<double const> reference,
                                    std::span<double const> weights, std::int64_t levels) {
  std::vector<double> errors(static_cast<std::size_t>(levels), nan);
  if (!fit_together(test, reference, weights)) {
    return errors;
  }
  auto const count = reference.size() / errors.size();
  for (std::size_t level = 0; level < errors.size(); ++level) {
    auto const part = [&](std::span<double const> all) {
      return all.empty() ? all : all.subspan(level * count, count);
    };
    auto const size = part(reference);
    if (std::any_of(size.begin(), size.end(), [](double value) { return std::abs(value) > 0; })) {
      errors[level] = errors_of(part(test), size, part(weights)).l2_relative;
    }
  }
  return errors;
}

std::string const& baseline_of(StudyEvaluation const& study, PlannedRun const& member) {
  return member.control ? study.results.reference : member.ensemble;
}

std::map<std::string, io::FileContent> unperturbed_outputs(StudyEvaluation const& study) {
  std::map<std::string, io::FileContent> outputs;
  for (auto const& run : study.runs) {
    if (!run.plan.member && !run.result.failed) outputs[run.plan.id] = run.output;
  }
  return outputs;
}

std::vector<io::FileContent> sources_of(StudyEvaluation const& study, EvaluatedRun const& run,
                                        std::map<std::string, io::FileContent> const& unperturbed) {
  std::vector<io::FileContent> sources = {run.output};
  auto const add = [&](std::string const& id) {
    if (auto const found = unperturbed.find(id); found != unperturbed.end()) sources.push_back(found->second);
  };
  add(study.results.reference);
  if (run.plan.member) add(baseline_of(study, run.plan));
  return sources;
}

void evaluate_files(StudyEvaluation& study) {
  std::vector<EvaluatedRun*> open;
  std::set<std::string> others = {study.results.reference};  // that those are held against
  for (auto& run : study.runs) {
    if (run.result.failed || !run.evaluated_from.empty()) continue;
    open.push_back(&run);
    if (run.plan.member) others.insert(baseline_of(study, run.plan));
  }
  std::vector<EvaluatedRun const*> shared;
  for (auto const& run : study.runs) {
    if (!run.plan.member && !run.result.failed && others.contains(run.plan.id)) shared.push_back(&run);
  }
  auto const times = static_cast<std::int64_t>(study.layout.times.size());
  auto const blocks = (times + study.times_together - 1) / study.times_together;
  auto const total = static_cast<double>(blocks) * static_cast<double>(open.size());
  // If there are fewer runs than threads, each run has several threads.
  auto const of_each = std::max(study.options.threads / std::max(static_cast<int>(open.size()), 1), 1);
  std::size_t evaluated = 0;
  std::mutex mutex;
  for (std::int64_t begin = 0; begin < times && !open.empty(); begin += study.times_together) {
    share_frames(study, shared, begin, std::min(begin + study.times_together, times));
    parallel_for(open.size(), study.options.threads, [&](std::size_t i) {
      stop_where(study.options.cancel);
      auto& run = *open[i];
      if (!run.result.failed) {
        try {
          evaluate(study, run, of_each);
        } catch (InputError const& problem) {
          run.result.failed = problem.what();
        }
      }
      std::lock_guard const lock(mutex);
      ++evaluated;
      if (study.options.progress) {
        study.options.progress(static_cast<double>(evaluated) / total, run.result.id);
      }
    });
  }
  auto const outputs = unperturbed_outputs(study);
  for (auto* run : open) run->evaluated_from = sources_of(study, *run, outputs);
}

}  // namespace ulpine::ensembles
