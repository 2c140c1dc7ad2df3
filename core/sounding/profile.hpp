// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/sounding/moist_air.hpp"
#include "core/sounding/sounding.hpp"

namespace ulpine {

/// Air as a function of height: what a column of a model is filled with. T is double or long double.
template <moist_air::HostReal T>
class Profile {
 public:
  struct Wind {
    T u, v;  ///< to the east and to the north, m s-1
  };

  virtual ~Profile() = default;
  /// Potential temperature, K, at a height in m.
  virtual T theta(T height) const = 0;
  /// Specific humidity, kg kg-1. `exner` is (p / p0)^(R_d / c_p) there: relative humidity needs the pressure.
  virtual T humidity(T height, T exner) const = 0;
  virtual Wind wind(T height) const = 0;

  virtual T ground() const = 0;           ///< height at which the pressure is known, m
  virtual T ground_pressure() const = 0;  ///< Pa
  virtual T top() const = 0;              ///< greatest height that is known, m; infinite where there is none
  virtual std::string name() const = 0;   ///< for messages
};

/// Air of a sounding: between its levels linear in height; below the ground as at the ground.
template <moist_air::HostReal T>
std::unique_ptr<Profile<T> const> make_profile(Sounding const& sounding);

/// Wind (u + aloft tanh(height / depth), v), m s-1.
struct AnalyticWind {
  double u = 0, v = 0;
  double aloft = 0;     ///< what u gains with height, m s-1
  double depth = 3000;  ///< m
};

/// Air by a formula over the height 0, where the pressure is `ground_pressure`.
struct AnalyticProfile {
  enum class Kind {
    constant_theta,      ///< theta
    constant_frequency,  ///< theta exp(N^2 z / g)
    isothermal,          ///< T = theta at all heights (its theta at 0 is that where the pressure there is p0)
    weisman_klemp        ///< Weisman and Klemp (1982)
  };
  Kind kind = Kind::constant_theta;
  double ground_pressure = 1e5;  ///< Pa
  double theta = 300;            ///< K, at the ground; the temperature where it is isothermal
  double frequency = 0.01;       ///< buoyancy frequency N, s-1
  double humidity = 0.014;       ///< Weisman and Klemp: greatest specific humidity, kg kg-1
  /// Weisman and Klemp: greatest relative humidity below 1200 m. ARPS has 0.95.
  double mixed_relative_humidity = 1;
  AnalyticWind wind{};
};

/// InputError where a number is none that air can have.
template <moist_air::HostReal T>
std::unique_ptr<Profile<T> const> make_profile(AnalyticProfile const& profile);

}  // namespace ulpine
