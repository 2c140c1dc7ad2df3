// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/fem/domain.hpp"
#include "core/fem/fall.hpp"
#include "core/physics/ranges.hpp"
#include "core/physics/warm_rain.hpp"

/// Kessler's warm rain (core/physics) at nodes at the end of a step. Where water changes its phase the volume
/// stays: the masses of dry air and of water are kept, and the pressure follows.
namespace ulpine::fem {

/// The state that warm rain changes, in place.
template <class T>
struct Wet {
  Air<T> air;
  T const* reference_pressure;
  T *theta, *departure, *vapour, *cloud, *rain;

  ULPINE_HD physics::MoistState<T> at(std::int64_t n) const {
    return {theta[n], vapour[n], cloud[n], rain[n]};
  }
  /// The air around the water of node n, whose density is `density`, kg m-3.
  ULPINE_HD physics::Air<T> around(std::int64_t n, T density) const {
    auto const pressure = reference_pressure[n] + departure[n];
    return {density, pressure, air.exner(pressure), T(0)};
  }
  /// The new state. At constant volume p ~ (theta (1 + r_v R_v / R_d))^(cp / cv).
  ULPINE_HD void put(std::int64_t n, physics::MoistState<T> const& state) const {
    auto const before = theta[n] * Moisture<T>::with_vapour(vapour[n]);
    auto const after = state.theta * Moisture<T>::with_vapour(state.vapour);
    theta[n] = state.theta;
    vapour[n] = state.vapour;
    cloud[n] = state.cloud;
    rain[n] = state.rain;
    if (after == before) return;
    auto const gain = math::pow(after / before, air.cp / air.cv) - T(1);
    departure[n] = math::fma(reference_pressure[n] + departure[n], gain, departure[n]);
  }
};

/// Cloud becomes rain, rain evaporates; how fast what is left falls, and through how much dry air. Water that
/// advection has left negative is made 0; `made` takes what that adds, kg m-3.
template <class T>
struct FormRain {
  Wet<T> wet;
  T step;  ///< s
  T const* density;
  T *dry_density, *speed, *made;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const before = wet.at(n);
    auto const dry = density[n] / (T(1) + (before.vapour + (before.cloud + before.rain)));
    auto const whole = physics::without_negative_water(before);
    auto const added =
        (whole.vapour - before.vapour) + ((whole.cloud - before.cloud) + (whole.rain - before.rain));
    made[n] = math::fma(dry, added, made[n]);
    auto const after = physics::form_rain(wet.around(n, dry), whole, step);
    wet.put(n, after);
    dry_density[n] = dry;
    speed[n] = physics::terminal_velocity(dry, after.rain);
  }
};

/// Vapour condenses, cloud evaporates; the density of the end.
template <class T>
struct AdjustSaturation {
  Wet<T> wet;
  T const* dry_density;
  T* density;

  ULPINE_HD void operator()(std::int64_t n) const {
    wet.put(n, physics::adjust_saturation(wet.around(n, dry_density[n]), wet.at(n)));
    DensityOfAir<T>{
        {wet.air, wet.theta, wet.departure, wet.reference_pressure, {wet.vapour, wet.cloud, wet.rain}},
        density}(n);
  }
};

/// Water of all kinds, kg m-3.
template <class T>
struct WaterContent {
  Moisture<T> water;
  T const* density;
  T* content;
  ULPINE_HD void operator()(std::int64_t n) const {
    auto const total = water.total(n);
    content[n] = density[n] / (T(1) + total) * total;
  }
};

/// A value at the ground as one whose integral over the air is that over the ground.
template <class T>
struct OfGround {
  T const *value, *ground, *volume;
  T* share;
  ULPINE_HD void operator()(std::int64_t n) const { share[n] = value[n] * ground[n] / volume[n]; }
};

/// Warm rain of a step, at its end.
template <class D>
class Rain final : public Part {
  using T = typename D::T;
  using Values = typename D::Values;

 public:
  static std::vector<io::CaseKey> keys() {
    return {io::quantity_key("water.fastest_fall", "m s-1", 12, 1e-3, 1000,
                             "speed of rain for which a step's sub-steps of its fall are made; faster rain "
                             "falls as fast as this")
                .needing("air.humid = true")};
  }
  static bool needed(Parameters const& p) { return p.humid; }

  explicit Rain(D& d) : d_{d} {
    on_ground_.on_demand([this] {
      d_.for_nodes(OfGround<T>{in(fallen_), fall_->ground(), in(d_.volume), out(on_ground_)});
    });
    content_.on_demand([this] { d_.for_nodes(WaterContent<T>{d_.moisture(), in(d_.rho), out(content_)}); });
  }

  void declare_stages() override {
    form_ = d_.stage("rain.form", "cloud becomes rain, which evaporates", 16);
    fall_stage_ = d_.stage("rain.fall", "rain falls", 13, 1);
    saturate_ = d_.stage("rain.saturate", "vapour condenses, cloud evaporates", 14);
  }
  void prepare() override {
    fall_ = std::make_unique<Fall<T, typename D::Executor>>(d_.executor, d_.mesh.pattern, d_.entries,
                                                            in(d_.gradient), in(d_.volume), in(d_.fixed),
                                                            d_.setup->rain_ground, d_.ghosts.get());
    sub_steps_ = fall_->sub_steps(d_.p.step, d_.p.fastest_fall);
  }

  void end() override {
    Wet<T> const wet{d_.air(),       in(d_.pressure_reference),
                     out(d_.theta),  out(d_.departure),
                     out(d_.vapour), out(d_.cloud),
                     out(d_.rain)};
    d_.run(form_, FormRain<T>{wet, T(d_.p.step), in(d_.rho), out(dry_density_), out(speed_), out(made_)},
           {d_.theta, d_.departure, d_.vapour, d_.cloud, d_.rain, &dry_density_, &speed_, &made_});
    for (int n = 0; n < sub_steps_; ++n) {
      auto const sub_step = d_.stages.loop("fall", n + 1);
      d_.call_together(fall_stage_,
                       [&] {
                         fall_->take(T(d_.p.step / sub_steps_), in(dry_density_), in(speed_), out(d_.rain),
                                     out(fallen_));
                       },
                       {d_.rain, &fallen_});
    }
    d_.run(saturate_, AdjustSaturation<T>{wet, in(dry_density_), out(d_.rho)},
           {d_.theta, d_.departure, d_.vapour, d_.cloud, d_.rain, d_.rho});
  }

  std::vector<IntegralDescription> integrals() const override {
    return {{"water", "kg", "water_content", "cell_volume"},
            {"rain_fallen", "kg", "rain_on_ground", "cell_volume"},
            {"water_made", "kg", "water_made", "cell_volume"}};
  }

 private:
  D& d_;
  Values &fallen_ = d_.node("fallen", "kg m-2", "rain that has reached the ground", FieldRole::prognostic,
                            physics::rain_range),
         &made_ = d_.at_node("water_made", "kg m-3", FieldRole::prognostic, physics::water_density_range),
         &dry_density_ = d_.at_node("dry_density", "kg m-3"), &speed_ = d_.at_node("fall_speed", "m s-1"),
         &on_ground_ = d_.at_node("rain_on_ground", "kg m-3"),
         &content_ = d_.at_node("water_content", "kg m-3");
  Stage form_{}, fall_stage_{}, saturate_{};
  std::unique_ptr<Fall<T, typename D::Executor>> fall_;
  int sub_steps_ = 1;
};

}  // namespace ulpine::fem
