// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/part.hpp"
#include "core/fdm/rates.hpp"

namespace ulpine::fdm {

/// rho_0 / rho of a state, to second order.
template <class T, class S, class Ground>
struct RelativeVolume {
  Ground ground;
  T per_gamma;
  Air<T> air;
  Rows<S> relative_volume;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const warm = air.theta(k, j, i) * ground.at(Metric::per_theta, k, j, i);
    auto const pressed = air.p(k, j, i) * ground.at(Metric::per_pressure, k, j, i);
    auto gain = math::fma(-per_gamma, pressed, warm) + second_order_gain(per_gamma, warm, pressed);
    if (air.vapour.first != nullptr) gain += moist_gain(air, ground, k, j, i);
    relative_volume(k, j, i) = static_cast<S>(T(1) / (T(1) - gain));
  }
};

/// The density of the air itself, where pressure and buoyancy act on it and not on the base state's.
template <class D>
class Density final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::Ground;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::choice_key(
            "air.density",
            {{"base", "that of the base state"},
             {"full",
              "that of the air itself, to second order in theta' and p': cold or warm air far from "
              "the base state moves at its right speed"}},
            "density on which pressure gradients and buoyancy act"),
    };
  }
  static bool needed(Parameters const& p) { return p.full_density; }

  explicit Density(D& d) : d_{d}, relative_volume_{d.template work<S>("lightness", "1", d.centre)} {}

  void declare_stages() override {
    stage_ = d_.stage("lightness", "density of the base state over the air's", 2, 1);
  }
  void diagnose() override {
    T const per_gamma = d_.physics(1).per_gamma;
    d_.run_around(stage_, d_.p.nz,
                  RelativeVolume<T, S, Ground>{d_.big.ground(), per_gamma, d_.air(), relative_volume_.grid()},
                  {&relative_volume_});
  }

 private:
  D& d_;
  FieldOf<S, typename D::Executor>& relative_volume_;
  Stage stage_{};
};

}  // namespace ulpine::fdm
