// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace ulpine::verification::consistency {
namespace {

TEST(GrowthRate, IsTheExponentUntilTheDifferenceSaturates) {
  std::vector<double> times, differences;
  for (int k = 0; k < 40; ++k) {
    times.push_back(0.5 * k);
    differences.push_back(std::min(1.0, 1e-10 * std::exp(1.7 * 0.5 * k)));
  }
  auto const growth = growth_rate(times, differences, 0.1);
  ASSERT_TRUE(growth.known);
  EXPECT_NEAR(growth.rate, 1.7, 1e-12);
  EXPECT_NEAR(growth.offset, std::log(1e-10), 1e-12);
  EXPECT_LT(differences[growth.last], 0.1);
}

TEST(GrowthRate, BeginsWhereTheDifferenceDoes) {
  auto const growth =
      growth_rate(std::vector<double>{0, 1, 2, 3, 4}, std::vector<double>{0, 0, 1e-9, 1e-8, 1e-7}, 1);
  ASSERT_TRUE(growth.known);
  EXPECT_EQ(growth.first, 2u);
  EXPECT_NEAR(growth.rate, std::log(10.0), 1e-12);
}

TEST(GrowthRate, IsUnknownWithoutThreeTimes) {
  EXPECT_FALSE(growth_rate(std::vector<double>{0, 1, 2, 3}, std::vector<double>{0, 0, 1e-9, 1e-8}, 1).known);
  EXPECT_FALSE(growth_rate(std::vector<double>{0, 1, 2, 3}, std::vector<double>{0, 0, 0, 0}, 1).known);
  EXPECT_FALSE(growth_rate(std::vector<double>{0, 1, 2, 3}, std::vector<double>{0, 1e-3, 2, 3}, 1).known);
}

/// Lorenz (1996), 40 variables, F = 8, by Runge and Kutta's fourth order.
class Lorenz {
 public:
  explicit Lorenz(std::uint64_t seed) : u_(40) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (auto& value : u_) value = 8 + normal(random);
    for (int k = 0; k < 1000; ++k) step();
  }
  void step() {
    constexpr double dt = 0.05;
    auto const k1 = tendency(u_), k2 = tendency(moved(k1, dt / 2)), k3 = tendency(moved(k2, dt / 2)),
               k4 = tendency(moved(k3, dt));
    for (std::size_t i = 0; i < u_.size(); ++i) u_[i] += dt / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  std::vector<double>& values() { return u_; }

 private:
  std::vector<double> moved(std::vector<double> const& k, double dt) const {
    auto result = u_;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += dt * k[i];
    return result;
  }
  static std::vector<double> tendency(std::vector<double> const& u) {
    auto const n = u.size();
    std::vector<double> result(n);
    for (std::size_t i = 0; i < n; ++i)
      result[i] = (u[(i + 1) % n] - u[(i + n - 2) % n]) * u[(i + n - 1) % n] - u[i] + 8;
    return result;
  }
  std::vector<double> u_;
};

TEST(GrowthRate, OfLorenz96IsItsLeadingExponent) {
  // 1.68 to 1.69 per unit of time for 40 variables and F = 8 (e.g. Karimi and Paul 2010, Chaos 20, 043105;
  // Lorenz and Emanuel 1998 give a doubling time of 2.1 days of 0.2 units: 1.65). The mean over starts has
  // its own error.
  double sum = 0, squares = 0;
  constexpr int starts = 40;
  for (int start = 0; start < starts; ++start) {
    Lorenz reference(100 + start), perturbed = reference;
    perturbed.values()[7] += 1e-10;
    for (int k = 0; k < 40; ++k) {  // the difference turns into the direction that grows fastest
      reference.step();
      perturbed.step();
    }
    std::vector<double> times, differences;
    for (int k = 0; k < 160; ++k) {
      double square = 0;
      for (std::size_t i = 0; i < 40; ++i)
        square += std::pow(reference.values()[i] - perturbed.values()[i], 2) / 40;
      times.push_back(0.05 * k);
      differences.push_back(std::sqrt(square));
      reference.step();
      perturbed.step();
    }
    auto const growth = growth_rate(times, differences, 0.05);
    ASSERT_TRUE(growth.known);
    sum += growth.rate;
    squares += growth.rate * growth.rate;
  }
  auto const mean = sum / starts, error = std::sqrt((squares / starts - mean * mean) / (starts - 1));
  EXPECT_LT(error, 0.06);
  EXPECT_NEAR(mean, 1.685, 4 * error);
}

}  // namespace
}  // namespace ulpine::verification::consistency
