// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <span>

#include "ensembles/errors.hpp"
#include "ensembles/interrupt.hpp"
#include "ensembles/parallel.hpp"
#include "ensembles/study_evaluation.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/metrics.hpp"

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

/// The unperturbed run that a member has grown away from.
std::string const& baseline_of(StudyEvaluation const& study, PlannedRun const& member) {
  return member.control ? study.results.reference : member.ensemble;
}

void evaluate(StudyEvaluation const& study, EvaluatedRun& run, std::int64_t begin, std::int64_t end,
              std::map<std::string, std::vector<Frame>> const& frames) {
  io::InputFile const file(study.output_of(run.plan));
  for (auto const& field : study.layout.fields) {
    if (!file.has(field) || file.times(field) != study.layout.times) {
      throw InputError("its output lacks times or fields of the reference (field " + field +
                       ") repeat the run");
    }
  }
  auto& series = run.result.series ? *run.result.series : run.result.series.emplace();
  auto const baseline = frames.find(baseline_of(study, run.plan));
  for (auto time = begin; time < end; ++time) {
    auto const index = static_cast<std::size_t>(time - begin);
    auto const frame = read_frame(file, study.layout, time);
    auto const last = time + 1 == static_cast<std::int64_t>(study.layout.times.size());
    series.time_s.push_back(study.layout.times[static_cast<std::size_t>(time)]);
    for (auto const& [name, values] : frame) {
      auto const& reference = frames.at(study.results.reference)[index].at(name);
      auto const weights = study.layout.weights_of(name);
      add_errors(series.fields[name], values, reference, study.layout, name);
      if (last) {
        run.result.set_metrics(name, verification::compute_metrics(values, reference, weights));
      }
      if (run.plan.member && baseline != frames.end()) {
        run.growth[name].push_back(errors_of(values, baseline->second[index].at(name), weights).l2_relative);
      }
    }
    evaluate_frame(study, run, frame, static_cast<std::size_t>(time));
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

void evaluate_files(StudyEvaluation& study) {
  std::set<std::string> baselines;
  for (auto const& run : study.runs) {
    if (run.plan.member) {
      baselines.insert(baseline_of(study, run.plan));
    }
  }
  std::vector<PlannedRun> shared;
  for (auto const& run : study.runs) {
    auto const& id = run.plan.id;
    if (id == study.results.reference || (!run.result.failed && baselines.contains(id))) {
      shared.push_back(run.plan);
    }
  }
  constexpr std::int64_t budget = std::int64_t{512} << 20;
  auto const times = static_cast<std::int64_t>(study.layout.times.size());
  auto const together = std::clamp<std::int64_t>(
      budget / std::max<std::int64_t>(study.layout.frame_bytes * static_cast<std::int64_t>(shared.size()), 1),
      1, times);
  auto const blocks = (times + together - 1) / together;
  auto const total = static_cast<double>(blocks) * static_cast<double>(study.runs.size());
  std::size_t evaluated = 0;
  std::mutex mutex;
  for (std::int64_t begin = 0; begin < times; begin += together) {
    auto const end = std::min(begin + together, times);
    std::map<std::string, std::vector<Frame>> frames;
    for (auto const& run : shared) {
      try {
        io::InputFile const file(study.output_of(run));
        std::vector<Frame> read;
        for (auto time = begin; time < end; ++time) {
          stop_where(study.options.cancel);
          read.push_back(read_frame(file, study.layout, time));
        }
        frames[run.id] = std::move(read);
      } catch (InputError const&) {
        if (run.id == study.results.reference) {
          throw;
        }
        // Its own evaluation says what is wrong with it; its members merely have no growth.
      }
    }
    parallel_for(study.runs.size(), study.options.threads, [&](std::size_t i) {
      stop_where(study.options.cancel);
      auto& run = study.runs[i];
      if (!run.result.failed) {
        try {
          evaluate(study, run, begin, end, frames);
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
}

}  // namespace ulpine::ensembles
