// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/fdm/base_state.hpp"
#include "core/fdm/sound.hpp"
#include "core/lattice/halos.hpp"
#include "io/case_keys.hpp"
#include "io/netcdf.hpp"

namespace ulpine::fdm {

enum class Closure { none, smagorinsky, energy };
enum class Start { rest, bubble, gravity_wave, acoustic_column, acoustic_pulse };

/// The small steps in a part of a step.
struct SmallSteps {
  int count;
  double length;  ///< of each, s
};

/// The values that a case gives, in SI units.
struct Parameters {
  explicit Parameters(io::CaseFile const& c);

  /// Reads what one part alone needs, while the core is made: it refers to the case.
  io::KeyReader keys;

  std::int32_t nx, ny, nz;
  double dx, dy, dz;  ///< dz: the mean thickness of levels, which is dzeta
  std::string stretching;
  double thinnest, uniform_below;

  double step;  ///< s
  bool leapfrog;
  double asselin;
  bool full_density;  ///< of the air itself in what presses it, else of the base state
  bool humid;
  double small_step;  ///< longest, s
  bool small_theta;   ///< theta' steps with the sound, else with the slow rates
  double implicitness, divergence_damping;
  bool anisotropic_damping;
  std::int32_t order, order_zeta;  ///< of advection: 2, 4 or 5
  FactorSource factors;
  bool overlap;            ///< of exchanges between ranks with stages that need none of the halo
  bool arps_coefficients;  ///< of the implicit solve, else those of its two equations
  double coriolis;

  double diffusivity;  ///< constant, m2 s-1
  Closure closure;
  double smagorinsky, prandtl, start_energy, least_energy;
  double computational_mixing;  ///< of fourth order, s-1
  double sponge_from, sponge_rate;
  bool radiative_lid;  ///< gravity waves leave through it, else it is rigid

  Sides sides;  ///< of the whole grid
  /// Columns of the grid that this is a block of; those of this grid where it is all of it.
  std::int32_t whole_nx, whole_ny;
  std::int32_t first_x = 0, first_y = 0;  ///< of the block in it
  double phase_speed;                     ///< of what leaves through open sides, m s-1
  bool column_speed;                      ///< that where it can be measured in the column
  double inflow_rate;                     ///< s-1
  /// Whether the whole grid has open sides along an axis: all ranks have the same stages.
  bool open_x() const { return sides.west == LateralBoundary::open || sides.east == LateralBoundary::open; }
  bool open_y() const { return sides.south == LateralBoundary::open || sides.north == LateralBoundary::open; }

  std::shared_ptr<Profile<double> const> base;

  std::string terrain;  ///< "flat", "bell", "schaer"
  double mountain_height, mountain_width, mountain_x, mountain_y, mountain_wave, flat_above;
  bool linear_wave;  ///< the output has w_linear

  Start start;
  double amplitude;
  bool in_temperature;  ///< the bubble's amplitude is of temperature
  double centre_x, centre_y, centre_z, radius_x, radius_y, radius_z;

  bool flat() const { return terrain == "flat"; }
  /// Whether wind and scalars have rates of mixing.
  bool mixes() const {
    return diffusivity > 0 || computational_mixing > 0 || sponge_rate > 0 || closure != Closure::none;
  }
  double ground(double x, double y) const;  ///< height, m
  Heights heights() const;
  double sponge(double z) const;
  double top() const { return dz * nz; }
  /// Divergence damping, along the levels and across them: alpha times the small step, m2.
  double damping_h() const;
  double damping_v() const;
  /// The small steps in a part of the step of `length` s.
  SmallSteps small_steps(double length) const;
  /// theta' in K, p' in Pa at a height, and u there.
  double start_theta(BaseState const& base, double x, double y, double z) const;
  double start_pressure(BaseState const& base, double x, double z) const;

 private:
  explicit Parameters(io::KeyReader const& reader);
  void read_start();
};

std::vector<io::Coordinate> coordinates(Parameters const& parameters);

}  // namespace ulpine::fdm
