// SPDX-License-Identifier: Apache-2.0
// The implicit step of w and p' in a column against the two equations it solves, and its energy.
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fdm/base_state.hpp"
#include "core/fdm/sound.hpp"
#include "support/random_values.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;

constexpr std::int32_t nz = 9;
constexpr double dzeta = 400;

/// One column of unequal levels in air of N = 0.01 s-1, all in R.
template <class R>
class Column {
 public:
  explicit Column(double implicitness, double length = 3, bool arps = false) : arps_{arps} {
    heights_ = {1, 1, nz, 1000, 1000, dzeta, {0}, nz * dzeta, {}};
    for (std::int32_t k = 0; k < nz; ++k) heights_.levels.push_back(heights_.levels.back() + 240 + 40 * k);
    AnalyticProfile air;
    air.kind = AnalyticProfile::Kind::constant_frequency;
    BaseState const base(make_profile<double>(air), heights_.levels.back());
    MetricRows rows(heights_, base, [](double) { return 0.0; });
    rows.move_to(0);
    for (std::int32_t k = -halo; k <= nz + halo; ++k) {
      auto const all = rows.at(k, 0);
      for (std::int32_t m = 0; m < static_cast<std::int32_t>(Metric::level_count); ++m) {
        levels_.push_back(static_cast<R>(all.at[m]));
      }
    }
    step_ = {static_cast<R>(length),
             static_cast<R>(implicitness),
             0,
             0,
             R(98) / R(10),
             R(98) / R(10) * R(717) / (R(2) * R(1004))};
    for (auto* values : {&u, &w, &p, &divergence, &rate_w, &rate_p, &below, &here, &above}) {
      values->assign((nz + 1) * 4, R(0));
    }
  }

  Grid<R> grid() const { return {1, 1, nz, R(1) / R(1000), R(1) / R(1000), R(1) / R(dzeta), 4, 2}; }
  Flat<R> ground() const { return {levels_.data()}; }
  SmallStep<R> step() const { return step_; }
  R at(Metric metric, std::int32_t k) const { return ground().at(metric, k, 0, 0); }
  ImplicitCoefficients<R, Flat<R>> equation() const { return {grid(), ground(), step_, {}, arps_}; }
  R& of(std::vector<R>& values, std::int32_t k) const { return values[static_cast<std::size_t>(4 * k)]; }
  R of(std::vector<R> const& values, std::int32_t k) const { return values[static_cast<std::size_t>(4 * k)]; }

  template <FactorSource source>
  void advance() {
    Coefficients<R> const all{{below.data(), 4, 2}, {here.data(), 4, 2}, {above.data(), 4, 2}};
    if (source != FactorSource::fused) {
      for (std::int32_t k = 0; k + 1 < nz; ++k) SoundCoefficients<R, Flat<R>>{equation(), all}(0, 0, k);
    }
    if (source == FactorSource::kept) SoundFactors<R>{nz, all}(0, 0);
    Rows<R> const still{u.data(), 4, 2};
    Deviations<R> const now{still, still, {w.data(), 4, 2}, {p.data(), 4, 2}, {}, {divergence.data(), 4, 2}};
    Rates<R> const rates{{}, {}, {rate_w.data(), 4, 2}, {rate_p.data(), 4, 2}, {}};
    SoundSolve<R, Flat<R>, source>{equation(), all, now, rates}(0, 0);
  }
  void disturb(unsigned seed) {
    test::RandomValues random(seed);
    auto const part = [&] { return random.between(-1, 1); };
    for (std::int32_t k = 0; k < nz; ++k) {
      of(p, k) = static_cast<R>(100 * part());
      of(rate_p, k) = static_cast<R>(part());
      if (k == 0) continue;
      of(w, k) = static_cast<R>(part());
      of(rate_w, k) = static_cast<R>(0.01 * part());
    }
  }
  /// Kinetic energy and that of compression, J m-2 over dzeta.
  R energy() const {
    R sum = 0;
    for (std::int32_t k = 0; k < nz; ++k) {
      sum += of(p, k) * of(p, k) / at(Metric::stiffness, k) + at(Metric::mass_w, k) * of(w, k) * of(w, k);
    }
    return sum / R(2);
  }

  std::vector<R> u, w, p, divergence, rate_w, rate_p, below, here, above;

 private:
  Heights heights_;
  std::vector<R> levels_;
  SmallStep<R> step_;
  bool arps_;
};

/// What w at faces k and k + 1 does to p' of cell k per second: -rho c^2 dw/dz + rho g w. The metrics are the
/// column's own, so that only what is made of them is tested here.
template <class R>
R pressed(Column<R> const& column, std::int32_t k, R w, R upper) {
  return column.at(Metric::density, k) * (R(98) / R(10)) * (w + upper) / R(2) -
         column.at(Metric::stiffness, k) * (upper - w) / R(dzeta);
}
/// What p' of two cells does to w of the face between them per second: -(dp/dz + rho g p / (gamma p_0)) /
/// rho.
template <class R>
R pushed(Column<R> const& column, std::int32_t k, R lower, R p) {
  auto const weight = [&](std::int32_t cell, R value) {
    return column.at(Metric::mass, cell) * value * column.at(Metric::per_pressure, cell);
  };
  auto const gravity = R(98) / R(10) * R(717) / R(1004) * (weight(k, p) + weight(k - 1, lower)) / R(2);
  return -((p - lower) / R(dzeta) + gravity) * column.at(Metric::per_mass_w, k);
}

TEST(ImplicitSound, HasTheCoefficientsOfItsTwoEquations) {
  Column<float128> const column(0.6);
  auto const scale = float128(0.6) * float128(3);
  // Row k of w+ - beta dt pushed(beta dt pressed(w+)), one unit w at a time.
  for (std::int32_t unit = 0; unit <= nz; ++unit) {
    auto const w = [&](std::int32_t k) { return float128(k == unit ? 1 : 0); };
    for (std::int32_t k = 1; k < nz; ++k) {
      auto const change = [&](std::int32_t cell) {
        return scale * pressed(column, cell, w(cell), w(cell + 1));
      };
      auto const wanted = w(k) - scale * pushed(column, k, change(k - 1), change(k));
      auto const found = column.equation()(k, 0, 0);
      auto const coefficient = unit == k - 1   ? found.below
                               : unit == k     ? found.here
                               : unit == k + 1 ? found.above
                                               : float128(0);
      EXPECT_LT(abs(static_cast<double>(coefficient - wanted)), 1e-31) << k << " " << unit;
    }
  }
}

/// Largest residual of the two equations over what their terms are, in units of the last place of R.
template <class R, FactorSource source>
double residual(double implicitness, unsigned seed, double unit) {
  Column<R> column(implicitness);
  column.disturb(seed);
  auto const before = column;
  column.template advance<source>();
  auto const beta = float128(implicitness), length = float128(3);
  Column<float128> exact(implicitness);
  auto const of = [&](std::vector<R> const& values, std::int32_t k) {
    return float128(values[static_cast<std::size_t>(4 * k)]);
  };
  double worst = 0;
  auto const note = [&](float128 left, std::initializer_list<float128> terms) {
    float128 sum = 0, size = abs(left);
    for (auto const& term : terms) {
      sum += term;
      size += abs(term);
    }
    worst = std::max(worst, static_cast<double>(abs(left - sum) / size) / unit);
  };
  for (std::int32_t k = 0; k < nz; ++k) {
    note(of(column.p, k), {of(before.p, k), length * of(before.rate_p, k),
                           length * (1 - beta) * pressed(exact, k, of(before.w, k), of(before.w, k + 1)),
                           length * beta * pressed(exact, k, of(column.w, k), of(column.w, k + 1))});
    if (k == 0) continue;
    auto const at = [&](std::int32_t cell) {
      return of(before.p, cell) + beta * (of(column.p, cell) - of(before.p, cell));
    };
    note(of(column.w, k),
         {of(before.w, k), length * of(before.rate_w, k), length * pushed(exact, k, at(k - 1), float128(0)),
          length * pushed(exact, k, float128(0), at(k))});
  }
  return worst;
}

TEST(ImplicitSound, SolvesItsTwoEquations) {
  // A diagonally dominant system of nz equations by elimination, some ten roundings an equation.
  auto const bound = 10.0 * nz;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (double const beta : {0.5, 0.6, 1.0}) {
      EXPECT_LT((residual<double, FactorSource::kept>(beta, seed, 0x1p-53)), bound) << seed << " " << beta;
      EXPECT_LT((residual<float, FactorSource::fused>(beta, seed, 0x1p-24)), bound) << seed << " " << beta;
      EXPECT_LT((residual<float128, FactorSource::stored>(beta, seed, 0x1p-112)), bound)
          << seed << " " << beta;
    }
  }
}

/// Rows of the system for w(1) to w(nz - 1) of a column, with the columns of w(0) and w(nz): of its two
/// equations, one unit w at a time, or ARPS' from loop_14's arrays.
std::vector<std::vector<float128>> matrix(Column<float128> const& column, bool arps) {
  auto const scale = column.step().implicitness * column.step().length;
  std::vector<std::vector<float128>> rows(nz + 1, std::vector<float128>(nz + 1, float128(0)));
  if (!arps) {
    for (std::int32_t unit = 0; unit <= nz; ++unit) {
      auto const w = [&](std::int32_t k) { return float128(k == unit ? 1 : 0); };
      auto const change = [&](std::int32_t cell) {
        return scale * pressed(column, cell, w(cell), w(cell + 1));
      };
      for (std::int32_t k = 1; k < nz; ++k) {
        rows[static_cast<std::size_t>(k)][static_cast<std::size_t>(unit)] =
            w(k) - scale * pushed(column, k, change(k - 1), change(k));
      }
    }
    return rows;
  }
  std::vector<float128> r(nz, 1), x5(nz), x4(nz), t1(nz), t2(nz), a(nz), b(nz), c(nz);
  for (std::int32_t k = 0; k < nz; ++k) {
    auto const n = static_cast<std::size_t>(k);
    t1[n] = column.step().gravity / 2 * column.at(Metric::density, k);
    t2[n] = column.at(Metric::stiffness, k) / dzeta;
    x4[n] = column.at(Metric::per_mass_w, k);
    x5[n] = 1 / (column.at(Metric::pressure, k) + column.at(Metric::pressure, k - 1));
  }
  ArpsCoefficients<float128> const kernel{
      ArpsFactors<float128>::of(scale, 2 * column.step().gravity_per_two_gamma, dzeta),
      1,
      1,
      1,
      r.data(),
      x5.data(),
      x4.data(),
      t1.data(),
      t2.data(),
      a.data(),
      b.data(),
      c.data()};
  kernel.climb(0, 0, 0, nz - 1);
  for (std::size_t k = 1; k < nz; ++k) {
    rows[k][k - 1] = a[k];
    rows[k][k] = b[k];
    rows[k][k + 1] = c[k];
  }
  return rows;
}
/// A dense system's solution by elimination with pivots; w(0) and w(nz) are 0.
std::vector<float128> dense_solution(std::vector<std::vector<float128>> rows, std::vector<float128> right) {
  auto const magnitude = [](float128 x) { return x < 0 ? -x : x; };
  for (std::size_t k = 1; k < nz; ++k) {
    auto pivot = k;
    for (auto n = k; n < nz; ++n) {
      if (magnitude(rows[n][k]) > magnitude(rows[pivot][k])) pivot = n;
    }
    std::swap(rows[k], rows[pivot]);
    std::swap(right[k], right[pivot]);
    for (std::size_t n = 1; n < nz; ++n) {
      if (n == k) continue;
      auto const factor = rows[n][k] / rows[k][k];
      for (auto m = k; m < nz; ++m) rows[n][m] -= factor * rows[k][m];
      right[n] -= factor * right[k];
    }
  }
  for (std::size_t k = 1; k < nz; ++k) right[k] /= rows[k][k];
  return right;
}

/// Largest difference of w from a dense solution in 113 bits over the largest w, in units of the last place.
template <class R>
double off_dense(bool arps, double implicitness, unsigned seed, double unit) {
  Column<R> column(implicitness, 3, arps);
  column.disturb(seed);
  auto const before = column;
  column.template advance<FactorSource::kept>();
  Column<float128> const exact(implicitness, 3, arps);
  float128 const length = 3, beta = exact.step().implicitness;
  std::vector<float128> right(nz + 1, float128(0)), upper(nz);
  auto const of = [&](std::vector<R> const& values, std::int32_t k) {
    return float128(values[static_cast<std::size_t>(4 * k)]);
  };
  for (std::int32_t k = 0; k < nz; ++k) {
    auto const change = length * of(before.rate_p, k) +
                        length * (1 - beta) * pressed(exact, k, of(before.w, k), of(before.w, k + 1));
    upper[static_cast<std::size_t>(k)] = of(before.p, k) + beta * change;
    if (k == 0) continue;
    auto const n = static_cast<std::size_t>(k);
    right[n] = of(before.w, k) + length * (of(before.rate_w, k) + pushed(exact, k, upper[n - 1], upper[n]));
  }
  auto const wanted = dense_solution(matrix(exact, arps), right);
  double worst = 0, size = 0;
  for (std::int32_t k = 1; k < nz; ++k) {
    auto const value = wanted[static_cast<std::size_t>(k)];
    worst = std::max(worst, abs(static_cast<double>(of(column.w, k) - value)));
    size = std::max(size, abs(static_cast<double>(value)));
  }
  return worst / size / unit;
}

TEST(ImplicitSound, OfEitherFormIsTheDenseSolution) {
  // Rows are diagonally dominant to (beta c dt / dz)^2 = 20: the terms of a right-hand side, p' of 100 Pa
  // over dz and rho, are some 5 times w after it, and each of nz equations rounds some ten times.
  auto const bound = 5 * 10.0 * nz;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (double const beta : {0.5, 0.6, 1.0}) {
      for (bool const arps : {false, true}) {
        EXPECT_LT(off_dense<double>(arps, beta, seed, 0x1p-53), bound) << seed << " " << beta << arps;
        EXPECT_LT(off_dense<float128>(arps, beta, seed, 0x1p-112), bound) << seed << " " << beta << arps;
      }
    }
  }
}

TEST(ImplicitSound, InArpsFormGainsNoEnergy) {
  // Its coefficients differ from those of the two equations where pressure curves, so that energy is not kept
  // to rounding; off the centre what sound loses is far more.
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (double const beta : {0.6, 1.0}) {
      for (double const length : {0.3, 3.0, 30.0}) {
        Column<double> column(beta, length, true);
        column.disturb(seed);
        for (auto* rates : {&column.rate_w, &column.rate_p}) rates->assign(rates->size(), 0);
        auto const start = column.energy();
        for (int step = 0; step < 2000; ++step) column.advance<FactorSource::kept>();
        EXPECT_LE(column.energy(), start) << beta << " " << length;
      }
    }
  }
}

TEST(ImplicitSound, HasTheSameBitsWhereverItsFactorsComeFrom) {
  Column<double> kept(0.6, 3, true), stored(0.6, 3, true), fused(0.6, 3, true);
  for (auto* column : {&kept, &stored, &fused}) column->disturb(7);
  for (int step = 0; step < 5; ++step) {
    kept.advance<FactorSource::kept>();
    stored.advance<FactorSource::stored>();
    fused.advance<FactorSource::fused>();
  }
  EXPECT_EQ(kept.w, stored.w);
  EXPECT_EQ(kept.p, stored.p);
  EXPECT_EQ(kept.w, fused.w);
  EXPECT_EQ(kept.p, fused.p);
}

TEST(ImplicitSound, KeepsItsEnergyWhenCentredAndNeverGainsAny) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (double const beta : {0.5, 0.55, 0.6, 1.0}) {
      Column<double> column(beta);
      column.disturb(seed);
      for (auto* rates : {&column.rate_w, &column.rate_p}) rates->assign(rates->size(), 0);
      auto const start = column.energy();
      auto before = start;
      for (int step = 0; step < 300; ++step) {
        column.advance<FactorSource::kept>();
        auto const now = column.energy();
        // Each step rounds some ten times the terms of each of 2 nz squares.
        EXPECT_LE(now, before * (1 + 40 * nz * 0x1p-53)) << beta << " " << step;
        if (beta == 0.5) {
          EXPECT_GE(now, before * (1 - 40 * nz * 0x1p-53)) << step;
        }
        before = now;
      }
      // A p' in hydrostatic balance stays.
      if (beta >= 0.6) {
        EXPECT_LT(before, 0.5 * start) << "nothing was damped";
      }
      EXPECT_GT(before, 0) << "all has gone";
    }
  }
}

}  // namespace
