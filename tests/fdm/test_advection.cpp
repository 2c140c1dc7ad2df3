// SPDX-License-Identifier: Apache-2.0
// Advection along a line against derivatives of polynomials, and the air's density against its formula.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/fdm/parts/density.hpp"
#include "precision/formats.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;

using Plain = Products<double, Exact>;

/// The scheme's flux times derivative of x^degree at x = 2, spacing 1, in wind `flux`.
double carried(int order, int degree, double flux) {
  std::array<double, 9> values{};
  for (int n = 0; n < 9; ++n) values[static_cast<std::size_t>(n)] = std::pow(2 + n - 4, degree);
  Near<double> const phi{values.data() + 4, 0, 0};
  Fluxes<double> const all{flux, flux, flux, flux};
  if (order == 5) return fifth_order(Plain{}, all, phi, along_x, 1.0);
  if (order == 4) return fourth_order(Plain{}, all, line_of(phi, along_x), 1.0);
  return second_order(Plain{}, all, short_line_of(phi, along_x), 1.0);
}

TEST(Advection, IsExactOfPolynomialsUpToItsOrder) {
  for (int const order : {2, 4, 5}) {
    for (double const flux : {3.0, -3.0}) {
      for (int degree = 0; degree <= order; ++degree) {
        auto const wanted = degree == 0 ? 0 : flux * degree * std::pow(2, degree - 1);
        // Values up to 5^5, some twenty roundings of their weighted sums.
        EXPECT_NEAR(carried(order, degree, flux), wanted, 100 * 3125 * 0x1p-53) << order << " " << degree;
      }
      auto const next = order + 1;
      EXPECT_GT(std::abs(carried(order, next, flux) - flux * next * std::pow(2, next - 1)), 0.1) << order;
    }
  }
}

TEST(Advection, OfFifthOrderDampsByItsSixthDifference) {
  // Odd orders are the next even one less |U| / 60 times the sixth difference: a spike of 1 decays by 20/60.
  std::array<double, 9> spike{};
  spike[4] = 1;
  for (double const flux : {1.0, -1.0}) {
    auto const rate =
        fifth_order(Plain{}, Fluxes<double>{flux, flux}, Near<double>{spike.data() + 4, 0, 0}, along_x, 1.0);
    EXPECT_NEAR(rate, 20.0 / 60, 10 * 0x1p-53);
  }
}

TEST(AirDensity, IsThatOfTheGasLawButForThirdOrders) {
  // rho_0 / rho = (1 + theta' / theta_0) / (1 + p' / p_0)^(c_v / c_p).
  double const per_gamma = 717.0 / 1004;
  std::array<double, static_cast<std::size_t>(Metric::level_count) * (2 * halo + 1)> levels{};
  levels.fill(1);
  for (double const warm : {-0.06, 0.0, 0.04}) {
    for (double const pressed : {-0.02, 0.0, 0.03}) {
      double theta = warm, p = pressed, volume = 0;
      Air<double> air;
      air.theta = {&theta, 0, 0};
      air.p = {&p, 0, 0};
      RelativeVolume<double, double, Flat<double>>{{levels.data()}, per_gamma, air, {&volume, 0, 0}}(0, 0, 0);
      auto const wanted = (1 + warm) / std::pow(1 + pressed, per_gamma);
      auto const size = std::abs(warm) + std::abs(pressed);
      EXPECT_NEAR(volume, wanted, 2 * size * size * size + 4 * 0x1p-53) << warm << " " << pressed;
      // What lifts is the same: (rho_0 - rho) / rho, of which -p' / (gamma p_0) is among the small steps.
      auto const gain = warm - per_gamma * pressed + second_order_gain(per_gamma, warm, pressed);
      EXPECT_NEAR(volume * gain, wanted - 1, 2 * size * size * size + 4 * 0x1p-53);
    }
  }
}

}  // namespace
