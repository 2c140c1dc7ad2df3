// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/exec/memory.hpp"
#include "core/fdm/parameters.hpp"
#include "core/field/layout.hpp"

namespace ulpine::fdm {

/// How all fields lie in memory: rows begin where a device loads whole sectors.
class Steps {
 public:
  explicit Steps(Parameters const& p)
      : row{(p.nx + 1 + 2 * halo + line - 1) / line * line},
        plane{row * (p.ny + 1 + 2 * halo)},
        offset{halo * (std::int64_t{plane} + row) + line},
        allocated{(p.nz + 1 + 2 * halo) * std::int64_t{plane} + line} {}

 private:
  static constexpr std::int32_t line = 32;

 public:
  std::int32_t row, plane;
  std::int64_t offset, allocated;  ///< of point (0, 0, 0); values in all
};

/// Layout of a field of columns, (y, x), without a halo.
inline Layout column_layout(Parameters const& p) {
  return {
      {{p.ny, p.nx, p.whole_ny, p.first_y}, {p.nx, 1, p.whole_nx, p.first_x}}, 0, std::int64_t{p.ny} * p.nx};
}

/// Layout of a field in (z, y, x), with more points than cells along some axes.
inline Layout grid_layout(Parameters const& p, std::int32_t more_x = 0, std::int32_t more_y = 0,
                          std::int32_t more_z = 0) {
  Steps const steps(p);
  // A block's last faces are the next one's.
  std::int64_t const nx = p.nx + (p.first_x + p.nx == p.whole_nx ? more_x : 0),
                     ny = p.ny + (p.first_y + p.ny == p.whole_ny ? more_y : 0), nz = p.nz + more_z;
  return {{{nz, steps.plane, nz},
           {ny, steps.row, p.whole_ny + more_y, p.first_y},
           {nx, 1, p.whole_nx + more_x, p.first_x}},
          steps.offset,
          steps.allocated};
}

/// Grid and metrics in one type on an executor.
template <class T, template <class> class Ground, class Executor>
class Space {
 public:
  Space(Executor executor, Parameters const& p, Heights const& heights, BaseState const& base)
      : steps_(p),
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
  Steps steps_;

 public:
  Grid<T> grid;

 private:
  Array<T, Executor> metrics_;
};

}  // namespace ulpine::fdm
