// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <memory>

#include "core/fem/reference_column.hpp"
#include "core/sounding/base_state.hpp"

namespace ulpine::fem {

struct Parameters;

/// The base state of a case: air in hydrostatic balance over a place, as a function of height z in m, and its
/// wind.
class BaseColumn {
 public:
  explicit BaseColumn(Air<double> const& air) : air_{air} {}
  virtual ~BaseColumn() = default;

  virtual double theta(double z) const = 0;                ///< K
  virtual double vapour(double z) const = 0;               ///< mixing ratio, kg per kg of dry air
  virtual double exner(double z) const = 0;                ///< not positive above the atmosphere's top
  virtual std::array<double, 3> wind(double z) const = 0;  ///< m s-1
  /// Height above which there is no air or none is known, m; infinite where there is none.
  virtual double top() const = 0;

  double pressure(double z) const {  ///< Pa
    return air_.standard_pressure * std::pow(exner(z), air_.cp / air_.gas_constant());
  }
  double temperature(double z) const { return theta(z) * exner(z); }  ///< K

 private:
  Air<double> air_;
};

/// The reference column with water vapour: its relative humidity is that of the ground times exp(-z / depth).
/// The column's potential temperature is that of its density, theta (1 + r R_v / R_d) / (1 + r), which leaves
/// its pressure, its density and their balance as they are.
class HumidColumn final : public BaseColumn {
 public:
  /// `humidity` at z = 0, in parts of saturation, 0: dry; `depth` in m, 0: the same at every height; `wind`
  /// in m s-1, the same at every height.
  HumidColumn(ReferenceColumn const& column, double humidity, double depth,
              std::array<double, 3> const& wind = {})
      : BaseColumn{column.air()}, column_{column}, humidity_{humidity}, depth_{depth}, wind_{wind} {}

  double theta(double z) const override;
  double vapour(double z) const override;
  double exner(double z) const override { return column_.exner(z); }
  std::array<double, 3> wind(double) const override { return wind_; }
  double top() const override { return column_.top(); }

 private:
  ReferenceColumn column_;
  double humidity_, depth_;
  std::array<double, 3> wind_;
};

/// The air of a sounding, whose lowest level is at z = 0. Its balance is integrated with the constants of
/// `air` and R_v / R_d = 461 / 287, that of fem::Moisture.
class SoundingColumn final : public BaseColumn {
 public:
  /// `highest`, m: heights up to it are found at little cost.
  SoundingColumn(Air<double> const& air, Sounding const& sounding, double highest);

  double theta(double z) const override { return base_.profile().theta(z); }
  double vapour(double z) const override;
  double exner(double z) const override { return base_.exner(z); }
  std::array<double, 3> wind(double z) const override;
  double top() const override { return base_.profile().top(); }

 private:
  HydrostaticBase<double> base_;
};

/// That of a case whose mesh reaches up to `lid` m.
std::unique_ptr<BaseColumn const> base_column_of(Parameters const& parameters, double lid);

}  // namespace ulpine::fem
