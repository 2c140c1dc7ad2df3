// SPDX-License-Identifier: Apache-2.0
// Finite elements in the air of a sounding.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/fem/base_column.hpp"
#include "fem/air_support.hpp"
#include "tests/support/common.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using test::ElementAir;
using test::largest;

constexpr double unit = 0x1p-53;
constexpr fem::Air<double> air{1004.64, 717.6, 1e5, 9.81};

// Levels at whole tens of metres, where the balance is integrated by steps of 10 m.
char const* const humid_air =
    "980.0 299.0 14.0\n0.0 299.0 14.0 -3.0 1.0\n1000.0 301.0 12.0 1.0 2.0\n2500.0 309.0 6.0 4.0 3.0\n"
    "9000.0 331.0 0.3 15.0 3.0\n18000.0 480.0 0.0 20.0 3.0\n";
Sounding dry_sounding() {
  auto sounding = parse_sounding(humid_air, "air.txt");
  sounding.humidity.assign(sounding.humidity.size(), 0);
  return sounding;
}

TEST(SoundingColumn, OfDryAirHasTheExnerFunctionOfItsLinearLayers) {
  auto const sounding = dry_sounding();
  fem::SoundingColumn const column(air, sounding, 18000);
  // Over a layer in which theta goes from a to b linearly, -g / c_p times the integral of 1 / theta is
  // -g / c_p dz ln(b / a) / (b - a).
  auto exner = std::pow(98000.0L / 100000, (1004.64L - 717.6L) / 1004.64L);
  for (std::size_t k = 0; k + 1 < sounding.height.size(); ++k) {
    long double const a = sounding.theta[k], rise = sounding.theta[k + 1] - a,
                      depth = sounding.height[k + 1] - sounding.height[k];
    for (long double const share : {0.35L, 1.0L}) {
      auto const z = static_cast<double>(sounding.height[k] + share * depth);
      auto const expected =
          exner - 9.81L / 1004.64L * share * depth * std::log1p(share * rise / a) / (share * rise);
      // Each 10 m add a sum and half a dozen roundings of a term a thousandth as large.
      EXPECT_NEAR(column.exner(z), static_cast<double>(expected), (z / 10 + 10) * unit) << z;
      EXPECT_NEAR(column.theta(z), static_cast<double>(a + share * rise), 4 * unit * 480) << z;
      if (share == 1) exner = expected;
    }
  }
}

TEST(SoundingColumn, IsInBalanceWithTheWeightOfItsVapour) {
  fem::SoundingColumn const column(air, parse_sounding(humid_air, "air.txt"), 10000);
  auto const ratio = 287.0 / 461;
  for (double const z : {105.0, 1505.0, 5005.0}) {
    auto const r = column.vapour(z);
    EXPECT_GT(r, 1e-3);
    // p = rho_d (R_d + r R_v) T and rho = rho_d (1 + r).
    auto const rho =
        column.pressure(z) / (air.gas_constant() * column.temperature(z) * (1 + r / ratio)) * (1 + r);
    // h^2 / 6 of a third derivative, of scale heights above 5 km, and rounding of pressures over h.
    auto const h = 1.0, slack = h * h / (6 * 5e3 * 5e3) + 20 * unit * 1e5 / (10 * h);
    EXPECT_NEAR(-(column.pressure(z + h) - column.pressure(z - h)) / (2 * h) / (9.81 * rho), 1, slack) << z;
  }
  // 14 g of vapour to a kilogram of dry air at the ground, as the file says.
  EXPECT_NEAR(column.vapour(0), 0.014, 10 * unit);
}

std::string hill_in(std::string const& file, std::string const& more) {
  return "[mesh]\nnx = 5\nny = 4\nnz = 6\nlength = [6000.0, 5000.0, 8000.0]\njitter = 0.1\n[mountain]\n"
         "height = 500.0\n[boundary]\nfixed = ['inflow', 'outflow']\n[time]\nstep = '10 s'\n[base]\n"
         "kind = 'sounding'\nfile = '" +
         file + "'\n" + more;
}

TEST(AirOfASounding, AtRestStaysAtRestToTheBit) {
  test::TemporaryFolder const folder;
  auto const file =
      folder.write("calm.txt", "980.0 299.0 14.0\n2500.0 309.0 4.0 0.0 0.0\n9000.0 331.0 0.05 0.0 0.0\n")
          .string();
  for (auto const* humid : {"false", "true"}) {
    for (auto const* policy : {"fp64", "fp32", "mixed"}) {
      ElementAir model(hill_in(file, std::string("[air]\nhumid = ") + humid + "\n"), policy);
      auto const hash = model.hash();

      model.steps(2);

      EXPECT_EQ(model.hash(), hash) << policy << ' ' << humid;
      EXPECT_EQ(largest(model.values("w")), 0);
    }
  }
}

TEST(AirOfASounding, BeginsWithItsWindOverTheGridThatMoves) {
  test::TemporaryFolder const folder;
  auto const file = folder.write("air.txt", humid_air).string();
  ElementAir model(hill_in(file, "frame_u = -2.0\nframe_v = 0.5\n[air]\nhumid = true\n"));
  auto const u = model.values("u"), v = model.values("v"), vapour = model.values("vapour");
  auto const between = [](double z, double bottom, double top, double low, double high) {
    return low + (z - bottom) / (top - bottom) * (high - low);
  };
  std::size_t seen = 0;
  for (std::size_t n = 0; n < u.size(); ++n) {
    auto const z = model.point(n)[2];
    if (z < 1000 || z > 2500) continue;
    ++seen;
    EXPECT_NEAR(u[n], between(z, 1000, 2500, 1, 4) + 2, 1e-13);
    EXPECT_NEAR(v[n], between(z, 1000, 2500, 2, 3) - 0.5, 1e-13);
    // Specific humidity is linear in height between levels.
    auto const q = between(z, 1000, 2500, 0.012 / 1.012, 0.006 / 1.006);
    EXPECT_NEAR(vapour[n], q / (1 - q), 1e-15);
  }
  EXPECT_GT(seen, 10u);
}

TEST(AirOfASounding, IsRefusedWithTheKey) {
  test::TemporaryFolder const folder;
  auto const file = folder.write("air.txt", "1000.0 300.0 10.0\n7999.0 340.0 0.1 20.0 0.0\n").string();
  auto const refusal = [&](std::string const& more) {
    return test::message_of<InputError>([&] { ElementAir const model(hill_in(file, more)); });
  };
  auto const too_low = refusal("");
  EXPECT_NE(too_low.find("base.file: ends at 7999 m over the ground (the lid is at 8000 m)"),
            std::string::npos)
      << too_low;
  auto const driven = refusal("[manufactured]\nperiod = '64 s'\n");
  EXPECT_NE(driven.find("manufactured.period: does not go with"), std::string::npos) << driven;
}

}  // namespace
