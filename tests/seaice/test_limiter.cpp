// SPDX-License-Identifier: Apache-2.0
// What limiting holds for any polynomial: bounds everywhere in the cell, no more cut than they ask for, the
// mean, nothing where nothing is too much; and the public code's factors.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/mesh/spaces.hpp"
#include "core/seaice/parts/limiting.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;

template <class Scalar, int unknowns>
struct Tracer {
  using Real = Scalar;
  static constexpr int dg = unknowns;
  using Polynomial = std::array<Real, unknowns>;

  /// Limited as `most` is 1 (concentration) or infinite (height).
  static Polynomial limited(Polynomial const& given, LimiterKind kind, bool has_most) {
    CellLattice const cells{1, 1};
    std::vector<Real> a(static_cast<std::size_t>(unknowns * cells.plane()), Real(0)), h(a);
    auto& values = has_most ? a : h;
    auto const at = [&](int mode) {
      return static_cast<std::size_t>(mode * cells.plane() + cells.index(0, 0));
    };
    for (int m = 0; m < unknowns; ++m) values[at(m)] = given[static_cast<std::size_t>(m)];
    auto const size = static_cast<std::int64_t>(a.size());
    Limiter<Real, Space<1, unknowns>>{cells, kind, {h.data(), size}, {a.data(), size}}(0, 0);
    Polynomial result;
    for (int m = 0; m < unknowns; ++m) result[static_cast<std::size_t>(m)] = values[at(m)];
    return result;
  }

  static long double value(Polynomial const& c, long double x, long double y) {
    long double const psi[6] = {1, x, y, x * x - 1 / 12.0L, y * y - 1 / 12.0L, x * y};
    long double sum = 0;
    for (int m = 0; m < unknowns; ++m) sum += psi[m] * c[static_cast<std::size_t>(m)];
    return sum;
  }
  struct Range {
    long double least, most;
  };
  /// Over a dense sample with the sides in it.
  static Range range(Polynomial const& c) {
    Range r{std::numeric_limits<long double>::infinity(), -std::numeric_limits<long double>::infinity()};
    int const n = unknowns == 1 ? 1 : 80;
    for (int j = 0; j <= n; ++j) {
      for (int i = 0; i <= n; ++i) {
        auto const v =
            value(c, static_cast<long double>(i) / n - 0.5L, static_cast<long double>(j) / n - 0.5L);
        r.least = std::min(r.least, v);
        r.most = std::max(r.most, v);
      }
    }
    return r;
  }
  /// Polynomials of all sizes, some of them flat, ridges, one-sided or saddles.
  static std::vector<Polynomial> polynomials() {
    std::mt19937_64 generator(5);
    std::uniform_real_distribution<double> mean(-0.3, 1.3), part(-1, 1), exponent(-6, 2);
    std::vector<Polynomial> all;
    for (int k = 0; k < 400; ++k) {
      Polynomial c;
      c[0] = static_cast<Real>(mean(generator));
      double const slopes = std::exp2(exponent(generator)), bends = std::exp2(exponent(generator));
      for (int m = 1; m < unknowns; ++m) {
        c[static_cast<std::size_t>(m)] = static_cast<Real>((m < 3 ? slopes : bends) * part(generator));
      }
      if constexpr (unknowns == 6) {
        switch (k % 8) {
          case 0:  // a ridge or valley: g^2 = 4 d e
            c[5] = Real(2) * std::sqrt(std::abs(c[3] * c[4]));
            c[4] = std::copysign(c[4], c[3]);
            break;
          case 1:  // a saddle
            c[4] = -c[3];
            break;
          case 2:  // a dome or bowl in the middle
            c[1] = c[2] = c[5] = Real(0);
            c[4] = c[3];
            break;
          case 3:  // no bends
            c[3] = c[4] = c[5] = Real(0);
            break;
          default:
            break;
        }
      }
      all.push_back(c);
    }
    return all;
  }
};

template <class T>
class LimitedPolynomials : public ::testing::Test {
 protected:
  using Real = typename T::Real;
  using Polynomial = typename T::Polynomial;
  static constexpr double unit = std::numeric_limits<Real>::epsilon() / 2;

  /// Of the sums that the limiter and a value are made of.
  static double size_of(Polynomial const& c) {
    double sum = 1;
    for (auto const part : c) sum += std::abs(static_cast<double>(part));
    return sum;
  }
  template <class Visit>
  static void for_all(Visit const& visit) {
    for (auto const& given : T::polynomials()) {
      for (bool const has_most : {false, true}) visit(given, has_most);
    }
  }
};

using Tracers = ::testing::Types<Tracer<double, 1>, Tracer<double, 3>, Tracer<double, 6>, Tracer<float, 1>,
                                 Tracer<float, 3>, Tracer<float, 6>>;
TYPED_TEST_SUITE(LimitedPolynomials, Tracers);

TYPED_TEST(LimitedPolynomials, KeepTheirBoundsEverywhereAndAreCutNoMoreThanThat) {
  int cut = 0, left = 0;
  this->for_all([&](auto const& given, bool has_most) {
    auto const most = has_most ? 1.0L : std::numeric_limits<long double>::infinity();
    auto const limited = TypeParam::limited(given, LimiterKind::exact, has_most);
    auto const range = TypeParam::range(limited), before = TypeParam::range(given);
    double const rounding = 32 * this->unit * this->size_of(limited);
    EXPECT_GE(range.least, -rounding);
    EXPECT_LE(range.most, most + rounding);
    auto const mean = std::min(std::max(static_cast<long double>(given[0]), 0.0L), most);
    EXPECT_EQ(limited[0], static_cast<typename TypeParam::Real>(mean)) << "the mean is clamped and else kept";
    if (before.least >= 0.01L && before.most <= most - 0.01L) {
      EXPECT_EQ(std::memcmp(limited.data(), given.data(), sizeof given), 0) << "nothing is too much";
      ++left;
    }
    // What was cut touches a bound: within what the sample's steps of 1/80 miss of a parabola's top.
    if (TypeParam::dg > 1 && limited[1] != given[1] && limited[0] > 0 && limited[0] < most) {
      auto const missed = static_cast<long double>(this->size_of(limited)) / (160 * 160) + rounding;
      EXPECT_TRUE(range.least < missed || range.most > most - missed)
          << static_cast<double>(range.least) << ' ' << static_cast<double>(range.most);
      ++cut;
    }
  });
  EXPECT_GT(left, 50);
  EXPECT_GT(cut, TypeParam::dg > 1 ? 100 : -1);
}

TYPED_TEST(LimitedPolynomials, AreScaledByOneFactor) {
  for (auto const kind : {LimiterKind::exact, LimiterKind::nextsim}) {
    this->for_all([&](auto const& given, bool has_most) {
      auto const limited = TypeParam::limited(given, kind, has_most);
      for (std::size_t m = 1; m < given.size(); ++m) {
        double const factor = given[1] != 0 ? static_cast<double>(limited[1]) / static_cast<double>(given[1])
                                            : std::numeric_limits<double>::quiet_NaN();
        if (std::isnan(factor)) continue;
        EXPECT_GE(factor, 0);
        EXPECT_LE(factor, 1 + 4 * this->unit);
        EXPECT_NEAR(limited[m], factor * given[m], 8 * this->unit * std::abs(static_cast<double>(given[m])));
      }
    });
  }
}

TYPED_TEST(LimitedPolynomials, StayAsTheyAreWhenLimitedAgain) {
  for (auto const kind : {LimiterKind::exact, LimiterKind::nextsim}) {
    this->for_all([&](auto const& given, bool has_most) {
      auto const once = TypeParam::limited(given, kind, has_most);
      auto const twice = TypeParam::limited(once, kind, has_most);
      EXPECT_EQ(twice[0], once[0]);
      double const rounding = 64 * this->unit * this->size_of(once);
      for (std::size_t m = 1; m < once.size(); ++m) EXPECT_NEAR(twice[m], once[m], rounding);
    });
  }
}

TYPED_TEST(LimitedPolynomials, HaveThePublicCodesFactorsWhereAskedFor) {
  using Polynomial = typename TypeParam::Polynomial;
  long double const out = std::sqrt(3 / 20.0L);
  // l of the specification: how far a polynomial leaves its mean, upwards and downwards.
  auto const reach = [&](Polynomial const& c, int sign) -> long double {
    if constexpr (TypeParam::dg == 3) {
      long double const a = c[1], b = c[2];
      return 2 * std::max(std::abs(a + b), std::abs(a - b));
    } else {
      long double most = -std::numeric_limits<long double>::infinity();
      for (int p = 0; p < 9; ++p) {
        most = std::max(most, sign * (TypeParam::value(c, out * (p % 3 - 1), out * (p / 3 - 1)) - c[0]));
      }
      return most;
    }
  };
  if (TypeParam::dg == 1) return;  // no slopes to scale
  this->for_all([&](auto const& given, bool has_most) {
    std::array<long double, 6> wanted{};
    auto const take = [&](long double factor) {
      for (std::size_t m = 1; m < given.size(); ++m) wanted[m] *= factor;
    };
    std::copy(given.begin(), given.end(), wanted.begin());
    auto now = given;
    if (has_most) {
      now[0] = std::min(now[0], typename TypeParam::Real(1));
      auto const l = reach(now, 1);
      if (now[0] + l > 1) take((1 - now[0]) / l);
      for (std::size_t m = 1; m < given.size(); ++m)
        now[m] = static_cast<typename TypeParam::Real>(wanted[m]);
    }
    now[0] = std::max(now[0], typename TypeParam::Real(0));
    auto const l = reach(now, -1);
    if (now[0] - l < 0) take(now[0] / l);
    auto const limited = TypeParam::limited(given, LimiterKind::nextsim, has_most);
    double const rounding = 64 * this->unit * this->size_of(given);
    for (std::size_t m = 1; m < given.size(); ++m) {
      EXPECT_NEAR(limited[m], static_cast<double>(wanted[m]), rounding) << m;
    }
  });
}

TYPED_TEST(LimitedPolynomials, TurnWithTheCell) {
  this->for_all([&](auto const& given, bool has_most) {
    auto const turned = [](auto c) {  // p(x, y) to p(y, -x)
      if constexpr (TypeParam::dg >= 3) {
        std::swap(c[1], c[2]);
        c[1] = -c[1];
      }
      if constexpr (TypeParam::dg == 6) {
        std::swap(c[3], c[4]);
        c[5] = -c[5];
      }
      return c;
    };
    auto const first = TypeParam::limited(turned(given), LimiterKind::exact, has_most);
    auto const last = turned(TypeParam::limited(given, LimiterKind::exact, has_most));
    double const rounding = 64 * this->unit * this->size_of(given);
    for (std::size_t m = 0; m < given.size(); ++m) EXPECT_NEAR(first[m], last[m], rounding) << m;
  });
}

}  // namespace
