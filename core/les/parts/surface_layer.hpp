// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/exec/around.hpp"
#include "core/les/domain.hpp"
#include "core/les/moisture.hpp"
#include "core/les/part.hpp"
#include "core/les/surface_layer.hpp"
#include "core/les/tendencies.hpp"
#include "core/physics/ranges.hpp"

namespace ulpine::les {

/// Humidity of the ground and the lowest cells, as the surface layer needs it.
template <class T>
struct SurfaceMoisture {
  Rows<T const> q;  ///< absent where humidity does not make air lighter
  bool given;       ///< whether the surface's humidity is given, or else its flux
  T humidity;       ///< specific humidity of the surface, kg kg-1
  T prescribed;     ///< upward flux, kg kg-1 m s-1
  Rows<T> flux;     ///< written where the surface's humidity is given
};

/// Stress, heat flux and moisture flux at the ground and on roofs by similarity, from the wind, temperature
/// and humidity of the lowest cell of each column (Surface in tendencies.hpp).
template <class T, class Ground>
struct SurfaceFluxes {
  Grid<T> grid;
  Ground ground;
  RoughSurface<T> rough;
  bool temperature_given;
  T prescribed;  ///< upward heat flux, K m s-1
  SurfaceMoisture<T> moisture;
  T convecting;                 ///< 1 where the speed has that of free convection in it, else 0
  Global const* surface_theta;  ///< K
  Rows<T const> u, v, theta;
  Rows<T> drag, heat_flux, shear, friction, inverse_obukhov;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const k = ground.lowest(Variable::scalar, j, i);
    auto const u_here = mean2(u(k, j, i), u(k, j, i + 1)), v_here = mean2(v(k, j, i), v(k, j + 1, i));
    auto const buoyancy = grid.at(Level::gravity_per_reference, k);
    auto const least = T(1) / T(100);
    auto const moist = moisture.q.first != nullptr;
    T zeta, flux;
    SurfaceScales<T> scales;
    if (temperature_given) {
      auto const speed = surface_speed(u_here, v_here, least);
      auto const surface = static_cast<T>(*surface_theta);
      auto const difference = theta(k, j, i) - surface;
      auto lighter = difference, moister = T(0);
      if (moist) {
        auto const q = moisture.q(k, j, i), surface_q = moisture.given ? moisture.humidity : q;
        lighter = virtual_theta(theta(k, j, i), q) - virtual_theta(surface, surface_q);
        moister = q - surface_q;
      }
      zeta = zeta_from_temperature(rough, buoyancy, lighter, speed);
      scales = scales_from_temperature(rough, zeta, difference, speed);
      flux = -scales.friction_velocity * scales.temperature_scale;
      if (moist && moisture.given) {
        auto const of_moisture = scales_from_temperature(rough, zeta, moister, speed);
        moisture.flux(j, i) = -of_moisture.friction_velocity * of_moisture.temperature_scale;
      }
    } else {
      auto const rising =
          moist ? virtual_flux(prescribed, moisture.prescribed, theta(k, j, i), moisture.q(k, j, i))
                : prescribed;
      auto const speed = surface_speed(u_here, v_here, least, convecting * buoyancy, rough.z, rising);
      zeta = zeta_from_flux(rough, buoyancy, rising, speed);
      scales = scales_from_flux(rough, zeta, prescribed, speed);
      flux = prescribed;
    }
    auto const phi = rough.stability.phi_m(zeta);
    drag(j, i) = scales.stress_coefficient;
    heat_flux(j, i) = flux;
    shear(j, i) = scales.friction_velocity * phi / (physics::palm::karman<T>() * rough.z);
    friction(j, i) = scales.friction_velocity;
    inverse_obukhov(j, i) = zeta / rough.z;
  }
};

/// The ground's temperature, and the fluxes at the ground and on roofs: by similarity where the case has a
/// surface layer, else as it gives them.
template <class D>
class SurfaceLayer final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;
  using Values = typename D::Values;

 public:
  static std::vector<io::CaseKey> keys() {
    constexpr auto layer = "ground.wind = \"flux_layer\"", linear = "ground.stability = \"linear\"",
                   humid = "[profile.humidity]";
    return {
        io::quantity_key("ground.roughness", "m", 0.1, 1e-9, 1e3,
                         "roughness length of ground, roofs and walls for the wind; less than dz / 2")
            .needing(layer),
        io::quantity_key("ground.heat_roughness", "m", 0.1, 1e-12, 1e3,
                         "roughness length of ground and roofs for heat and humidity")
            .follows("ground.roughness")
            .needing(layer),
        io::quantity_key("ground.heat_flux", "K m s-1", 0, -10, 10,
                         "upward kinematic flux of heat from ground and roofs")
            .needing("no ground.theta"),
        io::quantity_key("ground.moisture_flux", "kg kg-1 m s-1", 0, -1, 1,
                         "upward kinematic flux of specific humidity from ground and roofs")
            .needing("[profile.humidity], no ground.theta"),
        io::flag_key("ground.free_convection", true,
                     "whether the wind that a heated surface feels includes that of free convection, so that "
                     "calm air takes heat up")
            .needing("ground.wind = \"flux_layer\", no ground.theta"),
        io::quantity_key("ground.theta", "K", 0, 1, 2000,
                         "potential temperature of ground and roofs at the start, from which the heat flux "
                         "follows by similarity")
            .follows("none: ground.heat_flux counts")
            .needing(layer),
        io::quantity_key("ground.humidity", "kg kg-1", 0, 0, 1,
                         "specific humidity of ground and roofs, from which the flux of humidity follows by "
                         "similarity")
            .follows("none: no humidity leaves the ground")
            .needing(std::string(humid) + ", ground.theta"),
        io::quantity_key("ground.warming_per_hour", "K h-1", 0, -100, 100,
                         "rate at which the surface grows warmer, or colder where it is negative")
            .needing("ground.theta"),
        io::choice_key("ground.stability",
                       {{"beljaars_holtslag", "functions of Beljaars and Holtslag (1991)"},
                        {"linear", "phi = 1 + beta z / L"}},
                       "stability functions of the surface layer in stable air")
            .needing(layer),
        io::number_key("ground.beta_m", 4.8, 0, 100, "slope of the linear stability function of the wind")
            .needing(linear),
        io::number_key("ground.beta_h", 7.8, 0, 100,
                       "slope of the linear stability function of heat and humidity")
            .needing(linear),
    };
  }

  explicit SurfaceLayer(D& d)
      : d_{d},
        rough_{rough_surface(d.number(d.p.dz / 2), d.number(d.p.roughness), d.number(d.p.heat_roughness),
                             Stability<T>{d.p.linear_stability, d.number(d.p.beta_m), d.number(d.p.beta_h)},
                             T(100))} {
    d.template add<double>({.name = "surface_theta",
                            .units = "K",
                            .long_name = "potential temperature of the ground",
                            .role = FieldRole::prognostic,
                            .range = physics::theta_range},
                           d.one);
    auto& friction = add("ustar", "m s-1", "friction velocity");
    auto& obukhov = add("inverse_obukhov_length", "m-1", "1 / Obukhov length", !d.p.neutral);
    auto& heat_flux = add("heat_flux", "K m s-1", "upward heat flux at the ground", !d.p.neutral);
    inverse_obukhov_ = &obukhov;
    auto& drag = d.template work<T>("drag", "m s-1", d.flat);
    auto& shear = d.template work<T>("shear", "s-1", d.flat);
    written_ = {&drag, &heat_flux, &shear, &friction, &obukhov};
  }

  void declare_stages(Point point) override {
    if (point != Point::preparation) return;
    stage_ = d_.stage("surface", "stress and heat flux of the surface layer, by similarity", 8.0 / d_.p.nz);
  }

  void start() override {
    d_.surface_theta->from_host(&d_.p.surface_theta);
    auto const on_demand = [this](Values& field) { field.on_demand([this] { diagnose_here_and_beside(); }); };
    if (d_.p.flux_layer) {
      for (auto* field : {&*d_.friction, inverse_obukhov_, &*d_.heat_flux}) on_demand(*field);
    } else {
      for_each(d_.executor, d_.flat.allocated(),
               Fill<T>{d_.number(d_.p.heat_flux), d_.heat_flux->view().data()});
    }
    if (d_.moisture_flux.declared() && d_.p.surface_humidity_given) {
      written_.push_back(d_.moisture_flux);
      on_demand(*d_.moisture_flux);
    }
  }

  void diagnose(StageRunner& stages) override {
    if (!d_.p.flux_layer) return;
    stages.call(
        stage_, d_.executor, [&] { diagnose_here_and_beside(); }, written_);
  }

 private:
  Values& add(char const* name, char const* units, char const* long_name, bool output = true) {
    auto description = d_.output(name, units, long_name, FieldRole::diagnostic, {"y", "x"});
    description.output = output;
    return d_.template add<T>(std::move(description), d_.flat);
  }
  /// Also of the neighbours' nearest columns: to compute costs less than to send.
  void diagnose_here_and_beside() {
    auto const [x, y] = std::pair{d_.grid.cut_x, d_.grid.cut_y};
    for_each(d_.executor, Extent2{d_.p.nx + 2 * x, d_.p.ny + 2 * y}, Around{fluxes(), x, y});
  }
  SurfaceFluxes<T, Ground> fluxes() const {
    return {d_.grid,
            d_.ground(),
            rough_,
            d_.p.surface_temperature_given,
            d_.number(d_.p.heat_flux),
            moisture(),
            T(d_.p.free_convection ? 1 : 0),
            d_.surface_theta->view().data(),
            d_.u.in(),
            d_.v.in(),
            d_.in(d_.theta->now()),
            d_.drag.out(),
            d_.heat_flux.out(),
            d_.shear.out(),
            d_.friction.out(),
            inverse_obukhov_->grid()};
  }
  SurfaceMoisture<T> moisture() const {
    auto const& p = d_.p;
    if (!p.moist()) return {};
    return {d_.humidity.in(), p.surface_humidity_given, d_.number(p.surface_humidity),
            d_.number(p.moisture_flux), d_.moisture_flux.out()};
  }

  D& d_;
  RoughSurface<T> rough_;
  Values* inverse_obukhov_;
  std::vector<Field const*> written_;
  Stage stage_{};
};

}  // namespace ulpine::les
