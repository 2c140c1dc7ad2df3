// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/data.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ulpine::verification::consistency {

std::string EnsembleSummary::time_text(std::size_t time) const {
  if (std::isnan(times[time])) return {};
  auto const instant = scale.first + times[time];
  return scale.in_seconds ? io::date_text(scale.calendar, instant) : fmt::format("{:.10g}", instant);
}

}  // namespace ulpine::verification::consistency
