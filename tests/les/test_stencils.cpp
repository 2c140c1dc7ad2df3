// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/lattice/halos.hpp"
#include "core/les/advection.hpp"
#include "precision/quad.hpp"
#include "support/random_values.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::les;

/// Mean of x^degree over the cell [n, n + 1].
double cell_mean(int degree, int n) {
  return (std::pow(n + 1, degree + 1) - std::pow(n, degree + 1)) / (degree + 1);
}

TEST(Stencils, GiveFluxesOfPolynomialsBelowTheirOrderExactly) {
  struct Row {
    Fit fit;
    int order;
  };
  for (auto const& [fit, order] : {Row{{0, 0}, 5}, Row{{-1, 0}, 3}, Row{{-2, -1}, 1}}) {
    for (double const wind : {1.5, -2.5}) {
      for (int degree = 0; degree <= 5; ++degree) {
        // The face at 1 lies between the cells [0, 1] and [1, 2].
        auto const m = [&](int n) { return cell_mean(degree, n); };
        auto const flux =
            face_flux(wicker_skamarock<double>().of(fit), wind, m(-2), m(-1), m(0), m(1), m(2), m(3));
        auto const error = flux - wind * 1.0;
        // Terms of at most 3^5 times the wind, a dozen of them.
        auto const rounding = 12 * 0x1p-53 * std::pow(4, degree) * std::abs(wind);
        if (degree < order) {
          EXPECT_LE(std::abs(error), rounding) << order << ' ' << degree;
        } else if (degree == order) {
          EXPECT_GT(std::abs(error), 1e-3) << order;
        }
      }
    }
  }
}

TEST(Stencils, OfCentredDifferencesAreOfSecondOrderWhereverTheyAre) {
  for (auto const fit : {Fit{0, 0}, Fit{-1, 0}, Fit{-2, -1}}) {
    auto const s = piacsek_williams<double>().of(fit);
    EXPECT_EQ(face_flux(s, -2.0, 7.0, 8.0, 3.0, 5.0, 9.0, 6.0), -8);
  }
}

/// Whether `reach` points on either side of the face above level a lie within [lowest, highest].
bool fits(int lowest, int highest, int a, int reach) {
  return a - reach + 1 >= lowest && a + reach <= highest;
}

TEST(Stencils, FitWhereAllTheirPointsLieInTheColumn) {
  for (int lowest = -1; lowest < 3; ++lowest) {
    for (int highest = lowest + 1; highest < lowest + 9; ++highest) {
      for (int a = lowest - 1; a <= highest; ++a) {
        auto const fit = vertical_fit<Flat>(lowest, highest, a);
        EXPECT_EQ(fit.fifth >= 0, fits(lowest, highest, a, 3)) << lowest << ' ' << highest << ' ' << a;
        EXPECT_EQ(fit.third >= 0, fits(lowest, highest, a, 2)) << lowest << ' ' << highest << ' ' << a;
      }
    }
  }
}

/// The definition of the flux, in 113 bits.
float128 plain_flux(int order, float128 wind, std::array<double, 6> const& p) {
  std::array<float128, 6> f;
  for (std::size_t n = 0; n < 6; ++n) f[n] = p[n];
  auto const size = wind < 0 ? -wind : wind;
  if (order == 5) {
    return wind / 60 * (37 * (f[2] + f[3]) - 8 * (f[1] + f[4]) + (f[0] + f[5])) -
           size / 60 * (10 * (f[3] - f[2]) - 5 * (f[4] - f[1]) + (f[5] - f[0]));
  }
  if (order == 3) {
    return wind / 12 * (7 * (f[2] + f[3]) - (f[1] + f[4])) - size / 12 * (3 * (f[3] - f[2]) - (f[4] - f[1]));
  }
  return wind / 2 * (f[2] + f[3]) - size / 2 * (f[3] - f[2]);
}

template <class T>
void expect_plain_fluxes(double roundoff) {
  test::RandomValues random(3);
  for (int n = 0; n < 2000; ++n) {
    auto const order = 1 + 2 * static_cast<int>(random.below(3));
    Fit const fit{order == 5 ? 0 : -1, order >= 3 ? 0 : -1};
    std::array<double, 6> p;
    for (auto& value : p) value = static_cast<double>(static_cast<T>(random.between(-3, 3)));
    auto const wind = static_cast<T>(random.between(-3, 3));
    auto const value = [&](std::size_t k) { return static_cast<T>(p[k]); };
    auto const flux = face_flux(wicker_skamarock<T>().of(fit), wind, value(0), value(1), value(2), value(3),
                                value(4), value(5));
    auto const exact = static_cast<double>(plain_flux(order, static_cast<double>(wind), p));
    // Ten roundings of terms of at most 37 / 60 of two values and the like.
    EXPECT_NEAR(static_cast<double>(flux), exact, 10 * roundoff * 3 * 3 * 2) << order;
  }
}
TEST(Stencils, DifferFromTheirDefinitionByRounding) {
  expect_plain_fluxes<double>(0x1p-53);
  expect_plain_fluxes<float>(0x1p-24);
}

TEST(Advected, GivesBackTheDivergenceOfTheWind) {
  std::array<double, 7> const line{1, 4, 2, 8, 5, 7, 3};
  auto const point = [&](std::int32_t n) { return line[static_cast<std::size_t>(n + 3)]; };
  Face<double> const low{0.5, {}}, high{2.0, {}};
  for (auto const& scheme : {wicker_skamarock<double>(), piacsek_williams<double>()}) {
    auto const flux = [&](Face<double> face, int first) {
      auto const at = [&](int n) { return point(first + n); };
      return face_flux(scheme.of(face.fit), face.wind, at(0), at(1), at(2), at(3), at(4), at(5));
    };
    auto const expected = 0.25 * (flux(low, -3) - flux(high, -2) + scheme.given_back * 8 * 1.5);

    EXPECT_NEAR(advected(scheme, point, low, high, 0.25), expected, 20 * 0x1p-53 * 16);
  }
  EXPECT_EQ(wicker_skamarock<double>().given_back, 1);
  EXPECT_EQ(piacsek_williams<double>().given_back, 0.5);
}

TEST(LateralHalos, HoldThePeriodicNeighboursOnEveryLevel) {
  // Lattices narrower than the halo too.
  for (auto const& [nx, ny] : {std::pair{1, 1}, {2, 5}, {7, 3}, {4, 4}}) {
    auto const nz = 3, row = nx + 2 * halo, plane = row * (ny + 2 * halo);
    std::vector<double> values(static_cast<std::size_t>(plane * (nz + 2)), -1);
    Rows<double> const field(values.data() + plane + halo * row + halo, plane, row);
    auto const value = [](int k, int j, int i) { return 100 * (k + 2) + 10 * j + i; };
    for (int k = -1; k <= nz; ++k) {
      for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) field(k, j, i) = value(k, j, i);
      }
    }
    using Kernel = LateralHalos<double, 0>;
    Kernel const kernel{{nx, ny, nz, {}, {field}, {}, 1}};

    for (std::int32_t n = 0; n < Kernel::points(nx, ny); ++n) {
      for (std::int32_t level = 0; level < nz + 2; ++level) kernel(n, level);
    }

    auto const within = [](int index, int extent) { return (index % extent + extent) % extent; };
    for (int k = -1; k <= nz; ++k) {
      for (int j = -halo; j < ny + halo; ++j) {
        for (int i = -halo; i < nx + halo; ++i) {
          EXPECT_EQ(field(k, j, i), value(k, within(j, ny), within(i, nx))) << k << ' ' << j << ' ' << i;
        }
      }
    }
  }
}

}  // namespace
