// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/sound_coefficients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/exec/host.hpp"
#include "fdm/sound_columns.hpp"
#include "precision/quad.hpp"
#include "support/random_values.hpp"

namespace {

using namespace ulpine;
using fdm_test::SoundColumns;
using test::RandomValues;

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
class SoundIn : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(SoundIn, Types);

/// Against the formulas in 113 bits, sums taken as they come out of the derivation: from the roundings, at
/// most 6 for A and C, 9 for B, each of the sums' sizes.
TYPED_TEST(SoundIn, CoefficientsAreThoseOfTheFormulas) {
  using T = TypeParam;
  RandomValues random(1);
  SoundColumns<T> columns(random, 12, 5, 7);
  for_each(Host{}, columns.extent(), columns.kernel());
  float128 const unit = std::numeric_limits<T>::epsilon() / 2;
  for (std::int64_t at = 0; at < columns.levels * columns.plane(); ++at) {
    auto const n = static_cast<std::size_t>(at);
    auto const level = at / columns.plane();
    if (level < 2 || level > columns.levels - 3) {
      EXPECT_EQ(columns.a[n], T(-1));
      EXPECT_EQ(columns.b[n], T(-2));
      EXPECT_EQ(columns.c[n], T(-3));
      continue;
    }
    auto const down = static_cast<std::size_t>(at - columns.plane());
    float128 const p = float128(columns.factors.buoyancy) * columns.r[n] * columns.x5[n];
    float128 const q = float128(columns.factors.gradient) * columns.r[n] * columns.x4[n];
    float128 const plus = float128(columns.t1[n]) + columns.t2[n];
    float128 const minus = float128(columns.t1[n]) - columns.t2[n];
    float128 const plus_below = float128(columns.t1[down]) + columns.t2[down];
    float128 const minus_below = float128(columns.t1[down]) - columns.t2[down];
    float128 const b = 1 + (q + p) * plus + (p - q) * minus_below;
    float128 const size = (p + q) * (plus + plus_below);
    EXPECT_LE(math::abs(columns.a[n] - (p - q) * plus_below), 6 * unit * (p + q) * plus_below);
    EXPECT_LE(math::abs(columns.b[n] - b), 9 * unit * (1 + size));
    EXPECT_LE(math::abs(columns.c[n] - (p + q) * minus), 6 * unit * (p + q) * plus);
  }
}

TYPED_TEST(SoundIn, ClimbingHasTheBitsOfSinglePoints) {
  using T = TypeParam;
  RandomValues random(2);
  SoundColumns<T> columns(random, 23, 3, 5);
  auto climbed = columns;
  for_each(Host{}, columns.extent(), columns.kernel());
  auto const kernel = climbed.kernel();
  for (std::int32_t j = 0; j < 3; ++j) {
    for (std::int32_t i = 0; i < 5; ++i) {
      kernel.climb(i, j, 0, 4);
      kernel.climb(i, j, 4, 19);
    }
  }
  EXPECT_TRUE(same_bits(climbed.a, columns.a));
  EXPECT_TRUE(same_bits(climbed.b, columns.b));
  EXPECT_TRUE(same_bits(climbed.c, columns.c));
}

TYPED_TEST(SoundIn, TilesAlongEveryAxisHaveTheBitsOfAllAtOnce) {
  using T = TypeParam;
  RandomValues random(3);
  for (int trial = 0; trial < 60; ++trial) {
    auto const of = [&](std::size_t most) { return static_cast<std::int32_t>(1 + random.below(most)); };
    SoundColumns<T> columns(random, 4 + of(20), of(20), of(20));
    auto tiled = columns;
    for_each(Host{}, columns.extent(), columns.kernel());
    for (int axis = 0; axis < 3; ++axis) {
      Tiling tiling;
      tiling.positions = of(12);
      tiling.streams = of(4);
      run_tiled(Host{1}, tiled, axis, tiling,
                [](Host host, Extent3 extent, auto const& kernel) { for_each(host, extent, kernel); });
      auto const what = "trial " + std::to_string(trial) + ", axis " + std::to_string(axis);
      EXPECT_TRUE(same_bits(tiled.a, columns.a)) << what;
      EXPECT_TRUE(same_bits(tiled.b, columns.b)) << what;
      EXPECT_TRUE(same_bits(tiled.c, columns.c)) << what;
      for (auto* array : {&tiled.a, &tiled.b, &tiled.c}) {
        std::fill(array->begin() + 2 * tiled.plane(), array->end() - 2 * tiled.plane(), T(0));
      }
    }
  }
}

/// A number that counts what is done with it.
struct Counted {
  static inline int products = 0, sums = 0;
  double value = 0;
  Counted() = default;
  explicit Counted(double value) : value{value} {}
  friend Counted operator*(Counted a, Counted b) { return ++products, Counted(a.value * b.value); }
  friend Counted operator+(Counted a, Counted b) { return ++sums, Counted(a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return ++sums, Counted(a.value - b.value); }
};

TEST(Sound, CoefficientsTakeEightProductsAndTwelveSums) {
  std::vector<Counted> in(2, Counted(3)), a(2), b(2), c(2);
  auto const* const from = in.data();
  fdm::ArpsCoefficients<Counted> const kernel{
      {Counted(2), Counted(5)}, 1, 1, 1, from, from, from, from, from, a.data(), b.data(), c.data()};
  Counted::products = Counted::sums = 0;
  kernel(0, 0, 0);
  EXPECT_EQ(Counted::products, 8);
  EXPECT_EQ(Counted::sums, 12);
}

/// A column in 113 bits: an isothermal base state over uniform levels of J3 that differs from 1.
struct Column {
  int layers;
  float128 dzeta, implicit_step = float128(6) / 10;
  float128 const g = float128(98) / 10, gamma = float128(1004) / 717, gas = 287, temperature = 280;
  std::vector<float128> rho_star, pressure, j3, r;  // of layers but r, of levels

  explicit Column(int layers) : layers{layers}, dzeta{float128(12000) / layers} {
    for (int k = 0; k < layers; ++k) {
      auto const zeta = (k + float128(1) / 2) * dzeta;
      j3.push_back(float128(9) / 10 + zeta / 60000);
      pressure.push_back(100000 * math::exp(-g * zeta / (gas * temperature)));
      rho_star.push_back(pressure.back() / (gas * temperature) * j3.back());
    }
    for (int k = 0; k <= layers; ++k) r.push_back(1 + math::sin(float128(k) / layers) / 20);
  }
  float128 x1(int k) const { return rho_star[at(k)] / j3[at(k)]; }
  float128 x2(int k) const { return gamma * gas * temperature * rho_star[at(k)] / (j3[at(k)] * j3[at(k)]); }
  float128 x3(int k) const { return rho_star[at(k)] / pressure[at(k)]; }
  float128 x4(int level) const { return 2 / (rho_star[at(level)] + rho_star[at(level - 1)]); }
  float128 x5(int level) const { return 1 / (pressure[at(level)] + pressure[at(level - 1)]); }
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  /// What the pressure of layer k gains from a wind w of levels 0 (ground, 0) to `layers` (lid, 0).
  float128 pressure_gain(std::vector<float128> const& w, int k) const {
    auto const up = w[at(k + 1)], down = w[at(k)];
    return implicit_step * (g / 2 * x1(k) * (down + up) - x2(k) / dzeta * (up - down));
  }
  /// w less what it is accelerated by the pressure that it makes: the implicit side of the step for w. ARPS'
  /// approximation takes the pressure's weight as that of the level's mean; `strict` is that of section 6's
  /// explicit side, level by level.
  std::vector<float128> implicit(std::vector<float128> const& w, bool strict) const {
    auto result = w;
    for (int level = 1; level < layers; ++level) {
      auto const above = pressure_gain(w, level), below = pressure_gain(w, level - 1);
      auto const weight = strict ? g / (2 * gamma) * x4(level) * (x3(level) * above + x3(level - 1) * below)
                                 : g / gamma * x5(level) * (above + below);
      result[at(level)] += implicit_step * r[at(level)] * (x4(level) * (above - below) / dzeta + weight);
    }
    return result;
  }
  /// Entry (row, column) of the matrix of all inner levels, from unit winds.
  std::vector<std::vector<float128>> dense(bool strict) const {
    std::vector<std::vector<float128>> matrix(at(layers + 1), std::vector<float128>(at(layers + 1)));
    for (int column = 1; column < layers; ++column) {
      std::vector<float128> unit(at(layers + 1));
      unit[at(column)] = 1;
      auto const result = implicit(unit, strict);
      for (int row = 1; row < layers; ++row) matrix[at(row)][at(column)] = result[at(row)];
    }
    return matrix;
  }
};

struct Bands {
  std::vector<float128> a, b, c;
};
Bands bands_of(Column const& column) {
  auto const size = Column::at(column.layers + 1);
  std::vector<float128> x5(size), x4(size), t1(size), t2(size);
  for (int k = 0; k < column.layers; ++k) {
    t1[Column::at(k)] = column.g / 2 * column.x1(k);
    t2[Column::at(k)] = column.x2(k) / column.dzeta;
  }
  for (int level = 1; level < column.layers; ++level) {
    x5[Column::at(level)] = column.x5(level);
    x4[Column::at(level)] = column.x4(level);
  }
  Bands bands{std::vector<float128>(size), std::vector<float128>(size), std::vector<float128>(size)};
  auto const factors =
      fdm::ArpsFactors<float128>::of(column.implicit_step, column.g / column.gamma, column.dzeta);
  fdm::ArpsCoefficients<float128> const kernel{factors,
                                               1,
                                               1,
                                               1,
                                               column.r.data(),
                                               x5.data(),
                                               x4.data(),
                                               t1.data(),
                                               t2.data(),
                                               bands.a.data(),
                                               bands.b.data(),
                                               bands.c.data()};
  for_each(Host{}, Extent3{1, 1, column.layers - 1}, kernel);
  return bands;
}

TEST(Sound, CoefficientsAreTheDenseMatrixOfTheOperators) {
  Column const column(24);
  auto const bands = bands_of(column);
  auto const matrix = column.dense(false);
  auto const near = [](float128 const& a, float128 const& b) {
    return math::abs(a - b) <= 0x1p-104 * (1 + math::abs(b));
  };
  for (int row = 1; row < column.layers; ++row) {
    for (int k = 1; k < column.layers; ++k) {
      auto const n = Column::at(row);
      auto const entry = matrix[n][Column::at(k)];
      auto const band = k == row - 1   ? bands.a[n]
                        : k == row     ? bands.b[n]
                        : k == row + 1 ? bands.c[n]
                                       : float128(0);
      EXPECT_TRUE(near(entry, band)) << row << ", " << k << ": " << entry << " " << band;
    }
  }
}

/// The largest part of B - 1 that the approximation changes.
double change_of_diagonal(int layers) {
  Column const column(layers);
  auto const bands = bands_of(column);
  auto const strict = column.dense(true);
  float128 most = 0;
  for (int row = 1; row < layers; ++row) {
    auto const n = Column::at(row);
    most = std::max(most, math::abs((bands.b[n] - strict[n][n]) / (strict[n][n] - 1)));
  }
  return static_cast<double>(most);
}

TEST(Sound, ApproximatedBuoyancyIsOfSecondOrder) {
  auto const coarse = change_of_diagonal(24), fine = change_of_diagonal(48), finest = change_of_diagonal(96);
  EXPECT_GT(coarse, 1e-8);  // it is an approximation
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  EXPECT_NEAR(std::log2(fine / finest), 2, 0.05);
}

TEST(Sound, DiagonalDominates) {
  // An acoustic Courant number of up to 2: rows of |B| > |A| + |C|, as elimination without pivots wants.
  for (int const layers : {12, 24, 48, 96}) {
    Column column(layers);
    column.implicit_step = 2 * column.dzeta / 340;
    auto const bands = bands_of(column);
    for (int row = 1; row < layers; ++row) {
      auto const n = Column::at(row);
      EXPECT_GT(bands.b[n], 1);
      EXPECT_GT(bands.b[n], math::abs(bands.a[n]) + math::abs(bands.c[n])) << layers << ", " << row;
    }
  }
}

}  // namespace
