// SPDX-License-Identifier: Apache-2.0
// Constant diffusion, computational mixing and the sponge, of fields of which their operators are known.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fdm/smooth_air.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;
using test::derivative;
using test::Function;
using test::wave;
using Levels = test::SmoothAir<Flat>;
using std::numbers::pi;

template <Place place>
Extent3 extent_of(Levels const& air) {
  return place == Place::w ? Extent3{air.p.nx, air.p.ny, air.p.nz - 1} : air.extent();
}

/// Along the levels differences of sin(k x) are known: the second is -(2 sin(k dx / 2))^2 times it, the
/// fourth that squared. Nothing varies across the levels here.
template <Place place>
void expect_known_along_levels() {
  constexpr double from = 2000, rate = 0.02, top = 5000, diffusivity = 90, computational = 3e-4, mean = 5;
  Levels air(1, "[sponge]\nfrom = 2000.0\nrate = 0.02\n");
  Function const phi = [](double x, double y, double) {
    return mean + 3 * std::sin(2 * pi * x / 12000 + 0.4) * std::cos(2 * pi * y / 7000 - 0.9);
  };
  auto const found = air.empty();
  for_each(
      Host{}, extent_of<place>(air),
      Mixing<double, Flat<double>, place>{
          air.space.grid, air.space.ground(), {diffusivity, computational}, air.field(place, phi), found});
  auto const square = [](double x) { return x * x; };
  auto const along_x = square(2 * std::sin(pi * air.p.dx / 12000)),
             along_y = square(2 * std::sin(pi * air.p.dy / 7000));
  auto const factor = -diffusivity * (along_x / square(air.p.dx) + along_y / square(air.p.dy)) -
                      computational * (square(along_x) + square(along_y));
  bool drawn = false;
  for (std::int32_t k = place == Place::w ? 1 : 0; k < air.p.nz; ++k) {
    for (std::int32_t j = 0; j < air.p.ny; ++j) {
      for (std::int32_t i = 0; i < air.p.nx; ++i) {
        air.at(place, k, j, i, [&](double x, double y, double z) {
          auto const sponge = z < from ? 0 : rate / 2 * (1 - std::cos(pi * (z - from) / (top - from)));
          auto const drawn_to = place == Place::u ? 4 + 12 * std::tanh(z / 3000) : place == Place::v ? -3 : 0;
          auto const wanted = factor * (phi(x, y, z) - mean) - sponge * (phi(x, y, z) - drawn_to);
          // Fourth differences of values up to 8 lose two digits.
          EXPECT_NEAR(found(k, j, i), wanted, 1e-13 * 20) << k << " " << j << " " << i;
          drawn = drawn || sponge > rate / 2;
          return 0;
        });
      }
    }
  }
  EXPECT_TRUE(drawn);
}
TEST(Mixing, IsKnownAlongTheLevels) {
  expect_known_along_levels<Place::centre>();
  expect_known_along_levels<Place::u>();
  expect_known_along_levels<Place::v>();
  expect_known_along_levels<Place::w>();
}

template <Place place>
double order_of_diffusion() {
  return test::order_of<Flat>([](Levels& air) {
    auto const phi = wave(3, 6, 0.3);
    auto const found = air.empty();
    for_each(Host{}, extent_of<place>(air),
             Mixing<double, Flat<double>, place>{
                 air.space.grid, air.space.ground(), {50, 0}, air.field(place, phi), found});
    auto const flux = [&air, up = derivative(phi, 2)](double x, double y, double z) {
      return air.density(z) * up(x, y, z);
    };
    return air.error(place, found,
                     [&, x2 = derivative(derivative(phi, 0), 0), y2 = derivative(derivative(phi, 1), 1),
                      z2 = derivative(flux, 2)](double x, double y, double z) {
                       return 50 * (x2(x, y, z) + y2(x, y, z) + z2(x, y, z) / air.density(z));
                     });
  });
}
TEST(Mixing, IsDiffusionOfASmoothField) {
  EXPECT_GT(order_of_diffusion<Place::centre>(), 1.8);
  EXPECT_GT(order_of_diffusion<Place::u>(), 1.8);
  EXPECT_GT(order_of_diffusion<Place::v>(), 1.8);
  EXPECT_GT(order_of_diffusion<Place::w>(), 1.8);
}

}  // namespace
