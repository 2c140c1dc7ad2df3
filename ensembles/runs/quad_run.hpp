// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/model.hpp"
#include "ensembles/study/plan.hpp"
#include "io/case_file.hpp"

namespace ulpine::ensembles {

/// The run in `quad`, on one core of the host, that shows the error of the reference itself.
struct QuadRun {
  double until = 0;  ///< s; 0: it is left out
  std::string note;  ///< why, where it was not asked to be
};

/// The run that quad_until of the plan's options asks for; by default to the first output, where the core has
/// `quad` and the cost estimate is at most `most_quad_seconds`. Takes two steps of `model`, the case's in
/// fp64 on one thread, to estimate it, unless so many cells and steps cannot be had for that by any core.
/// InputError where a time that was asked for is none of the study's or the core cannot run `quad`.
QuadRun decide_quad_run(io::CaseFile const& case_file, Model& model, StudyPlan const& plan);

/// Processor time that a run in `quad` may take by default, s.
inline constexpr double most_quad_seconds = 120;

}  // namespace ulpine::ensembles
