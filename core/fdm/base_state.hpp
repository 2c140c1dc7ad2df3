// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/fdm/grid.hpp"
#include "core/fdm/lateral.hpp"
#include "core/sounding/base_state.hpp"

namespace ulpine::fdm {

namespace constants {
inline constexpr double gravity = moist_air::gravity<double>;              ///< m s-2
inline constexpr double gas_dry = moist_air::dry_gas<double>;              ///< J kg-1 K-1
inline constexpr double heat_pressure = moist_air::heat_capacity<double>;  ///< c_p, J kg-1 K-1
inline constexpr double heat_volume = heat_pressure - gas_dry;             ///< c_v
}  // namespace constants

/// Air at rest in hydrostatic balance, by height in m.
class BaseState {
 public:
  /// Up to height `top`.
  BaseState(std::shared_ptr<Profile<double> const> profile, double top) : column_(std::move(profile), top) {}
  double theta(double z) const { return column_.profile().theta(z); }                  ///< K
  double humidity(double z) const { return column_.profile().humidity(z, exner(z)); }  ///< kg kg-1
  double u(double z) const { return column_.profile().wind(z).u; }                     ///< m s-1
  double v(double z) const { return column_.profile().wind(z).v; }
  double exner(double z) const { return column_.exner(z); }
  double pressure(double z) const { return moist_air::pressure_of_exner(exner(z)); }  ///< Pa
  double density(double z) const;                                                     ///< kg m-3

 private:
  HydrostaticBase<double> column_;
};

/// Heights of the grid's points.
struct Heights {
  std::int32_t nx, ny, nz;
  double dx, dy, dzeta;
  std::vector<double> levels;  ///< zeta of the faces of w, nz + 1 of them: heights over flat ground, m
  double flat_above;           ///< height above which levels are flat, m
  std::vector<double> ground;  ///< m, (ny, nx); empty: flat
  Sides sides = {};

  bool flat() const { return ground.empty(); }
  /// Of the ground in the middle of column (j, i), which may lie beyond the sides.
  double ground_at(std::int32_t j, std::int32_t i) const;
  /// Of face k over ground of that height.
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
/// Those of the points (k, j, i): centre, u, v and w of that cell, in the halo too.
PointMetrics metrics_at(Heights const& heights, BaseState const& base,
                        std::function<double(double)> const& sponge, std::int32_t k, std::int32_t j,
                        std::int32_t i);

}  // namespace ulpine::fdm
