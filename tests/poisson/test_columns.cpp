// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/poisson/column_solver.hpp"
#include "core/poisson/columns.hpp"
#include "poisson/discrete.hpp"
#include "support/random_values.hpp"

namespace {

using namespace ulpine;
using namespace poisson_test;

template <class T>
class PoissonColumns : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(PoissonColumns, Types);

TYPED_TEST(PoissonColumns, TakeReciprocalsWithinTwoUnits) {
  using T = TypeParam;
  test::RandomValues random(1);
  auto const check = [](T x) {
    EXPECT_LE(math::abs(float128(reciprocal(x)) * float128(x) - 1),
              float128(2) * std::numeric_limits<T>::epsilon())
        << double(x);
  };
  check(T(1));
  check(std::nextafter(T(2), T(1)));
  for (int i = 0; i < 100000; ++i) check(static_cast<T>(1 + random.uniform() * 0.9999999));
}

TYPED_TEST(PoissonColumns, NormaliseByPowersOfTwo) {
  using T = TypeParam;
  test::RandomValues random(2);
  int const most = std::numeric_limits<T>::max_exponent - 2;
  for (int i = 0; i < 1000; ++i) {
    auto const x = static_cast<T>(std::abs(random.ugly(-most, most)));
    auto const scaled = x * inverse_exponent(x);
    EXPECT_GE(scaled, T(1));
    EXPECT_LT(scaled, T(2));
    int exponent = 0;
    EXPECT_EQ(std::frexp(inverse_exponent(x), &exponent), T(0.5));
  }
}

/// Whatever the eigenvalue, factors have errors of rounding only: where pivots themselves were kept, those of
/// small eigenvalues would lose all digits. Held against pivots in 113 bits, whose own loss is harmless.
TYPED_TEST(PoissonColumns, LoseNoDigitsHoweverSmallTheEigenvalue) {
  using T = TypeParam;
  test::RandomValues random(3);
  for (double const eigenvalue : {1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    auto const lambda = static_cast<T>(eigenvalue);
    Elimination<T> elimination(T(0));
    float128 pivot = 0, below = 0;  // g[k] of the level below
    constexpr int levels = 300;
    for (int k = 0; k < levels; ++k) {
      auto const dz = static_cast<T>(random.between(0.5, 2));
      auto const g = k + 1 == levels ? T(0) : static_cast<T>(random.between(0.5, 2));
      float128 const reduced = k == 0 ? float128(0) : below - below * below / pivot;
      pivot = reduced + g + float128(lambda) * dz;
      auto const factors = elimination.next(lambda, dz, g);
      // The excess is a sum of k + 1 positive terms: an error of a few units for each.
      auto const bound = float128(8 * (k + 1)) * unit_roundoff<T>;
      EXPECT_LE(math::abs(factors.gain * pivot - 1), bound) << eigenvalue << " level " << k;
      EXPECT_LE(math::abs(factors.loss * pivot / (pivot - g) - 1), bound) << eigenvalue << " level " << k;
      below = g;
    }
  }
}

/// 1 + 2^-10 is 1 in bfloat16, as an operand of a product; not as a term of a sum.
TEST(PoissonSweeps, RoundOperandsOfProductsOnly) {
  using Step = Sweep<float, Bfloat16>;
  float const e = 0x1p-10f, x = 1 + e;
  EXPECT_EQ(Step::kept(x, 2), 2);
  EXPECT_EQ(Step::kept(2, x), 2);
  EXPECT_EQ(Step::outward(x, 0.5f, 0), 0.5f + e);
  EXPECT_EQ(Step::outward(2, x / 2, 0), 1);
  EXPECT_EQ(Step::outward(0, 1, x), x);
  EXPECT_EQ(Step::inward(x, 0.5f, 0, 0), 0.5f + e);
  EXPECT_EQ(Step::inward(2, x / 2, 0, 0), 1);
  EXPECT_EQ(Step::inward(0, 1, x, x), x * x) << "the right-hand side is no operand of a sweep";
}

/// Growth of 1e4 a level leaves the range of float after ten.
TYPED_TEST(PoissonColumns, DoNotOverflow) {
  using T = TypeParam;
  auto const g = uniform_poisson_grid(8, 8, 100, 1, 1, 40);
  auto const d = converted<T>(right_hand_side(g, 3));
  auto const exact = converted<float128>(d);
  auto const p = solve(g, exact);
  EXPECT_LT(relative_error(solve(g, d), p), rounding_bound(g, exact, p, unit_roundoff<T>));
}

/// Those of some wavenumbers have the bits of all, where rows of all levels lie together, too.
TYPED_TEST(PoissonColumns, HaveTheSameBitsWithRowsTogether) {
  using T = TypeParam;
  auto const g = stretched(12, 10, 21, false);
  test::RandomValues random(4);
  std::vector<T> values(static_cast<std::size_t>(g.plane() * g.nz));
  for (auto& value : values) value = static_cast<T>(random.normal());
  auto all = values;
  make_column_solver<T, Exact>(Host{1}, g)->solve(all.data());
  for (auto const& modes : {Modes{0, 7, true}, Modes{0, 3, true}, Modes{3, 4, true}, Modes{2, 4, false}}) {
    std::vector<T> part(static_cast<std::size_t>(2 * modes.count * g.ny * g.nz));
    auto const visit = [&](auto const& visit) {
      for_cells(uniform_poisson_grid(2 * modes.count, g.ny, g.nz, 1, 1, 1), [&](int k, int j, int i) {
        auto const line = modes.rows_together ? j * g.nz + k : k * g.ny + j;
        visit(part[static_cast<std::size_t>(line * 2 * modes.count + i)],
              static_cast<std::size_t>(k * g.plane() + j * 2 * g.modes_x() + 2 * modes.first + i));
      });
    };
    visit([&](T& value, std::size_t place) { value = values[place]; });
    make_column_solver<T, Exact>(Host{1}, g, modes, ColumnPasses::fewest)->solve(part.data());
    int wrong = 0;
    visit([&](T& value, std::size_t place) { wrong += value == all[place] ? 0 : 1; });
    EXPECT_EQ(wrong, 0) << modes.count << " from " << modes.first;
  }
}

/// The real and the imaginary part are columns of their own, and no wavenumber hears of another.
TYPED_TEST(PoissonColumns, AreIndependent) {
  using T = TypeParam;
  auto const g = stretched(12, 10, 21, false);
  auto const columns = make_column_solver<T, Exact>(Host{2}, g);
  test::RandomValues random(4);
  std::vector<T> values(static_cast<std::size_t>(g.plane() * g.nz));
  for (auto& value : values) value = static_cast<T>(random.normal());
  auto all = values;
  columns->solve(all.data());
  for (std::size_t const one : {0, 1, 2, 13, 50, 139}) {
    std::vector<T> alone(values.size(), T(0));
    for (std::size_t i = one; i < values.size(); i += static_cast<std::size_t>(g.plane())) {
      alone[i] = values[i];
    }
    columns->solve(alone.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      bool const in_column = i % static_cast<std::size_t>(g.plane()) == one;
      EXPECT_EQ(alone[i], in_column ? all[i] : T(0)) << one << ", " << i;
    }
  }
}

}  // namespace
