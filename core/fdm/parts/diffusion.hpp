// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/mixing.hpp"
#include "core/fdm/part.hpp"

namespace ulpine::fdm {

/// Diffusion by a constant viscosity, the filter of fourth order and the sponge, once a step.
template <class D>
class Diffusion final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::quantity_key(
            "mixing.diffusivity", "m2 s-1", 0, 0, 1e6,
            "constant viscosity and diffusivity of wind, heat and water along the levels and across them"),
        io::quantity_key(
            "mixing.fourth_order", "s-1", 0, 0, 1,
            "rate of the filter of fourth order along the levels, which removes waves of two grid "
            "lengths"),
        io::quantity_key(
            "sponge.from", "m", 1e6, 0, 1e6,
            "height above which a sponge draws the air to the base state and damps waves before the lid")
            .follows("required with sponge.rate")
            .needing("sponge.rate"),
        io::quantity_key("sponge.rate", "s-1", 0, 0, 10,
                         "rate of the sponge's damping at the lid, to which it grows"),
    };
  }
  static bool needed(Parameters const& p) { return p.mixes(); }

  explicit Diffusion(D& d)
      : d_{d},
        u_{d.template work<T>("mixing_u", "m s-2", d.stepped_u)},
        v_{d.template work<T>("mixing_v", "m s-2", d.stepped_v)},
        w_{d.template work<T>("mixing_w", "m s-2", d.at_w)} {}

  void declare_stages() override {
    of_u_ = d_.stage("mixing_u", "diffusion and sponge of u", 2);
    of_v_ = d_.stage("mixing_v", "diffusion and sponge of v", 2);
    of_w_ = d_.stage("mixing_w", "diffusion and sponge of w", 2);
  }

  void force_slowly() override {
    mix<Place::u>(of_u_, d_.start_u.in(), u_);
    mix<Place::v>(of_v_, d_.start_v.in(), v_);
    mix<Place::w>(of_w_, d_.start_w.in(), w_);
    for (auto& one : d_.scalars) {
      mix<Place::centre>(one.mix, std::as_const(one.start).grid(), *one.mixing);
    }
  }

 private:
  template <Place place>
  void mix(Stage stage, Rows<T const> phi, FieldOf<T, typename D::Executor>& rate) {
    MixingLaw<T> const law{static_cast<T>(d_.p.diffusivity), static_cast<T>(d_.p.computational_mixing)};
    d_.run(stage, d_.template extent_of<place>(),
           Mixing<T, Ground, place>{d_.big.grid, d_.big.ground(), law, phi, rate.grid()}, {&rate});
  }

  D& d_;
  FieldOf<T, typename D::Executor>&u_, &v_, &w_;
  Stage of_u_{}, of_v_{}, of_w_{};
};

}  // namespace ulpine::fdm
