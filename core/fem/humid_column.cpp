// SPDX-License-Identifier: Apache-2.0
#include "core/fem/humid_column.hpp"

#include <cmath>

#include "core/fem/moisture.hpp"

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

}  // namespace ulpine::fem
