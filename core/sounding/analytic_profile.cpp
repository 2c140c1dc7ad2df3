// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>

#include "core/sounding/profile.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

/// The part that analytic profiles have in common: no top, ground at 0, and their wind.
template <class T>
class Analytic : public Profile<T> {
 public:
  explicit Analytic(AnalyticProfile const& given) : given_(given) {}

  T humidity(T, T) const override { return 0; }
  typename Profile<T>::Wind wind(T height) const override {
    auto const& wind = given_.wind;
    return {T(wind.u) + T(wind.aloft) * moist_air::tanh(height / T(wind.depth)), T(wind.v)};
  }
  T ground() const override { return 0; }
  T ground_pressure() const override { return T(given_.ground_pressure); }
  T top() const override { return std::numeric_limits<T>::infinity(); }
  std::string name() const override { return "the profile"; }

 protected:
  AnalyticProfile const& given() const { return given_; }

 private:
  AnalyticProfile given_;
};

template <class T>
class ConstantTheta final : public Analytic<T> {
 public:
  using Analytic<T>::Analytic;
  T theta(T) const override { return T(this->given().theta); }
};

template <class T>
class ConstantFrequency final : public Analytic<T> {
 public:
  using Analytic<T>::Analytic;
  T theta(T height) const override {
    auto const squared = T(this->given().frequency) * T(this->given().frequency);
    return T(this->given().theta) * moist_air::exp(squared * height / physics::arps::gravity<T>());
  }
};

template <class T>
class Isothermal final : public Analytic<T> {
 public:
  using Analytic<T>::Analytic;
  T theta(T height) const override {
    auto const temperature = T(this->given().theta);
    return temperature / moist_air::exner_of_pressure(this->ground_pressure()) *
           moist_air::exp(physics::arps::gravity<T>() * height /
                          (physics::arps::heat_capacity<T>() * temperature));
  }
};

/// Weisman and Klemp (1982), equations 1 and 2, with the pressure given at the ground as in ARPS and not by
/// the temperature of the tropopause.
template <class T>
class WeismanKlemp final : public Analytic<T> {
 public:
  using Analytic<T>::Analytic;

  T theta(T height) const override {
    if (height <= tropopause) {
      return T(this->given().theta) + (tropopause_theta - T(this->given().theta)) * share(height);
    }
    return tropopause_theta * moist_air::exp(physics::arps::gravity<T>() * (height - tropopause) /
                                             (physics::arps::heat_capacity<T>() * tropopause_temperature));
  }
  T humidity(T height, T exner) const override {
    auto relative = height <= tropopause ? 1 - T(3) / 4 * share(height) : T(1) / 4;
    if (height <= mixed_depth) relative = std::min(relative, T(this->given().mixed_relative_humidity));
    auto const saturated =
        moist_air::saturation_humidity(theta(height) * exner, moist_air::pressure_of_exner(exner));
    return std::min(relative * saturated, T(this->given().humidity));
  }

 private:
  static constexpr T tropopause = 12000, tropopause_theta = 343, tropopause_temperature = 213;
  static constexpr T mixed_depth = 1200;

  /// (z / 12 km)^(5/4); 0 below the ground.
  static T share(T height) { return height > 0 ? moist_air::pow(height / tropopause, T(5) / 4) : T(0); }
};

void require(char const* what, double value, double least, double most, char const* unit) {
  if (value >= least && value <= most) return;
  throw InputError(std::string(what) + " of the profile is " + io::number_text(value) + " (" +
                   io::number_text(least) + " to " + io::number_text(most) + " " + unit +
                   " is possible) change it");
}

}  // namespace

template <moist_air::HostReal T>
std::unique_ptr<Profile<T> const> make_profile(AnalyticProfile const& profile) {
  require("pressure at the ground", profile.ground_pressure, 1e4, 1.2e5, "Pa");
  require("theta", profile.theta, 150, 500, "K");
  require("buoyancy frequency", profile.frequency, 0, 0.1, "s-1");
  require("specific humidity", profile.humidity, 0, 0.06, "kg kg-1");
  require("relative humidity of the mixed layer", profile.mixed_relative_humidity, 0, 1, "");
  require("wind u", profile.wind.u, -200, 200, "m s-1");
  require("wind v", profile.wind.v, -200, 200, "m s-1");
  require("wind aloft", profile.wind.aloft, -200, 200, "m s-1");
  require("depth of the wind aloft", profile.wind.depth, 1, 1e5, "m");
  switch (profile.kind) {
    case AnalyticProfile::Kind::constant_frequency:
      return std::make_unique<ConstantFrequency<T>>(profile);
    case AnalyticProfile::Kind::isothermal:
      return std::make_unique<Isothermal<T>>(profile);
    case AnalyticProfile::Kind::weisman_klemp:
      return std::make_unique<WeismanKlemp<T>>(profile);
    default:
      return std::make_unique<ConstantTheta<T>>(profile);
  }
}

template std::unique_ptr<Profile<double> const> make_profile(AnalyticProfile const&);
template std::unique_ptr<Profile<long double> const> make_profile(AnalyticProfile const&);

}  // namespace ulpine
