// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/air.hpp"

namespace ulpine::fem {

/// A column at rest in hydrostatic balance whose buoyancy frequency is the same everywhere (exact: the
/// integral of d(exner)/dz = -g / (cp theta) with theta = theta0 exp(N^2 z / g)).
class ReferenceColumn {
 public:
  /// `surface_theta` in K at z = 0, where the pressure is air.standard_pressure; `buoyancy_frequency` in s-1,
  /// 0 for a constant potential temperature.
  ReferenceColumn(Air<double> const& air, double surface_theta, double buoyancy_frequency);

  double theta(double z) const;     ///< K, at a height in m
  double exner(double z) const;     ///< not positive above the atmosphere's top
  double pressure(double z) const;  ///< Pa
  double density(double z) const;   ///< kg m-3
  /// Height above which there is no air, m; infinite where there is none.
  double top() const;
  Air<double> const& air() const { return air_; }

 private:
  Air<double> air_;
  double surface_theta_, squared_frequency_;
};

}  // namespace ulpine::fem
