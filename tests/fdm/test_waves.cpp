// SPDX-License-Identifier: Apache-2.0
// Waves over low ridges against the linear solution, and the order of the steps in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "fdm/air_support.hpp"

namespace {

using namespace ulpine;
using Waves = test::Air;
using std::numbers::pi;

/// Part of e^(ikx), k = 2 pi over the row, of a row of `columns` values whose first sits at `first` cells.
std::complex<double> harmonic(std::vector<double> const& values, std::size_t row, std::size_t stride,
                              std::size_t columns, double first) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    auto const phase = 2 * pi * ((static_cast<double>(i) + first) / static_cast<double>(columns) - 0.5);
    sum += values[row * stride + i] * std::polar(1.0, -phase);
  }
  return 2.0 / static_cast<double>(columns) * sum;
}

struct Ridges {
  char const* name;
  double wavelength, time_step, small_step;  ///< m, s
  int spin_up, averaged;                     ///< steps
  std::size_t columns, levels, every;        ///< compared at multiples of `every` levels
  double highest;                            ///< m: where something of the wave is left
};

class OverRidges : public Waves, public ::testing::WithParamInterface<Ridges> {};

/// One wave of height cos(kx) / 2 m under a wind U = 20 m s-1 in isothermal air, N^2 = g^2 / (c_p T): in the
/// steady state w = Re(i U k / 2 e^(ikx + imz)) sqrt(rho(0) / rho(z)), m^2 = N^2 / U^2 - k^2, and the flux of
/// momentum rho u'w' = -U^2 k m / 8 at all heights. The start, in which the wind sets in at once, also makes
/// sound that runs round the period and only slowly fades: means over many of its periods have none of it.
/// Truncation: of the slope at the ground 1 - (k dx)^2 / 6, of m (m dz)^2 / 12, in phase 7 rad up.
TEST_P(OverRidges, TheLinearWaveStands) {
  auto const& [name, wavelength, time_step, small_step, spin_up, averaged, nx, nz, every, highest] =
      GetParam();
  constexpr double top = 15000, temperature = 280, wind = 20;
  auto const text = [](double value) { return std::to_string(value); };
  auto const dz = top / static_cast<double>(nz);
  auto const model =
      make("[grid]\nnx = " + std::to_string(nx) + "\nnz = " + std::to_string(nz) +
           "\ndx = " + text(wavelength / static_cast<double>(nx)) + "\ndz = " + text(dz) +
           "\n[time]\nstep = '" + text(time_step) + " s'\n[sound]\nlongest_step = '" + text(small_step) +
           " s'\n[base]\nkind = 'isothermal'\ntheta = 280.0\nu = 20.0\n[terrain]\nkind = 'schaer'\nheight = "
           "1.0\nhalf_width = 1e12\nwavelength = " +
           text(wavelength) + "\n[sponge]\nfrom = 7000.0\nrate = 0.01\n");
  model->advance(spin_up);
  std::vector<double> w(nx * (nz + 1)), u((nx + 1) * nz);
  for (int step = 0; step < averaged; ++step) {
    model->advance(1);
    auto const add = [&](std::vector<double>& sum, std::vector<double> const& values) {
      for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += values[n] / averaged;
    };
    add(w, read(*model, "w"));
    add(u, read(*model, "u"));
  }
  auto const k = 2 * pi / wavelength;
  auto const m = std::sqrt(std::complex<double>(9.8 * 9.8 / (1004 * temperature * wind * wind) - k * k));
  for (std::size_t level = every; static_cast<double>(level) * dz <= highest; level += every) {
    auto const z = static_cast<double>(level) * dz;
    auto const growth = std::exp(9.8 * z / (2 * 287 * temperature));
    auto const wave = harmonic(w, level, nx, nx, 0.5);
    std::complex<double> const i(0, 1);
    auto const linear = i * wind * k / 2.0 * std::exp(i * m * z) * growth;
    EXPECT_LT(std::abs(wave / linear - 1.0), 0.05) << z << " m";
    if (m.real() == 0) continue;
    auto const along = 0.5 * (harmonic(u, level - 1, nx + 1, nx, 0) + harmonic(u, level, nx + 1, nx, 0));
    auto const flux = 0.5 * (wave * std::conj(along)).real() / (growth * growth);
    EXPECT_NEAR(flux / (-wind * wind * k * m.real() / 8), 1, 0.05) << z << " m";
  }
}
INSTANTIATE_TEST_SUITE_P(Host, OverRidges,
                         ::testing::Values(Ridges{"rising", 25000, 9, 1.5, 900, 170, 32, 100, 8, 4800},
                                           Ridges{"evanescent", 5000, 6, 0.8, 330, 120, 16, 75, 2, 2000}),
                         [](auto const& info) { return std::string(info.param.name); });

/// A row of bells 1 m high and 5 km half as wide, 40 km apart, in isothermal air under U = 10 m s-1: all
/// waves of the row together, w = Re sum i U k h_k e^(ikx + imz) sqrt(rho(0) / rho(z)). What the start left
/// behind drifts with the wind, and a mean over the time of one period of the row, L / U, has none of that.
/// The steady state of the differences themselves, from a system for each k, is 2.0 % off at the ground
/// (slopes to (k dx)^2 / 6) and 2.8 % at 1.3 km (m to (m dz)^2 / 12, some rad up, and what the sponge
/// returns).
TEST_F(Waves, OfARowOfBellsStand) {
  constexpr std::size_t nx = 50, nz = 80;
  constexpr double dx = 800, dz = 125, wind = 10, temperature = 280, spread = 5000;
  auto const model = make(
      "[grid]\nnx = 50\nnz = 80\ndx = 800.0\ndz = 125.0\n[time]\nstep = '10 s'\n[sound]\nlongest_step = "
      "'2 s'\n[terrain]\nkind = 'bell'\nheight = 1.0\nhalf_width = 5000.0\n[base]\nkind = "
      "'isothermal'\ntheta = 280.0\nu = 10.0\n[sponge]\nfrom = 4500.0\nrate = 0.004\n");
  model->advance(800);
  constexpr int samples = 50;  // 8 steps apart: 4000 s in all
  std::vector<double> w(nx * (nz + 1));
  for (int n = 0; n < samples; ++n) {
    model->advance(8);
    auto const now = read(*model, "w");
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += now[i] / samples;
  }
  std::vector<double> ground(nx);
  for (std::size_t i = 0; i < nx; ++i) {
    auto const off = ((static_cast<double>(i) + 0.5) * dx - nx * dx / 2) / spread;
    ground[i] = 1 / (1 + off * off);
  }
  for (std::size_t level = 1; static_cast<double>(level) * dz <= 1250; ++level) {
    auto const z = static_cast<double>(level) * dz;
    std::vector<double> linear(nx);
    for (std::size_t n = 1; n < nx / 2; ++n) {
      auto const k = 2 * pi * static_cast<double>(n) / (nx * dx);
      auto const m = std::sqrt(std::complex<double>(9.8 * 9.8 / (1004 * temperature * wind * wind) - k * k));
      std::complex<double> height = 0;
      auto const phase = [&](std::size_t i) { return k * (static_cast<double>(i) + 0.5) * dx; };
      for (std::size_t i = 0; i < nx; ++i) height += 2.0 / nx * ground[i] * std::polar(1.0, -phase(i));
      std::complex<double> const i(0, 1);
      auto const wave =
          i * wind * k * height * std::exp(i * m * z) * std::exp(9.8 * z / (2 * 287 * temperature));
      for (std::size_t c = 0; c < nx; ++c) linear[c] += (wave * std::polar(1.0, phase(c))).real();
    }
    double error = 0, size = 0;
    for (std::size_t i = 0; i < nx; ++i) {
      error += std::pow(w[level * nx + i] - linear[i], 2);
      size += linear[i] * linear[i];
    }
    EXPECT_LT(std::sqrt(error / size), 0.05) << z << " m";
  }
}

/// What an open side sends back of a long gravity wave, over what came: the largest w of the gravest mode
/// between ground and lid, sqrt(rho) w = sin(pi z / h), in the right half as the wave runs out, and again
/// when what came back is there. `speed` is the side's.
double reflected(double speed, std::string const& of) {
  constexpr std::size_t nx = 100, nz = 10;
  auto const model = Waves::make(
      "[grid]\nnx = 100\nnz = 10\ndx = 10000.0\ndz = 1000.0\n[base]\nkind = 'isothermal'\ntheta = 280.0\n"
      "[time]\nstep = '40 s'\n[sound]\nlongest_step = '20 s'\n[boundary]\nwest = 'wall'\neast = 'open'\n"
      "phase_speed = " +
      std::to_string(speed) + "\nspeed_of = '" + of +
      "'\n[start]\nkind = 'gravity_wave'\namplitude = 0.1\ncentre_x = 0.0\nradius_x = 60000.0\n");
  auto const largest = [&] {
    auto const w = Waves::read(*model, "w");
    double most = 0;
    for (std::size_t i = nx / 2; i < nx; ++i) {
      double mode = 0;
      for (std::size_t k = 1; k < nz; ++k) {
        auto const z = static_cast<double>(k) * 1000;
        mode += w[k * nx + i] * std::exp(-z * 9.8 / (2 * 287 * 280)) * std::sin(pi * z / 10000);
      }
      most = std::max(most, std::abs(mode));
    }
    return most;
  };
  model->advance(325);  // 13000 s: it has gone 750 km of 1000
  auto const came = largest();
  model->advance(217);  // another 500 km: it is there again
  return largest() / came;
}

/// In isothermal air the gravest long wave between ground and lid runs at c = N / sqrt(pi^2 / h^2 + 1 / (4
/// H^2)), 57.7 m s-1. du/dt = -s du/dx at the side sends back (c - s) / (c + s) of it: a third at half and
/// at twice its speed. A side that measures is less wrong,
/// but not right: of a wave and what it sends back it measures c (1 - R) / (1 + R), with which it goes on to
/// send back R, whatever that is from when sound and other modes went before. Bounds:
/// the pulse is of waves about k = 1 / 60 km, k h = 0.17, which dispersion delays by 3 (k h / pi)^2 / 2, 0.4
/// %, and three times as short ones by 4 %: their share of the peak, some hundredths, and as much of what the
/// tail of the pulse, which falls with the third power, leaves behind.
TEST_F(Waves, GoThroughOpenSidesAsTheirSpeedsSay) {
  auto const frequency = 9.8 / std::sqrt(1004 * 280.0), height = 287 * 280 / 9.8;
  auto const speed = frequency / std::sqrt(pi * pi / 1e8 + 1 / (4 * height * height));
  auto const half = reflected(speed / 2, "given"), twice = reflected(2 * speed, "given");
  EXPECT_NEAR(half, 1.0 / 3, 0.08);
  EXPECT_NEAR(twice, 1.0 / 3, 0.08);
  EXPECT_LT(reflected(speed, "given"), half / 2);
  for (double const other : {speed / 2, 2 * speed}) {  // which stands in where nothing moves
    auto const measured = reflected(other, "column");
    EXPECT_LT(measured, std::min(half, twice));
  }
}

/// theta' of a gravity wave after 20 min in steps of 12, 6 and 3 s, each of six small steps.
double order_in_time(std::string const& scheme) {
  std::vector<std::vector<double>> found;
  for (int const halvings : {0, 1, 2}) {
    auto const step = 12.0 / (1 << halvings);
    auto const model = Waves::make(
        "[grid]\nnx = 60\nnz = 10\ndx = 1000.0\ndz = 1000.0\n[base]\nkind = 'constant_n'\nu = 20.0\n"
        "[sound]\nimplicitness = 0.5\ndivergence_damping = 0.0\nlongest_step = '" +
        std::to_string(step / 6) + " s'\n[time]\nstep = '" + std::to_string(step) + " s'\n" + scheme +
        "[start]\nkind = 'gravity_wave'\ncentre_x = 20000.0\nradius_x = 5000.0\n");
    model->advance(100 << halvings);
    found.push_back(Waves::read(*model, "theta"));
  }
  auto const change = [&](std::size_t coarse) {
    double sum = 0;
    for (std::size_t n = 0; n < found[0].size(); ++n) {
      sum += std::pow(found[coarse][n] - found[coarse + 1][n], 2);
    }
    return std::sqrt(sum);
  };
  return std::log2(change(0) / change(1));
}

TEST_F(Waves, ConvergeWithTheSquareOfTheStep) {
  // Centred small steps: both schemes are of second order, the next terms are of the third.
  EXPECT_GT(order_in_time("scheme = 'runge_kutta'\n"), 1.75);
  EXPECT_GT(order_in_time("scheme = 'leapfrog'\nasselin = 0.0\n"), 1.75);
}

TEST_F(Waves, ConvergeWithTheSquareOfTheSpacing) {
  std::vector<std::vector<double>> found;
  for (std::size_t const parts : {1u, 2u, 4u}) {
    auto const nx = 40 * parts, nz = 5 * parts;
    auto const size = [&](double length) { return std::to_string(length / static_cast<double>(parts)); };
    auto const model =
        make("[grid]\nnx = " + std::to_string(nx) + "\nnz = " + std::to_string(nz) + "\ndx = " + size(1500) +
             "\ndz = " + size(2000) + "\n[time]\nstep = '4 s'\n[sound]\nlongest_step = '1 s'\n" +
             "[base]\nkind = 'constant_n'\nu = 20.0\n[start]\nkind = 'gravity_wave'\ncentre_x = "
             "20000.0\nradius_x = 8000.0\n");
    model->advance(200);
    auto const fine = read(*model, "theta");
    std::vector<double> means(40 * 5);
    for (std::size_t k = 0; k < nz; ++k) {
      for (std::size_t i = 0; i < nx; ++i) {
        means[k / parts * 40 + i / parts] += fine[k * nx + i] / static_cast<double>(parts * parts);
      }
    }
    found.push_back(std::move(means));
  }
  double first = 0, second = 0;
  for (std::size_t n = 0; n < found[0].size(); ++n) {
    first += std::pow(found[0][n] - found[1][n], 2);
    second += std::pow(found[1][n] - found[2][n], 2);
  }
  EXPECT_GT(std::log2(std::sqrt(first / second)), 1.75);
}

TEST_F(Waves, AreThoseOfArpsCoefficientsToTheSquareOfTheSpacing) {
  // The largest difference of w between the two forms of the implicit solve, as levels are halved.
  std::vector<double> found;
  for (int const parts : {4, 8}) {
    std::vector<double> w[2];
    for (auto const* form : {"consistent", "arps"}) {
      auto const model =
          make("[grid]\nnx = 40\nnz = " + std::to_string(5 * parts) +
               "\ndx = 1500.0\ndz = " + std::to_string(2000.0 / parts) +
               "\n[time]\nstep = '4 s'\n[sound]\nlongest_step = '4 s'\ncoefficients = '" + form +
               "'\n[base]\nkind = 'constant_n'\nu = 20.0\n[start]\nkind = "
               "'gravity_wave'\ncentre_x = 20000.0\nradius_x = 8000.0\n");
      model->advance(100);
      w[form[0] == 'a'] = read(*model, "w");
    }
    double most = 0;
    for (std::size_t n = 0; n < w[0].size(); ++n) most = std::max(most, std::abs(w[0][n] - w[1][n]));
    found.push_back(most);
  }
  EXPECT_GT(found[1], 0);
  EXPECT_GT(std::log2(found[0] / found[1]), 1.75);
}

TEST_F(Waves, AreTheSameWithThetaOnSmallStepsToTheSquareOfTheStep) {
  for (auto const* scheme : {"'runge_kutta'", "'leapfrog'\nasselin = 0.0"}) {
    std::vector<double> found;
    for (int const halvings : {0, 1, 2}) {
      auto const step = 12.0 / (1 << halvings);
      std::vector<double> theta[2];
      for (auto const* with : {"big", "small"}) {
        auto const model = make(
            "[grid]\nnx = 60\nnz = 10\ndx = 1000.0\ndz = 1000.0\n[base]\nkind = 'constant_n'\nu = 20.0\n"
            "[sound]\nimplicitness = 0.5\ndivergence_damping = 0.0\nlongest_step = '" +
            std::to_string(step / 6) + " s'\ntheta = '" + with + "'\n[time]\nstep = '" +
            std::to_string(step) + " s'\nscheme = " + scheme +
            "\n[start]\nkind = 'gravity_wave'\ncentre_x = 20000.0\nradius_x = 5000.0\n");
        model->advance(50 << halvings);
        theta[with[0] == 's'] = read(*model, "theta");
      }
      double sum = 0;
      for (std::size_t n = 0; n < theta[0].size(); ++n) sum += std::pow(theta[0][n] - theta[1][n], 2);
      found.push_back(std::sqrt(sum));
    }
    EXPECT_GT(std::log2(found[0] / found[1]), 1.75) << scheme;
    EXPECT_GT(std::log2(found[1] / found[2]), 1.75) << scheme;
  }
}

/// Frequency over N of air that goes up and down in columns 1 km wide, 20 km high, in steps of `step` s: from
/// the times at which theta' half-way up, less the mean of both columns, changes its sign.
double column_frequency(std::string const& with, double frequency, double step, int steps) {
  auto const model = Waves::make(
      "[grid]\nnx = 2\nnz = 20\ndx = 1000.0\ndz = 1000.0\n[base]\nkind = 'constant_n'\nfrequency = " +
      std::to_string(frequency) + "\ntheta = 300.0\n[sound]\nlongest_step = '2 s'\ntheta = '" + with +
      "'\n[time]\nstep = '" + std::to_string(step) +
      " s'\n[start]\nkind = 'gravity_wave'\namplitude = 0.01\ncentre_x = 500.0\nradius_x = 1000.0\n");
  std::vector<double> zeros;
  auto const surplus = [&] {
    auto const theta = Waves::read(*model, "theta");
    return theta[9 * 2] - theta[9 * 2 + 1];
  };
  auto before = surplus();
  for (int n = 1; n <= steps; ++n) {
    model->advance(1);
    auto const now = surplus();
    if ((before < 0) != (now < 0)) zeros.push_back((n - now / (now - before)) * step);
    before = now;
  }
  if (zeros.size() < 2) return 0;
  return pi * static_cast<double>(zeros.size() - 1) / (zeros.back() - zeros.front()) / frequency;
}

TEST_F(Waves, OfBuoyancyKeepTheirFrequencyInLongSteps) {
  // N = 0.012 s-1. With k = 2 / dx of the two columns and m = pi / 20 km: N / sqrt(1 + (m^2 + 1/(4 H^2)) /
  // k^2), 0.996 N, less half of (m dz)^2 / 12 of mean levels. In steps of 10 s, N dt = 0.12, both agree with
  // that. In steps of 100 s, N dt = 1.2, Runge and Kutta's third order is late by some (N dt)^4 / 30, 7 %,
  // and damps, but theta' on small steps of 2 s knows nothing of N dt. A line between samples cuts the sine
  // at times wrong by at most (N dt)^2 / 16 of a step each, here less than 1 % of the twelve half periods.
  for (auto const* with : {"big", "small"}) {
    EXPECT_NEAR(column_frequency(with, 0.012, 10, 320), 0.995, 0.01) << with;
  }
  EXPECT_NEAR(column_frequency("small", 0.012, 100, 32), 0.995, 0.015);
  EXPECT_GT(std::abs(column_frequency("big", 0.012, 100, 32) - 0.995), 0.03);
}

}  // namespace
