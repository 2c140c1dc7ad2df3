// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// Qualified calls in templates see only what is declared before them.
#include "support/strict.hpp"

#include "core/exec/host.hpp"
#include "core/les/random_start.hpp"
#include "core/les/topography.hpp"
#include "support/random_values.hpp"

namespace ulpine::les {
namespace {

/// A field of nz x ny x nx with a halo of 1 along x and y, in a part of a domain.
template <class T>
struct Part {
  Part(std::int32_t nz, std::int32_t ny, std::int32_t nx)
      : nz{nz}, ny{ny}, nx{nx}, values(std::size_t(nz) * std::size_t(ny + 2) * std::size_t(nx + 2)) {}
  std::int32_t nz, ny, nx;
  std::vector<T> values;
  Rows<T> rows() { return {values.data() + nx + 3, std::int64_t(ny + 2) * (nx + 2), nx + 2}; }
  T& operator()(int k, int j, int i) { return rows()(k, j, i); }
  void fill_halo() {
    for (int k = 0; k < nz; ++k) {
      for (int j = -1; j <= ny; ++j) {
        for (int i = -1; i <= nx; ++i) (*this)(k, j, i) = (*this)(k, (j + ny) % ny, (i + nx) % nx);
      }
    }
  }
  Extent3 extent() const { return {nx, ny, nz}; }
  double sum() {
    double total = 0;
    for (int k = 0; k < nz; ++k) {
      for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) total += double((*this)(k, j, i));
      }
    }
    return total;
  }
};

template <class T>
Part<T> noise(std::int32_t nz, std::int32_t ny, std::int32_t nx, Draw draw, double amplitude, int first,
              int last, int threads = 1) {
  Part<T> part(nz, ny, nx);
  draw.nx = nx, draw.ny = ny;
  for_each(Host{threads}, part.extent(), Noise<T>{draw, T(float(amplitude)), first, last, part.rows()});
  return part;
}

TEST(RandomStart, IsUniformInItsLevelsAndZeroElsewhere) {
  auto u = noise<double>(20, 40, 50, {.seed = 3, .field = name_key("u")}, 0.25, 3, 16);
  double sum = 0, squares = 0, most = 0;
  for (int k = 0; k < 20; ++k) {
    for (int j = 0; j < 40; ++j) {
      for (int i = 0; i < 50; ++i) {
        auto const x = u(k, j, i);
        if (k < 3 || k > 16) {
          ASSERT_EQ(x, 0);
        }
        sum += x, squares += x * x, most = std::fmax(most, std::fabs(x));
      }
    }
  }
  double const points = 14 * 40 * 50, deviation = 0.375 / std::sqrt(3);
  EXPECT_LE(std::fabs(sum / points), 4 * deviation / std::sqrt(points));
  // The variance of x^2 is 4/45 of the fourth power of the half width.
  EXPECT_NEAR(squares / points, deviation * deviation, 4 * 0.375 * 0.375 * std::sqrt(4 / 45.0 / points));
  EXPECT_LE(most, 0.375);
  EXPECT_GT(most, 0.374);
}

// Neighbours, levels, fields, rounds and seeds draw numbers of their own: correlations within 4 standard
// errors of 0.
TEST(RandomStart, IsUncorrelatedFromPointToPointAndFieldToField) {
  auto const reference = [&](Draw draw) { return noise<double>(12, 40, 50, draw, 1, 0, 11); };
  Draw const draw{.seed = 3, .field = name_key("u")};
  auto u = reference(draw);
  auto const correlation = [&](Part<double>& other, int dk, int dj, int di) {
    double sum = 0;
    for (int k = 0; k < 12; ++k) {
      for (int j = 0; j < 40; ++j) {
        for (int i = 0; i < 50; ++i) sum += u(k, j, i) * other((k + dk) % 12, (j + dj) % 40, (i + di) % 50);
      }
    }
    return sum / (24000 * 0.75);
  };
  double const bound = 4 / std::sqrt(24000);
  EXPECT_NEAR(correlation(u, 0, 0, 0), 1, bound);
  EXPECT_LE(std::fabs(correlation(u, 0, 0, 1)), bound);
  EXPECT_LE(std::fabs(correlation(u, 0, 1, 0)), bound);
  EXPECT_LE(std::fabs(correlation(u, 1, 0, 0)), bound);
  for (Draw const other :
       {Draw{.seed = 4, .field = draw.field}, Draw{.seed = 3, .round = 1, .field = draw.field},
        Draw{.seed = 3, .field = name_key("v")}}) {
    auto field = reference(other);
    EXPECT_LE(std::fabs(correlation(field, 0, 0, 0)), bound);
  }
}

TEST(RandomStart, IsTheSameForAnyPartAndNumberOfThreads) {
  Draw const draw{.seed = 9, .field = 77};
  auto whole = noise<double>(6, 10, 12, draw, 0.25, 1, 4);
  EXPECT_EQ(noise<double>(6, 10, 12, draw, 0.25, 1, 4, 3).values, whole.values);
  auto single = noise<float>(6, 10, 12, draw, 0.25, 1, 4);
  Part<double> part(6, 4, 5);
  for_each(
      Host{2}, part.extent(),
      Noise<double>{
          {.seed = 9, .field = 77, .nx = 12, .ny = 10, .first_i = 7, .first_j = 6}, 0.25, 1, 4, part.rows()});
  for (int k = 0; k < 6; ++k) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(part(k, j, i), whole(k, j + 6, i + 7));
        EXPECT_NEAR(single(k, j + 6, i + 7), whole(k, j + 6, i + 7), 0x1p-24);  // twice rounded, below 1/2
      }
    }
  }
}

// A single peak becomes its own stencil; sums stay as long as nothing leaves through ground or lid.
TEST(StartFilter, IsTheSevenPointsOfPalm) {
  Part<double> peak(5, 6, 7), smooth(5, 6, 7);
  peak(2, 0, 6) = 12;
  peak.fill_halo();
  Smoothing<double> const pass{5, peak.rows(), smooth.rows()};
  for_each(Host{1}, peak.extent(), pass);
  for (int k = 0; k < 5; ++k) {
    for (int j = 0; j < 6; ++j) {
      for (int i = 0; i < 7; ++i) {
        int const away =
            std::abs(k - 2) + std::min(j, 6 - j) + std::min(std::abs(i - 6), 7 - std::abs(i - 6));
        EXPECT_EQ(smooth(k, j, i), away == 0 ? 6 : away == 1 ? 1 : 0) << k << ' ' << j << ' ' << i;
      }
    }
  }
  // At the ground and the lid nothing comes from beyond.
  Part<double> even(1, 3, 3);
  for (auto& value : even.values) value = 12;
  Part<double> result(1, 3, 3);
  for_each(Host{1}, even.extent(), Smoothing<double>{1, even.rows(), result.rows()});
  EXPECT_EQ(result(0, 1, 1), 10);
}

TEST(StartFilter, KeepsTheMeanInTwoPasses) {
  auto u = noise<double>(16, 12, 10, {.seed = 1}, 0.25, 3, 12);
  auto const before = u.sum();
  double squares = 0, squares_before = 0;
  for (auto const x : u.values) squares_before += x * x;
  Part<double> other(16, 12, 10);
  for (int pass = 0; pass < 2; ++pass) {
    u.fill_halo();
    for_each(Host{2}, u.extent(), Smoothing<double>{16, u.rows(), other.rows()});
    std::swap(u.values, other.values);
  }
  // Roundoff of 2 passes of 8 operations on 1200 numbers below 1, and of the sums.
  EXPECT_NEAR(u.sum(), before, 1200 * 20 * 0x1p-53);
  for (int k = 0; k < 16; ++k) {
    for (int j = 0; j < 12; ++j) {
      for (int i = 0; i < 10; ++i) squares += u(k, j, i) * u(k, j, i);
    }
  }
  EXPECT_LT(squares,
            0.3 * squares_before);  // white noise keeps the sum of squares of the twice applied stencil
  EXPECT_GT(squares, 0);
}

TEST(StartDisturbance, ComesOneCellAboveWallsOnly) {
  TownGrid grid{6, 5, 2, 2, {0, 2, 4, 6, 8, 10}};
  test::RandomValues random(5);
  std::vector<std::int32_t> top(30, 0);
  for (auto& t : top) t = std::int32_t(random.below(4));
  auto const maps = wall_maps(top, grid);
  Built const built{{maps.data() + 3 * 12 + 3, 11 * 12, 12}};
  for (auto const variable : {Variable::u, Variable::v}) {
    Part<double> added(5, 5, 6), wind(5, 5, 6), flat(5, 5, 6);
    for (auto& value : added.values) value = 1;
    for_each(Host{1}, wind.extent(), Disturbance<double, Built>{built, variable, added.rows(), wind.rows()});
    for_each(Host{1}, flat.extent(), Disturbance<double, Flat>{{}, variable, added.rows(), flat.rows()});
    for (int k = 0; k < 5; ++k) {
      for (int j = 0; j < 5; ++j) {
        for (int i = 0; i < 6; ++i) {
          auto const beside =
              variable == Variable::u ? top[grid.column(j, (i + 5) % 6)] : top[grid.column((j + 4) % 5, i)];
          auto const wall = std::max(top[grid.column(j, i)], beside);
          EXPECT_EQ(wind(k, j, i), k > wall ? 1 : 0) << k << ' ' << j << ' ' << i;
          EXPECT_EQ(flat(k, j, i), k > 0 ? 1 : 0);
        }
      }
    }
  }
}

TEST(RandomStart, ComputesFloatWithoutADoubleInIt) {
  auto plain = noise<float>(4, 5, 6, {.seed = 2}, 0.25, 0, 3);
  auto strict = noise<StrictFloat>(4, 5, 6, {.seed = 2}, 0.25, 0, 3);
  Part<float> smooth(4, 5, 6);
  Part<StrictFloat> strict_smooth(4, 5, 6);
  plain.fill_halo(), strict.fill_halo();
  for_each(Host{1}, plain.extent(), Smoothing<float>{4, plain.rows(), smooth.rows()});
  for_each(Host{1}, strict.extent(), Smoothing<StrictFloat>{4, strict.rows(), strict_smooth.rows()});
  for_each(Host{1}, plain.extent(), Disturbance<float, Flat>{{}, Variable::u, smooth.rows(), plain.rows()});
  for_each(Host{1}, plain.extent(),
           Disturbance<StrictFloat, Flat>{{}, Variable::u, strict_smooth.rows(), strict.rows()});
  for (std::size_t n = 0; n < plain.values.size(); ++n) EXPECT_EQ(float(strict.values[n]), plain.values[n]);
}

}  // namespace
}  // namespace ulpine::les
