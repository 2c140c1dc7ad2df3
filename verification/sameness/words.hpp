// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verification/sameness/sameness.hpp"

// Words of differences for people.

namespace ulpine::verification::sameness {

/// "float32", "float64", or the type as C has it.
std::string type_words(io::StoredType const& type);
/// "1 unit in the last place", "36 units in the last place".
std::string ulp_words(double ulps);
/// " at 2000-01-01 06:00:00"; empty without a time.
std::string time_words(Distance const& distance);
/// " from 2000-01-01 06:00:00"; empty without a time.
std::string from_words(Distance const& distance);
/// "3.1 h"; "2.5 units of time" where times are no seconds.
std::string duration_words(double duration, bool in_seconds);
/// Numbers of the variables that differ first, at the same time; empty where none differs.
std::vector<std::size_t> first_variables(RunDistance const& run, std::vector<Growth> const& growth);

}  // namespace ulpine::verification::sameness
