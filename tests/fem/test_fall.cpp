// SPDX-License-Identifier: Apache-2.0
// What falls at a given speed through tetrahedra, against its exact solution.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fem/assembler.hpp"
#include "core/fem/fall.hpp"
#include "fem/tetra_support.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;

constexpr double unit = 0x1p-53, height = 2000, width = 600;

/// Rain in a box of tetrahedra.
struct FallingRain {
  test::TetraBox box;
  std::vector<double> volume, ground, rain, fallen, density, speed;
  std::vector<std::uint8_t> given;
  std::vector<double> gradient;
  std::unique_ptr<fem::Fall<double, Host>> fall;

  FallingRain(int across, int layers, double jitter)
      : box{test::kuhn_box(across, across, layers, {width, width, height}, jitter)} {
    auto const nodes = static_cast<std::size_t>(box.nodes());
    for (auto* all : {&volume, &ground, &rain, &fallen}) all->assign(nodes, 0);
    density.assign(nodes, 1.0);
    speed.assign(nodes, 5.0);
    given.assign(nodes, 0);
    for (std::size_t e = 0; e < box.element.size(); e += 4) {
      std::array<std::array<double, 3>, 3> edge{};
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t d = 0; d < 3; ++d)
          edge[k][d] = at(box.element[e + k + 1], d) - at(box.element[e], d);
      }
      auto const six = edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
                       edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
                       edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0]);
      for (std::size_t k = 0; k < 4; ++k) volume[node(box.element[e + k])] += six / 24;
    }
    for (auto const& face : box.boundary) {
      if (at(face[0], 2) > 0 || at(face[1], 2) > 0 || at(face[2], 2) > 0) continue;
      auto const along = [&](std::size_t k, std::size_t d) { return at(face[k], d) - at(face[0], d); };
      auto const area = std::abs(along(1, 0) * along(2, 1) - along(1, 1) * along(2, 0)) / 2;
      for (auto const n : face) ground[node(n)] += area / 3;
    }
    gradient.resize(3 * box.column.size());
    fem::make_assembler<Fp64>(Host{1}, Assembly::deterministic, box.view(), box.position.data())
        ->gradient(gradient.data());
    fall = std::make_unique<fem::Fall<double, Host>>(Host{1}, box.view().pattern,
                                                     static_cast<std::int64_t>(box.column.size()),
                                                     gradient.data(), volume.data(), given.data(), ground);
  }
  static std::size_t node(std::int32_t n) { return static_cast<std::size_t>(n); }
  double at(std::int32_t n, std::size_t d) const { return box.position[3 * node(n) + d]; }
  double z(std::size_t n) const { return box.position[3 * n + 2]; }

  void take(double step) { fall->take(step, density.data(), speed.data(), rain.data(), fallen.data()); }
  double water() const {
    auto sum = 0.0;
    for (std::size_t n = 0; n < rain.size(); ++n) sum += volume[n] * density[n] * rain[n];
    return sum;
  }
  double on_ground() const { return std::inner_product(ground.begin(), ground.end(), fallen.begin(), 0.0); }
};

TEST(FallOfRain, IsConservedAndNeverNegative) {
  for (double const step : {1.0, 7.0, 1e4}) {
    FallingRain air(3, 8, 0.1);
    test::RandomValues random(7);
    for (std::size_t n = 0; n < air.rain.size(); ++n) {
      air.rain[n] = random.below(3) == 0 ? 0 : random.between(0, 0.01);
      air.density[n] = random.between(0.3, 1.2);
      air.speed[n] = random.between(0, 9);
    }
    auto const start = air.water();
    for (int n = 0; n < 50; ++n) air.take(step);
    // A sub-step rounds some 30 times at a node, and the sums over 144 nodes.
    EXPECT_NEAR((air.water() + air.on_ground()) / start, 1, (50 * 30 + 300) * unit);
    EXPECT_GT(air.on_ground(), 0.01 * start);
    for (auto const value : air.rain) EXPECT_GE(value, 0);
  }
}

TEST(FallOfRain, StaysUniformBelowWhereItEndsAndGivesTheGroundItsFlux) {
  FallingRain air(4, 20, 0.1);
  air.rain.assign(air.rain.size(), 0.002);
  ASSERT_EQ(air.fall->sub_steps(1, 5), 1);
  // The end comes down a layer a sub-step at most.
  for (int n = 0; n < 10; ++n) air.take(1);
  // Sums of some 14 areas of up to 1e4 m2 that cancel, over volumes of 1e6 m3, in ten sub-steps.
  for (std::size_t n = 0; n < air.rain.size(); ++n) {
    if (air.z(n) > 850) continue;
    EXPECT_NEAR(air.rain[n], 0.002, 0.002 * 10 * 100 * unit);
  }
  for (std::size_t n = 0; n < air.rain.size(); ++n) {
    EXPECT_NEAR(air.fallen[n], air.ground[n] > 0 ? 0.002 * 5 * 10 : 0, 0.1 * 1000 * unit);
  }
}

TEST(FallOfRain, HasAFrontThatComesDownAtItsSpeed) {
  // Rain everywhere at the start: after t none above H - V t but for what the upwind flux smears, a width
  // sigma = (V h (1 - c) t)^(1/2) with c = V dt / h, of whose step the mean distance is sigma (2 / pi)^(1/2).
  // Twice that is allowed: cells of the dual differ at the sides.
  double distance[3];
  for (int k = 0; k < 3; ++k) {
    auto const layers = 16 << k;
    FallingRain air(3, layers, 0);
    air.rain.assign(air.rain.size(), 0.002);
    auto const h = height / layers, step = 0.1 * h / 5, time = 200.0;
    for (int n = 0; n < static_cast<int>(std::round(time / step)); ++n) air.take(step);
    auto const front = height - 5 * time;
    auto apart = 0.0;
    for (std::size_t n = 0; n < air.rain.size(); ++n) {
      apart += air.volume[n] * std::abs(air.rain[n] - (air.z(n) < front   ? 0.002
                                                       : air.z(n) > front ? 0
                                                                          : 0.001));
    }
    distance[k] = apart / (0.002 * width * width);
    auto const sigma = std::sqrt(5 * h * 0.9 * time);
    EXPECT_LT(distance[k], 2 * sigma * std::sqrt(2 / std::numbers::pi)) << layers;
    // What has left says where the front is in the mean. Of 16 layers the ground is 3 sigma ahead, which lets
    // a part phi(3) - 3 (1 - Phi(3)) of sigma, 0.13 m, not come in time; the cells of the dual double that.
    auto const left = air.water() / (0.002 * width * width);
    EXPECT_NEAR(left, height - 5 * time, 0.3) << layers;
  }
  // Half an order for a step.
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(std::log2(distance[k] / distance[k + 1]), 0.5, 0.15);
}

TEST(FallOfRain, IsOfFirstOrderForASmoothCloud) {
  double error[3];
  for (int k = 0; k < 3; ++k) {
    auto const layers = 24 << k;
    FallingRain air(3, layers, 0);
    auto const shape = [](double z, double centre) {
      auto const r = (z - centre) / 600;
      return std::abs(r) < 1 ? 1 + std::cos(std::numbers::pi * r) : 0;
    };
    for (std::size_t n = 0; n < air.rain.size(); ++n) air.rain[n] = shape(air.z(n), 1300);
    auto const step = 0.1 * height / layers / 5, time = 100.0;
    for (int n = 0; n < static_cast<int>(std::round(time / step)); ++n) air.take(step);
    error[k] = 0;
    for (std::size_t n = 0; n < air.rain.size(); ++n) {
      error[k] += air.volume[n] * std::abs(air.rain[n] - shape(air.z(n), 1300 - 5 * time));
    }
  }
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(std::log2(error[k] / error[k + 1]), 1, 0.25);
}

TEST(FallOfRain, KeepsWhatIsGiven) {
  FallingRain air(3, 8, 0.1);
  air.rain.assign(air.rain.size(), 0.002);
  air.given[40] = 1;
  air.rain[40] = 0.001;
  for (int n = 0; n < 10; ++n) air.take(10);
  EXPECT_EQ(air.rain[40], 0.001);
}

TEST(FallOfRain, IsPartedSoThatHalfOfACellLeavesAtMost) {
  FallingRain air(4, 20, 0);
  // Layers of 100 m: cells of the dual lose 5 m s-1 over 100 m where their lower faces are level, and more
  // where those are steps.
  EXPECT_EQ(air.fall->sub_steps(1, 5), 1);
  auto const many = air.fall->sub_steps(100, 5);
  for (double const step : {1e8, 1e15, 1e300}) {  // beyond any count of sub-steps, and beyond integers
    auto const words = test::message_of<InputError>([&] { air.fall->sub_steps(step, 5); });
    EXPECT_TRUE(words.starts_with("time.step: rain would fall in ")) << words;
  }
  EXPECT_GE(many, 10);
  EXPECT_LE(many, 40);
  // As many as that are half a cell at the most: then limits change nothing.
  air.rain.assign(air.rain.size(), 0.002);
  air.take(100.0 / many);
  EXPECT_NEAR(air.on_ground() / (0.002 * 5 * 100.0 / many * width * width), 1, 100 * unit);
}

}  // namespace
