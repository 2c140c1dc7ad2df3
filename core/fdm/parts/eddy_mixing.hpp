// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fdm/closure.hpp"
#include "core/fdm/domain.hpp"
#include "core/fdm/part.hpp"

namespace ulpine::fdm {

/// Mixing by eddies that the grid does not hold, once a step: their viscosity by Smagorinsky's closure or
/// from their energy, whose own sources it adds.
template <class D>
class EddyMixing final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;
  using Executor = typename D::Executor;

 public:
  static std::vector<io::CaseKey> keys() {
    constexpr auto smagorinsky = R"(mixing.closure = "smagorinsky")", energy = R"(mixing.closure = "energy")";
    return {
        io::choice_key("mixing.closure",
                       {{"none", "no eddies but those of the grid"},
                        {"smagorinsky", "an eddy viscosity from strain and stability"},
                        {"energy", "eddies whose kinetic energy is carried by the wind (Deardorff 1980)"}},
                       "how eddies smaller than the grid mix wind, heat and water"),
        io::number_key("mixing.smagorinsky", 0.21, 0, 1,
                       "Smagorinsky's constant: mixing length over grid length")
            .needing(smagorinsky),
        io::number_key(
            "mixing.prandtl", 1, 0.01, 100,
            "turbulent Prandtl number: eddy viscosity of the wind over eddy diffusivity of heat and water")
            .needing(smagorinsky),
        io::quantity_key(
            "mixing.least_energy", "m2 s-2", 1e-6, 0, 1,
            "least kinetic energy of eddies, from which they can grow again in air that was calm")
            .needing(energy),
        io::quantity_key("start.energy", "m2 s-2", 1e-3, 0, 100,
                         "kinetic energy of eddies at the start, everywhere")
            .needing(energy),
    };
  }
  static bool needed(Parameters const& p) { return p.closure != Closure::none; }

  explicit EddyMixing(D& d)
      : d_{d},
        viscosity_{d.template work<T>("viscosity", "m2 s-1", d.centre)},
        diffusivity_{d.template work<T>("diffusivity", "m2 s-1", d.centre)},
        stability_{d.template work<T>("stability", "s-2", d.centre)} {}

  void declare_stages() override {
    stability_stage_ = d_.stage("stability", "N^2 of the state in which a step begins", d_.p.humid ? 3 : 2);
    viscosity_stage_ =
        d_.stage("viscosity", "eddy viscosity of the state in which a step begins", with_energy() ? 4 : 6);
    if (with_energy()) source_ = d_.stage("source_e", "shear, buoyancy and dissipation of eddies", 7);
    stress_u_ = d_.stage("eddies_u", "eddies' stress along x", 5);
    stress_v_ = d_.stage("eddies_v", "eddies' stress along y", 5);
    stress_w_ = d_.stage("eddies_w", "eddies' stress upward", 5);
  }

  void force_slowly() override {
    make_viscosity();
    add_stress<Place::u>(stress_u_, *mixing_u_);
    add_stress<Place::v>(stress_v_, *mixing_v_);
    add_stress<Place::w>(stress_w_, *mixing_w_);
    for (auto& one : d_.scalars) {
      bool const of_energy = with_energy() && &one == &d_.scalars.back();
      auto const& diffusivity = of_energy ? viscosity_ : diffusivity_;
      d_.run(one.mix_by_eddies, d_.extent(),
             EddyFlux<T, Ground>{d_.big.grid, d_.big.ground(), T(of_energy ? 2 : 1),
                                 &one == &d_.scalars.front() ? Metric::theta : Metric::count, in(diffusivity),
                                 in(one.start), one.mixing->grid()},
             {one.mixing});
    }
  }

 private:
  static Rows<T const> in(FieldOf<T, Executor> const& field) { return field.grid(); }
  bool with_energy() const { return d_.p.closure == Closure::energy; }
  Strain<T, Ground> strain() const {
    return {d_.big.grid, d_.big.ground(), d_.start_u.in(), d_.start_v.in(), d_.start_w.in()};
  }

  void make_viscosity() {
    auto const& p = d_.p;
    auto const ground = d_.big.ground();
    auto const leap = p.leapfrog ? 2 * p.step : p.step;
    auto const gravity = static_cast<T>(constants::gravity<double>()), most = static_cast<T>(0.125 / leap);
    Moisture<T> water;
    if (p.humid) water = {d_.start_pressure.in(), start_vapour_.in(), start_cloud_.in()};
    Extent3 const wider{p.nx + 2, p.ny + 2, p.nz};
    d_.run(stability_stage_, wider,
           Stability<T, Ground>{d_.big.grid, ground, gravity, d_.start_theta.in(), water, stability_.grid()},
           {&stability_});
    if (!with_energy()) {
      d_.run(viscosity_stage_, wider,
             SmagorinskyViscosity<T, Ground>{strain(), static_cast<T>(p.smagorinsky),
                                             static_cast<T>(1 / p.prandtl), most, in(stability_),
                                             viscosity_.grid(), diffusivity_.grid()},
             {&viscosity_, &diffusivity_});
      return;
    }
    auto& energy = d_.scalars.back();
    d_.run(viscosity_stage_, wider,
           EnergyViscosity<T, Ground>{ground, most, in(stability_), in(energy.start), viscosity_.grid(),
                                      diffusivity_.grid()},
           {&viscosity_, &diffusivity_});
    d_.run(source_, d_.extent(),
           EnergySource<T, Ground>{strain(), most, in(stability_), in(energy.start), energy.mixing->grid()},
           {energy.mixing});
  }

  template <Place place>
  void add_stress(Stage stage, FieldOf<T, Executor>& rate) {
    d_.run(stage, d_.template extent_of<place>(),
           EddyStress<T, Ground, place>{strain(), in(viscosity_), rate.grid()}, {&rate});
  }

  D& d_;
  FieldOf<T, Executor>&viscosity_, &diffusivity_, &stability_;
  Named<T, Executor> mixing_u_{d_, "mixing_u"}, mixing_v_{d_, "mixing_v"}, mixing_w_{d_, "mixing_w"},
      start_vapour_{d_, "start_qv"}, start_cloud_{d_, "start_qc"};
  Stage stability_stage_{}, viscosity_stage_{}, source_{}, stress_u_{}, stress_v_{}, stress_w_{};
};

}  // namespace ulpine::fdm
