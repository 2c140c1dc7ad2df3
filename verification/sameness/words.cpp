// SPDX-License-Identifier: Apache-2.0
#include "verification/sameness/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulpine::verification::sameness {

std::string type_words(io::StoredType const& type) {
  auto const name = type.name == "float" ? "float32" : type.name == "double" ? "float64" : type.name;
  return type.step > 0 && type.step != 1 ? "packed " + name : name;
}

std::string ulp_words(double ulps) {
  return ulps == 1 ? "1 unit in the last place" : fmt::format("{:.3g} units in the last place", ulps);
}

std::string time_words(Distance const& distance) {
  return distance.text == "-" ? "" : " at " + distance.text;
}

std::string from_words(Distance const& distance) {
  return distance.text == "-" ? "" : " from " + distance.text;
}

std::string duration_words(double duration, bool in_seconds) {
  if (!in_seconds) return fmt::format("{:.3g} units of time", duration);
  struct Unit {
    double seconds;
    char const* name;
  };
  constexpr Unit units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}};
  for (auto const& [seconds, name] : units) {
    if (duration >= 2 * seconds) return fmt::format("{:.3g} {}", duration / seconds, name);
  }
  return fmt::format("{:.3g} s", duration);
}

std::vector<std::size_t> first_variables(RunDistance const& run, std::vector<Growth> const& growth) {
  std::vector<std::size_t> first;
  auto const instant = [&](std::size_t v) { return run.variables[v].times[*growth[v].first].time; };
  for (std::size_t v = 0; v < growth.size(); ++v) {
    if (!growth[v].first) continue;
    auto const earlier = first.empty() || instant(v) < instant(first.front()) ||
                         (std::isnan(instant(v)) && !std::isnan(instant(first.front())));
    if (earlier) first.clear();
    auto const same = first.empty() || instant(v) == instant(first.front()) ||
                      (std::isnan(instant(v)) && std::isnan(instant(first.front())));
    if (same) first.push_back(v);
  }
  // That which is furthest off comes first.
  std::ranges::stable_sort(first, std::greater<>(), [&](std::size_t v) {
    auto const ulps = run.variables[v].times[*growth[v].first].ulps;
    return std::isnan(ulps) ? 0.0 : ulps;
  });
  return first;
}

}  // namespace ulpine::verification::sameness
