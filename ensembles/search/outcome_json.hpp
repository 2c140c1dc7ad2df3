// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ensembles/search/assignment.hpp"

namespace ulpine::ensembles::search {

/// `ratio`, `answer`, `interval`, `worst` (with `field` and `time_s`), `problem` and `wall_s`; null for what
/// is missing.
nlohmann::ordered_json outcome_json(Outcome const& outcome);
/// Reads the JSON of outcome_json(); nlohmann::json::exception where it is something else.
Outcome outcome_from(nlohmann::ordered_json const& json);

}  // namespace ulpine::ensembles::search
