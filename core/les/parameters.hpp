// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/les/boundary.hpp"
#include "io/case_file.hpp"
#include "io/netcdf.hpp"

namespace ulpine::les {

enum class Closure { none, constant, smagorinsky, deardorff };

/// A profile of straight pieces; constant beyond its ends where `slope_beyond` is not asked for.
struct Profile {
  std::vector<double> heights, values;
  /// The value at height z, m. Above the last point the last piece goes on where `extended`.
  double at(double z, bool extended = false) const;
};

/// The parameters of a case, in SI units; buildings are apart (topography.hpp).
struct Parameters {
  explicit Parameters(io::CaseFile const& c);

  std::int32_t refinement;  ///< factor by which nx, ny and nz below are more, and dx, dy and dz less, than
                            ///< the case says
  std::int32_t nx, ny, nz;
  /// Columns of the whole domain along x and y, and where the first column of this block lies in it.
  std::int32_t whole_nx, whole_ny, first_x = 0, first_y = 0;
  double dx, dy, dz, stretch_factor, stretch_from, thickest;

  double step;  ///< s; 0: as long as `courant` allows
  double courant, longest_step;

  bool centred;  ///< advection by centred differences
  Closure closure;
  double viscosity, prandtl, smagorinsky;

  bool neutral;  ///< no buoyancy: temperature is no part of the state
  double gravity, coriolis, coriolis_horizontal, acceleration_x, acceleration_y;
  bool volume_flow;  ///< the mean wind along x is held at `mean_u`
  double mean_u;     ///< m s-1
  bool humid;        ///< humidity is part of the state
  Profile theta, humidity, geostrophic_u, geostrophic_v, energy;
  double reference_theta;  ///< 0: the profile

  SlipCondition ground, lid;
  bool flux_layer;  ///< the ground's stress and heat by similarity
  double roughness, heat_roughness, heat_flux;
  bool free_convection;  ///< counts to the wind of the surface layer where the flux is given
  bool surface_temperature_given;
  double surface_theta, surface_warming;  ///< K, K s-1
  double moisture_flux;                   ///< upward, kg kg-1 m s-1
  bool surface_humidity_given;
  double surface_humidity;  ///< kg kg-1
  bool linear_stability;    ///< phi = 1 + beta zeta in stable air
  double beta_m, beta_h;

  double sponge_from, sponge_rate;
  bool write_divergence, write_momentum_flux, write_wind_speed;  ///< to outputs
  bool overlap;      ///< messages between ranks travel while stages run that need none of them
  bool exact_walls;  ///< the pressure is solved for in the air alone
  std::int32_t pressure_iterations;
  std::string start;  ///< "profiles", "taylor_green"
  double noise_wind, noise_theta, noise_humidity, noise_top;
  double disturbance, disturbance_bottom, disturbance_top, disturb_every, disturb_until;
  std::uint64_t noise_seed;

  /// No block is as wide as a domain that is cut.
  bool cut_x() const { return nx != whole_nx; }
  bool cut_y() const { return ny != whole_ny; }

  /// Heights in m of the centres of the cells and of their tops.
  std::vector<double> centres() const;
  std::vector<double> tops() const;
  /// Volume in m3 of a cell of each level.
  std::vector<double> cell_volumes() const;
  /// By how much potential temperature (K) and humidity (kg kg-1) beyond the lid exceed those of the level
  /// below it.
  double warming_at_lid() const;
  double drying_at_lid() const;
  /// Whether humidity makes air lighter.
  bool moist() const { return humid && !neutral; }
  double cells() const { return static_cast<double>(nx) * ny * nz; }
  double cell_width() const { return grid_width_; }

 private:
  double grid_width_ = 0;
  std::vector<double> thickness_;
  friend struct Tables;
};

/// The tables of `Level`, double, from level -halo to nz + halo - 1, as `Grid` reads them.
struct Tables {
  explicit Tables(Parameters const& parameters);
  std::vector<double> values;
  double& at(Level table, std::int32_t k) { return values[static_cast<std::size_t>(place_of(table, k))]; }
};

std::vector<io::Coordinate> coordinates(Parameters const& parameters);

}  // namespace ulpine::les
