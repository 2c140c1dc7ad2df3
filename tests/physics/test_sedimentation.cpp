// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

// Qualified calls in templates see only what is declared before them.
#include "precision/double_float_functions.hpp"
#include "precision/emulated_number.hpp"
#include "precision/quad.hpp"
#include "support/strict.hpp"

#include "core/exec/host.hpp"
#include "core/physics/sedimentation.hpp"
#include "core/physics/warm_rain.hpp"
#include "support/random_values.hpp"

namespace physics_test {
namespace {

using namespace ulpine;
using physics::Sedimentation;

template <class T>
constexpr double roundoff = std::numeric_limits<T>::epsilon() / 2;

template <class T>
float128 wide(T const& x) {
  return float128(x);
}
float128 wide(StrictFloat x) { return float128(static_cast<float>(x)); }
float128 wide(DoubleFloat x) { return x.wide<float128>(); }
float128 wide(EmulatedNumber x) { return float128(x.value()); }

/// Columns side by side, the layers of a column one after another or far apart.
template <class T>
struct Columns {
  int layers, count;
  bool layers_first;  ///< layers run fastest in memory
  std::vector<T> density, thickness, velocity, water;
  std::vector<T> fallen;

  Columns(int layers, int count, bool layers_first = false)
      : layers{layers}, count{count}, layers_first{layers_first} {
    auto const size = static_cast<std::size_t>(layers * count);
    for (auto* field : {&density, &thickness, &velocity, &water}) field->assign(size, T(1));
    fallen.assign(static_cast<std::size_t>(count), T(0));
  }
  std::size_t at(int k, int i) const {
    return static_cast<std::size_t>(layers_first ? i * layers + k : k * count + i);
  }
  template <class U>
  auto view(std::vector<U>& field) const {
    return layers_first ? GridView<T>{field.data(), 1, 0, layers} : GridView<T>{field.data(), count, 0, 1};
  }
  auto kernel(T dt, T counted = T(1)) {
    auto const constant = [](GridView<T> const& v) {
      return GridView<T const>{v.first, v.plane, v.row, v.point};
    };
    return Sedimentation<T>{layers,
                            dt,
                            constant(view(density)),
                            constant(view(thickness)),
                            constant(view(velocity)),
                            view(water),
                            {fallen.data(), 0, 0, 1},
                            counted};
  }
  void fall(T dt) { for_each(Host{1}, Extent2{count, 1}, kernel(dt)); }
  /// Of the water of column i, kg m-2, and what of it has fallen.
  float128 mass(int i) const {
    float128 sum = 0;
    for (int k = 0; k < layers; ++k) {
      sum += wide(density[at(k, i)]) * wide(thickness[at(k, i)]) * wide(water[at(k, i)]);
    }
    return sum;
  }
  float128 sum(int i) const { return wide(fallen[static_cast<std::size_t>(i)]); }
};

/// Rainy columns: densities of the atmosphere, layers from 5 to 800 m, velocities of rain, dry layers.
template <class T>
Columns<T> rainy(int layers, int count, bool layers_first, std::uint64_t seed) {
  Columns<T> columns(layers, count, layers_first);
  test::RandomValues random(seed);
  for (int i = 0; i < count; ++i) {
    auto const wet = random.uniform();
    for (int k = 0; k < layers; ++k) {
      auto const n = columns.at(k, i);
      auto const rain = random.uniform() < wet ? 0.008 * std::exp(-12 * random.uniform()) : 0.0;
      columns.density[n] = T(float(1.2 * std::exp(-k * 9.0 / layers / 8)));
      columns.thickness[n] = T(float(5 * std::exp(5 * random.uniform())));
      columns.water[n] = T(float(rain));
      columns.velocity[n] = physics::terminal_velocity(columns.density[n], columns.water[n]);
    }
  }
  return columns;
}

// Two layers of 2 and 1 kg m-2 of air per metre, 10 and 20 m, V 4 and 2 m/s, 5 s: Courant numbers 2 and 1/2,
// four sub-steps of 1.25 s, in which 1/2 and 1/8 of the layers' water leave. All numbers are binary
// fractions.
TEST(Sedimentation, IsThatByHand) {
  Columns<double> two(2, 1);
  two.density = {2, 1}, two.thickness = {10, 20}, two.velocity = {4, 2}, two.water = {0.25, 0.5};
  EXPECT_EQ(two.kernel(5).substeps(0, 0), 4);
  double low = 0.25, high = 0.5, fallen = 0;
  for (int step = 0; step < 4; ++step) {
    auto const out = high / 8, ground = low / 2;
    fallen += 20 * ground;
    low = low - ground + out * 20 / 20;
    high -= out;
  }
  two.fall(5);
  EXPECT_EQ(two.water[0], low);
  EXPECT_EQ(two.water[1], high);
  EXPECT_EQ(two.fallen[0], fallen);
}

TEST(Sedimentation, TakesAsFewSubStepsAsHalfALayerAsks) {
  Columns<double> one(3, 1);
  one.thickness = {64, 8, 32};
  auto const steps = [&](double lowest, double middle, double highest, double dt) {
    one.velocity = {lowest, middle, highest};
    return one.kernel(dt).substeps(0, 0);
  };
  EXPECT_EQ(steps(0, 0, 0, 10), 0);
  EXPECT_EQ(steps(0, 1e-30, 0, 1), 1);
  EXPECT_EQ(steps(1, 4, 1, 1), 1);
  EXPECT_EQ(steps(1, std::nextafter(4, 5), 1, 1), 2);
  EXPECT_EQ(steps(33, 4, 1, 1), 2);
  EXPECT_EQ(steps(1, 4, 17, 1), 2);
  EXPECT_EQ(steps(1, 4, 1, 2.5), 3);
  EXPECT_EQ(steps(1, 4096, 1, 1), 1024);
  EXPECT_EQ(steps(1, 1e300, 1, 1), 1024);
  EXPECT_EQ(steps(1, std::numeric_limits<double>::infinity(), 1, 1), 1024);
  EXPECT_EQ(steps(1, 4, std::numeric_limits<double>::quiet_NaN(), 1), 1);
}

template <class T>
class Fall : public testing::Test {};
using Scalars = testing::Types<double, float, float128, StrictFloat, EmulatedNumber, DoubleFloat>;
TYPED_TEST_SUITE(Fall, Scalars);

template <class T>
double unit() {
  return std::is_same_v<T, StrictFloat> || std::is_same_v<T, float> ? roundoff<float>
         : std::is_same_v<T, float128>                              ? std::ldexp(1, -100)
         : std::is_same_v<T, DoubleFloat> ? std::ldexp(1, -46)  // the bound of a product
                                          : roundoff<double>;
}

// In a sub-step a layer's water is rounded three times, and what passes its lower face is off by four
// roundoffs from what it gives or takes; the sum on the ground by one a sub-step.
TYPED_TEST(Fall, ConservesWater) {
  using T = TypeParam;
  auto columns = rainy<T>(37, 50, false, 1);
  auto const kernel = columns.kernel(T(12));
  int most = 0;
  for (int i = 0; i < columns.count; ++i) {
    auto const steps = kernel.substeps(i, 0);
    most = std::max(most, steps);
    auto const before = columns.mass(i);
    kernel(i, 0);
    auto const change = static_cast<double>(columns.mass(i) + columns.sum(i) - before);
    EXPECT_LE(std::fabs(change), 8 * unit<T>() * (steps + 1) * static_cast<double>(before)) << i;
    for (int k = 0; k < columns.layers; ++k) EXPECT_GE(columns.water[columns.at(k, i)], T(0));
  }
  EXPECT_GT(most, 20);
}

// All of it comes down in the end.
TYPED_TEST(Fall, RainReachesTheGround) {
  using T = TypeParam;
  auto columns = rainy<T>(12, 3, true, 2);
  for (auto& v : columns.velocity) v = T(5);
  std::vector<float128> before;
  for (int i = 0; i < columns.count; ++i) before.push_back(columns.mass(i));
  for (int step = 0; step < 200; ++step) columns.fall(T(20));
  for (int i = 0; i < columns.count; ++i) {
    auto const all = static_cast<double>(before[static_cast<std::size_t>(i)]);
    EXPECT_NEAR(static_cast<double>(columns.sum(i)), all, 1e-3 * all);
    EXPECT_LE(static_cast<double>(columns.mass(i)), 1e-6 * all);
  }
}

TYPED_TEST(Fall, DryColumnsStayAsTheyAre) {
  using T = TypeParam;
  Columns<T> columns(5, 2);
  for (auto& q : columns.water) q = T(0);
  for (auto& v : columns.velocity) v = T(0);
  columns.fall(T(10));
  for (auto const& q : columns.water) EXPECT_EQ(q, T(0));
  for (auto const& rain : columns.fallen) EXPECT_EQ(rain, T(0));
}

// Whatever the velocity: beyond the most sub-steps half a layer's water leaves in each.
TYPED_TEST(Fall, NoVelocityMakesWaterNegative) {
  using T = TypeParam;
  auto columns = rainy<T>(20, 4, false, 3);
  for (auto& v : columns.velocity) v = v * T(1 << 20);
  std::vector<float128> before;
  for (int i = 0; i < columns.count; ++i) before.push_back(columns.mass(i));
  columns.fall(T(60));
  for (auto const& q : columns.water) EXPECT_GE(q, T(0));
  for (int i = 0; i < columns.count; ++i) {
    auto const all = before[static_cast<std::size_t>(i)];
    auto const change = static_cast<double>(columns.mass(i) + columns.sum(i) - all);
    EXPECT_LE(std::fabs(change), 8 * unit<T>() * 1025 * static_cast<double>(all));
  }
}

template <class T>
bool same(std::vector<T> const& a, std::vector<T> const& b) {
  return a == b;
}

// A column's result is its own: of no neighbour's Courant number, and of no layout.
TYPED_TEST(Fall, IsTheSameInEveryLayoutAndCompany) {
  using T = TypeParam;
  auto wide = rainy<T>(15, 7, false, 4), tall = rainy<T>(15, 7, true, 4);
  auto const alone = wide;
  wide.fall(T(9)), tall.fall(T(9));
  for (int i = 0; i < wide.count; ++i) {
    Columns<T> one(15, 1);
    for (int k = 0; k < 15; ++k) {
      auto const from = alone.at(k, i), to = one.at(k, 0);
      one.density[to] = alone.density[from], one.thickness[to] = alone.thickness[from];
      one.velocity[to] = alone.velocity[from], one.water[to] = alone.water[from];
      EXPECT_EQ(wide.water[from], tall.water[tall.at(k, i)]);
    }
    one.fall(T(9));
    for (int k = 0; k < 15; ++k) EXPECT_EQ(one.water[one.at(k, 0)], wide.water[wide.at(k, i)]);
    EXPECT_EQ(one.fallen[0], wide.fallen[static_cast<std::size_t>(i)]);
    EXPECT_EQ(one.fallen[0], tall.fallen[static_cast<std::size_t>(i)]);
  }
}

// n sub-steps are n steps: with Courant numbers that are n times smaller each takes one.
TYPED_TEST(Fall, SubStepsAreStepsOfTheirLength) {
  using T = TypeParam;
  auto whole = rainy<T>(15, 1, false, 5);
  for (auto& v : whole.velocity) v = T(8);
  for (auto& dz : whole.thickness) dz = T(20);
  auto parts = whole;
  ASSERT_EQ(whole.kernel(T(10)).substeps(0, 0), 8);
  whole.fall(T(10));
  T sum = T(0);
  for (int step = 0; step < 8; ++step) {
    ASSERT_EQ(parts.kernel(T(5) / T(4)).substeps(0, 0), 1);
    parts.fall(T(5) / T(4));
  }
  EXPECT_TRUE(same(whole.water, parts.water));
  sum = parts.fallen[0];
  EXPECT_EQ(whole.fallen[0], sum);
}

TYPED_TEST(Fall, ProfilesAndSharesOfTheSumAreTaken) {
  using T = TypeParam;
  auto columns = rainy<T>(10, 6, false, 6);
  for (int k = 0; k < 10; ++k) {
    for (int i = 0; i < 6; ++i) columns.thickness[columns.at(k, i)] = T(10 + 7 * k);
  }
  auto shared = columns;
  std::vector<T> profile;
  for (int k = 0; k < 10; ++k) profile.push_back(T(10 + 7 * k));
  auto kernel = shared.kernel(T(7), T(1) / T(2));
  kernel.thickness = GridView<T const>{profile.data(), 1, 0, 0};
  shared.fallen.assign(6, T(1) / T(1024));
  for_each(Host{1}, Extent2{6, 1}, kernel);
  columns.fall(T(7));
  EXPECT_TRUE(same(columns.water, shared.water));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(shared.fallen[i], T(1) / T(1024) + columns.fallen[i] / T(2)) << i;
  }
}

/// A thickness that no array holds.
struct Halved {
  GridView<float const> depth;
  float operator()(std::int32_t k, std::int32_t j, std::int32_t i) const { return depth(k, j, i) / 2; }
};

TEST(Sedimentation, TakesThicknessesFromAnyFunctionAndSumsInAnotherType) {
  auto columns = rainy<float>(10, 4, false, 7), halved = columns;
  for (auto& dz : columns.thickness) dz /= 2;
  auto const view = halved.kernel(6);
  std::vector<double> fallen(4, 1e6);
  Sedimentation<float, GridView<float const>, Halved, double> const kernel{
      10, 6, view.density, {view.thickness}, view.velocity, view.water, {fallen.data(), 0, 0, 1}};
  for_each(Host{2}, Extent2{4, 1}, kernel);
  columns.fall(6);
  EXPECT_EQ(halved.water, columns.water);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(fallen[i], 1e6 + double(columns.fallen[i]));
}

/// Mean absolute error of rho q, of a smooth bump that has fallen at 5 m/s for 200 s, in columns of `layers`
/// whose thickness doubles from the ground up and whose air thins with height.
double error_of(int layers) {
  double const height = 4000, speed = 5, duration = 200;
  Columns<double> column(layers, 1);
  // z(s) = H (2^s - 1), s from 0 to 1.
  auto const face = [&](double n) { return height * (std::exp2(n / layers) - 1); };
  auto const bump = [](double z) {
    auto const x = (z - 2200) / 900;
    return std::fabs(x) < 1 ? 1e-3 * std::pow(1 - x * x, 4) : 0.0;
  };
  for (std::size_t k = 0; k < std::size_t(layers); ++k) {
    auto const low = face(double(k)), high = face(double(k) + 1), z = (low + high) / 2;
    column.density[k] = 1.2 * std::exp(-z / 8000);
    column.thickness[k] = high - low;
    column.velocity[k] = speed;
    column.water[k] = bump(z) / column.density[k];
  }
  // Time steps go with the layers: the thinnest has the Courant number 0.9, or two sub-steps.
  int const steps = static_cast<int>(std::ceil(duration * speed / (0.9 * face(1))));
  for (int n = 0; n < steps; ++n) column.fall(duration / steps);
  double error = 0;
  for (std::size_t k = 0; k < std::size_t(layers); ++k) {
    auto const z = (face(double(k)) + face(double(k) + 1)) / 2;
    error +=
        std::fabs(column.density[k] * column.water[k] - bump(z + speed * duration)) * column.thickness[k];
  }
  return error / height;
}

// The upwind scheme is of first order, which shows where diffusion does not yet spread the bump by its own
// width: from some thousand layers on.
TEST(Sedimentation, ConvergesToTheExactAdvectionWithOrderOne) {
  double before = error_of(100);
  double order = 0;
  for (int layers = 200; layers <= 3200; layers *= 2) {
    auto const error = error_of(layers);
    order = std::log2(before / error);
    EXPECT_GT(order, 0.7) << layers;
    EXPECT_LT(order, 1.05) << layers;
    before = error;
  }
  EXPECT_GT(order, 0.95);
  RecordProperty("order", std::to_string(order));
}

TEST(Sedimentation, WhatIsNoNumberStaysNone) {
  auto columns = rainy<double>(6, 1, false, 8);
  columns.water[3] = std::numeric_limits<double>::quiet_NaN();
  columns.velocity[3] = physics::terminal_velocity(columns.density[3], columns.water[3]);
  columns.velocity[4] = 4;
  columns.fall(6);
  EXPECT_TRUE(std::isnan(columns.water[3]));
}

}  // namespace
}  // namespace physics_test
