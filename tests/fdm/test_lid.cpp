// SPDX-License-Identifier: Apache-2.0
// The radiative lid's part of a small step against a dense system of all columns.
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <boost/math/constants/constants.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fdm/lid.hpp"
#include "core/fdm/lid_impedance.hpp"
#include "core/fdm/lid_phases.hpp"
#include "core/fdm/space.hpp"
#include "support/random_values.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;

constexpr std::int32_t nx = 5, ny = 4, nz = 5;
constexpr double dx = 3000, dy = 2000, dz = 600;

double magnitude(float128 x) { return std::abs(static_cast<double>(x)); }

/// Columns of stable air at random, in R, and the kernels of a small step of theirs. Where theta' goes with
/// the sound, `theta` counts.
template <class R, template <class> class Ground>
class Columns {
 public:
  explicit Columns(double implicitness, bool with_theta, std::string const& more = "")
      : p(io::CaseFile::parse("core = 'fdm'\n[grid]\nnx = 5\nny = 4\nnz = 5\ndx = 3000.0\ndy = 2000.0\ndz = "
                              "600.0\n[base]\nkind = 'constant_n'\n[lid]\nkind = 'radiative'\n" +
                                  more,
                              "air.toml")),
        heights(p.heights()),
        base(p.base, p.top()),
        space(Host{}, p, heights, base),
        with_theta_{with_theta},
        steps_(p, 1) {
    auto const g = R(98) / R(10), gamma2 = g * R(717) / (R(2) * R(1004));
    step = {R(3), static_cast<R>(implicitness), R(0), R(4000), g, gamma2};
    physics = {g, gamma2, R(717) / R(1004), R(0), R(0), step.damping_v, 2, 2};
    for (auto* rows : {&u, &w, &p_, &divergence, &rate_w, &rate_p, &theta, &start_w, &start_p, &start_theta,
                       &start_divergence, &below, &here, &above}) {
      *rows = empty();
    }
    known = plane(nx);
    waves = plane(2 * (nx / 2 + 1));
    air = air_at_lid(heights, base);
  }
  void disturb(unsigned seed) {
    test::RandomValues random(seed);
    auto const put = [&](Rows<R> const& rows, double size, std::int32_t k, std::int32_t j, std::int32_t i) {
      rows(k, j, i) = static_cast<R>(random.between(-size, size));
    };
    for (std::int32_t k = 0; k <= nz; ++k) {
      for (std::int32_t j = 0; j < ny; ++j) {
        for (std::int32_t i = 0; i < nx; ++i) {
          if (k > 0) put(w, 0.1, k, j, i);
          if (k > 0 && k < nz) put(rate_w, 0.01, k, j, i);
          if (k == nz) put(start_w, 1, k, j, i);
          if (k == nz) continue;
          put(p_, 10, k, j, i);
          put(rate_p, 1, k, j, i);
          put(divergence, 1e-4, k, j, i);
          put(theta, 0.1, k, j, i);
          put(start_p, 100, k, j, i);
          put(start_theta, 1, k, j, i);
          put(start_divergence, 1e-3, k, j, i);
        }
      }
    }
  }
  void advance() {
    ImplicitCoefficients<R, Ground<R>> const equation{space.grid, space.ground(), step, {}, false};
    Coefficients<R> const all{below, here, above};
    for_each(Host{}, Extent3{nx, ny, nz - 1}, SoundCoefficients<R, Ground<R>>{equation, all});
    Extent2 const columns{nx, ny};
    for_each(Host{}, columns, SoundFactors<R>{nz, all});
    Air<R> const state{u, u, u, start_p, start_theta, {}, {}, {}},
        start{u, u, start_w, start_p, {}, {}, {}, {}};
    for_each(Host{}, columns,
             LidStart<R, R, Ground<R>>{
                 space.grid, space.ground(), physics, state, start, start_divergence, {}, known});
    Deviations<R> const now{u, u, w, p_, u, divergence};
    SoundSolve<R, Ground<R>, FactorSource::kept> solve{equation, all, now, {{}, {}, rate_w, rate_p, {}}};
    solve.part = SolvePart::elimination;
    for_each(Host{}, columns, solve);
    R stiffness = 0;
    BelowLid<R, Ground<R>> const below_lid{equation, above};
    for_each(Host{}, Extent2{1, 1}, LidStiffness<R, R, Ground<R>>{below_lid, &stiffness});
    for_each(Host{}, columns,
             LidRight<R, R, Ground<R>>{below_lid, now, with_theta_ ? Rows<R const>(theta) : Rows<R const>{},
                                       known, start_w, &stiffness, waves});
    PoissonGrid plane;
    plane.nx = nx;
    plane.ny = ny;
    plane.nz = 1;
    PoissonShare const all_of_it{Blocks(nx, ny, nullptr, 1, "the lid"), waves.row * ny, waves.row};
    make_lid_phases<R>(Host{}, plane, all_of_it, std::make_shared<Link<Host>>(Host{}, nullptr),
                       lid_impedance(heights, air), &stiffness)
        ->solve(waves.first);
    for_each(Host{}, columns, LidWind<R, R>{nz, waves, start_w, w});
    solve.part = SolvePart::substitution;
    for_each(Host{}, columns, solve);
  }
  std::vector<R> wind_at_lid() const {
    std::vector<R> all;
    for (std::int32_t n = 0; n < nx * ny; ++n) all.push_back(w(nz, n / nx, n % nx));
    return all;
  }
  void set_wind_at_lid(std::vector<R> const& all) {
    for (std::int32_t n = 0; n < nx * ny; ++n) w(nz, n / nx, n % nx) = all[static_cast<std::size_t>(n)];
  }

  Parameters p;
  Heights heights;
  BaseState base;
  Space<R, Ground, Host> space;
  SmallStep<R> step;
  Physics<R> physics;
  AirAtLid air{};
  Rows<R> u, w, p_, divergence, rate_w, rate_p, theta, start_w, start_p, start_theta, start_divergence, below,
      here, above, known, waves;

 private:
  Rows<R> empty() {
    fields_.emplace_back(static_cast<std::size_t>(steps_.allocated), R(0));
    return {fields_.back().data() + steps_.offset, steps_.plane, steps_.row};
  }
  Rows<R> plane(std::int32_t row) {
    fields_.emplace_back(static_cast<std::size_t>(row * ny), R(0));
    return {fields_.back().data(), row * ny, row};
  }
  bool with_theta_;
  HaloSteps steps_;
  std::deque<std::vector<R>> fields_;
};

/// The coupled system of w(1) to w(nz) of all columns in 113 bits, from the equations themselves.
template <template <class> class Ground>
class Dense {
  using Q = float128;

 public:
  explicit Dense(Columns<Q, Ground> const& columns, bool with_theta) : c_{columns}, with_theta_{with_theta} {
    // Circulant: the inverse transform of Z for each distance of two columns.
    auto const impedance = lid_impedance(c_.heights, c_.air);
    auto const turn = 2 * boost::math::constants::pi<Q>();
    relation_.resize(nx * ny);
    for (std::int32_t n = 0; n < ny; ++n) {
      for (std::int32_t m = 0; m < nx; ++m) {
        auto const mirrored = 2 * m > nx;
        auto const row = mirrored ? (ny - n) % ny : n, number = mirrored ? nx - m : m;
        auto const z = Q(impedance[static_cast<std::size_t>(row * (nx / 2 + 1) + number)]);
        for (std::int32_t j = 0; j < ny; ++j) {
          for (std::int32_t i = 0; i < nx; ++i) {
            auto const phase = turn * (Q(m * i) / Q(nx) + Q(n * j) / Q(ny));
            relation_[static_cast<std::size_t>(j * nx + i)] += z * math::cos(phase) / Q(nx * ny);
          }
        }
      }
    }
  }
  /// w at the end, w(k) of column c at c nz + k - 1.
  std::vector<Q> solution() const {
    std::size_t const size = nx * ny * nz;
    std::vector<Q> unknown(size);
    auto const right = residual(unknown);
    std::vector<std::vector<Q>> rows(size, std::vector<Q>(size + 1));
    for (std::size_t n = 0; n < size; ++n) {
      unknown[n] = 1;
      auto const with = residual(unknown);
      unknown[n] = 0;
      for (std::size_t row = 0; row < size; ++row) rows[row][n] = with[row] - right[row];
      rows[n][size] = -right[n];
    }
    for (std::size_t n = 0; n < size; ++n) {
      auto pivot = n;
      for (auto row = n; row < size; ++row) {
        if (magnitude(rows[row][n]) > magnitude(rows[pivot][n])) pivot = row;
      }
      std::swap(rows[n], rows[pivot]);
      for (std::size_t row = n + 1; row < size; ++row) {
        if (rows[row][n] == 0) continue;
        auto const factor = rows[row][n] / rows[n][n];
        for (auto m = n; m <= size; ++m) rows[row][m] -= factor * rows[n][m];
      }
    }
    for (auto n = size; n-- > 0;) {
      auto value = rows[n][size];
      for (auto m = n + 1; m < size; ++m) value -= rows[n][m] * unknown[m];
      unknown[n] = value / rows[n][n];
    }
    return unknown;
  }

 private:
  Q at(Metric metric, std::int32_t k, std::int32_t j, std::int32_t i) const {
    return c_.space.ground().at(metric, k, j, i);
  }
  /// What is left of each equation with this w at the end.
  std::vector<Q> residual(std::vector<Q> const& after) const {
    std::vector<Q> rest(after.size()), pressure(nx * ny), wind(nx * ny);
    auto const dzeta = 1 / c_.space.grid.per_dzeta, g = c_.step.gravity, gamma = Q(1004) / Q(717),
               beta = c_.step.implicitness, length = c_.step.length, damping = c_.step.damping_v;
    Q mean_pressure = 0, mean_wind = 0;
    for (std::int32_t j = 0; j < ny; ++j) {
      for (std::int32_t i = 0; i < nx; ++i) {
        auto const column = static_cast<std::size_t>(j * nx + i);
        auto const w = [&](std::int32_t k) {
          return k == 0 ? Q(0) : after[column * nz + static_cast<std::size_t>(k) - 1];
        };
        auto const pressed = [&](std::int32_t k, Q low, Q high) {
          return at(Metric::density, k, j, i) * g * (low + high) / 2 -
                 at(Metric::stiffness, k, j, i) * (high - low) / dzeta;
        };
        auto const end = [&](std::int32_t k) {
          return c_.p_(k, j, i) +
                 length * (c_.rate_p(k, j, i) + (1 - beta) * pressed(k, c_.w(k, j, i), c_.w(k + 1, j, i)) +
                           beta * pressed(k, w(k), w(k + 1)));
        };
        auto const heavy = [&](std::int32_t k, Q p) {
          return at(Metric::mass, k, j, i) * g * p / (2 * gamma) * at(Metric::per_pressure, k, j, i);
        };
        for (std::int32_t k = 1; k < nz; ++k) {
          auto const middle = [&](std::int32_t cell) {
            return c_.p_(cell, j, i) + beta * (end(cell) - c_.p_(cell, j, i));
          };
          auto const damped = damping * (c_.divergence(k, j, i) - c_.divergence(k - 1, j, i));
          auto const force = (middle(k) - middle(k - 1) - damped) / dzeta + heavy(k, middle(k)) +
                             heavy(k - 1, middle(k - 1));
          rest[column * nz + static_cast<std::size_t>(k) - 1] =
              w(k) - c_.w(k, j, i) - length * (c_.rate_w(k, j, i) - force * at(Metric::per_mass_w, k, j, i));
        }
        auto const top = nz - 1;
        auto const p = c_.start_p(top, j, i) + end(top);
        auto theta = c_.start_theta(top, j, i);
        if (with_theta_) theta += c_.theta(top, j, i);
        // Hydrostatic over half a level: its mass times gravity, less what p' makes it heavier.
        pressure[column] =
            p - dzeta * heavy(top, p) -
            damping * (c_.start_divergence(top, j, i) + c_.divergence(top, j, i)) +
            dzeta / 2 * at(Metric::mass, top, j, i) * g * theta * at(Metric::per_theta, top, j, i);
        wind[column] = c_.start_w(nz, j, i) + w(nz);
        mean_pressure += pressure[column] / (nx * ny);
        mean_wind += wind[column] / (nx * ny);
      }
    }
    for (std::int32_t j = 0; j < ny; ++j) {
      for (std::int32_t i = 0; i < nx; ++i) {
        auto const column = static_cast<std::size_t>(j * nx + i);
        Q related = 0;
        for (std::int32_t y = 0; y < ny; ++y) {
          for (std::int32_t x = 0; x < nx; ++x) {
            related += relation_[static_cast<std::size_t>((j - y + ny) % ny * nx + (i - x + nx) % nx)] *
                       wind[static_cast<std::size_t>(y * nx + x)];
          }
        }
        // Of the mean: no wind, whatever the pressure.
        rest[column * nz + nz - 1] = related - (pressure[column] - mean_pressure) + mean_wind;
      }
    }
    return rest;
  }

  Columns<Q, Ground> const& c_;
  bool with_theta_;
  std::vector<Q> relation_;
};

/// Largest difference of w from the dense solution over the largest w; `again`: steps that start from the
/// same state but for w at the lid, which is what the last one found.
template <class R, template <class> class Ground>
double off_dense(double implicitness, unsigned seed, bool with_theta, std::string const& more = "",
                 int again = 0) {
  Columns<R, Ground> columns(implicitness, with_theta, more);
  columns.disturb(seed);
  columns.advance();
  for (int n = 0; n < again; ++n) {
    auto const found = columns.wind_at_lid();
    columns.disturb(seed);
    columns.set_wind_at_lid(found);
    columns.advance();
  }
  Columns<float128, Ground> exact(static_cast<double>(columns.step.implicitness), with_theta, more);
  exact.disturb(seed);
  auto const wanted = Dense<Ground>(exact, with_theta).solution();
  double worst = 0, size = 0;
  for (std::int32_t j = 0; j < ny; ++j) {
    for (std::int32_t i = 0; i < nx; ++i) {
      for (std::int32_t k = 1; k <= nz; ++k) {
        auto const value = wanted[static_cast<std::size_t>((j * nx + i) * nz + k - 1)];
        worst = std::max(worst, magnitude(float128(columns.w(k, j, i)) - value));
        size = std::max(size, magnitude(value));
      }
    }
  }
  return worst / size;
}
/// Roundings: nz equations a column of some ten each, two transforms of five passes, and ten of what p' at
/// the lid is made of.
constexpr double roundings = 10.0 * nz + 2 * 5 + 10;

TEST(RadiativeLid, AndTheColumnsBelowAreTheDenseSolution) {
  // In 113 bits the dense system's own elimination rounds as much: 100 equations, five times each.
  auto const of_dense = 5.0 * nx * ny * nz;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    for (bool const with_theta : {false, true}) {
      auto const beta = seed == 1 ? 0.5 : seed == 2 ? 0.6 : 1.0;
      EXPECT_LT((off_dense<double, Flat>(beta, seed, with_theta)), roundings * 0x1p-53) << seed;
      EXPECT_LT((off_dense<float128, Flat>(beta, seed, with_theta)), (roundings + of_dense) * 0x1p-112)
          << seed;
    }
  }
}

TEST(RadiativeLid, OverAMountainIsTheDenseSolutionButForWhatChangesInAStep) {
  // Levels of 540 to 600 m make K differ by a tenth: so much of the change of w at the lid is late. With beta
  // = 1 what w was there counts in nothing else, and steps repeated from what they found close in tenfold.
  std::string const mountain =
      "[terrain]\nkind = 'bell'\nheight = 300.0\nhalf_width = 2500.0\ncentre_x = 7500.0\ncentre_y = 3000.0\n";
  for (unsigned seed = 1; seed <= 2; ++seed) {
    double last = 1;
    for (int const again : {0, 2, 4}) {
      auto const off = off_dense<double, Terrain>(1, seed, true, mountain, again);
      EXPECT_LT(off, (again == 0 ? 0.2 : 0.02) * last) << again;
      last = off;
    }
    EXPECT_GT(last, 0x1p-53);
    EXPECT_LT((off_dense<double, Terrain>(1, seed, true, mountain, 20)), roundings * 0x1p-53);
  }
}

TEST(RadiativeLid, KeepsItsWindAsTheStepsDo) {
  // One column of one level: the lid's wind is at k = 1.
  double start[2] = {7, 2}, now[2] = {7, 3}, change[2] = {7, 5};
  auto const end = [&](bool leaps) {
    LidEnd<double, double>{1, leaps, 0.25, {change, 1, 1}, {now, 1, 1}, {start, 1, 1}}(0, 0);
  };
  end(true);
  EXPECT_EQ(now[1], 7);                             // 2 + 5
  EXPECT_EQ(start[1], 3 + 0.25 * (7 - 2 * 3 + 2));  // Asselin's filter
  end(false);
  EXPECT_EQ(now[1], 3.75 + 5);
  EXPECT_EQ(start[1], 3.75);
  EXPECT_EQ(now[0], 7);
  EXPECT_EQ(start[0], 7);
}

}  // namespace
