// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/part.hpp"
#include "core/fdm/rates.hpp"
#include "core/physics/ranges.hpp"
#include "core/physics/sedimentation.hpp"
#include "core/physics/warm_rain.hpp"

namespace ulpine::fdm {

/// A metric as columns of rain have it.
template <class Ground, class T>
struct MetricOf {
  Ground ground;
  Metric metric;
  T factor;
  ULPINE_HD T operator()(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return factor * ground.at(metric, k, j, i);
  }
};

/// The fields that rain changes, in place.
template <class T>
struct Water {
  Rows<T> theta, vapour, cloud, rain;
  ULPINE_HD physics::MoistState<T> at(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return {theta(k, j, i), vapour(k, j, i), cloud(k, j, i), rain(k, j, i)};
  }
  ULPINE_HD void put(std::int32_t k, std::int32_t j, std::int32_t i,
                     physics::MoistState<T> const& state) const {
    theta(k, j, i) = state.theta;
    vapour(k, j, i) = state.vapour;
    cloud(k, j, i) = state.cloud;
    rain(k, j, i) = state.rain;
  }
};

template <class T, class Ground>
ULPINE_HD physics::Air<T> air_around(Ground const& ground, Rows<T const> const& p, std::int32_t k,
                                     std::int32_t j, std::int32_t i) {
  auto const pressure = ground.at(Metric::pressure, k, j, i) + p(k, j, i);
  return {ground.at(Metric::density, k, j, i), pressure, physics::exner(pressure),
          ground.at(Metric::theta, k, j, i)};
}

/// Cloud becomes rain, rain evaporates; and how fast what is left falls.
template <class T, class Ground>
struct FormRain {
  Ground ground;
  T length;
  Rows<T const> p;
  Water<T> water;
  Rows<T> velocity;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const air = air_around(ground, p, k, j, i);
    auto const state = physics::form_rain(air, water.at(k, j, i), length);
    water.put(k, j, i, state);
    velocity(k, j, i) = physics::terminal_velocity(air.density, state.rain);
  }
};

/// Vapour condenses, cloud evaporates.
template <class T, class Ground>
struct AdjustSaturation {
  Ground ground;
  Rows<T const> p;
  Water<T> water;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    water.put(k, j, i, physics::adjust_saturation(air_around(ground, p, k, j, i), water.at(k, j, i)));
  }
};

/// Kessler's warm rain at the end of a step (core/physics). Rain falls through the base state's density.
template <class D>
class Rain final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::flag_key("air.humid", false,
                     "whether the air carries vapour, cloud and rain, which exchange latent heat (Kessler's "
                     "warm rain)"),
    };
  }
  static bool needed(Parameters const& p) { return p.humid; }

  explicit Rain(D& d)
      : d_{d},
        speed_{d.template work<T>("fall_speed", "m s-1", d.centre)},
        fallen_{d.template add<T>(
            d.prognostic("rain", "kg m-2", "rain that has fallen", {"y", "x"}, physics::rain_range),
            column_layout(d.p))} {}

  void declare_stages() override {
    form_ = d_.stage("rain.form", "cloud becomes rain, which evaporates", 10);
    fall_ = d_.stage("rain.fall", "rain falls", 4);
    saturate_ = d_.stage("rain.saturate", "vapour condenses, cloud evaporates", 9);
  }

  int last_change(Interval const& interval) const override { return interval.whole ? 2 : 0; }
  void adjust(Interval const& interval) override {
    if (!interval.whole) return;
    auto const length = static_cast<T>(interval.length);
    auto const ground = d_.big.ground();
    Water<T> const water{d_.theta.out(), d_.vapour.out(), d_.cloud.out(), d_.rain.out()};
    d_.run(form_, d_.extent(), FormRain<T, Ground>{ground, length, d_.pressure.in(), water, speed_.grid()},
           {d_.theta, d_.vapour, d_.cloud, d_.rain, &speed_});
    using Column = MetricOf<Ground, T>;
    d_.run(fall_, d_.columns(),
           physics::Sedimentation<T, Column, Column>{d_.p.nz,
                                                     length,
                                                     {ground, Metric::density, T(1)},
                                                     {ground, Metric::j3, static_cast<T>(d_.p.dz)},
                                                     std::as_const(speed_).grid(),
                                                     d_.rain->grid(),
                                                     fallen_.grid(),
                                                     static_cast<T>(d_.p.step / interval.length)},
           {d_.rain, &fallen_});
    d_.run_last(*this, saturate_, AdjustSaturation<T, Ground>{ground, d_.pressure.in(), water},
                {d_.theta, d_.vapour, d_.cloud, d_.rain});
  }

 private:
  D& d_;
  FieldOf<T, typename D::Executor>&speed_, &fallen_;
  Stage form_{}, fall_{}, saturate_{};
};

}  // namespace ulpine::fdm
