// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/exec/memory.hpp"
#include "core/fdm/parameters.hpp"
#include "core/lattice/layout.hpp"

namespace ulpine::fdm {

/// Grid and metrics in one type on an executor.
template <class T, template <class> class Ground, class Executor>
class Space {
 public:
  Space(Executor executor, Parameters const& p, Heights const& heights, BaseState const& base)
      : steps_(p, 1),
        grid{p.nx,
             p.ny,
             p.nz,
             static_cast<T>(1 / p.dx),
             static_cast<T>(1 / p.dy),
             static_cast<T>(1 / p.dz),
             steps_.plane,
             steps_.row},
        metrics_(executor, terrain ? count * steps_.allocated : level_count * (p.nz + 1 + 2 * halo)) {
    std::vector<T> values(static_cast<std::size_t>(metrics_.size()));
    MetricRows rows(
        heights, base, [&](double z) { return p.sponge(z); }, table_threads(executor));
    auto const put = [&](PointMetrics const& all, std::int64_t metrics, std::int64_t first,
                         std::int64_t step) {
      for (std::int64_t m = 0; m < metrics; ++m) {
        values[static_cast<std::size_t>(first + m * step)] = static_cast<T>(all.at[m]);
      }
    };
    if constexpr (!terrain) {
      rows.move_to(0);
      for (std::int32_t k = -halo; k <= p.nz + halo; ++k) {
        put(rows.at(k, 0), level_count, (k + halo) * level_count, 1);
      }
    } else {
      for (std::int32_t j = -halo; j <= p.ny + halo; ++j) {
        rows.move_to(j);
        for (std::int32_t k = -halo; k <= p.nz + halo; ++k) {
          for (std::int32_t i = -halo; i <= p.nx + halo; ++i) {
            put(rows.at(k, i), count,
                steps_.offset + std::int64_t{k} * grid.plane + std::int64_t{j} * grid.row + i,
                steps_.allocated);
          }
        }
      }
    }
    metrics_.from_host(values.data());
  }
  Ground<T> ground() const {
    if constexpr (terrain) {
      return {metrics_.view().data() + steps_.offset, steps_.allocated, grid.plane, grid.row};
    } else {
      return {metrics_.view().data()};
    }
  }
  std::int64_t bytes() const { return metrics_.bytes(); }

 private:
  static constexpr bool terrain = Ground<T>::terrain;
  static constexpr auto level_count = static_cast<std::int64_t>(Metric::level_count),
                        count = static_cast<std::int64_t>(Metric::count);
  HaloSteps steps_;

 public:
  Grid<T> grid;

 private:
  Array<T, Executor> metrics_;
};

}  // namespace ulpine::fdm
