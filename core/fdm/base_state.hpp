// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/fdm/grid.hpp"
#include "core/fdm/lateral.hpp"

namespace ulpine::fdm {

namespace constants {
inline constexpr double gravity = 9.8;             ///< m s-2
inline constexpr double gas_dry = 287;             ///< J kg-1 K-1
inline constexpr double gas_vapour = 461;          ///< J kg-1 K-1
inline constexpr double heat_pressure = 1004;      ///< c_p, J kg-1 K-1
inline constexpr double heat_volume = 717;         ///< c_v
inline constexpr double reference_pressure = 1e5;  ///< Pa
}  // namespace constants

/// Air at rest in hydrostatic balance, by height in m.
struct Profiles {
  std::function<double(double)> theta;                      ///< K
  std::function<double(double)> vapour;                     ///< kg kg-1
  std::function<double(double)> u, v;                       ///< m s-1
  double surface_pressure = constants::reference_pressure;  ///< at height 0, Pa
};

/// The profiles with the pressure that balances them: of the Exner function, d pi / dz = -g / (c_p theta_v)
/// by Gauss's rule of three points between neighbouring heights of a table.
class BaseState {
 public:
  /// Up to height `top`.
  BaseState(Profiles profiles, double top);
  double theta(double z) const { return profiles_.theta(z); }
  double vapour(double z) const { return profiles_.vapour(z); }
  double u(double z) const { return profiles_.u(z); }
  double v(double z) const { return profiles_.v(z); }
  double theta_v(double z) const;
  double exner(double z) const;
  double pressure(double z) const;  ///< Pa
  double density(double z) const;   ///< of moist air, kg m-3

 private:
  double drop(double from, double to) const;
  Profiles profiles_;
  double spacing_;
  std::vector<double> exner_;  ///< at multiples of the spacing
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
