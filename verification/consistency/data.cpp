// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulpine::verification::consistency {

std::string EnsembleSummary::time_text(std::size_t time) const {
  if (std::isnan(times[time])) return {};
  auto const instant = scale.first + times[time];
  return scale.in_seconds ? io::date_text(scale.calendar, instant) : fmt::format("{:.10g}", instant);
}

void FieldSource::read_points(std::size_t run, std::size_t variable, std::size_t time,
                              std::span<std::int64_t const> points, std::span<double> values) const {
  constexpr std::int64_t at_once = std::int64_t{1} << 20;
  std::vector<double> between;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    while (end < points.size() && points[end] - points[begin] < at_once) ++end;
    between.resize(std::size_t(points[end - 1] - points[begin] + 1));
    read(run, variable, time, points[begin], between);
    for (auto i = begin; i < end; ++i) values[i] = between[std::size_t(points[i] - points[begin])];
  }
}

}  // namespace ulpine::verification::consistency
