// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/closure.hpp"
#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/scalars.hpp"

namespace ulpine::les {

/// Values that the energy budget of a level hands to the level above.
template <class T>
struct EnergyBelow {
  Marks<T> marks;
  Near<T> theta, heat_diffusivity;
  ScalarBelow<T> energy;
  StrainBelow<T> strain;
  T theta_below, theta_here;
};

/// Energy after so many seconds of a tendency: where it would be negative a tenth of what it was.
template <class T>
ULPINE_HD T energy_after(T before, T length, T tendency) {
  auto const after = math::fma(length, tendency, before);
  return after < T(0) ? T(1) / T(10) * before : after;
}

/// Sub-grid kinetic energy e of Deardorff's closure: shear and buoyancy make it, eddies of the mixing length
/// dissipate it.
template <class T, class Ground>
struct EnergyBudget {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Surface<T> surface;
  WallShear<T> walls;
  Wind<T> wind;
  Rows<T const> theta, energy, viscosity, diffusivity;
  Stored<T> store;
  Carrying<T> carry;

  static constexpr int resident_blocks = sizeof(T) == 8 ? 2 : 3;
  using Below = EnergyBelow<T>;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto* const stored = store.place(k, j, i);
    store(stored, tendency(i, j, k));
    put(&energy(k, j, i), stored);
  }
  ULPINE_HD Below below(std::int32_t i, std::int32_t j, std::int32_t k) const {
    Marks<T> const marks{beside(grid, wind, k, j, i), store.place(k, j, i)};
    auto const t = beside(grid, theta, k, j, i);
    return {marks,
            t,
            beside(grid, diffusivity, k, j, i),
            scalar_below<Ground>(grid, scheme, marks.wind.w(-1, 0, 0), beside(grid, energy, k, j, i),
                                 beside(grid, viscosity, k, j, i), k, ground.lowest(Variable::scalar, j, i)),
            strain_below(marks.wind),
            t(-1, 0, 0),
            t(0, 0, 0)};
  }
  ULPINE_HD void rise(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    store(below.marks.stored, tendency(i, j, k, below));
    put(below.energy.phi.at, below.marks.stored);
    below.marks.up(store);
    below.theta.up();
    below.heat_diffusivity.up();
    below.energy.up();
  }

 private:
  ULPINE_HD void put(T const* at, T const* stored) const {
    if (carry.next.first != nullptr) {
      carry(at, energy.first, energy_after(*at, carry.stage.of_tendencies(), *stored));
    }
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if constexpr (Ground::built) {
      if (k < ground.lowest(Variable::scalar, j, i)) return T(0);
    }
    auto level = below(i, j, k);
    return tendency(i, j, k, level);
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    auto const& around = below.marks.wind;
    auto const e = below.energy.line.here, m = below.energy.here_d, h = below.heat_diffusivity(0, 0, 0);
    auto const moved = transported(grid, ground, scheme, around, T(2), k, j, i, lowest, T(0), below.energy);
    auto const strained =
        m * squared_strain(grid, ground, walls, around, surface.shear(j, i), k, j, i, lowest, below.strain);
    // The surface layer's stress works whatever the eddies' viscosity: that is how turbulence begins.
    auto const slope = surface.shear(j, i), friction = surface.friction(j, i);
    auto const worked = math::fma(slope, math::fma(friction, friction, -m * slope), strained);
    auto const shear = is_at<Ground>(k, lowest, walls.surface_layer) ? worked : strained;
    auto const theta_above = below.theta(1, 0, 0);
    auto const inside =
        -h * gradient_of<Ground>(grid, below.theta_below, below.theta_here, theta_above, k, lowest);
    below.theta_below = below.theta_here;
    below.theta_here = theta_above;
    auto const prescribed = surface.buoyancy_flux(j, i);
    auto const flux = is_at<Ground>(k, lowest) ? prescribed : inside;
    // (0.19 + 0.74 l / limit) e^(3/2) / l, with l and l / limit from K_m = 0.1 l sqrt(e), which is 0 only
    // where e is, and K_h = (1 + 2 l / limit) K_m: one division in place of three and two roots.
    auto const per_m = T(1) / m;
    auto const share = math::fma(h, per_m, T(-1));
    auto const dissipated =
        math::fma(T(37) / T(100), share, T(19) / T(100)) * (T(1) / T(10) * e) * (e * per_m);
    auto const dissipation = m > T(0) ? dissipated : T(0);
    return moved + (math::fma(grid.at(Level::gravity_per_reference, k), flux, shear) - dissipation);
  }
};

/// Energy at the end of a Runge-Kutta stage.
template <class T>
struct CarriedEnergy {
  Grid<T> grid;
  StageLength<T> stage;
  Provisional<T> energy;

  static constexpr int points_at_once = 4;
  ULPINE_HD T value(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const place = place_of(grid, k, j, i);
    return energy_after(energy.now[place.in_halo], stage.of_tendencies(), energy.stored[place.dense]);
  }
  ULPINE_HD void put(std::int32_t i, std::int32_t j, std::int32_t k, T value) const {
    energy.now[place_of(grid, k, j, i).in_halo] = value;
  }
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    put(i, j, k, value(i, j, k));
  }
};

/// The kinetic energy of eddies, with which Deardorff's closure makes their viscosity.
template <class D>
class EddyEnergy final : public Part {
  using T = typename D::T;

 public:
  explicit EddyEnergy(D& d) : d_{d} {}

  void declare_stages(Point point) override {
    if (point == Point::tendencies) {
      tendency_ = d_.stage("tendency_e", "budget of sub-grid energy", 9 + 2.0 / 3);
    } else if (point == Point::scalars) {
      carry_ = d_.stage("e", "Runge-Kutta stage of sub-grid energy", 3);
    }
  }

  bool carries() const override { return d_.has_energy(); }
  void force_scalar(Pass const& pass) override {
    auto& energy = *d_.energy;
    d_.by_height(
        pass.stages, tendency_, d_.ground(), d_.p.nz,
        [&]<class G>(G on) {
          return EnergyBudget<T, G>{d_.grid,
                                    on,
                                    d_.scheme().of_scalars(),
                                    d_.surface(),
                                    d_.wall_shear(),
                                    d_.wind(),
                                    d_.theta_v(),
                                    d_.in(energy.now()),
                                    d_.viscosity.in(),
                                    d_.diffusivity.in(),
                                    d_.store(pass, energy.stored()),
                                    energy.carrying(d_.length(pass), pass.last)};
        },
        energy.written(pass.last));
  }
  void step_scalar(Pass const& pass) override {
    auto& energy = *d_.energy;
    energy.turn(pass.last);
    if (!pass.last) return;
    pass.stages.run(carry_, d_.executor, d_.extent(),
                    CarriedEnergy<T>{d_.grid, d_.length(pass), d_.provisional(energy.own(), energy.stored())},
                    {&energy.own()});
  }

 private:
  D& d_;
  Stage tendency_{}, carry_{};
};

}  // namespace ulpine::les
