// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/reference_column.hpp"

namespace ulpine::fem {

/// The reference column with water vapour: its relative humidity is that of the ground times exp(-z / depth).
/// The column's potential temperature is that of its density, theta (1 + r R_v / R_d) / (1 + r), which leaves
/// its pressure, its density and their balance as they are.
class HumidColumn {
 public:
  /// `humidity` at z = 0, in parts of saturation, 0: dry; `depth` in m, 0: the same at every height.
  HumidColumn(ReferenceColumn const& column, double humidity, double depth)
      : column_{column}, humidity_{humidity}, depth_{depth} {}

  double vapour(double z) const;  ///< mixing ratio, kg per kg of dry air, at a height in m
  double theta(double z) const;   ///< K
  double temperature(double z) const { return theta(z) * column_.exner(z); }  ///< K

 private:
  ReferenceColumn column_;
  double humidity_, depth_;
};

}  // namespace ulpine::fem
