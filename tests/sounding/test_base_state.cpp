// SPDX-License-Identifier: Apache-2.0
#include "core/sounding/base_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "sounding/samples.hpp"
#include "support/random_values.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using Kind = AnalyticProfile::Kind;

template <class T>
class BaseState : public testing::Test {};
using Reals = testing::Types<double, long double>;
TYPED_TEST_SUITE(BaseState, Reals);

template <class T>
HydrostaticBase<T> base_of(Kind kind, T highest_start = 0, T deepest_start = 0) {
  AnalyticProfile given;
  given.kind = kind;
  given.ground_pressure = 1e5;
  if (kind == Kind::isothermal) given.theta = 250;
  return HydrostaticBase<T>(make_profile<T>(given), highest_start, deepest_start);
}

/// exner of air without vapour over 1e5 Pa, by calculus.
template <class T>
T exact_exner(Kind kind, T z) {
  T const g = T(98) / 10, cp = 1004;
  if (kind == Kind::constant_theta) return 1 - g * z / (cp * 300);
  if (kind == Kind::isothermal) return std::exp(-g * z / (cp * 250));
  T const n2 = T(0.01) * T(0.01);
  return 1 + g * g / (cp * n2 * 300) * std::expm1(-n2 * z / g);
}

template <class T>
std::vector<T> levels(T bottom, T top, int steps) {
  std::vector<T> heights;
  for (int k = 0; k <= steps; ++k) heights.push_back(bottom + (top - bottom) * T(k) / T(steps));
  return heights;
}

TYPED_TEST(BaseState, ConstantThetaHasAnExnerThatIsLinearInHeight) {
  using T = TypeParam;
  auto const base = base_of<T>(Kind::constant_theta);
  auto const heights = levels<T>(0, 12000, 40);
  auto const column = base.column(heights);
  for (std::size_t k = 0; k < heights.size(); ++k) {
    // Three roundings a level, each of less than the step or of exner, which is below 1.
    auto const bound = T(3 * k + 2) * std::numeric_limits<T>::epsilon();
    EXPECT_NEAR(double(column.exner[k] - exact_exner<T>(Kind::constant_theta, heights[k])), 0, double(bound));
  }
}

template <class T>
T largest_error(Kind kind, int steps) {
  auto const base = base_of<T>(kind);
  auto const heights = levels<T>(0, 16000, steps);
  auto const column = base.column(heights);
  T largest = 0;
  for (std::size_t k = 0; k < heights.size(); ++k) {
    largest = std::max(largest, std::abs(column.exner[k] - exact_exner<T>(kind, heights[k])));
  }
  return largest;
}

TYPED_TEST(BaseState, ConvergesWithTheSquareOfTheSpacing) {
  using T = TypeParam;
  for (auto const kind : {Kind::isothermal, Kind::constant_frequency}) {
    auto const coarse = largest_error<T>(kind, 40), middle = largest_error<T>(kind, 80),
               fine = largest_error<T>(kind, 160);
    // The next term of the error is a sixteenth of a quarter of the first's share at 200 m: below 1 %.
    EXPECT_NEAR(double(std::log2(coarse / middle)), 2, 0.02);
    EXPECT_NEAR(double(std::log2(middle / fine)), 2, 0.02);
    EXPECT_LT(double(fine), 1e-5);
  }
}

TYPED_TEST(BaseState, ConvergesForMoistAirAndStretchedLevels) {
  using T = TypeParam;
  AnalyticProfile given;
  given.kind = Kind::weisman_klemp;
  given.humidity = 0.06;  // more than saturation has, so that nothing caps it and it is smooth
  HydrostaticBase<T> const base(make_profile<T>(given), T(12000));
  auto const error = [&](int steps) {
    // Over the mixed layer and below the tropopause, where theta has corners.
    auto heights = levels<T>(0, 1, steps);
    for (auto& height : heights) height = 1300 + 4000 * height + 6000 * height * height;
    auto const column = base.column(heights);
    T largest = 0;
    for (std::size_t k = 0; k < heights.size(); ++k) {
      largest = std::max(largest, std::abs(column.exner[k] - base.exner(heights[k])));
    }
    return largest;
  };
  EXPECT_NEAR(double(std::log2(error(50) / error(100))), 2, 0.02);
  EXPECT_NEAR(double(std::log2(error(100) / error(200))), 2, 0.02);
}

TYPED_TEST(BaseState, FineIntegrationIsTheClosedForms) {
  using T = TypeParam;
  for (auto const kind : {Kind::constant_theta, Kind::isothermal, Kind::constant_frequency}) {
    auto const base = base_of<T>(kind);
    for (T const height : {T(-250), T(-3), T(0), T(7), T(10), T(1234.5), T(15990), T(16000)}) {
      // Fourth order: (dz / H)^4 / 120 of a part in 1e13 a step at H = 8 km and dz = 10 m, and roundings.
      EXPECT_NEAR(double(base.exner(height) - exact_exner<T>(kind, height)), 0, 1e-13) << double(height);
    }
  }
}

TYPED_TEST(BaseState, StoredStartsChangeNoBit) {
  using T = TypeParam;
  auto const none = base_of<T>(Kind::weisman_klemp), some = base_of<T>(Kind::weisman_klemp, T(1000), T(500));
  for (T const height : {T(-3000), T(-511), T(-500), T(-499), T(-20), T(-10), T(-1), T(0), T(9.5), T(10),
                         T(333), T(995), T(1000), T(1001), T(1015), T(5000)}) {
    EXPECT_EQ(none.exner(height), some.exner(height)) << double(height);
  }
}

TYPED_TEST(BaseState, StoredStartsChangeNoBitOverRaisedGround) {
  using T = TypeParam;
  auto const sounding = parse_sounding(test::table_sample, "table");
  HydrostaticBase<T> const none(make_profile<T>(sounding)), some(make_profile<T>(sounding), T(4000), T(300));
  for (T const height : {T(-20), T(105), T(300), T(345), T(719), T(2000), T(5770)}) {
    EXPECT_EQ(none.exner(height), some.exner(height)) << double(height);
  }
}

TYPED_TEST(BaseState, ColumnsOverTerrainBeginOnOneCurve) {
  using T = TypeParam;
  auto const base = base_of<T>(Kind::weisman_klemp, T(2000));
  T worst = 0;
  for (T const ground : {T(0), T(123), T(1999)}) {
    auto heights = levels<T>(ground, 18000, 90);
    auto const column = base.column(heights);
    EXPECT_EQ(column.exner[0], base.exner(ground));
    worst = std::max(worst, std::abs(column.exner.back() - base.exner(18000)));
  }
  EXPECT_LT(double(worst), 2e-5);
}

TYPED_TEST(BaseState, SaysWhatStateBelongsToExner) {
  using T = TypeParam;
  auto const base = base_of<T>(Kind::weisman_klemp);
  auto const column = base.column(levels<T>(125, 18000, 30));
  auto const eps = std::numeric_limits<T>::epsilon();
  for (std::size_t k = 0; k < column.exner.size(); ++k) {
    auto const pressure = T(100000) * std::pow(column.exner[k], T(1004) / 287);
    EXPECT_NEAR(double(column.pressure[k] / pressure - 1), 0, double(16 * eps));
    auto const virtual_theta = column.theta[k] * (1 + (T(461) / 287 - 1) * column.humidity[k]);
    EXPECT_NEAR(double(column.virtual_theta[k] / virtual_theta - 1), 0, double(8 * eps));
    auto const gas = column.density[k] * 287 * column.virtual_theta[k] * column.exner[k];
    EXPECT_NEAR(double(gas / column.pressure[k] - 1), 0, double(8 * eps));
  }
  EXPECT_TRUE(base.column({}).exner.empty());
}

/// A sounding that no day has had.
Sounding random_sounding(test::RandomValues& random) {
  Sounding sounding;
  sounding.source = "random";
  sounding.ground_pressure = random.between(6e4, 1.05e5);
  auto height = random.between(-100, 3000), theta = random.between(230, 320);
  for (auto count = 2 + random.below(60); count-- > 0;) {
    sounding.height.push_back(height);
    sounding.theta.push_back(theta);
    sounding.humidity.push_back(random.between(0, 0.03));
    sounding.u.push_back(random.between(-80, 80));
    sounding.v.push_back(random.between(-80, 80));
    height += random.between(0.5, 600);
    theta += random.between(-1, 6);
  }
  return sounding;
}

std::vector<double> random_levels(test::RandomValues& random, Sounding const& sounding) {
  auto const bottom = sounding.height.front(), top = sounding.height.back();
  auto heights = random.uniform(2 + random.below(80), bottom - 30, top);
  std::sort(heights.begin(), heights.end());
  heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
  return heights;
}

/// exner_(k-1) - exner_k = g dz / (c_p mean theta_v), but for the roundings of exner and of this check.
void expect_balance(BaseColumn<double> const& column, std::vector<double> const& heights) {
  for (std::size_t k = 1; k < heights.size(); ++k) {
    auto const mean = 0.5 * (column.virtual_theta[k - 1] + column.virtual_theta[k]);
    auto const expected = 9.8 * (heights[k] - heights[k - 1]) / (1004 * mean);
    auto const bound = 0x1p-53 * (column.exner[k - 1] + column.exner[k]) + 6 * 0x1p-53 * expected;
    EXPECT_NEAR(column.exner[k - 1] - column.exner[k], expected, bound);
  }
}

TEST(BaseStateOfAnyAir, IsInDiscreteBalanceToRounding) {
  test::RandomValues random(42);
  for (int round = 0; round < 300; ++round) {
    auto const sounding = random_sounding(random);
    HydrostaticBase<double> const base(make_profile<double>(sounding), random.between(0, 1000));
    auto const heights = random_levels(random, sounding);
    expect_balance(base.column(heights), heights);
  }
}

TEST(BaseStateOfAnyAir, IsInDiscreteBalanceWhereHumidityIsRelative) {
  test::RandomValues random(43);
  auto const base = base_of<double>(Kind::weisman_klemp);
  for (int round = 0; round < 100; ++round) {
    auto heights = random.uniform(2 + random.below(80), -50, 20000);
    std::sort(heights.begin(), heights.end());
    auto const column = base.column(heights);
    expect_balance(column, heights);
    for (std::size_t k = 0; k < heights.size(); ++k) {
      // Vapour is that of the level's own exner: to the last step of the repetition.
      auto const own = base.profile().humidity(heights[k], column.exner[k]);
      EXPECT_NEAR(column.humidity[k], own, 64 * 0x1p-53 * own);
    }
  }
}

TEST(BaseStateOfAnyAir, PressureAndDensityFallWithHeightAndStayFinite) {
  test::RandomValues random(44);
  for (int round = 0; round < 100; ++round) {
    auto const sounding = random_sounding(random);
    HydrostaticBase<double> const base(make_profile<double>(sounding));
    auto const heights = random_levels(random, sounding);
    auto const column = base.column(heights);
    for (std::size_t k = 0; k < heights.size(); ++k) {
      ASSERT_TRUE(std::isfinite(column.density[k]) && column.density[k] > 0);
      EXPECT_TRUE(k == 0 || column.pressure[k] < column.pressure[k - 1]);
    }
  }
}

TEST(BaseStateOfSoundings, HasTheSoundingsOwnValuesAtItsLevels) {
  auto const sounding = parse_sounding(test::table_sample, "table");
  HydrostaticBase<double> const base(make_profile<double>(sounding));
  auto const column = base.column(sounding.height);
  EXPECT_EQ(column.theta, sounding.theta);
  EXPECT_EQ(column.humidity, sounding.humidity);
  EXPECT_EQ(column.u, sounding.u);
  EXPECT_EQ(column.v, sounding.v);
  EXPECT_NEAR(column.pressure[0], sounding.ground_pressure, 1e-9);
}

TEST(BaseStateRefusals, NameTheProfileAndWhereItEnds) {
  auto const sounding = parse_sounding(test::cm1_sample, "cm1");
  HydrostaticBase<double> const base(make_profile<double>(sounding), 1e9);
  EXPECT_NO_THROW(base.column({0, 12000}));
  EXPECT_EQ(
      test::message_of<InputError>([&] {
        base.column({0, 6000, 12001});
      }),
      "cm1: ends at 12000 m (no values above; levels up to 12001 m are asked for) lower the lid or give a "
      "higher profile");
  // Of constant theta there are c_p theta / g = 30735 m.
  auto const neutral = base_of<double>(Kind::constant_theta, 1e6);
  EXPECT_NO_THROW(neutral.column({0, 15000, 30700}));
  EXPECT_EQ(
      test::message_of<InputError>([&] {
        neutral.column({0, 15000, 30800, 31000});
      }),
      "the profile: ends at 15000 m (the weight of the air is used up; levels up to 31000 m are asked for) "
      "lower the lid or give a higher profile");
  EXPECT_NE(test::message_of<InputError>([&] {
              neutral.column({40000, 40010});
            }).find("used up"),
            std::string::npos);
}

}  // namespace
}  // namespace ulpine
