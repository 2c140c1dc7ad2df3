// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/les/domain.hpp"
#include "core/les/moisture.hpp"
#include "core/les/part.hpp"
#include "core/les/transport.hpp"
#include "core/physics/ranges.hpp"

namespace ulpine::les {

/// Specific humidity, which wind and eddies carry, which the ground gives off, and which makes air lighter.
template <class D>
class Humidity final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static bool needed(Parameters const& p) { return p.humid; }

  explicit Humidity(D& d) : d_{d} {
    auto description =
        d.output("q", "kg kg-1", "specific humidity", FieldRole::prognostic, {"z", "y", "x"}, d.air);
    description.standard_name = "specific_humidity";
    description.range = physics::water_range;
    d.template add<T>(std::move(description), d.with_halo);
    d.template add<T>(d.output("moisture_flux", "kg kg-1 m s-1", "upward flux of humidity at the ground",
                               FieldRole::diagnostic, {"y", "x"}),
                      d.flat);
    stored_ = &d.template work<T>("stored_q", "kg kg-1 s-1", d.dense);
    if (!d.p.moist()) return;
    d.template work<T>("theta_v", "K", d.with_halo);
    d.template work<T>("buoyancy_flux", "K m s-1", d.flat);
  }

  void declare_stages(Point point) override {
    if (point != Point::tendencies) return;
    buoyancy_ = d_.stage("buoyancy", "virtual potential temperature, which buoyancy depends on", 3);
    tendency_ = d_.stage("tendency_q", "advection and diffusion of humidity", 7);
    carry_ = d_.stage("q", "Runge-Kutta stage of the humidity", 3);
  }

  void start() override {
    for_each(d_.executor, d_.flat.allocated(),
             Fill<T>{d_.number(d_.p.moisture_flux), d_.moisture_flux->view().data()});
    Start const at(*d_.setup);
    write_start(*d_.setup, *d_.humidity, Variable::scalar,
                [&](auto k, auto j, auto i) { return at.humidity(k, j, i); });
  }

  void diagnose(StageRunner& stages) override {
    if (!d_.p.moist()) return;
    stages.run(
        buoyancy_, d_.executor, d_.with_neighbours(),
        Buoyancy<T, Ground>{d_.grid, d_.ground(), d_.in(d_.theta->now()), d_.humidity.in(), d_.heat_flux.in(),
                            d_.moisture_flux.in(), d_.virtual_theta.out(), d_.buoyancy_flux.out()},
        {d_.virtual_theta, d_.buoyancy_flux});
  }

  bool carries() const override { return true; }
  void force_scalar(Pass const& pass) override {
    transport(d_, pass, tendency_, *d_.humidity, d_.moisture_flux.in(), Level::start_humidity, *stored_, {},
              {stored_});
  }
  void step_scalar(Pass const& pass) override {
    pass.stages.run(carry_, d_.executor, d_.extent(),
                    Carried<T>{d_.grid, d_.length(pass), d_.provisional(*d_.humidity, *stored_)},
                    {d_.humidity});
  }

 private:
  D& d_;
  typename D::Values* stored_;
  Stage buoyancy_{}, tendency_{}, carry_{};
};

}  // namespace ulpine::les
