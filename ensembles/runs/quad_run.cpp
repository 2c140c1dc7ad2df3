// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/quad_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "core/model/not_solved.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

/// Processor time of a step in `quad` over one in fp64, which vectorises: 43 s over 0.065 s for the 30 steps
/// of cyclone_quick to its first output, on one core (2026-11-22).
constexpr double quad_cost = 650;

/// Processor time of a step of one cell in fp64, at least, s: some cycles to read and write a few numbers.
/// Cores take a hundred times that and more.
constexpr double least_step_cost = 5e-9;

/// Processor time per s of model time, s; the first step, which touches everything for the first time, is
/// left out.
double cost_of(Model& model) {
  model.advance(1);
  auto const start = model.time();
  auto const begin = std::clock();
  model.advance(1);
  auto const seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return seconds / (model.time() - start);
}

void require_quad(io::CaseFile const& case_file) { make_model(case_file, {.policy = "quad"}); }

}  // namespace

QuadRun decide_quad_run(io::CaseFile const& case_file, Model& model, StudyPlan const& plan) {
  auto const& options = plan.options;
  auto const& reference = plan.runs.front().configuration;
  if (options.quad_until == 0.0) {
    return {};
  }
  auto const unknown = [](std::string const& why) {
    return QuadRun{0, "the reference's own error is not known (" + why + ")"};
  };
  if (reference.policy == "quad") {
    return unknown("it is in quad, the widest arithmetic that there is");
  }
  if (std::any_of(plan.runs.begin(), plan.runs.end(), [](PlannedRun const& run) {
        return !run.member && !run.until && is_quad(run.configuration);
      })) {
    return {};  // it is judged, and taken for this too
  }
  auto const step = model.time_step();
  auto const end = time_of_steps(options.until ? *options.until : end_time(case_file), step, "--until");
  auto const interval = time_of_steps(output_interval(case_file), step, "output.interval");
  auto const first = interval > 0 ? std::min(interval, end) : end;
  if (options.quad_until) {
    auto const until = time_of_steps(*options.quad_until, step, "--quad-until");
    if (until < first || until > end) {
      throw InputError(
          fmt::format("--quad-until = {} s is no time of the study's outputs (the first is at {} s, the last "
                      "at {} s) give "
                      "e.g. {} s, or 0 s for none",
                      until, first, end, first));
    }
    require_quad(case_file);
    return {until, ""};
  }
  auto const too_long = [&](std::string const& duration) {
    return unknown(
        fmt::format("quad would take {} of a core until the first output; --quad-until \"{} s\" asks for it",
                    duration, first));
  };
  // For a large case two steps on the host take longer than a whole run on a GPU.
  if (step > 0) {
    auto const least = static_cast<double>(model.cells()) * least_step_cost / step * first * quad_cost;
    if (least > most_quad_seconds) return too_long("more than " + readable_duration(least));
  }
  auto estimate = 0.;
  try {
    estimate = cost_of(model) * first * quad_cost;
  } catch (NotSolved const& failure) {
    return unknown(std::string("its case fails in fp64: ") + failure.what());
  } catch (InputError const& failure) {
    return unknown(std::string("its case fails in fp64: ") + failure.what());
  }
  if (!(estimate <= most_quad_seconds)) return too_long(readable_duration(estimate));
  try {
    require_quad(case_file);
  } catch (InputError const& problem) {
    return unknown(problem.what());
  } catch (EnvironmentError const& missing) {  // nobody asked for it
    return unknown(missing.what());
  }
  return {first, ""};
}

}  // namespace ulpine::ensembles
