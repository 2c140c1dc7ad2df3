// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

namespace ulpine::verification {

/// A number for a JSON file; null where it is not finite or there is none.
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json json_number(std::optional<double> value);
/// An array with json_number() of each value.
nlohmann::ordered_json json_numbers(std::vector<double> const& values);

}  // namespace ulpine::verification
