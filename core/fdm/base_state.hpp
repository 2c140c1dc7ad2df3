// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/fdm/grid.hpp"
#include "core/fdm/lateral.hpp"
#include "core/physics/constants.hpp"
#include "core/sounding/base_state.hpp"

namespace ulpine::fdm {

/// The constants of this core's air.
namespace constants = physics::arps;

/// Air at rest in hydrostatic balance, by height in m.
class BaseState {
 public:
  /// Heights from `depth` m below the ground up to `top` m cost little; others are found, too.
  BaseState(std::shared_ptr<Profile<double> const> profile, double top, double depth = 0)
      : column_(std::move(profile), top, depth) {}
  double theta(double z) const { return column_.profile().theta(z); }  ///< K
  double humidity(double z) const { return humidity(z, exner(z)); }    ///< kg kg-1
  double humidity(double z, double exner) const { return column_.profile().humidity(z, exner); }
  double u(double z) const { return column_.profile().wind(z).u; }  ///< m s-1
  double v(double z) const { return column_.profile().wind(z).v; }
  double exner(double z) const { return column_.exner(z); }

 private:
  HydrostaticBase<double> column_;
};

/// Heights of the grid's points, or of a block's of it.
struct Heights {
  std::int32_t nx = 0, ny = 0, nz = 0;
  double dx, dy, dzeta;
  std::vector<double> levels;  ///< zeta of the faces of w, nz + 1 of them: heights over flat ground, m
  double flat_above;           ///< height above which levels are flat, m
  std::vector<double> ground;  ///< of the whole grid, m, (y, x); empty: flat
  Sides sides = {};            ///< of the whole grid
  std::int32_t whole_nx = nx, whole_ny = ny, first_x = 0, first_y = 0;

  bool flat() const { return ground.empty(); }
  /// Height of the ground, m, in the middle of column (j, i), which may lie beyond the sides.
  double ground_at(std::int32_t j, std::int32_t i) const;
  /// Height of face k of w, m, over ground of height `ground_height`, m.
  double face(std::int32_t k, double ground_height) const;
  double face(std::int32_t k, std::int32_t j, std::int32_t i) const { return face(k, ground_at(j, i)); }
  double centre(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return (face(k, j, i) + face(k + 1, j, i)) / 2;
  }
};

/// The metrics of one point in double.
struct PointMetrics {
  double at[static_cast<std::size_t>(Metric::count)];
};

/// Threads of the host that make tables for an executor: its own, or one beside a device.
template <class Executor>
int table_threads(Executor const& executor) {
  if constexpr (requires { executor.threads; }) {
    return executor.threads;
  } else {
    return 1;
  }
}

/// Metrics row by row: what a row needs of the base state is looked up once for each of its cells.
class MetricRows {
 public:
  MetricRows(Heights const& heights, BaseState const& base, std::function<double(double)> sponge,
             int threads = 1);
  /// Goes to row j, from -halo to ny + halo.
  void move_to(std::int32_t j);
  /// Metrics at point (k, j, i): centre, u, v and w of that cell; k and i from -halo to their extent + halo.
  PointMetrics at(std::int32_t k, std::int32_t i) const;

 private:
  struct Cell {
    double z, j3, density, mass, pressure, exner, theta, humidity, u, v;
  };
  using Row = std::vector<Cell>;
  void look_up(std::int32_t j, Row& row) const;
  Cell const& cell(Row const& row, std::int32_t k, std::int32_t i) const;

  Heights const& heights_;
  BaseState const& base_;
  std::function<double(double)> sponge_;
  int threads_;
  std::int32_t j_ = 0, columns_, layers_;
  bool placed_ = false;
  Row here_, south_;
};

/// `look_up` of a height, which is called anew where the height is another: over flat ground once a level.
template <class LookUp>
auto by_height(LookUp look_up) {
  return [look_up, last = std::numeric_limits<double>::quiet_NaN(), value = 0.0](double z) mutable {
    if (z != last) {
      last = z;
      value = look_up(z);
    }
    return value;
  };
}

}  // namespace ulpine::fdm
