// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/spectrum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "io/error.hpp"
#include "support/random_values.hpp"

namespace ulpine::verification {
namespace {

using test::RandomValues;

constexpr double tau = 2 * std::numbers::pi;

template <class Function>
std::vector<double> field_of(std::int64_t ny, std::int64_t nx, Function const& f) {
  std::vector<double> field;
  for (std::int64_t j = 0; j < ny; ++j) {
    for (std::int64_t i = 0; i < nx; ++i) {
      field.push_back(f(j, i));
    }
  }
  return field;
}

/// Sum of ring value x modes: the part of the mean square that the rings hold.
double held(Spectrum const& spectrum) {
  double sum = 0;
  for (std::size_t i = 0; i < spectrum.power.size(); ++i) {
    sum += spectrum.power[i] * double(spectrum.modes[i]);
  }
  return sum;
}

/// The same and the modes in no ring.
double held_by_all(Spectrum const& spectrum) {
  return held(spectrum) + spectrum.outside_power * double(spectrum.outside_modes);
}

/// Relative error (2-norm) that the transform of a field may have. A factor p of a length makes each value a
/// sum of p products with p + 8 roundings at most (a complex product has four, its root two); the absolute
/// values of these sums are a matrix of norm p where the exact one has sqrt(p), so that each factor adds (p +
/// 8) sqrt(p) units (Higham, Accuracy and Stability of Numerical Algorithms, section 24.1, for factors of
/// two).
double transform_error(std::int64_t ny, std::int64_t nx) {
  double units = 0;
  for (std::int64_t rest : {ny, nx}) {
    for (std::int64_t p = 2; rest > 1; ++p) {
      for (; rest % p == 0; rest /= p) {
        units += double(p + 8) * std::sqrt(double(p));
      }
    }
  }
  return units * 0x1p-53;
}

struct RandomGrid {
  std::int64_t ny, nx;
  double dy, dx;
  std::vector<double> field;

  explicit RandomGrid(RandomValues& random)
      : ny(1 + std::int64_t(random.below(40))),
        nx(1 + std::int64_t(random.below(40))),
        dy(std::exp(random.between(-3, 9))),
        dx(random.uniform() < 0.3 ? dy : std::exp(random.between(-3, 9))) {
    for (std::int64_t k = 0; k < ny * nx; ++k) {
      field.push_back(random.normal() + 0.3);
    }
  }
};

// Expected values: numpy 1.24.2, |fftshift(fft2(f))|^2/(M N) averaged over rings as pysteps defines them.
TEST(Spectrum, IsPystepsOnEvenAndOddDomains) {
  auto const f = [](std::int64_t j, std::int64_t i) {
    return double((j * 37 + i * 101 + j * i * 13) % 64) / 8;
  };
  std::vector<double> const even = {610.4065104166667, 3.9713659440074647, 8.07660187799035,
                                    4.785648051352552, 7.237379703716531,  2.3340992491774313};
  std::vector<double> const odd = {661.3812003968254, 3.395875791623143, 9.38398185849172, 5.055437036904813};
  auto const expect = [](Spectrum const& spectrum, std::vector<double> const& expected, double width) {
    ASSERT_EQ(spectrum.power.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(spectrum.power[i], expected[i], 1e-13 * expected[i]);
      EXPECT_NEAR(spectrum.wavenumber[i], width * double(i), 1e-15);
    }
  };
  expect(radial_spectrum(field_of(6, 10, f), 6, 10, 2, 2), even, 1.0 / 20);
  expect(radial_spectrum(field_of(9, 7, f), 9, 7, 2, 2), odd, 1.0 / 18);
}

TEST(Spectrum, OfASingleModeIsOneRing) {
  for (auto const& [ny, nx] : {std::pair{32, 32}, {30, 30}, {31, 31}, {37, 37}}) {
    // cos over 3 and 4 periods along y and x: two modes of |k| = 5, each of |F|^2/(nx ny) = nx ny/4.
    auto const field = field_of(ny, nx, [&, ny = ny, nx = nx](std::int64_t j, std::int64_t i) {
      return std::cos(tau * (3.0 * double(j) / ny + 4.0 * double(i) / nx));
    });
    auto const spectrum = radial_spectrum(field, ny, nx);
    for (std::size_t ring = 0; ring < spectrum.power.size(); ++ring) {
      double const expected = ring == 5 ? double(nx * ny) / 4 * 2 / double(spectrum.modes[5]) : 0;
      EXPECT_NEAR(spectrum.power[ring], expected, 1e-12 * double(nx * ny)) << ny << " ring " << ring;
    }
  }
}

TEST(Spectrum, HoldsParsevalOverAllModes) {
  // A field without the corner modes that no ring takes: sums of modes with |k| <= 6.
  RandomValues random(51);
  std::int64_t const ny = 45, nx = 48;
  std::vector<double> field(std::size_t(ny * nx), 0.7);
  for (int mode = 0; mode < 20; ++mode) {
    double const ky = std::floor(random.between(-4, 5)), kx = std::floor(random.between(-4, 5)),
                 phase = random.uniform();
    auto const wave = field_of(ny, nx, [&](std::int64_t j, std::int64_t i) {
      return std::cos(tau * (ky * double(j) / double(ny) + kx * double(i) / double(nx) + phase));
    });
    std::transform(field.begin(), field.end(), wave.begin(), field.begin(), std::plus<>());
  }
  double const squares = std::inner_product(field.begin(), field.end(), field.begin(), 0.0);
  EXPECT_NEAR(held(radial_spectrum(field, ny, nx)), squares, 1e-12 * squares);
  EXPECT_NEAR(held(radial_spectrum(field, ny, nx, 1, 1, spectrum_variant("physical"))), squares,
              1e-12 * squares);
}

/// |FFT|^2 over all modes adds up to nx ny times the sum of squares: its relative error is twice that of the
/// transform, and eight units for the squares, the means and the sums here.
TEST(Spectrum, AllModesOfARandomFieldHoldItsMeanSquare) {
  RandomValues random(57);
  for (int trial = 0; trial < 200; ++trial) {
    RandomGrid const grid(random);
    auto const squares = std::inner_product(grid.field.begin(), grid.field.end(), grid.field.begin(), 0.0);
    for (auto const* variant : {"pysteps", "physical"}) {
      auto const spectrum =
          radial_spectrum(grid.field, grid.ny, grid.nx, grid.dy, grid.dx, spectrum_variant(variant));
      EXPECT_NEAR(held_by_all(spectrum), squares,
                  (2 * transform_error(grid.ny, grid.nx) + double(grid.field.size() + 8) * 0x1p-53) * squares)
          << grid.ny << " x " << grid.nx;
      EXPECT_EQ(std::accumulate(spectrum.modes.begin(), spectrum.modes.end(), spectrum.outside_modes),
                grid.ny * grid.nx);
    }
  }
}

/// The transforms take rows and columns in another order; all else is the same to the bit. With an error e of
/// the transform in the 2-norm of all its values, T^(1/2), a ring of true power S differs by 2 e (S T)^(1/2)
/// + (e T^(1/2))^2 at most (Cauchy and Schwarz), and the two spectra by the sum of theirs.
TEST(Spectrum, OfTheTransposedFieldWithItsSpacingsIsTheSame) {
  RandomValues random(58);
  for (int trial = 0; trial < 100; ++trial) {
    RandomGrid const grid(random);
    auto const transposed = field_of(
        grid.nx, grid.ny, [&](std::int64_t j, std::int64_t i) { return grid.field[i * grid.nx + j]; });
    for (auto const* const* variant = spectrum_variants(); *variant != nullptr; ++variant) {
      auto const options = spectrum_variant(*variant);
      auto const one = radial_spectrum(grid.field, grid.ny, grid.nx, grid.dy, grid.dx, options),
                 other = radial_spectrum(transposed, grid.nx, grid.ny, grid.dx, grid.dy, options);
      EXPECT_EQ(one.wavenumber, other.wavenumber);
      EXPECT_EQ(one.modes, other.modes);
      double const all = held_by_all(one), error = transform_error(grid.ny, grid.nx) + 4 * 0x1p-53;
      for (std::size_t ring = 0; ring < one.power.size(); ++ring) {
        double const power = one.power[ring] * double(one.modes[ring]);
        EXPECT_NEAR(other.power[ring] * double(other.modes[ring]), power,
                    4 * error * std::sqrt(power * all) + 4 * error * error * all)
            << *variant << " ring " << ring;
      }
    }
  }
}

TEST(Spectrum, APowerOfTwoAsScaleOfBothSpacingsScalesWaveNumbersExactly) {
  RandomValues random(59);
  for (int trial = 0; trial < 50; ++trial) {
    RandomGrid const grid(random);
    for (auto const* const* variant = spectrum_variants(); *variant != nullptr; ++variant) {
      auto const options = spectrum_variant(*variant);
      auto const one = radial_spectrum(grid.field, grid.ny, grid.nx, grid.dy, grid.dx, options);
      for (int const exponent : {-50, -1, 7, 300}) {
        auto const scaled = radial_spectrum(grid.field, grid.ny, grid.nx, std::ldexp(grid.dy, exponent),
                                            std::ldexp(grid.dx, exponent), options);
        EXPECT_EQ(scaled.power, one.power);
        EXPECT_EQ(scaled.modes, one.modes);
        ASSERT_EQ(scaled.wavenumber.size(), one.wavenumber.size());
        for (std::size_t ring = 0; ring < one.wavenumber.size(); ++ring) {
          EXPECT_EQ(scaled.wavenumber[ring], std::ldexp(one.wavenumber[ring], -exponent));
        }
      }
    }
  }
}

TEST(Spectrum, RingsArePhysicalWhereSpacingsDiffer) {
  // Waves of 8 km on cells of 1 km x 4 km, which their rows or columns resolve by two and by eight points.
  for (bool const along_x : {true, false}) {
    double const dx = along_x ? 1000 : 4000, dy = along_x ? 4000 : 1000;
    auto const wave = field_of(48, 40, [&](std::int64_t j, std::int64_t i) {
      return std::cos(tau / 8000 * (along_x ? dx * double(i) : dy * double(j)));
    });
    for (auto const* variant : {"pysteps", "windowed", "detrended"}) {
      auto const spectrum = radial_spectrum(wave, 48, 40, dy, dx, spectrum_variant(variant));
      auto const peak =
          std::max_element(spectrum.power.begin() + 1, spectrum.power.end()) - spectrum.power.begin();
      EXPECT_NEAR(1 / spectrum.wavenumber[peak], 8000, 1e-9) << variant;
      ASSERT_EQ(spectrum.notes.size(), 1u);
      EXPECT_NE(spectrum.notes[0].find("the spacings differ"), std::string::npos);
    }
    auto const plain = radial_spectrum(wave, 48, 40, dy, dx),
               physical = radial_spectrum(wave, 48, 40, dy, dx, spectrum_variant("physical"));
    EXPECT_EQ(plain.power, physical.power);
    EXPECT_EQ(plain.wavenumber, physical.wavenumber);
    EXPECT_TRUE(physical.notes.empty());
  }
}

TEST(Spectrum, NotesWhereRingsOfModeNumbersMixWaves) {
  RandomValues random(60);
  auto const field = random.uniform(24, 0, 1);
  auto const notes = [&](std::int64_t ny, std::int64_t nx, char const* variant) {
    return radial_spectrum(field, ny, nx, 2, 2, spectrum_variant(variant)).notes;
  };
  ASSERT_EQ(notes(4, 6, "pysteps").size(), 1u);
  EXPECT_NE(notes(4, 6, "pysteps")[0].find("not square (4 x 6)"), std::string::npos);
  EXPECT_TRUE(notes(4, 6, "physical").empty());
  EXPECT_TRUE(notes(1, 24, "pysteps").empty());
  EXPECT_TRUE(radial_spectrum(std::span(field).first(16), 4, 4, 2, 2).notes.empty());
}

TEST(Spectrum, OfOneRowHasTheWaveNumbersOfItsOwnSpacing) {
  RandomValues random(61);
  auto const row = random.uniform(10, 0, 1);
  for (auto const& spectrum : {radial_spectrum(row, 1, 10, 77, 5), radial_spectrum(row, 10, 1, 5, 77),
                               radial_spectrum(row, 1, 10, 5, 5)}) {
    ASSERT_EQ(spectrum.wavenumber.size(), 6u);
    EXPECT_DOUBLE_EQ(spectrum.wavenumber[5], 0.1);
    EXPECT_TRUE(spectrum.notes.empty());
  }
}

TEST(Spectrum, SaysWhatIsInNoRing) {
  // Alternating signs on all cells: the one mode in the corner, of |F|^2 / (nx ny) = nx ny.
  auto const corner =
      field_of(8, 8, [](std::int64_t j, std::int64_t i) { return (i + j) % 2 == 0 ? 3. : -3.; });
  auto spectrum = radial_spectrum(corner, 8, 8);
  EXPECT_LE(held(spectrum), 1e-28);
  std::int64_t outside = 0;  // beyond ring 4
  for (int j = -4; j < 4; ++j) {
    for (int i = -4; i < 4; ++i) {
      outside += std::lround(std::hypot(j, i)) > 4 ? 1 : 0;
    }
  }
  EXPECT_EQ(spectrum.outside_modes, outside);
  EXPECT_NEAR(spectrum.outside_power * double(outside), 64 * 9, 1e-10);
  SpectrumOptions options;
  options.normalise = true;
  RandomValues random(62);
  auto const field = random.uniform(64, 0, 1);
  auto const plain = radial_spectrum(field, 8, 8), shares = radial_spectrum(field, 8, 8, 1, 1, options);
  EXPECT_NEAR(shares.outside_power / shares.power[2], plain.outside_power / plain.power[2], 1e-13);
}

TEST(Spectrum, OfWhiteNoiseIsFlatAtItsVariance) {
  RandomValues random(52);
  std::int64_t const n = 256;
  auto const field = random.uniform(std::size_t(n * n), -1, 1);  // variance 1/3
  for (char const* variant : {"pysteps", "windowed", "detrended", "physical"}) {
    auto const spectrum = radial_spectrum(field, n, n, 1, 1, spectrum_variant(variant));
    for (std::size_t ring = 10; ring < spectrum.power.size(); ++ring) {
      // Modes come in conjugate pairs; a window couples neighbours. Six standard errors.
      double const independent = double(spectrum.modes[ring]) / (variant[0] == 'w' ? 8 : 2);
      EXPECT_NEAR(spectrum.power[ring], 1.0 / 3, 6.0 / 3 / std::sqrt(independent))
          << variant << " ring " << ring;
    }
  }
}

TEST(Spectrum, TransformsLengthsOfAnyFactors) {
  // A point is all modes equally: |F|^2/(nx ny) = 1/(nx ny) in every ring, for prime, composite and unit
  // lengths.
  for (auto const& [ny, nx] : {std::pair{1, 1}, {1, 7}, {13, 1}, {8, 27}, {101, 12}, {49, 60}}) {
    for (std::size_t const at : {std::size_t(0), std::size_t(ny * nx / 2)}) {
      std::vector<double> field(std::size_t(ny * nx), 0.0);
      field[at] = 3;
      for (double const power : radial_spectrum(field, ny, nx).power) {
        EXPECT_NEAR(power * double(ny * nx), 9, 1e-12) << ny << " x " << nx;
      }
    }
  }
}

TEST(Spectrum, ScalesAsTheSquareAndIgnoresTranslation) {
  RandomValues random(53);
  std::int64_t const ny = 20, nx = 33;
  auto const field = random.uniform(std::size_t(ny * nx), -1, 1);
  auto shifted = field_of(
      ny, nx, [&](std::int64_t j, std::int64_t i) { return 8 * field[((j + 7) % ny) * nx + (i + 11) % nx]; });
  auto const spectrum = radial_spectrum(field, ny, nx), other = radial_spectrum(shifted, ny, nx);
  for (std::size_t i = 0; i < spectrum.power.size(); ++i) {
    EXPECT_NEAR(other.power[i], 64 * spectrum.power[i], 1e-12 * 64 * spectrum.power[i]);
  }
  EXPECT_EQ(radial_spectrum(field, ny, nx).power, spectrum.power);
}

TEST(Spectrum, PhysicalRingsSeeTheSameWaveOnAnyGrid) {
  // One wave of 100 km along x, and one along y, on an anisotropic non-square grid of 400 km x 800 km.
  std::int64_t const nx = 40, ny = 32;
  double const dx = 10e3, dy = 25e3, wave = 1 / 100e3;
  for (bool const along_x : {true, false}) {
    auto const field = field_of(ny, nx, [&](std::int64_t j, std::int64_t i) {
      return std::sin(tau * wave * (along_x ? double(i) * dx : double(j) * dy));
    });
    auto const spectrum = radial_spectrum(field, ny, nx, dy, dx, spectrum_variant("physical"));
    auto const peak = std::max_element(spectrum.power.begin(), spectrum.power.end()) - spectrum.power.begin();
    EXPECT_NEAR(spectrum.wavenumber[peak], wave, 1e-12 * wave);
    EXPECT_NEAR(spectrum.power[peak] * double(spectrum.modes[peak]), double(nx * ny) / 2,
                1e-9 * double(nx * ny));
    EXPECT_LE(spectrum.wavenumber.back(), 0.5 / dy * (1 + 1e-9));
  }
  // On a square grid physical rings are pysteps' rings.
  RandomValues random(54);
  auto const square = random.uniform(24 * 24, 0, 1);
  auto const rings = radial_spectrum(square, 24, 24, 5, 5),
             physical = radial_spectrum(square, 24, 24, 5, 5, spectrum_variant("physical"));
  EXPECT_EQ(rings.modes, physical.modes);
  EXPECT_EQ(rings.power, physical.power);
}

TEST(Spectrum, DetrendingTakesAPlaneOffEntirely) {
  auto const plane =
      field_of(18, 25, [](std::int64_t j, std::int64_t i) { return 4 + 0.5 * double(i) - 0.25 * double(j); });
  for (double const power : radial_spectrum(plane, 18, 25, 1, 1, spectrum_variant("detrended")).power) {
    EXPECT_LE(power, 1e-24);
  }
}

TEST(Spectrum, WindowingStopsTheLeakOfAStep) {
  // A ramp is not periodic: its leak falls as k^-2, under a Hann window much faster.
  auto const ramp = field_of(64, 64, [](std::int64_t, std::int64_t i) { return double(i); });
  auto const plain = radial_spectrum(ramp, 64, 64),
             windowed = radial_spectrum(ramp, 64, 64, 1, 1, spectrum_variant("windowed"));
  EXPECT_LT(windowed.power[25] / windowed.power[1], 1e-4 * plain.power[25] / plain.power[1]);
}

// All modes of a row of even length together hold the sum of the squares of what was transformed (Parseval):
// sin^2(pi (i + 1/2) / n) times the deviations, over the mean square of the window, which for n > 2 is 3/8.
TEST(Spectrum, TheWindowIsHannsCentredOnTheDomain) {
  for (std::int64_t const n : {8, 14}) {
    RandomValues random(n);
    auto const row = field_of(1, n, [&](std::int64_t, std::int64_t) { return random.uniform(); });
    auto const mean = std::accumulate(row.begin(), row.end(), 0.0) / double(n);
    double expected = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      double const window = std::pow(std::sin(tau / 2 * (double(i) + 0.5) / double(n)), 2);
      expected += std::pow(window * (row[i] - mean), 2) / (3. / 8);
    }
    EXPECT_NEAR(held(radial_spectrum(row, 1, n, 1, 1, spectrum_variant("windowed"))), expected,
                1e-13 * expected)
        << n;
  }
}

TEST(Spectrum, FillsMissingValuesWithTheMeanAndSaysSo) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const spectrum = radial_spectrum(std::vector<double>{1, nan, 3, 2}, 2, 2);
  auto const filled = radial_spectrum(std::vector<double>{1, 2, 3, 2}, 2, 2);
  EXPECT_EQ(spectrum.power, filled.power);
  ASSERT_EQ(spectrum.notes.size(), 1u);
  EXPECT_NE(spectrum.notes[0].find("1 of 4 values"), std::string::npos);
  EXPECT_TRUE(filled.notes.empty());
}

TEST(Spectrum, NormalisedRingsSumToOne) {
  SpectrumOptions options;
  options.normalise = true;
  RandomValues random(55);
  auto const power = radial_spectrum(random.uniform(30 * 30, 0, 1), 30, 30, 1, 1, options).power;
  EXPECT_NEAR(std::accumulate(power.begin(), power.end(), 0.0), 1, 1e-14);
}

TEST(Spectrum, RefusesWhatHasNone) {
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const four = {1, 2, 3, 4};
  EXPECT_THROW(radial_spectrum(four, 2, 3), InputError);
  EXPECT_THROW(radial_spectrum({}, 0, 0), InputError);
  EXPECT_THROW(radial_spectrum(four, 2, 2, 0, 1), InputError);
  // Their wave numbers are no doubles.
  for (auto const* variant : {"pysteps", "physical"}) {
    for (auto const& [dy, dx] : {std::pair{1e-310, 1e-310}, {1e-310, 1.0}, {1.7e308, 1.7e308}}) {
      EXPECT_THROW(radial_spectrum(four, 2, 2, dy, dx, spectrum_variant(variant)), InputError) << dx;
    }
  }
  EXPECT_THROW(radial_spectrum(std::vector<double>{1, infinity}, 1, 2), InputError);
  EXPECT_THROW(radial_spectrum(std::vector<double>(4, std::nan("")), 2, 2), InputError);
  EXPECT_THROW(spectrum_variant("hann"), InputError);
}

/// Processor time: what other programs do meanwhile does not count.
TEST(Spectrum, OfAPrimeSizeNear512TakesLessThanTwoSeconds) {
  RandomValues random(56);
  for (std::int64_t const n : {512, 509}) {
    auto const field = random.uniform(std::size_t(n * n), 0, 1);
    auto const start = std::clock();
    radial_spectrum(field, n, n);
    EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 2) << n;
  }
}

TEST(Log10Floored, FloorsZeroAndKeepsNan) {
  auto const values = log10_floored(std::vector<double>{0, 1e-20, 1e-6, 100, std::nan("")}, 1e-12);
  EXPECT_EQ(values[0], -12);
  EXPECT_EQ(values[1], -12);
  EXPECT_EQ(values[2], std::log10(1e-6));
  EXPECT_EQ(values[3], 2);
  EXPECT_TRUE(std::isnan(values[4]));
}

TEST(Log10Floored, CountsWhatItRaises) {
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const values = {0, 1e-20, 1e-12, 1e-6, std::nan(""), -3, -infinity, infinity};
  EXPECT_EQ(count_floored(values, 1e-12), 4);
  EXPECT_EQ(count_floored(values, 1e-300), 3);
  EXPECT_EQ(count_floored({}, 1), 0);
}

}  // namespace
}  // namespace ulpine::verification
