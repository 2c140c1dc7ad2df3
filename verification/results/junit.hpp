// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "verification/results/results.hpp"

namespace ulpine::verification {

/// JUnit XML: a test suite per unperturbed run, per member that failed and per other run that a gate names;
/// its cases are `completed` (fails where the run did) and its gates; gates that could not be judged are
/// skipped cases.
std::string to_junit(StudyResults const& results);

/// As above, of limits alone: a test suite per subject (GateResult::subject), whose cases are its limits.
std::string to_junit(std::string const& title, std::span<GateResult const> results);

/// Text for attributes: markup escaped, what XML 1.0 or UTF-8 forbids replaced.
std::string xml_escaped(std::string const& text);

}  // namespace ulpine::verification
