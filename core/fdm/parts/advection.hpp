// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/part.hpp"
#include "core/fdm/rates.hpp"

namespace ulpine::fdm {

/// The keys of the case that Advection has in every policy.
inline std::vector<io::CaseKey> advection_keys() {
  std::vector<io::KeyChoice> const orders{
      {"2", "centred"}, {"4", "centred"}, {"5", "upwind, which damps what the grid cannot carry"}};
  return {
      io::integer_key("advection.order", 4, 2, 5, "order of advection along the levels").among(orders),
      io::integer_key("advection.vertical_order", 4, 2, 5, "order of advection across the levels")
          .follows("advection.order")
          .among(orders),
  };
}

/// What the state's wind carries and its forces: the slow rates of wind, pressure and scalars, whose products
/// of fluxes and differences are formed by Product.
template <class D, class Product>
class Advection final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::Ground;
  using Executor = typename D::Executor;

 public:
  explicit Advection(D& d) : d_{d}, mass_flux_{d.template work<T>("mass_flux", "kg m-3 s-1", d.at_w)} {
    d.template work<S>("rate_u", "m s-2", d.stepped_u);
    d.template work<S>("rate_v", "m s-2", d.stepped_v);
    d.template work<S>("rate_w", "m s-2", d.at_w);
    d.template work<S>("rate_p", "Pa s-1", d.centre);
  }

  void declare_stages() override {
    auto const& p = d_.p;
    flux_stage_ = d_.stage("mass_flux", "mass flux across the levels", 2);
    of_u_ = d_.stage("rate_u", "advection, Coriolis force and pressure along x", 7, 1);
    of_v_ = d_.stage("rate_v", "advection, Coriolis force and pressure along y", 7, 1);
    of_w_ = d_.stage("rate_w", "advection, buoyancy and pressure upward",
                     7 + (p.humid ? 3 : 0) + (p.mixes() ? 1 : 0) + (p.full_density ? 1 : 0),
                     p.full_density ? 2 : 1);
    of_p_ = d_.stage("rate_p", "advection and compression", 7, 1);
  }

  void add_rates(double small_length) override {
    auto const& grid = d_.big.grid;
    auto const ground = d_.big.ground();
    d_.run_around(
        flux_stage_, d_.p.nz + 1,
        VerticalMassFlux<T, Ground>{grid, ground, d_.u.in(), d_.v.in(), d_.w.in(), mass_flux_.grid()},
        {&mass_flux_});
    d_.fill_beyond(d_.halos({{mass_flux_.grid(), Place::w}}));
    auto const numbers = d_.physics(small_length);
    Wind<T> const wind{d_.u.in(), d_.v.in(), d_.w.in(), std::as_const(mass_flux_).grid()};
    auto const start = d_.start();
    auto const divergence = d_.start_divergence.in();
    auto const volume = d_.relative_volume.in();
    d_.run(of_u_, d_.faces(true),
           WindRate<T, S, Ground, Product, true>{grid, ground, numbers, Product{}, d_.rim(), wind, start,
                                                 divergence, volume, mixing_u_.in(), d_.rate_u.out()},
           {d_.rate_u});
    d_.run(of_v_, d_.faces(false),
           WindRate<T, S, Ground, Product, false>{grid, ground, numbers, Product{}, d_.rim(), wind, start,
                                                  divergence, volume, mixing_v_.in(), d_.rate_v.out()},
           {d_.rate_v});
    d_.run(of_w_, d_.inner_faces(),
           VerticalRate<T, S, Ground, Product>{grid, ground, numbers, Product{}, wind, d_.air(), start,
                                               divergence, volume, mixing_w_.in(), d_.rate_w.out()},
           {d_.rate_w});
    d_.run(of_p_, d_.extent(),
           PressureRate<T, S, Ground, Product>{grid, ground, numbers, Product{}, wind, d_.pressure.in(),
                                               start, d_.rate_p.out()},
           {d_.rate_p});
    for (auto& one : d_.scalars) {
      // theta' is that of the base state's air, too, which w lifts: slowly, unless it steps with the sound.
      bool const lifted = &one == &d_.scalars.front();
      auto const lifting = !lifted ? Rows<T const>{} : one.steps_with_sound ? d_.start_w.in() : d_.w.in();
      auto const mixing = one.mixing != nullptr ? Rows<T const>(one.mixing->grid()) : Rows<T const>{};
      d_.run(one.advect, d_.extent(),
             ScalarRate<T, Ground, Product>{grid, ground, numbers, Product{}, wind,
                                            std::as_const(one.now).grid(), lifting, mixing, one.rate.grid()},
             {&one.rate});
    }
  }

 private:
  D& d_;
  FieldOf<T, Executor>& mass_flux_;
  Named<T, Executor> mixing_u_{d_, "mixing_u"}, mixing_v_{d_, "mixing_v"}, mixing_w_{d_, "mixing_w"};
  Stage flux_stage_{}, of_u_{}, of_v_{}, of_w_{}, of_p_{};
};

}  // namespace ulpine::fdm
