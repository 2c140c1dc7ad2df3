// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/points.hpp"

#include <algorithm>

#include "verification/consistency/point_slabs.hpp"

namespace ulpine::verification::consistency {
namespace {

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
  auto const& variables = request.ensemble.summary->variables;
  std::size_t ended = 0;
  auto const end_before = [&](std::size_t variable) {
    for (; ended < variable; ++ended) {
      for (auto* method : methods) method->end_variable(ended);
    }
  };
  std::vector<double> mean;
  for_each_slab(
      {request.ensemble, request.tests}, [&](std::size_t v) { return judged_times(request, v); },
      [&](PointSlab const& slab) {
        auto const v = slab.variable, points = slab.points();
        auto const of_level = variables[v].points;
        end_before(v);
        mean.assign(slab.times.size() > 1 || request.mean_alone ? slab.at(0).size() : 0, 0.0);
        for (std::size_t t = 0; t < slab.times.size(); ++t) {
          auto const values = slab.at(t);
          if (!request.mean_alone)
            show({v, slab.times[t], slab.first, points, points, values.data()}, of_level, methods);
          for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += values[i] / double(slab.times.size());
        }
        if (!mean.empty()) show({v, {}, slab.first, points, points, mean.data()}, of_level, methods);
      });
  end_before(variables.size());
}

}  // namespace ulpine::verification::consistency
