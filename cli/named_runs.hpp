// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "verification/consistency/reading.hpp"

namespace ulpine::cli {

/// Whether the folder is a study of Ulpine.
bool is_study(std::filesystem::path const& folder);

/// The ensemble of a study: members of the reference at one amplitude, its unperturbed run, its control.
struct StudyRuns {
  verification::consistency::RunList ensemble, control;
  std::string amplitude;  ///< "1e-10"
  std::string note;       ///< which members these are, for people
};
/// `epsilon`: the amplitude; empty: the largest. InputError where the study has no such members, or some that
/// have not come to their end.
StudyRuns runs_of_study(std::filesystem::path const& study, std::string const& epsilon);

}  // namespace ulpine::cli
