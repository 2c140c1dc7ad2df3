// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/points.hpp"

#include <algorithm>

namespace ulpine::verification::consistency {
namespace {

constexpr std::size_t values_held = std::size_t{1} << 20;  // at one time, and as many of the mean over times

/// Whole levels where several fit into `most`, else stretches of one.
std::int64_t points_at_once(VariableInfo const& variable, std::int64_t most) {
  if (variable.points >= most) return most;
  return std::max<std::int64_t>(most / std::max<std::int64_t>(variable.points, 1), 1) * variable.points;
}

/// Shows a slab, level by level.
void show(PointBlock slab, std::int64_t points_of_level, std::span<PointMethod* const> methods) {
  auto const end = slab.first + std::int64_t(slab.points);
  while (slab.first < end) {
    auto const next = std::min(end, (slab.first / points_of_level + 1) * points_of_level);
    slab.points = std::size_t(next - slab.first);
    for (auto* method : methods) method->look_at(slab);
    slab.values += slab.points;
    slab.first = next;
  }
}

}  // namespace

void look_at_points(Request const& request, std::span<PointMethod* const> methods) {
  auto const& ensemble = *request.ensemble.summary;
  auto const n = ensemble.members.size(), runs = n + request.tests.summary->members.size();
  std::vector<double> values, sums;
  for (std::size_t v = 0; v < ensemble.variables.size(); ++v) {
    auto const& variable = ensemble.variables[v];
    auto const size = variable.levels * variable.points;
    auto const times = judged_times(request, v);
    auto const most = points_at_once(variable, std::max<std::int64_t>(std::int64_t(values_held / runs), 1));
    for (std::int64_t first = 0; first < size; first += most) {
      auto const points = std::size_t(std::min(most, size - first));
      values.resize(runs * points);
      sums.assign(times.size() > 1 || request.mean_alone ? runs * points : 0, 0.0);
      for (auto const time : times) {
        for (std::size_t run = 0; run < runs; ++run) {
          auto const& of = run < n ? request.ensemble : request.tests;
          of.fields->read(run < n ? run : run - n, v, time, first,
                          std::span(values).subspan(run * points, points));
        }
        if (!request.mean_alone)
          show({v, time, first, points, points, values.data()}, variable.points, methods);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i] / double(times.size());
      }
      if (!sums.empty()) show({v, {}, first, points, points, sums.data()}, variable.points, methods);
    }
    for (auto* method : methods) method->end_variable(v);
  }
}

}  // namespace ulpine::verification::consistency
