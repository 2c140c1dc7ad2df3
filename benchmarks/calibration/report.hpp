// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "calibration/calibrate.hpp"
#include "calibration/tables.hpp"

namespace ulpine::calibration {

/// Markdown: rates by kind of evidence over all configurations, the verdicts on each, answers just beyond the
/// margins, power. A study with several configurations counts once for each.
std::string to_markdown(Calibration const& calibration);
/// Markdown of published_rates().
std::string to_markdown(std::vector<std::vector<PublishedRate>> const& tables);

/// {version, date, rows: [{model, evidence, fault, members, studies, false_alarms, false_alarms_upper,
/// misses, misses_upper, undecided}]}: shares of the studies of which that can be said, upper ends of 95 %
/// intervals; null where there is none. `undecided` is a share of all. A row a line.
std::string to_json(std::vector<Calibration> const& calibrations, std::string const& version,
                    std::string const& date);

}  // namespace ulpine::calibration
