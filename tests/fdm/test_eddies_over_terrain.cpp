// SPDX-License-Identifier: Apache-2.0
// Strains and mixing by eddies over hills, against the same in x, y and z: errors fall with the square of the
// spacing. Without the terms of the slope (up to 0.22 here) they would not fall.
#include <gtest/gtest.h>

#include <string>

#include "core/fdm/closure.hpp"
#include "fdm/smooth_air.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;
using test::derivative;
using test::Function;
using test::wave;
using Hills = test::SmoothAir<Terrain>;

/// From grids fine enough for a difference of differences of 10 cells a wave on the coarsest.
double order_of(std::function<double(Hills&)> const& error) {
  static Hills coarse(2), fine(3);
  auto const on = [&](Hills& air) {
    auto const size = error(air);
    air.forget();
    return size;
  };
  auto const first = on(coarse);
  return std::log(first / on(fine)) / std::log(1.5);
}
constexpr double least = 1.8;

struct Winds {
  Function u = wave(10, 6, 0.3), v = wave(-7, 5, 1.1), w = wave(1, 3, 2.0);
  Function const& of(int axis) const { return axis == 0 ? u : axis == 1 ? v : w; }
  /// du_a/dx_b + du_b/dx_a.
  Function strain(int a, int b) const {
    return [ab = derivative(of(a), b), ba = derivative(of(b), a)](double x, double y, double z) {
      return ab(x, y, z) + ba(x, y, z);
    };
  }
  Strain<double, Terrain<double>> placed(Hills& air) const {
    return {air.space.grid, air.space.ground(), air.field(Place::u, u), air.field(Place::v, v),
            air.field(Place::w, w)};
  }
};

TEST(EddiesOverTerrain, ChangesFromLevelToLevelAreWholeAtTheGroundAndTheLid) {
  // Of values that rise by 3 a level, also where one side is missing.
  double const column[] = {2, 5, 8, 11, 14};
  Rows<double const> const rows{column, 1, 1};
  for (int k = 0; k < 5; ++k) EXPECT_EQ(across_levels(5, rows, k, 0, 0), 3) << k;
}

TEST(EddiesOverTerrain, StrainIsAlongXYAndZ) {
  auto const still = wave(0, 0, 0);
  for (int const alone : {-1, 0, 1, 2}) {
    Winds f;
    if (alone >= 0 && alone != 0) f.u = still;
    if (alone >= 0 && alone != 1) f.v = still;
    if (alone >= 0 && alone != 2) f.w = still;
    EXPECT_GT(order_of([&](Hills& air) {
                auto const strain = f.placed(air);
                auto const found = air.empty();
                for_each(Host{}, air.extent(), [&](std::int32_t i, std::int32_t j, std::int32_t k) {
                  found(k, j, i) = strain.squared(k, j, i);
                });
                return air.error(Place::centre, found, [&](double x, double y, double z) {
                  double sum = 0;
                  for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b <= a; ++b) {
                      auto const rate = f.strain(a, b)(x, y, z);
                      sum += a == b ? rate * rate / 2 : rate * rate;
                    }
                  }
                  return sum;
                });
              }),
              least)
        << alone;
  }
}

template <Place place>
double order_of_stress(Winds const& f) {
  constexpr int axis = place == Place::u ? 0 : place == Place::v ? 1 : 2;
  return order_of([&](Hills& air) {
    auto const viscosity = wave(30, 12, 1.9);
    auto const rate = air.field(place, wave(2e-3, 1e-3, 0.4));
    for_each(
        Host{}, Extent3{air.p.nx, air.p.ny, air.p.nz - (place == Place::w ? 1 : 0)},
        EddyStress<double, Terrain<double>, place>{f.placed(air), air.field(Place::centre, viscosity), rate});
    return air.error(place, rate, [&](double x, double y, double z) {
      double sum = 0;
      for (int b = 0; b < 3; ++b) {
        auto const stress = [&, strain = f.strain(axis, b)](double p, double q, double r) {
          return air.density(r) * viscosity(p, q, r) * strain(p, q, r);
        };
        sum += derivative(stress, b)(x, y, z);
      }
      return wave(2e-3, 1e-3, 0.4)(x, y, z) + sum / air.density(z);
    });
  });
}
TEST(EddiesOverTerrain, StressesAreAlongXYAndZ) {
  auto const still = wave(0, 0, 0);
  for (int const alone : {-1, 0, 1, 2}) {
    Winds f;
    if (alone >= 0 && alone != 0) f.u = still;
    if (alone >= 0 && alone != 1) f.v = still;
    if (alone >= 0 && alone != 2) f.w = still;
    EXPECT_GT(order_of_stress<Place::u>(f), least) << alone;
    EXPECT_GT(order_of_stress<Place::v>(f), least) << alone;
    EXPECT_GT(order_of_stress<Place::w>(f), least) << alone;
  }
}

TEST(EddiesOverTerrain, FluxesAreAlongXYAndZ) {
  for (bool const with_base : {false, true}) {
    EXPECT_GT(order_of([&](Hills& air) {
                auto const diffusivity = wave(30, 12, 1.9), phi = wave(1, 4, 2.6);
                auto const rate = air.field(Place::centre, wave(2e-3, 1e-3, 0.4));
                for_each(Host{}, air.extent(),
                         EddyFlux<double, Terrain<double>>{air.space.grid, air.space.ground(), 2.0,
                                                           with_base ? Metric::theta : Metric::count,
                                                           air.field(Place::centre, diffusivity),
                                                           air.field(Place::centre, phi), rate});
                auto const mixed = [&](double x, double y, double z) {
                  return phi(x, y, z) + (with_base ? air.base.theta(z) : 0);
                };
                return air.error(Place::centre, rate, [&, mixed](double x, double y, double z) {
                  double sum = 0;
                  for (int axis = 0; axis < 3; ++axis) {
                    auto const flux = [&, slope = derivative(mixed, axis)](double p, double q, double r) {
                      return air.density(r) * diffusivity(p, q, r) * slope(p, q, r);
                    };
                    sum += derivative(flux, axis)(x, y, z);
                  }
                  return wave(2e-3, 1e-3, 0.4)(x, y, z) + 2 * sum / air.density(z);
                });
              }),
              least)
        << with_base;
  }
}

TEST(EddiesOverTerrain, NothingPassesTheGroundAndTheLid) {
  // The sum of rho* times the rate is 0 over all levels and columns.
  Hills air(1);
  auto const phi = air.field(Place::centre, wave(1, 4, 2.6)), rate = air.empty(),
             diffusivity = air.field(Place::centre, wave(30, 12, 1.9));
  for_each(Host{}, air.extent(),
           EddyFlux<double, Terrain<double>>{air.space.grid, air.space.ground(), 1.0, Metric::count,
                                             diffusivity, phi, rate});
  double sum = 0, size = 0;
  for (std::int32_t k = 0; k < air.p.nz; ++k) {
    for (std::int32_t j = 0; j < air.p.ny; ++j) {
      for (std::int32_t i = 0; i < air.p.nx; ++i) {
        auto const part = air.space.ground().at(Metric::mass, k, j, i) * rate(k, j, i);
        sum += part;
        size += std::abs(part);
      }
    }
  }
  // The domain is a period of all fields, over whose sides as much comes in as goes out, to roundings.
  EXPECT_LT(std::abs(sum), 1e-10 * size);
}

}  // namespace
