// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ensembles/reproducibility/restart_comparison.hpp"

namespace ulpine::ensembles {

/// Runs the reference variant to `request.spinup`, restarts it and the tests' variants by the program's own
/// means
/// (`program.restart` of the case) from the files that it left, runs the reference once more without a stop,
/// and compares at the last time. InputError where the case names no restart files, or none is there after
/// the spin-up; RunFailed where a run of the reference fails; Interrupted.
RestartResult compare_program_restarts(RestartRequest const& request);

}  // namespace ulpine::ensembles
