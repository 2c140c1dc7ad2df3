// SPDX-License-Identifier: Apache-2.0
#include "verification/results/metrics_json.hpp"

#include <nlohmann/json.hpp>

#include "verification/metrics/metrics.hpp"

namespace ulpine::verification {

nlohmann::ordered_json metrics_json() {
  auto json = nlohmann::ordered_json::object();
  for (auto const& metric : metric_list()) {
    json[metric.name] = {{"direction", name_of(metric.direction)},
                         {"unit", metric.unit},
                         {"meaning", metric.meaning},
                         {"heading", metric.heading},
                         {"digits", metric.digits},
                         {"shown", name_of(metric.shown)}};
  }
  return json;
}

}  // namespace ulpine::verification
