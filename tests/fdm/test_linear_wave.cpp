// SPDX-License-Identifier: Apache-2.0
// The linear steady wave over a row of ground against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "core/fdm/linear_wave.hpp"
#include "core/fdm/parameters.hpp"
#include "fdm/air_support.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;
using std::numbers::pi;
using LinearWave = test::Air;

std::string row(std::string const& more) {
  return "[grid]\nnx = 16\nnz = 40\ndx = 2000.0\ndz = 250.0\n[base]\nkind = 'isothermal'\ntheta = 280.0\nu = "
         "15.0\n[terrain]\nkind = 'schaer'\nheight = 2.0\nhalf_width = 1e12\nlinear_wave = true\n" +
         more;
}

/// In isothermal air all coefficients are constant: w = Re(i U k h e^(ikx + (1 / (2 H) + i m) z)), 1 / H = g
/// / (R T), of m^2 = (1 - U^2 / c^2) (N^2 / U^2 - k^2) - (g / c^2 - N^2 / g)^2 / 4.
TEST_F(LinearWave, IsTheClosedFormInIsothermalAir) {
  constexpr double g = 9.8, temperature = 280, wind = 15;
  auto const sound2 = 1004.0 / 717.0 * 287 * temperature, stability = g * g / (1004 * temperature);
  for (double const wavelength : {32000.0, 8000.0, 4571.428571428572}) {
    fdm::Parameters const p(io::CaseFile::parse(
        "core = 'fdm'\n" + row("wavelength = " + std::to_string(wavelength) + "\n"), "air.toml"));
    auto const w = fdm::linear_wave(p.heights(), fdm::BaseState(p.base, p.top()), wind);
    ASSERT_EQ(w.size(), 16u * 41u);
    auto const k = 2 * pi / wavelength, difference = g / sound2 - stability / g;
    auto const m2 =
        (1 - wind * wind / sound2) * (stability / (wind * wind) - k * k) - difference * difference / 4;
    auto const m = std::sqrt(std::complex<double>(m2));
    std::complex<double> const i(0, 1);
    for (std::size_t level = 0; level <= 40; ++level) {
      auto const z = 250.0 * static_cast<double>(level);
      auto const growth = (g / sound2 + stability / g) / 2;
      auto const wave = i * wind * k * std::exp((growth + i * m) * z);  // of a ground of cos(kx)
      for (std::size_t c = 0; c < 16; ++c) {
        auto const x = (static_cast<double>(c) + 0.5) * 2000 - 16000;
        // Some 1e-7 a rad of Runge and Kutta, and the difference over 2 m that gives N^2.
        EXPECT_NEAR(w[level * 16 + c], (wave * std::polar(1.0, k * x)).real(),
                    1e-5 * std::abs(wave) + 1e-9 * wind * k)
            << wavelength << " " << z << " " << x;
      }
    }
  }
}

TEST_F(LinearWave, IsRefusedWhereItIsNotKnown) {
  for (auto const* more : {"wavelength = 8000.0\n[boundary]\nwest = 'wall'\neast = 'wall'\n",
                           "wavelength = 8000.0\n[air]\nhumid = true\n"}) {
    try {
      make(row(more));
      ADD_FAILURE() << more;
    } catch (InputError const& error) {
      EXPECT_NE(std::string(error.what()).find("terrain.linear_wave"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
