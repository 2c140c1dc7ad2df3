// SPDX-License-Identifier: Apache-2.0
#include "verification/results/json_number.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace ulpine::verification {

nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json json_number(std::optional<double> value) {
  return value ? json_number(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json json_numbers(std::vector<double> const& values) {
  auto array = nlohmann::ordered_json::array();
  for (auto const value : values) array.push_back(json_number(value));
  return array;
}

}  // namespace ulpine::verification
