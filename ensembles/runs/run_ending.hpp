// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "ensembles/runs/run.hpp"
#include "ensembles/study/manifest.hpp"

namespace ulpine::ensembles {

/// How a run of a study ended.
struct RunEnding {
  ManifestEntry entry;       ///< done, or planned as before where the run failed or was interrupted
  std::string failure = {};  ///< why the run failed; empty: it did not
  std::exception_ptr fatal =
      {};  ///< error that ends the study: an EnvironmentError, an InputError of the reference
};

/// Calls `run` for the planned run.
RunEnding ending_of(PlannedRun const& planned, std::function<RunRecord()> const& run, bool is_reference);

/// what() of the exception.
std::string message_of(std::exception_ptr const& problem);

}  // namespace ulpine::ensembles
