// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/quad.hpp"

/// The scheme of docs/reference/physics.md once more, formula by formula in 113 bits, constants as printed.
namespace physics_test {

using ulpine::float128;

inline float128 const r_d = 287, r_v = 461, c_p = 1004, l_v = 2500780;

inline float128 plain_saturation_pressure(float128 const& t, float128 const& p) {
  return (float128("1.0007") + float128("3.46e-8") * p) * float128("611.21") *
         exp(float128("17.502") * (t - float128("273.15")) / (t - float128("32.18")));
}

inline float128 plain_saturation_humidity(float128 const& t, float128 const& p) {
  auto const e = plain_saturation_pressure(t, p);
  return r_d / r_v * e / (p - (1 - r_d / r_v) * e);
}

/// d q_s / dT by central differences: truncation 2^-60, rounding 2^-80 relative.
inline float128 plain_saturation_slope(float128 const& t, float128 const& p) {
  float128 const h = ldexp(float128(1), -30);
  return (plain_saturation_humidity(t + h, p) - plain_saturation_humidity(t - h, p)) / (2 * h);
}

inline float128 least(float128 const& a, float128 const& b) { return a < b ? a : b; }
inline float128 positive(float128 const& a) { return a > 0 ? a : float128(0); }

struct PlainPoint {
  float128 density, pressure, exner, theta;  ///< the whole theta
  float128 vapour, cloud, rain;

  float128 temperature() const { return theta * exner; }

  float128 convert(float128 const& dt) {
    auto const amount = least(cloud, dt * float128("1e-3") * positive(cloud - float128("1e-3")));
    cloud -= amount, rain += amount;
    return amount;
  }
  float128 collect(float128 const& dt) {
    auto const amount = least(cloud, dt * float128("2.2") * cloud * pow(rain, float128("0.875")));
    cloud -= amount, rain += amount;
    return amount;
  }
  float128 evaporate(float128 const& dt) {
    auto const saturated = plain_saturation_humidity(temperature(), pressure);
    auto const content = density * rain;
    auto const ventilation = float128("1.6") + float128("30.3922") * pow(content, float128("0.2046"));
    auto const rate = ventilation * (1 - vapour / saturated) * pow(content, float128("0.525")) /
                      (density * (float128("2.03e4") + float128("9.584e6") / (pressure * saturated)));
    auto const amount = least(rain, positive(dt * rate));
    rain -= amount, vapour += amount, theta -= l_v * amount / (c_p * exner);
    return amount;
  }
  float128 saturate() {
    auto const saturated = plain_saturation_humidity(temperature(), pressure);
    auto const slope = plain_saturation_slope(temperature(), pressure);
    auto const amount = least(cloud, (saturated - vapour) / (1 + l_v / c_p * slope));
    cloud -= amount, vapour += amount, theta -= l_v * amount / (c_p * exner);
    return amount;
  }
};

inline float128 plain_velocity(float128 const& density, float128 const& rain) {
  return float128("36.34") * pow(float128("0.001") * density * rain, float128("0.1364")) *
         sqrt(float128("1.225") / density);
}

}  // namespace physics_test
