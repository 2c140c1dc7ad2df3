// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace ulpine::verification {

/// A number for a JSON file; null where it is not finite or there is none.
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json json_number(std::optional<double> value);

}  // namespace ulpine::verification
