// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/closure.hpp"
#include "core/les/domain.hpp"
#include "core/les/part.hpp"

namespace ulpine::les {

template <class T>
struct Mixing {
  T length;  ///< m
  T share;   ///< length divided by its limit, at most 1
};

/// Length of sub-grid eddies: the grid's and the wall's limit, in stable air less.
template <class T, class Ground>
struct MixingLength {
  Grid<T> grid;
  Rows<T const> limit;  ///< with buildings, (k, j, i); a halo of 1 where the domain is cut

  ULPINE_HD Mixing<T> operator()(Near<T> const& theta, T energy, std::int32_t k, std::int32_t j,
                                 std::int32_t i, std::int32_t lowest) const {
    auto most = grid.at(Level::mixing_limit, k);
    if constexpr (Ground::built) {
      most = limit(k, grid.within_y(j), grid.within_x(i));
    }
    auto const stability =
        grid.at(Level::gravity_per_reference, k) * gradient_of<Ground>(grid, theta, k, lowest);
    // Not a number, or infinite, where the air is not stable: the comparisons below then drop it.
    auto const buoyant = math::fma(T(76) / T(100), math::sqrt(energy / stability), T(1) / T(100000));
    auto const limited = stability > T(0) && buoyant < most;
    return {limited ? buoyant : most, limited ? buoyant / most : T(1)};
  }
};

/// The level nearest to `k` between ground and lid.
template <class T>
ULPINE_HD std::int32_t inner_level(Grid<T> const& grid, std::int32_t k) {
  auto const above_ground = k < 0 ? 0 : k;
  return above_ground < grid.nz ? above_ground : grid.nz - 1;
}

/// Eddy viscosity and diffusivity (m2 s-1) from e. Called for (i + 1, j + 1, k + 1) of a lattice one point
/// larger on each side, so that they need no exchange; levels -1 and nz repeat their neighbours.
template <class T, class Ground>
struct DeardorffEddies {
  Grid<T> grid;
  Ground ground;
  MixingLength<T, Ground> length;
  Rows<T const> theta, energy;
  Rows<T> viscosity, diffusivity;

  ULPINE_HD void operator()(std::int32_t i_from_west, std::int32_t j_from_south,
                            std::int32_t k_from_below) const {
    auto const i = i_from_west - 1, j = j_from_south - 1, to = k_from_below - 1;
    auto const k = inner_level(grid, to);
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    auto const e = energy(k, j, i);
    auto const mixing = length(beside(grid, theta, k, j, i), e, k, j, i, lowest);
    auto const solid = Ground::built && k < lowest;
    auto const m = solid ? T(0) : T(1) / T(10) * mixing.length * math::sqrt(e);
    auto const h = solid ? T(0) : math::fma(T(2), mixing.share, T(1)) * m;
    viscosity(to, j, i) = m;
    diffusivity(to, j, i) = h;
  }
};

/// Eddy viscosity after Smagorinsky: (c l)^2 |S| sqrt(1 - Ri / Pr), Ri = N^2 / |S|^2.
template <class T, class Ground>
struct SmagorinskyEddies {
  Grid<T> grid;
  Ground ground;
  WallShear<T> walls;
  MixingLength<T, Ground> length;
  T constant, per_prandtl;
  Rows<T const> surface_shear;  ///< (j, i); a halo of 1 where the domain is cut
  Wind<T> wind;
  Rows<T const> theta;
  Rows<T> viscosity, diffusivity;

  ULPINE_HD void operator()(std::int32_t i_from_west, std::int32_t j_from_south,
                            std::int32_t k_from_below) const {
    auto const i = i_from_west - 1, j = j_from_south - 1, to = k_from_below - 1;
    auto const k = inner_level(grid, to);
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    T m = T(0);
    if (k >= lowest) {
      auto const ii = grid.within_x(i), jj = grid.within_y(j);
      auto const around = beside(grid, wind, k, j, i);
      auto level = strain_below(around);
      auto const strain =
          squared_strain(grid, ground, walls, around, surface_shear(jj, ii), k, j, i, lowest, level);
      auto const stability = grid.at(Level::gravity_per_reference, k) *
                             gradient_of<Ground>(grid, beside(grid, theta, k, j, i), k, lowest);
      auto const left = math::fma(-per_prandtl, stability, strain);
      auto most = grid.at(Level::mixing_limit, k);
      if constexpr (Ground::built) most = length.limit(k, jj, ii);
      auto const scale = constant * most;
      if (left > T(0)) m = scale * scale * math::sqrt(left);
    }
    viscosity(to, j, i) = m;
    diffusivity(to, j, i) = per_prandtl * m;
  }
};

/// The closure: viscosity and diffusivity of eddies that the grid does not hold.
template <class D>
class EddyViscosity final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::choice_key("closure.kind",
                       {{"deardorff", "eddy viscosity from a prognostic sub-grid kinetic energy"},
                        {"smagorinsky", "eddy viscosity from the resolved strain and stratification"},
                        {"constant", "one viscosity everywhere"},
                        {"none", "no mixing but that of the advection scheme"}},
                       "model of the turbulent mixing by eddies that are smaller than a cell"),
        io::quantity_key("closure.viscosity", "m2 s-1", 0, 0, 1e6, "viscosity of the air")
            .needing("closure.kind = \"constant\""),
        io::number_key("closure.prandtl", 1.0 / 3, 1e-3, 1e3,
                       "turbulent Prandtl number: viscosity divided by the diffusivity of heat and humidity")
            .needing("closure.kind = \"constant\" or \"smagorinsky\""),
        io::number_key("closure.smagorinsky", 0.17, 0, 1,
                       "Smagorinsky's constant: mixing length of the eddies divided by the width of a cell")
            .needing("closure.kind = \"smagorinsky\""),
    };
  }

  explicit EddyViscosity(D& d) : d_{d} {
    d.template work<T>("viscosity", "m2 s-1", d.with_halo);
    d.template work<T>("diffusivity", "m2 s-1", d.with_halo);
  }

  void declare_stages(Point point) override {
    if (point != Point::preparation) return;
    stage_ = d_.stage("closure", "eddy viscosity and diffusivity", d_.has_energy() ? 4 : 6);
  }
  void start() override { d_.reset_viscosity(); }

  void diagnose(StageRunner& stages) override {
    auto const& p = d_.p;
    if (p.closure == Closure::deardorff) {
      stages.run(
          stage_, d_.executor, d_.with_neighbours(),
          DeardorffEddies<T, Ground>{d_.grid, d_.ground(), mixing_length(), d_.theta_v(),
                                     d_.in(d_.energy->now()), d_.viscosity.out(), d_.diffusivity.out()},
          {d_.viscosity, d_.diffusivity});
    } else if (p.closure == Closure::smagorinsky) {
      stages.run(
          stage_, d_.executor, d_.with_neighbours(),
          SmagorinskyEddies<T, Ground>{d_.grid, d_.ground(), d_.wall_shear(), mixing_length(),
                                       d_.number(p.smagorinsky), d_.number(1 / p.prandtl), d_.shear.in(),
                                       d_.wind(), d_.theta_v(), d_.viscosity.out(), d_.diffusivity.out()},
          {d_.viscosity, d_.diffusivity});
    }
  }

 private:
  MixingLength<T, Ground> mixing_length() const {
    auto const layout = limit_layout(d_.p);
    return {d_.grid,
            {d_.limit.view().data() + layout.offset(), layout.axis(0).stride, layout.axis(1).stride}};
  }

  D& d_;
  Stage stage_{};
};

}  // namespace ulpine::les
