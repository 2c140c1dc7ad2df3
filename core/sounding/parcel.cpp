// SPDX-License-Identifier: Apache-2.0
#include "core/sounding/parcel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpine {
namespace {

using namespace moist_air;

/// The parcel and the air around it at a height.
struct Place {
  double height, exner, pressure;
  double surrounding;  ///< theta_v of the air, K
};

/// A saturated parcel on its way up.
struct Saturated {
  double theta, humidity, temperature;

  /// To a new place: the trapezoidal rule for c_p d ln theta = -L_v / T dq, solved by Newton's method.
  void lift_to(Place const& place) {
    constexpr int most = 30;
    constexpr double enough = 1e-10;  // K
    auto const start = theta;
    auto next = theta * place.exner;
    for (int iteration = 0; iteration < most; ++iteration) {
      auto const saturated = saturation_humidity(next, place.pressure);
      auto const inverse = 0.5 * (1 / next + 1 / temperature);
      auto const excess = arps::heat_capacity<double>() * log(next / (place.exner * start)) +
                          arps::latent_heat<double>() * inverse * (saturated - humidity);
      // d ln q / dT of Buck's formula, but for what pressure adds: Newton's method only converges later.
      auto const growth = 17.502 * 240.97 / ((next - 32.18) * (next - 32.18));
      auto const change = -excess / (arps::heat_capacity<double>() / next +
                                     arps::latent_heat<double>() * inverse * saturated * growth);
      next += change;
      if (std::abs(change) < enough) break;
    }
    temperature = next;
    theta = next / place.exner;
    humidity = saturation_humidity(next, place.pressure);
  }
};

class Ascent {
 public:
  Ascent(HydrostaticBase<double> const& base, double top) : base_(base), profile_(base.profile()) {
    ground_ = at(profile_.ground());
    theta_ = profile_.theta(ground_.height);
    humidity_ = profile_.humidity(ground_.height, ground_.exner);
    top_ = std::min(top, profile_.top());
  }

  ParcelAscent lift(double step) {
    auto const condensation = condensation_level();
    auto const reached = condensation.height;
    result_.lcl = reached < top_ ? reached : none;
    result_.lcl_pressure = reached < top_ ? condensation.pressure : none;
    result_.lcl_temperature = reached < top_ ? theta_ * condensation.exner : none;

    Place below = ground_;
    auto buoyancy = buoyancy_of(theta_, humidity_, ground_);
    auto const go_to = [&](double end, auto&& parcel_at) {
      auto const steps = std::ceil((end - below.height) / step);
      auto const begin = below.height;
      for (double k = 1; k <= steps; ++k) {
        auto const here = at(k < steps ? begin + k / steps * (end - begin) : end);
        auto const next = parcel_at(here);
        add(below.height, buoyancy, here.height, next);
        below = here;
        buoyancy = next;
      }
    };
    go_to(std::min(reached, top_), [&](Place const& here) { return buoyancy_of(theta_, humidity_, here); });
    saturated_ = true;
    Saturated parcel{theta_, humidity_, theta_ * condensation.exner};
    go_to(top_, [&](Place const& here) {
      parcel.lift_to(here);
      return buoyancy_of(parcel.theta, parcel.humidity, here);
    });
    if (std::isnan(result_.lfc)) result_.cin = 0;
    return result_;
  }

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  Place at(double height) const {
    auto const exner = base_.exner(height);
    return {height, exner, pressure_of_exner(exner), virtual_theta(profile_, height, exner)};
  }

  static double buoyancy_of(double theta, double humidity, Place const& place) {
    return arps::gravity<double>() * (virtual_temperature(theta, humidity) / place.surrounding - 1);
  }

  /// Where the parcel of the ground becomes saturated, by bisection; the top where it stays dry.
  Place condensation_level() const {
    auto const dry = [&](Place const& place) {
      return saturation_humidity(theta_ * place.exner, place.pressure) > humidity_;
    };
    if (!dry(ground_)) return ground_;
    double low = ground_.height, high = top_;
    if (dry(at(high))) return at(high);
    for (int halving = 0; halving < 60; ++halving) {
      auto const middle = 0.5 * (low + high);
      (dry(at(middle)) ? low : high) = middle;
    }
    return at(high);
  }

  /// The area under buoyancy between two heights, where it is linear.
  void add(double low, double first, double high, double last) {
    if (first * last < 0) {
      auto const crossing = low + (high - low) * first / (first - last);
      add_part(low, crossing, 0.5 * first * (crossing - low));
      add_part(crossing, high, 0.5 * last * (high - crossing));
    } else {
      add_part(low, high, 0.5 * (first + last) * (high - low));
    }
  }
  void add_part(double low, double high, double area) {
    if (area > 0 && saturated_) {
      if (std::isnan(result_.lfc)) result_.lfc = low;
      result_.cape += area;
      result_.el = high;
    }
    if (area < 0 && std::isnan(result_.lfc)) result_.cin += area;
  }

  HydrostaticBase<double> const& base_;
  Profile<double> const& profile_;
  Place ground_;
  double theta_, humidity_, top_;
  bool saturated_ = false;
  ParcelAscent result_{none, none, none, none, none, 0, 0};
};

}  // namespace

ParcelAscent lift_surface_parcel(HydrostaticBase<double> const& base, double top, double step) {
  return Ascent(base, top).lift(step);
}

}  // namespace ulpine
