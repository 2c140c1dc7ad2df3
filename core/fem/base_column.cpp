// SPDX-License-Identifier: Apache-2.0
#include "core/fem/base_column.hpp"

#include "core/fem/moisture.hpp"
#include "core/fem/parameters.hpp"

namespace ulpine::fem {
namespace {

double theta_of(double density_theta, double vapour) {
  return density_theta * ((1 + vapour) / Moisture<double>::with_vapour(vapour));
}

}  // namespace

double HumidColumn::vapour(double z) const {
  if (humidity_ == 0) return 0;
  auto const part = humidity_ * (depth_ > 0 ? std::exp(-z / depth_) : 1);
  auto const density_theta = column_.theta(z), exner = column_.exner(z), pressure = column_.pressure(z);
  // Each round leaves d q_s / dT times 0.6 T, a fifth at most below 310 K.
  auto vapour = 0.0;
  for (int round = 0; round < 40; ++round) {
    vapour = part * physics::saturation_humidity(theta_of(density_theta, vapour) * exner, pressure);
  }
  return vapour;
}

double HumidColumn::theta(double z) const {
  return humidity_ == 0 ? column_.theta(z) : theta_of(column_.theta(z), vapour(z));
}

SoundingColumn::SoundingColumn(Air<double> const& air, Sounding const& sounding, double highest)
    : BaseColumn{air},
      base_(make_profile<double>(sounding), highest, 0,
            DryAir<double>{air.gravity, air.cp, air.gas_constant(), air.standard_pressure}) {}

double SoundingColumn::vapour(double z) const {
  return moist_air::mixing_ratio(base_.profile().humidity(z, base_.exner(z)));
}

std::array<double, 3> SoundingColumn::wind(double z) const {
  auto const wind = base_.profile().wind(z);
  return {wind.u, wind.v, 0};
}

std::unique_ptr<BaseColumn const> base_column_of(Parameters const& p, double lid) {
  if (p.sounding) return std::make_unique<SoundingColumn>(p.air, *p.sounding, lid);
  return std::make_unique<HumidColumn>(ReferenceColumn(p.air, p.surface_theta, p.buoyancy_frequency),
                                       p.humidity, p.humidity_depth, p.wind);
}

}  // namespace ulpine::fem
