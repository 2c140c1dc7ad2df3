// SPDX-License-Identifier: Apache-2.0
// Eddies over flat ground and unequal levels: their viscosity in uniform shear, what they do to energy, and
// the divergence of their stresses and fluxes against derivatives of smooth fields.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fdm/smooth_air.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;
using test::derivative;
using test::Function;
using test::wave;
using Levels = test::SmoothAir<Flat>;

constexpr double gravity = 9.8;
/// The order is 2; on so coarse grids some of it may be hidden.
constexpr double least = 1.8;

double order_of(std::function<double(Levels&)> const& error) { return test::order_of<Flat>(error); }

Function times(Function const& a, Function const& b) {
  return [=](double x, double y, double z) { return a(x, y, z) * b(x, y, z); };
}
Function plus(Function const& a, Function const& b) {
  return [=](double x, double y, double z) { return a(x, y, z) + b(x, y, z); };
}

struct Winds {
  Function u = wave(10, 6, 0.3), v = wave(-7, 5, 1.1), w = wave(1, 3, 2.0);
};
Strain<double, Flat<double>> strain_of(Levels& air, Winds const& f) {
  return {air.space.grid, air.space.ground(), air.field(Place::u, f.u), air.field(Place::v, f.v),
          air.field(Place::w, f.w)};
}

TEST(Strain, IsThatOfSmoothWind) {
  EXPECT_GT(order_of([](Levels& air) {
              Winds const f;
              auto const strain = strain_of(air, f);
              auto const found = air.empty();
              for_each(Host{}, air.extent(), [=](std::int32_t i, std::int32_t j, std::int32_t k) {
                found(k, j, i) = strain.squared(k, j, i);
              });
              auto const xy = plus(derivative(f.u, 1), derivative(f.v, 0)),
                         xz = plus(derivative(f.u, 2), derivative(f.w, 0)),
                         yz = plus(derivative(f.v, 2), derivative(f.w, 1));
              auto const xx = derivative(f.u, 0), yy = derivative(f.v, 1), zz = derivative(f.w, 2);
              return air.error(Place::centre, found, [=](double x, double y, double z) {
                auto const square = [&](Function const& of) { return of(x, y, z) * of(x, y, z); };
                return 2 * (square(xx) + square(yy) + square(zz)) + square(xy) + square(xz) + square(yz);
              });
            }),
            least);
}

/// Wind whose derivatives are the same everywhere, and theta that rises by `rise` K m-1: on levels whose
/// thickness grows evenly, differences of both are exact.
struct Sheared {
  static constexpr double g[3][3] = {{1e-3, -2e-3, 8e-3}, {3e-3, -2.5e-3, -6e-3}, {5e-4, 1.5e-3, 7e-4}};
  static Function wind(int n) {
    return [n](double x, double y, double z) { return 2 + g[n][0] * x + g[n][1] * y + g[n][2] * z; };
  }
  static double square(double x) { return x * x; }
  /// S^2; at the ground and the lid, where half of the edges slip, half of what is sheared along the
  /// vertical.
  static double squared(bool aloft) {
    return 2 * (square(g[0][0]) + square(g[1][1]) + square(g[2][2])) + square(g[0][1] + g[1][0]) +
           (square(g[0][2] + g[2][0]) + square(g[1][2] + g[2][1])) * (aloft ? 1 : 0.5);
  }
  Sheared(Levels& air, double rise)
      : strain{strain_of(air, {wind(0), wind(1), wind(2)})}, stability{air.empty()}, rise{rise} {
    for_each(Host{}, Extent3{air.p.nx + 2, air.p.ny + 2, air.p.nz},
             Stability<double, Flat<double>>{air.space.grid,
                                             air.space.ground(),
                                             gravity,
                                             air.field(Place::centre, departure(air, rise)),
                                             {},
                                             stability});
  }
  static Function departure(Levels const& air, double rise) {
    return [&air, rise](double, double, double z) { return 300 + rise * z - air.base.theta(z); };
  }
  double n2(double z) const { return gravity * rise / (300 + rise * z); }
  Strain<double, Flat<double>> strain;
  Rows<double> stability;
  double rise;
};
/// Square of the length's scale: (dx dy dz)^(2/3).
double scale2(Levels const& air, std::int32_t k) {
  auto const dz =
      air.heights.levels[static_cast<std::size_t>(k) + 1] - air.heights.levels[static_cast<std::size_t>(k)];
  return std::pow(air.p.dx * air.p.dy * dz, 2.0 / 3);
}
double middle(Levels const& air, std::int32_t k) { return air.heights.centre(k, 0, 0); }

TEST(Smagorinsky, IsItsFormulaInUniformShear) {
  // K = (c Delta)^2 sqrt(S^2 - N^2 / Pr), none where that is negative, at most what the step bears.
  constexpr double c = 0.23, prandtl = 0.7;
  Levels air(1);
  for (double const most : {1.0, 3e-4}) {
    for (double const rise : {0.0, 1.5e-3, -2e-3, 6e-3}) {
      Sheared const state(air, rise);
      auto const viscosity = air.empty(), diffusivity = air.empty();
      for_each(Host{}, Extent3{air.p.nx + 2, air.p.ny + 2, air.p.nz},
               SmagorinskyViscosity<double, Flat<double>>{state.strain, c, 1 / prandtl, most, state.stability,
                                                          viscosity, diffusivity});
      for (std::int32_t k = 1; k < air.p.nz - 1; ++k) {
        auto const s2 = Sheared::squared(true) - state.n2(middle(air, k)) / prandtl;
        auto const wanted = scale2(air, k) * std::min(c * c * std::sqrt(std::max(s2, 0.0)), most);
        for (auto const& [j, i] : {std::pair{-1, -1}, {4, 5}, {air.p.ny, air.p.nx}}) {
          // N^2 has lost some three digits in differences of theta.
          EXPECT_NEAR(viscosity(k, j, i), wanted, 1e-10 * wanted) << rise << " " << most << " level " << k;
          EXPECT_NEAR(diffusivity(k, j, i), wanted / prandtl, 1e-10 * wanted);
        }
      }
      air.forget();
    }
  }
}

TEST(Eddies, AreDeardorffs) {
  // l = Delta, in stable air 0.76 sqrt(e) / N, no less than Delta / 10; K = 0.1 l sqrt(e); K_h = (1 + 2 l /
  // Delta) K. With e = 4 and Delta = 100: of N = 0 and N^2 < 0 l = 100; of N = 0.02 76; of N = 0.5 10.
  struct Row {
    double n2, length, viscosity, diffusivity;
  };
  for (auto const& [n2, length, viscosity, diffusivity] :
       {Row{0, 100, 20, 60}, Row{-1e-4, 100, 20, 60}, Row{1e-6, 100, 20, 60},
        Row{4e-4, 76, 15.2, 15.2 * 2.52}, Row{0.25, 10, 2, 2.4}}) {
    auto const made = eddies_of(4.0, n2, 1e4, 1.0);
    EXPECT_NEAR(made.length, length, 1e-12) << n2;
    EXPECT_NEAR(made.viscosity, viscosity, 1e-12) << n2;
    EXPECT_NEAR(made.diffusivity, diffusivity, 1e-12) << n2;
  }
  // A bound of K, in parts of Delta^2.
  auto const bound = eddies_of(4.0, 0.0, 1e4, 1e-3);
  EXPECT_NEAR(bound.viscosity, 10, 1e-13);
  EXPECT_NEAR(bound.diffusivity, 30, 1e-13);
  auto const none = eddies_of(0.0, 1e-4, 1e4, 1.0);
  EXPECT_EQ(none.viscosity, 0);
  EXPECT_NEAR(none.length, 10, 1e-13);
}

TEST(Eddies, LoseAndGainEnergyByShearBuoyancyAndDissipation) {
  // e' = K S^2 - K_h N^2 - C e^(3/2) / l, C = 0.19 + 0.51 l / Delta, at the ground 3.9.
  constexpr double e = 0.8, before = 0.01;
  Levels air(1);
  for (double const rise : {0.0, -2e-3, 1.5e-3, 6e-2}) {
    Sheared const state(air, rise);
    auto const energy = air.field(Place::centre, wave(e, 0, 0)),
               rate = air.field(Place::centre, wave(before, 0, 0)), viscosity = air.empty(),
               diffusivity = air.empty();
    for_each(Host{}, Extent3{air.p.nx + 2, air.p.ny + 2, air.p.nz},
             EnergyViscosity<double, Flat<double>>{air.space.ground(), 1.0, state.stability, energy,
                                                   viscosity, diffusivity});
    for_each(Host{}, air.extent(),
             EnergySource<double, Flat<double>>{state.strain, 1.0, state.stability, energy, rate});
    for (std::int32_t k = 0; k < air.p.nz - 1; ++k) {
      if (k == 0 && rise != 0) continue;  // N^2 there is that of the level above
      auto const scale = std::sqrt(scale2(air, k)), n2 = k == 0 ? 0 : state.n2(middle(air, k));
      auto const length = n2 <= 0 ? scale : std::clamp(0.76 * std::sqrt(e / n2), scale / 10, scale);
      auto const k_m = 0.1 * length * std::sqrt(e), k_h = (1 + 2 * length / scale) * k_m;
      auto const c = k == 0 ? 3.9 : 0.19 + 0.51 * length / scale;
      auto const wanted = k_m * Sheared::squared(k > 0) - k_h * n2 - c * std::pow(e, 1.5) / length;
      auto const terms =
          k_m * Sheared::squared(true) + k_h * std::abs(n2) + std::pow(e, 1.5) / length + before;
      EXPECT_NEAR(viscosity(k, 3, 4), k_m, 1e-10 * k_m) << rise << " level " << k;
      EXPECT_NEAR(diffusivity(k, 3, 4), k_h, 1e-10 * k_h) << rise << " level " << k;
      EXPECT_NEAR(rate(k, 3, 4) - before, wanted, 1e-10 * terms) << rise << " level " << k;
    }
    air.forget();
  }
}

/// (d/dx, d/dy, 1/rho d/dz rho) of fluxes.
Function divergence(Levels const& air, Function const& x, Function const& y, Function const& z) {
  auto const dense = [&air, z](double a, double b, double c) { return air.density(c) * z(a, b, c); };
  return [&air, x = derivative(x, 0), y = derivative(y, 1), z = derivative(dense, 2)](
             double a, double b, double c) { return x(a, b, c) + y(a, b, c) + z(a, b, c) / air.density(c); };
}
Function const already = wave(1e-5, 2e-5, 2.2);  ///< in the rate before

template <Place place>
double order_of_stress() {
  return order_of([](Levels& air) {
    Winds const f;
    auto const viscosity = wave(30, 12, 0.5);
    auto const rate = air.field(place, already);
    auto const extent = place == Place::w ? Extent3{air.p.nx, air.p.ny, air.p.nz - 1} : air.extent();
    for_each(Host{}, extent,
             EddyStress<double, Flat<double>, place>{strain_of(air, f), air.field(Place::centre, viscosity),
                                                     rate});
    auto const of = [&](int a, int b) {
      Function const wind[] = {f.u, f.v, f.w};
      return times(viscosity, plus(derivative(wind[a], b), derivative(wind[b], a)));
    };
    constexpr int n = place == Place::u ? 0 : place == Place::v ? 1 : 2;
    return air.error(place, rate, plus(already, divergence(air, of(n, 0), of(n, 1), of(n, 2))));
  });
}
TEST(Eddies, StressTheWind) {
  EXPECT_GT(order_of_stress<Place::u>(), least);
  EXPECT_GT(order_of_stress<Place::v>(), least);
  EXPECT_GT(order_of_stress<Place::w>(), least);
}

TEST(Eddies, CarryDownTheGradient) {
  // theta with the base state's, energy by twice the viscosity.
  for (auto const& [base, strength] :
       {std::pair{Metric::theta, 1.0}, {Metric::count, 1.0}, {Metric::count, 2.0}}) {
    EXPECT_GT(order_of([&](Levels& air) {
                auto const diffusivity = wave(20, 8, 1.5), phi = wave(1, 4, 2.6);
                auto const rate = air.field(Place::centre, already);
                for_each(Host{}, air.extent(),
                         EddyFlux<double, Flat<double>>{air.space.grid, air.space.ground(), strength, base,
                                                        air.field(Place::centre, diffusivity),
                                                        air.field(Place::centre, phi), rate});
                auto const all = base == Metric::count
                                     ? phi
                                     : plus(phi, [&](double, double, double z) { return air.base.theta(z); });
                auto const flux = [&](int axis) {
                  return times(wave(strength, 0, 0), times(diffusivity, derivative(all, axis)));
                };
                return air.error(Place::centre, rate,
                                 plus(already, divergence(air, flux(0), flux(1), flux(2))));
              }),
              least)
        << strength;
  }
}

TEST(Eddies, MoveNothingThroughGroundAndLid) {
  // What they take from some levels of a column they give to others, whatever is beyond.
  Levels air(1);
  auto const base = wave(20, 8, 1.5), phi = wave(1, 4, 2.6);
  auto const column = [](Function const& of) {
    return [of](double, double, double z) { return of(1000, 2000, z); };
  };
  auto const rate = air.empty();
  for_each(Host{}, air.extent(),
           EddyFlux<double, Flat<double>>{air.space.grid, air.space.ground(), 1.0, Metric::theta,
                                          air.field(Place::centre, column(base)),
                                          air.field(Place::centre, column(phi)), rate});
  double sum = 0, size = 0;
  for (std::int32_t k = 0; k < air.p.nz; ++k) {
    auto const change = air.space.ground().at(Metric::mass, k, 0, 0) * rate(k, 3, 3);
    sum += change;
    size += std::abs(change);
  }
  EXPECT_GT(size, 0);
  EXPECT_NEAR(sum, 0, 100 * 0x1p-53 * size);
}

}  // namespace
