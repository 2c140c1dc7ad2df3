// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/transport.hpp"
#include "core/physics/constants.hpp"

namespace ulpine::les {

/// Potential temperature, which wind and eddies carry and the ground heats.
template <class D>
class Heat final : public Part {
  using T = typename D::T;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::flag_key("air.neutral", false,
                     "whether buoyancy is left out and temperature is no part of the state; the closure then "
                     "sees the stratification of the start's profile"),
        io::quantity_key("air.gravity", "m s-2", physics::palm::gravity<double>(), 0, 1e3,
                         "acceleration of gravity, which buoyancy has"),
        io::quantity_key("air.reference_theta", "K", 0, 0, 2000,
                         "potential temperature against which buoyancy is counted; 0 stands for the start's "
                         "profile"),
    };
  }

  explicit Heat(D& d) : d_{d} {}

  void declare_stages(Point point) override {
    if (point == Point::tendencies) {
      tendency_ = d_.stage("tendency_theta", "advection and diffusion of heat", 7 + 2.0 / 3);
    } else if (point == Point::scalars) {
      carry_ = d_.stage("theta", "Runge-Kutta stage of the potential temperature", 3);
    }
  }

  bool carries() const override { return !d_.p.neutral; }
  void force_scalar(Pass const& pass) override {
    auto& theta = *d_.theta;
    transport(d_, pass, tendency_, theta.now(), d_.heat_flux.in(), Level::start_theta, theta.stored(),
              theta.carrying(d_.length(pass), pass.last), theta.written(pass.last));
  }
  void step_scalar(Pass const& pass) override {
    auto& theta = *d_.theta;
    theta.turn(pass.last);
    if (!pass.last) return;
    pass.stages.run(carry_, d_.executor, d_.extent(),
                    Carried<T>{d_.grid, d_.length(pass), d_.provisional(theta.own(), theta.stored())},
                    {&theta.own()});
  }

 private:
  D& d_;
  Stage tendency_{}, carry_{};
};

}  // namespace ulpine::les
