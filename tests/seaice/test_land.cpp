// SPDX-License-Identifier: Apache-2.0
// What holds on any coast: land and its nodes stand still and empty, and seas that land parts know nothing of
// each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/exec/host.hpp"
#include "seaice/rough_case.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::IceSolver;
using test::Order;
using test::read;

constexpr std::int32_t nx = 11, ny = 9;

class Coasts : public ::testing::TestWithParam<std::tuple<Order, Assembly>> {
 protected:
  Order order_ = std::get<0>(GetParam());
  Assembly assembly_ = std::get<1>(GetParam());

  seaice::Setup setup(std::vector<std::uint8_t> const& sea) const {
    seaice::Setup setup{.mesh = rectangle_mesh(nx, ny, nx * 16e3, ny * 16e3, 0.04)};
    for (std::size_t k = 0; k < sea.size(); ++k) setup.mesh.mask[k] = sea[k];
    setup.parameters.cg = order_.cg;
    setup.parameters.dg = order_.dg;
    setup.parameters.substeps = 8;
    setup.parameters.wind = test::cyclone();
    setup.parameters.wind.centre_x = 80e3;
    setup.parameters.wind.centre_y = 60e3;
    return setup;
  }
  /// Random ice on sea cells, slopes too, after two steps.
  std::unique_ptr<IceSolver> run(seaice::Setup const& setup, std::uint64_t seed,
                                 std::int32_t from_column = 0) const {
    auto solver = test::make("fp64", assembly_, setup);
    auto const cells = static_cast<std::size_t>(nx) * ny;
    std::mt19937_64 common(1), own(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> h(solver->size(FieldId::h), 0), a(h);
    for (std::size_t k = 0; k < h.size(); ++k) {
      auto& generator = static_cast<std::int32_t>(k % cells) % nx < from_column ? common : own;
      double const first = uniform(generator), second = uniform(generator);
      if (setup.mesh.mask[k % cells] == 0) continue;
      h[k] = k < cells ? 0.5 + first : 0.1 * (first - 0.5);
      a[k] = k < cells ? 0.8 + 0.2 * second : 0.05 * (second - 0.5);
    }
    solver->write(FieldId::h, h.data());
    solver->write(FieldId::a, a.data());
    solver->advance(1);
    solver->advance(2);
    return solver;
  }
};

TEST_P(Coasts, LandIsEmptyAndItsNodesStandStill) {
  std::mt19937_64 generator(3);
  for (double const share : {0.1, 0.4, 1.0}) {
    std::vector<std::uint8_t> sea(static_cast<std::size_t>(nx) * ny);
    for (auto& cell : sea) cell = std::uniform_real_distribution<double>(0, 1)(generator) < share ? 0 : 1;
    auto const ice = setup(sea);
    auto const solver = run(ice, 7);
    for (auto const field : {FieldId::h, FieldId::a, FieldId::stress_xx, FieldId::stress_yy,
                             FieldId::stress_xy, FieldId::strength}) {
      auto const values = read(*solver, field);
      for (std::size_t k = 0; k < values.size(); ++k) {
        EXPECT_TRUE(std::isfinite(values[k]));
        EXPECT_TRUE(sea[k % sea.size()] != 0 || values[k] == 0) << name_of(field) << ' ' << k;
      }
    }
    auto const u = read(*solver, FieldId::u), v = read(*solver, FieldId::v);
    int moving = 0, free = 0;
    for (std::int32_t j = 0; j <= order_.cg * ny; ++j) {
      for (std::int32_t i = 0; i <= order_.cg * nx; ++i) {
        bool may_move = i > 0 && j > 0 && i < order_.cg * nx && j < order_.cg * ny;
        for (std::int32_t y = (j - 1) / order_.cg; may_move && y <= j / order_.cg; ++y) {
          for (std::int32_t x = (i - 1) / order_.cg; x <= i / order_.cg; ++x) {
            may_move = may_move && sea[static_cast<std::size_t>(y) * nx + x] != 0;
          }
        }
        auto const node = static_cast<std::size_t>(j) * (order_.cg * nx + 1) + i;
        bool const moves = u[node] != 0 || v[node] != 0;
        EXPECT_TRUE(may_move || !moves) << i << ' ' << j;
        free += may_move ? 1 : 0;
        moving += moves ? 1 : 0;
      }
    }
    EXPECT_EQ(moving, free) << "in wind all ice moves that may";
    EXPECT_EQ(free > 0, share < 1);
  }
}

TEST_P(Coasts, SeasThatLandPartsKnowNothingOfEachOther) {
  std::vector<std::uint8_t> sea(static_cast<std::size_t>(nx) * ny, 1);
  std::int32_t const wall = 6;
  for (std::int32_t j = 0; j < ny; ++j) sea[static_cast<std::size_t>(j) * nx + wall] = 0;
  auto const ice = setup(sea);
  auto const one = run(ice, 20, wall), other = run(ice, 21, wall);
  for (auto const field : {FieldId::h, FieldId::a, FieldId::stress_xx, FieldId::stress_xy}) {
    auto const a = read(*one, field), b = read(*other, field);
    bool changed = false;
    for (std::size_t k = 0; k < a.size(); ++k) {
      bool const left = static_cast<std::int32_t>(k % sea.size()) % nx <= wall;
      EXPECT_TRUE(!left || a[k] == b[k]) << name_of(field) << ' ' << k;
      changed = changed || a[k] != b[k];
    }
    EXPECT_TRUE(changed) << "the other sea has other ice";
  }
  for (auto const field : {FieldId::u, FieldId::v}) {
    auto const a = read(*one, field), b = read(*other, field);
    for (std::size_t k = 0; k < a.size(); ++k) {
      auto const column = static_cast<std::int32_t>(k % static_cast<std::size_t>(order_.cg * nx + 1));
      EXPECT_TRUE(column > order_.cg * (wall + 1) || a[k] == b[k]) << name_of(field) << ' ' << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Host, Coasts,
                         ::testing::Combine(::testing::ValuesIn(test::orders),
                                            ::testing::Values(Assembly::deterministic, Assembly::atomic)),
                         [](auto const& info) {
                           return name_of(std::get<0>(info.param)) + "_" + name_of(std::get<1>(info.param));
                         });

}  // namespace
