// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/sounding/profile.hpp"

namespace ulpine {

/// Air at rest in hydrostatic balance at the levels of a column, one value a level.
template <moist_air::HostReal T>
struct BaseColumn {
  std::vector<T> theta;          ///< K
  std::vector<T> humidity;       ///< specific humidity, kg kg-1
  std::vector<T> virtual_theta;  ///< theta (1 + (R_v / R_d - 1) q), K
  std::vector<T> exner;          ///< (p / p0)^(R_d / c_p)
  std::vector<T> pressure;       ///< p0 exner^(c_p / R_d), Pa
  std::vector<T> density;        ///< p / (R_d theta_v exner), kg m-3
  std::vector<T> u, v;           ///< m s-1
};

/// What hydrostatic balance takes of a model's dry air; by default as ARPS has it.
template <moist_air::HostReal T>
struct DryAir {
  T gravity = physics::arps::gravity<T>();                      ///< m s-2
  T heat_capacity = physics::arps::heat_capacity<T>();          ///< c_p, J kg-1 K-1
  T gas_constant = physics::arps::dry_gas_constant<T>();        ///< R_d, J kg-1 K-1
  T standard_pressure = physics::arps::standard_pressure<T>();  ///< p0, Pa
};

/// Hydrostatic columns of one profile. Their lowest levels lie on one curve of pressure, which is integrated
/// once and finely from the ground upwards and downwards; each column goes on from there level by level.
/// Threads may share one.
template <moist_air::HostReal T>
class HydrostaticBase {
 public:
  /// Lowest levels of columns lie at most `highest_start` m over the profile's ground (the height of the
  /// terrain) and `deepest_start` m below it at little cost; others are found too.
  explicit HydrostaticBase(std::shared_ptr<Profile<T> const> profile, T highest_start = 0,
                           T deepest_start = 0, DryAir<T> const& air = {});

  Profile<T> const& profile() const { return *profile_; }
  /// Exner function by d(exner)/dz = -g / (c_p theta_v) from the ground, in fourth-order steps up to 10 m.
  T exner(T height) const;
  /// The column of levels at `heights` (m, rising): exner_k = exner_(k-1) - g dz / (c_p (theta_v,k-1 +
  /// theta_v,k) / 2), which the stored values obey to rounding. InputError where the profile ends below the
  /// last level, or the air does.
  BaseColumn<T> column(std::vector<T> const& heights) const;

 private:
  T step_up(T height, T exner, T rise) const;
  T rate(T height, T exner) const;

  std::shared_ptr<Profile<T> const> profile_;
  DryAir<T> air_;
  std::vector<T> above_, below_;  ///< exner every 10 m from the ground on, upwards and downwards
};

/// virtual_theta of a profile at a height.
template <moist_air::HostReal T>
T virtual_theta(Profile<T> const& profile, T height, T exner);

}  // namespace ulpine
