// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <numbers>
#include <sstream>

#include "les/eddies_support.hpp"

namespace {

using namespace ulpine;
using test::Eddies;
using Complex = std::complex<double>;

constexpr double pi = std::numbers::pi;
char const* const schemes[] = {"wicker_skamarock", "piacsek_williams"};
std::string scheme_of(char const* name) { return std::string("[advection]\nscheme = '") + name + "'\n"; }

/// What three stages of third order make of dy/dt = z y / step.
Complex amplification(Complex z) { return 1.0 + z + z * z / 2.0 + z * z * z / 6.0; }
Complex power(Complex z, int n) {
  Complex result = 1;
  for (; n > 0; --n) result *= z;
  return result;
}

TEST(UniformFlow, StaysAsItIsToTheBit) {
  auto const grid = "nx = 10\nny = 9\nnz = 8\ndx = 30.0\ndy = 20.0\ndz = 10.0\nstretch_factor = 1.1";
  for (auto const* scheme : schemes) {
    for (auto const* policy : {"fp64", "fp32", "mixed", "bf16", "quad"}) {
      Eddies eddies(test::bare_case(grid, "step = '1.7 s'",
                                    scheme_of(scheme) + test::no_closure + test::free_slip +
                                        "[profile.theta]\nkelvin = [300.3]\n"),
                    policy);
      eddies.fill("u", [](int, int, int) { return 3.7; });
      eddies.fill("v", [](int, int, int) { return -1.3; });
      eddies.settled();
      auto const before = eddies.hash();
      auto const u = eddies.values("u");

      eddies.steps(3);

      test::expect_same_bits(eddies.values("u"), u, policy);
      EXPECT_EQ(eddies.hash(), before) << policy << ' ' << scheme;
    }
  }
}

TEST(UniformFlow, OfTheGeostrophicWindStaysAsItIsToTheBit) {
  for (auto const* policy : {"fp64", "fp32"}) {
    Eddies eddies(test::bare_case("nx = 8\nny = 6\nnz = 7", "step = '5 s'",
                                  std::string(test::no_closure) + test::free_slip +
                                      "[air]\ncoriolis = 1e-4\n[profile.wind]\nu = [7.3]\nv = [2.9]\n"
                                      "[lid]\nwind = 'geostrophic'\n"),
                  policy);
    auto const before = eddies.hash();

    eddies.steps(3);

    EXPECT_EQ(eddies.hash(), before) << policy;
    EXPECT_EQ(eddies.values("u")[5], policy == std::string("fp64") ? 7.3 : double{7.3F});
    EXPECT_EQ(eddies.values("v")[5], policy == std::string("fp64") ? 2.9 : double{2.9F});
  }
}

/// Uniform wind (u, v) after `steps` of equal length that make up a period of inertia.
Complex turned(int steps, double coriolis, std::string const& policy) {
  auto const period = 2 * pi / std::abs(coriolis);
  std::ostringstream time, air;
  time.precision(17), air.precision(17);
  time << "step = '" << period / steps << " s'";
  air << "[air]\ncoriolis = " << coriolis << "\n";
  Eddies eddies(test::bare_case("nx = 4\nny = 3\nnz = 4", time.str(),
                                std::string(test::no_closure) + test::free_slip + air.str()),
                policy);
  eddies.fill("u", [](int, int, int) { return 8.0; });
  eddies.fill("v", [](int, int, int) { return 3.0; });
  eddies.settled();
  eddies.steps(steps);
  auto const u = eddies.values("u"), v = eddies.values("v");
  EXPECT_LE(test::largest(eddies.values("w")), 1e-300);
  for (std::size_t n = 0; n < u.size(); ++n) EXPECT_TRUE(u[n] == u[0] && v[n] == v[0]);
  return {u[0], v[0]};
}

TEST(InertialOscillation, TurnsOnceInAPeriodToThirdOrder) {
  Complex const start(8, 3);
  for (double const coriolis : {1.2e-4, -0.9e-4}) {
    auto const coarse = std::abs(turned(40, coriolis, "fp64") - start);
    auto const fine = std::abs(turned(80, coriolis, "fp64") - start);

    EXPECT_LT(fine, std::abs(start) * 1e-3);
    // The next term of the error is a share of about the step's angle squared, 2.5 % and 0.6 %.
    EXPECT_NEAR(coarse / fine, 8, 0.3);
  }
}

TEST(InertialOscillation, IsThatOfTheSchemeToRounding) {
  for (double const coriolis : {1.2e-4, -0.9e-4}) {
    for (auto const* policy : {"fp64", "fp32", "mixed"}) {
      auto const steps = 40;
      auto const exact =
          Complex(8, 3) * power(amplification({0, -2 * pi / steps * (coriolis < 0 ? -1 : 1)}), steps);

      auto const found = turned(steps, coriolis, policy);

      // Three stages a step, in each fewer than 8 roundings of at most the wind.
      auto const bound = steps * 3 * 8 * test::roundoff_of(policy).state * std::abs(Complex(8, 3));
      EXPECT_LE(std::abs(found - exact), bound) << policy;
    }
  }
}

TEST(HydrostaticRest, NeverMovesWhereTheReferenceIsTheStart) {
  for (auto const* closure : {"none", "deardorff", "smagorinsky"}) {
    for (auto const* policy : {"fp64", "fp32", "mixed"}) {
      Eddies eddies(test::bare_case("nx = 8\nny = 6\nnz = 12\nstretch_factor = 1.08", "step = '4 s'",
                                    std::string("[closure]\nkind = '") + closure + "'\n" + test::free_slip +
                                        "[profile.theta]\nheights = [0.0, 200.0, 600.0]\n"
                                        "kelvin = [295.0, 296.7, 310.1]\n"),
                    policy);
      auto const theta = eddies.values("theta");

      eddies.steps(4);

      for (auto const* wind : {"u", "v", "w"}) EXPECT_EQ(test::largest(eddies.values(wind)), 0) << policy;
      test::expect_same_bits(eddies.values("theta"), theta, policy);
    }
  }
}

TEST(HydrostaticRest, IsHeldByThePressureToRounding) {
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    auto const step = 4.0, depth = 12 * 50.0;
    Eddies eddies(test::bare_case("nx = 8\nny = 6\nnz = 12", "step = '4 s'",
                                  std::string(test::no_closure) + test::free_slip +
                                      "[air]\nreference_theta = 300.0\n"
                                      "[profile.theta]\nheights = [0.0, 600.0]\nkelvin = [298.0, 304.0]\n"),
                  policy);

    eddies.steps(4);

    // The column of pressure is at most 4 K / 300 K g deep; its rounding, a level at a time, is what is left.
    auto const pressure = 9.81 * 4 / 300 * depth;
    auto const bound = 4 * step * 12 * 4 * test::roundoff_of(policy).solved * pressure / 50;
    EXPECT_LE(test::largest(eddies.values("w")), bound) << policy;
    EXPECT_LE(test::largest(eddies.values("u")), bound) << policy;
    auto const p = eddies.values("p");
    auto const slope = (p[eddies.index(6, 0, 0)] - p[eddies.index(5, 0, 0)]) / 50;
    auto const at = [](double z) { return 9.81 * (298 + z / 100 - 300) / 300; };
    EXPECT_NEAR(slope, at(300), pressure / 50 * 200 * test::roundoff_of(policy).solved) << policy;
  }
}

/// One mode of one field through `steps`, against what the scheme makes of its eigenvalue.
struct Mode {
  char const* field;
  std::string text;
  std::function<double(int k, int j, int i)> shape;
  Complex eigenvalue;  ///< s-1, of what shape is the real part of
  double u = 0, v = 0;
  double offset = 0;  ///< under the mode
  std::function<double(int k, int j, int i)> quadrature = {};
};
void expect_mode(Mode const& mode, double step, std::string const& policy) {
  auto const steps = 6;
  Eddies eddies(mode.text, policy);
  eddies.fill("u", [&](int, int, int) { return mode.u; });
  eddies.fill("v", [&](int, int, int) { return mode.v; });
  eddies.fill("theta", [](int, int, int) { return 300.0; });
  eddies.fill(mode.field, [&](int k, int j, int i) { return mode.offset + mode.shape(k, j, i); });
  eddies.settled();

  eddies.steps(steps);

  auto const factor = power(amplification(mode.eigenvalue * step), steps);
  std::vector<double> exact(eddies.values(mode.field).size());
  for (int k = 0; k < eddies.nz(); ++k) {
    for (int j = 0; j < eddies.ny(); ++j) {
      for (int i = 0; i < eddies.nx(); ++i) {
        auto const other = mode.quadrature ? mode.quadrature(k, j, i) : 0.0;
        exact[eddies.index(k, j, i)] =
            mode.offset + factor.real() * mode.shape(k, j, i) - factor.imag() * other;
      }
    }
  }
  // Each of three stages a step rounds the value once, and its tendency, at most `rate` times as large, in
  // some 40 operations.
  auto const rate = 1 + 40 * step * std::max(std::abs(mode.eigenvalue), 1e-3);
  auto const bound =
      3 * steps * test::roundoff_of(policy).state * (1 + std::abs(mode.offset) + std::abs(mode.u)) * rate;
  EXPECT_LE(test::distance(eddies.values(mode.field), exact), bound)
      << mode.field << ' ' << policy << ' ' << mode.eigenvalue;
}

TEST(Diffusion, OfACosineDecaysWithTheDiscreteWavenumber) {
  auto const text = [](std::string const& sides) {
    return test::bare_case(
        "nx = 12\nny = 10\nnz = 8\ndx = 5.0\ndy = 4.0\ndz = 3.0", "step = '0.9 s'",
        "[closure]\nkind = 'constant'\nviscosity = 0.7\nprandtl = 0.5\n[air]\ngravity = 0.0\n" + sides);
  };
  auto const slip = text(test::free_slip);
  auto const stick = text("[ground]\nwind = 'no_slip'\n[lid]\nwind = 'no_slip'\n");
  auto const eigenvalue = [](double diffusivity, double half_angle, double spacing) {
    auto const k = 2 * std::sin(half_angle) / spacing;
    return -diffusivity * k * k;
  };
  std::vector<Mode> modes;
  for (int const m : {1, 2, 5}) {
    auto const along_x = [m](int, int, int i) { return std::cos(2 * pi * m * i / 12); };
    auto const along_y = [m](int, int j, int) { return std::cos(2 * pi * m * j / 10); };
    auto const along_z = [m](int k, int, int) { return std::cos(pi * m * (k + 0.5) / 8); };
    auto const between_walls = [m](int k, int, int) { return std::sin(pi * m * (k + 0.5) / 8); };
    modes.push_back({"v", slip, along_x, eigenvalue(0.7, pi * m / 12, 5)});
    modes.push_back({"u", slip, along_y, eigenvalue(0.7, pi * m / 10, 4)});
    modes.push_back({"u", slip, along_z, eigenvalue(0.7, pi * m / 16, 3)});
    modes.push_back({"v", slip, along_z, eigenvalue(0.7, pi * m / 16, 3)});
    modes.push_back({"u", stick, between_walls, eigenvalue(0.7, pi * m / 16, 3)});
    modes.push_back({"v", stick, between_walls, eigenvalue(0.7, pi * m / 16, 3)});
    modes.push_back({"theta", slip, along_x, eigenvalue(1.4, pi * m / 12, 5), 0, 0, 300});
    modes.push_back({"theta", slip, along_y, eigenvalue(1.4, pi * m / 10, 4), 0, 0, 300});
    modes.push_back({"theta", stick, along_z, eigenvalue(1.4, pi * m / 16, 3), 0, 0, 300});
  }
  for (auto const& mode : modes) {
    for (auto const* policy : {"fp64", "fp32"}) expect_mode(mode, 0.9, policy);
  }
}

/// Of advection with speed `wind` of e^(i angle n): fluxes as in Wicker and Skamarock 2002, or centred.
Complex advection_eigenvalue(bool centred, double wind, double spacing, double angle) {
  auto const at = [&](double n) { return std::polar(1.0, angle * n); };
  auto const flux = [&](double n) {  // at the face between points n - 1 and n
    auto const sum = [&](int d) { return at(n + d - 1) + at(n - d); };
    auto const rise = [&](int d) { return at(n + d - 1) - at(n - d); };
    if (centred) return wind / 2 * sum(1);
    return wind / 60 * (37.0 * sum(1) - 8.0 * sum(2) + sum(3)) -
           std::abs(wind) / 60 * (10.0 * rise(1) - 5.0 * rise(2) + rise(3));
  };
  return (flux(0) - flux(1)) / spacing;
}

TEST(Advection, OfASineIsThatOfTheSchemeToRounding) {
  for (auto const* scheme : schemes) {
    auto const text =
        test::bare_case("nx = 16\nny = 12\nnz = 4\ndx = 5.0\ndy = 4.0\ndz = 3.0", "step = '0.5 s'",
                        scheme_of(scheme) + test::no_closure + test::free_slip + "[air]\ngravity = 0.0\n");
    auto const centred = scheme == schemes[1];
    for (int const m : {1, 3}) {
      for (double const wind : {4.0, -4.0}) {
        auto const x = [m](int i) { return 2 * pi * m * i / 16; };
        auto const y = [m](int j) { return 2 * pi * m * j / 12; };
        auto const eigen_x = advection_eigenvalue(centred, wind, 5, 2 * pi * m / 16);
        auto const eigen_y = advection_eigenvalue(centred, wind, 4, 2 * pi * m / 12);
        auto const cos_x = [x](int, int, int i) { return std::cos(x(i)); };
        auto const sin_x = [x](int, int, int i) { return std::sin(x(i)); };
        auto const cos_y = [y](int, int j, int) { return std::cos(y(j)); };
        auto const sin_y = [y](int, int j, int) { return std::sin(y(j)); };
        for (auto const* policy : {"fp64", "fp32"}) {
          expect_mode({"theta", text, cos_x, eigen_x, wind, 0, 300, sin_x}, 0.5, policy);
          expect_mode({"v", text, cos_x, eigen_x, wind, 0, 0, sin_x}, 0.5, policy);
          expect_mode({"theta", text, cos_y, eigen_y, 0, wind, 300, sin_y}, 0.5, policy);
          expect_mode({"u", text, cos_y, eigen_y, 0, wind, 0, sin_y}, 0.5, policy);
        }
      }
    }
  }
}

/// A sine of theta that a uniform wind has carried once around, `n` cells of 1 m along x or y.
std::vector<double> carried_around(char const* scheme, bool along_x, int n, int steps) {
  std::ostringstream grid, time;
  grid << (along_x ? "nx" : "ny") << " = " << n << '\n'
       << (along_x ? "ny" : "nx") << " = 1\nnz = 2\ndx = 1.0\ndy = 1.0\ndz = 1.0";
  time.precision(17);
  if (steps > 0) time << "step = '" << static_cast<double>(n) / steps << " s'";
  Eddies eddies(
      test::bare_case(grid.str(), time.str(),
                      scheme_of(scheme) + test::no_closure + test::free_slip + "[air]\ngravity = 0.0\n"));
  eddies.fill(along_x ? "u" : "v", [](int, int, int) { return 1.0; });
  eddies.fill("theta", [&](int, int j, int i) { return 300 + std::sin(2 * pi * (i + j) / n); });
  eddies.settled();
  eddies.steps(steps);
  return eddies.values("theta");
}
double error_once_around(char const* scheme, bool along_x, int n, int steps) {
  return test::distance(carried_around(scheme, along_x, n, steps), carried_around(scheme, along_x, n, 0));
}

TEST(Advection, IsOfFifthOrderInSpaceAndOfSecondWhereCentred) {
  for (bool const along_x : {true, false}) {
    // Courant numbers of 0.04 and 0.02: the error of time, of third order, is small beside that of space.
    auto const fifth =
        error_once_around(schemes[0], along_x, 12, 300) / error_once_around(schemes[0], along_x, 24, 1200);
    auto const second =
        error_once_around(schemes[1], along_x, 24, 200) / error_once_around(schemes[1], along_x, 48, 400);

    EXPECT_NEAR(std::log2(fifth), 5, 0.1);
    EXPECT_NEAR(std::log2(second), 2, 0.05);
  }
}

TEST(Advection, IsOfThirdOrderInTime) {
  for (auto const* scheme : schemes) {
    auto const fine = carried_around(scheme, true, 16, 1280);
    auto const error = [&](int steps) {
      return test::distance(carried_around(scheme, true, 16, steps), fine);
    };

    EXPECT_NEAR(std::log2(error(40) / error(80)), 3, 0.1) << scheme;
  }
}

}  // namespace
