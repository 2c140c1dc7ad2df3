// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/scalars.hpp"
#include "core/les/tendencies.hpp"

namespace ulpine::les {

/// Upward flux of a scalar through the top of each cell: what advection carries and eddies diffuse, of the
/// scalar less the start's at that level. No air rises in the mean, so that the mean flux is the
/// same.
template <class T, class Ground>
struct ScalarFlux {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Wind<T> wind;
  Rows<T const> phi, diffusivity;
  Level start;
  Rows<T> flux;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    if (k < lowest || k >= grid.nz - 1) {
      flux(k, j, i) = T(0);
      return;
    }
    auto const t = beside(grid, phi, k, j, i), h = beside(grid, diffusivity, k, j, i);
    auto const stencil = scheme.of(vertical_fit<Ground>(lowest, grid.nz - 1, k));
    auto const at_start = grid.at(start, k);
    auto const anomaly = [&](std::int32_t dk) { return t(dk, 0, 0) - at_start; };
    auto const carried = face_flux(stencil, wind.w(k + 1, j, i), anomaly(-2), anomaly(-1), anomaly(0),
                                   anomaly(1), anomaly(2), anomaly(3));
    auto const gradient = (t(1, 0, 0) - t(0, 0, 0)) * grid.at(Level::per_dz_between, k);
    flux(k, j, i) = math::fma(-mean2(h(0, 0, 0), h(1, 0, 0)), gradient, carried);
  }
};

/// Upward flux of momentum along one direction through the top of each of its cells, m2 s-2: what advection
/// carries of the wind less the start's at that level, and the closure's stress. No air rises in the mean, so
/// that the mean flux is that of the whole wind. Over flat ground these are the fluxes whose differences the
/// tendencies of `HorizontalMomentum` have.
template <class T, class Ground, Variable along>
struct MomentumFlux {
  static_assert(along != Variable::scalar);
  static constexpr std::int32_t dj = along == Variable::v ? -1 : 0, di = along == Variable::u ? -1 : 0;
  static constexpr Level start_wind = along == Variable::u ? Level::start_u : Level::start_v;

  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Wind<T> wind;
  Rows<T const> viscosity;
  Rows<T> flux;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lowest = ground.lowest(along, j, i);
    if (k < lowest) {
      flux(k, j, i) = T(0);
      return;
    }
    auto const moved = beside(grid, along == Variable::u ? wind.u : wind.v, k, j, i);
    auto const w = beside(grid, wind.w, k + 1, j, i), m = beside(grid, viscosity, k, j, i);
    auto const strain = math::fma(moved(1, 0, 0) - moved(0, 0, 0), grid.at(Level::per_dz_between, k),
                                  (w(0, 0, 0) - w(0, dj, di)) * (di != 0 ? grid.per_dx : grid.per_dy));
    auto const between = mean4(m(0, dj, di), m(0, 0, 0), m(1, dj, di), m(1, 0, 0));
    // The wind through the lid is 0; above it there is none to be carried.
    if (k == grid.nz - 1) {
      flux(k, j, i) = -between * strain;
      return;
    }
    auto const stencil = scheme.of(vertical_fit<Ground>(lowest, grid.nz - 1, k));
    auto const start = grid.at(start_wind, k);
    auto const anomaly = [&](std::int32_t dk) { return moved(dk, 0, 0) - start; };
    auto const carried = face_flux(stencil, mean2(w(0, dj, di), w(0, 0, 0)), anomaly(-2), anomaly(-1),
                                   anomaly(0), anomaly(1), anomaly(2), anomaly(3));
    flux(k, j, i) = math::fma(-between, strain, carried);
  }
};

/// Horizontal wind speed at the centres of cells, m s-1.
template <class T>
struct WindSpeed {
  Grid<T> grid;
  Wind<T> wind;
  Rows<T> speed;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const u = beside(grid, wind.u, k, j, i), v = beside(grid, wind.v, k, j, i);
    speed(k, j, i) = magnitude(mean2(u(0, 0, 0), u(0, 0, 1)), mean2(v(0, 0, 0), v(0, 1, 0)));
  }
};

/// Fields that outputs have and steps do not, made when they are asked for.
template <class D>
class Diagnostics final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::flag_key("output.divergence", false,
                     "whether outputs have the magnitude of the wind's residual divergence"),
        io::flag_key("output.momentum_flux", false,
                     "whether outputs have the upward fluxes of momentum, resolved and sub-grid (wu, wv)"),
        io::flag_key("output.wind_speed", false,
                     "whether outputs have the horizontal wind speed at the centres of cells"),
    };
  }
  static bool needed(Parameters const& p) {
    return !p.neutral || p.humid || p.write_momentum_flux || p.write_wind_speed;
  }

  explicit Diagnostics(D& d) : d_{d} {
    if (!d.p.neutral) {
      make("wtheta", "K m s-1", "upward heat flux of eddies and sub-grid eddies", {"z_w", "y", "x"}, d.air_w,
           [this](Rows<T> flux) { return flux_of(d_.in(d_.theta->now()), Level::start_theta, flux); });
    }
    if (d.p.humid) {
      make("wq", "kg kg-1 m s-1", "upward flux of humidity of eddies and sub-grid eddies", {"z_w", "y", "x"},
           d.air_w, [this](Rows<T> flux) { return flux_of(d_.humidity.in(), Level::start_humidity, flux); });
    }
    if (d.p.write_momentum_flux) {
      make("wu", "m2 s-2", "upward flux of momentum along x", {"z_w", "y", "x_u"}, d.air_u,
           momentum_flux<Variable::u>());
      make("wv", "m2 s-2", "upward flux of momentum along y", {"z_w", "y_v", "x"}, d.air_v,
           momentum_flux<Variable::v>());
    }
    if (d.p.write_wind_speed) {
      make("wind_speed", "m s-1", "horizontal wind speed", {"z", "y", "x"}, d.air, [this](Rows<T> speed) {
        return WindSpeed<T>{d_.grid, d_.wind(), speed};
      });
    }
  }

 private:
  /// Declares a field that kernel(points) makes of the state and its eddies.
  template <class Kernel>
  void make(char const* name, char const* units, char const* long_name, std::vector<std::string> dimensions,
            Field const* domain, Kernel kernel) {
    auto& field = d_.template add<T>(
        d_.output(name, units, long_name, FieldRole::diagnostic, std::move(dimensions), domain), d_.dense);
    field.on_demand([this, &field, kernel] {
      d_.diagnose_state();
      for_each(d_.executor, d_.extent(), kernel(field.grid()));
    });
  }
  ScalarFlux<T, Ground> flux_of(Rows<T const> scalar, Level at_start, Rows<T> flux) const {
    return {d_.grid, d_.ground(), d_.scheme(), d_.wind(), scalar, d_.diffusivity.in(), at_start, flux};
  }
  template <Variable along>
  auto momentum_flux() {
    return [this](Rows<T> flux) {
      return MomentumFlux<T, Ground, along>{d_.grid,   d_.ground(),       d_.scheme(),
                                            d_.wind(), d_.viscosity.in(), flux};
    };
  }

  D& d_;
};

}  // namespace ulpine::les
