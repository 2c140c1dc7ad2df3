// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ulpine::verification {

/// metric_list() for a JSON file, so that its readers know no metric by name: NAME -> {direction, unit,
/// meaning, heading, digits, shown}, in the order of the list.
nlohmann::ordered_json metrics_json();

}  // namespace ulpine::verification
