// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "core/les/moisture.hpp"
#include "io/error.hpp"
#include "les/eddies_support.hpp"

namespace {

using namespace ulpine;
using test::Eddies;

char const* const grid = "nx = 12\nny = 9\nnz = 10\ndx = 30.0\ndy = 20.0\ndz = 12.0\nstretch_factor = 1.08";
char const* const humid = "[profile.humidity]\nkg_per_kg = [0.01]\n";
constexpr double per_cell = 2 / 30.0 + 2 / 20.0 + 2 / 12.0;

/// Solid cells of a few columns, up to four in one.
std::vector<int> town() {
  std::vector<int> tops(12 * 9, 0);
  for (auto const at : {13, 14, 25, 26, 53, 66, 67, 90}) tops[static_cast<std::size_t>(at)] = 1 + at % 4;
  return tops;
}
int lowest(std::vector<int> const& tops, int j, int i) {
  return tops.empty() ? 0 : tops[static_cast<std::size_t>(j * 12 + i)];
}
std::string text_of(double value) {
  std::ostringstream text;
  text.precision(17);
  text << std::showpoint << value;
  return text.str();
}
std::string case_of(std::string const& more, char const* step = "step = '0.9 s'") {
  return test::bare_case(grid, step, more);
}
/// Humidity between these.
void moisten(Eddies& eddies, double least, double most) {
  test::RandomValues random(31);
  eddies.fill("q", [&](int, int, int) { return random.between(least, most); });
  eddies.settled();
}

/// Of vapour that weighs 18.015 and air that weighs 28.964: 28.964 / 18.015 - 1 = 0.6078, which models round.
TEST(VirtualTemperature, IsOfDryAirOfTheSameDensity) {
  for (auto const q : {0.0, 0.005, 0.02}) {
    for (auto const theta : {250.0, 300.0}) {
      EXPECT_NEAR(les::virtual_theta(theta, q) / theta, 1 + 0.61 * q, 4 * 0x1p-53);
      auto const density_ratio = 1 + (28.964 / 18.015 - 1) * q;
      EXPECT_NEAR(les::virtual_theta(theta, q) / theta, density_ratio, 0.003 * q + 4 * 0x1p-53);
      // A product changes by each factor's change times the other, and by that of both.
      auto const warmer = 0.5, moister = 0.001;
      auto const change = les::virtual_theta(theta + warmer, q + moister) - les::virtual_theta(theta, q);
      EXPECT_NEAR(les::virtual_flux(warmer, moister, theta, q), change - 0.61 * warmer * moister,
                  8 * 0x1p-53 * 310);
    }
  }
}

/// Volume integral of humidity over the area, m.
long double water(Eddies& eddies) {
  auto const values = eddies.values("q");
  long double sum = 0;
  for (int k = 0; k < eddies.nz(); ++k) {
    for (int n = 0; n < eddies.nx() * eddies.ny(); ++n) {
      sum += static_cast<long double>(values[eddies.index(k, 0, 0) + static_cast<std::size_t>(n)]) *
             eddies.thickness(k);
    }
  }
  return sum / (eddies.nx() * eddies.ny());
}

TEST(Humidity, GrowsByItsFluxAlone) {
  struct Watered {
    char const* ground;
    double flux;
  };
  Watered const grounds[] = {{"wind = 'free_slip'\nheat_flux = 0.1\n", 0},
                             {"wind = 'no_slip'\nheat_flux = -0.05\nmoisture_flux = -2e-5\n", -2e-5},
                             {"wind = 'flux_layer'\nheat_flux = 0.1\nmoisture_flux = 1e-4\n", 1e-4}};
  for (auto const& ground : grounds) {
    for (auto const* closure : {"deardorff", "smagorinsky"}) {
      for (auto const* policy : {"fp64", "fp32", "mixed"}) {
        Eddies eddies(
            case_of(std::string(humid) + "[closure]\nkind = '" + closure + "'\n[ground]\n" + ground.ground),
            policy);
        eddies.randomize(7, 2, 300, 0.5);
        moisten(eddies, 0.005, 0.015);
        auto const eps = test::roundoff_of(policy);
        auto const steps = 4;
        eddies.step();  // the wind has no divergence from now on
        auto const before = water(eddies);
        auto const start = eddies.time();

        eddies.steps(steps);

        auto const grown = static_cast<double>(water(eddies) - before);
        // As of heat (test_conservation.cpp), with at most 0.02 in place of 300.
        auto const divergence = (64 * eps.solved + 4 * eps.state) * 3 * per_cell;
        auto const fluxes = 16 * eps.state * 3 * 0.02 * per_cell;
        auto const bound =
            eddies.height() * 3 * steps * (0.02 * eps.state + 0.9 * (0.02 * divergence + fluxes));
        EXPECT_NEAR(grown, ground.flux * (eddies.time() - start), bound)
            << closure << policy << ground.ground;
        EXPECT_TRUE(policy != std::string("fp64") || bound < 1e-9);
      }
    }
  }
}

TEST(Humidity, StaysConstantOnFlatGroundAndBesideBuildings) {
  for (auto const& tops : {std::vector<int>{}, town()}) {
    for (auto const* scheme : {"wicker_skamarock", "piacsek_williams"}) {
      for (auto const* policy : {"fp64", "fp32", "mixed"}) {
        Eddies eddies(
            case_of(std::string(humid) + test::free_slip + "[advection]\nscheme = '" + scheme + "'\n"),
            policy, Host{}, Assembly::deterministic, tops);
        eddies.randomize(9, 2, 300, 0.5);
        eddies.fill("q", [](int, int, int) { return 0.01; });
        eddies.settled();
        auto const steps = 4;

        eddies.steps(steps);

        auto const eps = test::roundoff_of(policy).state;
        auto const bound = 3 * steps * 0.01 * (eps + 0.9 * 16 * eps * 3 * per_cell);
        auto const q = eddies.values("q");
        for (int k = 0; k < eddies.nz(); ++k) {
          for (int j = 0; j < eddies.ny(); ++j) {
            for (int i = 0; i < eddies.nx(); ++i) {
              if (k < lowest(tops, j, i)) continue;
              ASSERT_NEAR(q[eddies.index(k, j, i)], 0.01, bound)
                  << scheme << policy << k << ' ' << j << ' ' << i;
            }
          }
        }
      }
    }
  }
}

TEST(Humidity, OfNothingIsDryAirToTheBit) {
  char const* const grounds[] = {"heat_flux = 0.1\n", "heat_flux = -0.02\nfree_convection = false\n",
                                 "theta = 299.0\n", "wind = 'free_slip'\nheat_flux = 0.1\n"};
  for (auto const* ground : grounds) {
    for (auto const& tops : {std::vector<int>{}, town()}) {
      for (auto const* policy : {"fp64", "fp32"}) {
        auto const text =
            case_of(std::string("[profile.theta]\nheights = [0.0, 100.0]\nkelvin = [300.0, 302.0]\n") +
                    "[ground]\n" + ground);
        Eddies dry(text, policy, Host{}, Assembly::deterministic, tops);
        Eddies moist(text + "[profile.humidity]\nkg_per_kg = [0.0]\n", policy, Host{},
                     Assembly::deterministic, tops);
        for (auto* eddies : {&dry, &moist}) {
          eddies->randomize(3, 2, 300, 0.5);
          eddies->steps(3);
        }
        for (auto const* field : {"u", "v", "w", "theta", "e", "ustar", "heat_flux", "wtheta"}) {
          test::expect_same_bits(moist.values(field), dry.values(field),
                                 std::string(field) + ground + policy);
        }
        EXPECT_EQ(test::largest(moist.values("q")), 0);
      }
    }
  }
}

/// A thousandth or so of temperature, to the bit, where it makes nothing lighter.
TEST(Humidity, IsCarriedAsTemperatureIs) {
  for (auto const& tops : {std::vector<int>{}, town()}) {
    for (auto const* closure : {"deardorff", "smagorinsky"}) {
      for (auto const sloping : {false, true}) {
        auto const top = sloping ? 310.0 : 300.0;
        Eddies eddies(case_of("[closure]\nkind = '" + std::string(closure) + "'\n[air]\ngravity = 0.0\n" +
                              "[profile.theta]\nheights = [0.0, 1000.0]\nkelvin = [300.0, " + text_of(top) +
                              "]\n[profile.humidity]\nheights = [0.0, 1000.0]\nkg_per_kg = [" +
                              text_of(300.0 / 1024) + ", " + text_of(top / 1024) +
                              "]\n[ground]\nheat_flux = 0.1024\nmoisture_flux = 1e-4\n[sponge]\nfrom = "
                              "60.0\nrate = 0.01\n"),
                      "fp64", Host{}, Assembly::deterministic, tops);
        eddies.randomize(5, 2, 300, 0.5);
        auto const start = eddies.values("theta");
        eddies.fill("q", [&](int k, int j, int i) { return start[eddies.index(k, j, i)] / 1024; });
        eddies.settled();

        eddies.steps(4);

        for (auto const* names : {"theta q", "wtheta wq"}) {
          std::istringstream both(names);
          std::string heat, moisture;
          both >> heat >> moisture;
          auto warm = eddies.values(heat.c_str());
          for (auto& value : warm) value /= 1024;
          auto const wet = eddies.values(moisture.c_str());
          if (sloping) {
            // The step beyond the lid alone is rounded otherwise: some times 300 K / 1024, in each stage.
            EXPECT_LE(test::distance(wet, warm), 12 * 8 * 0x1p-53 * 300 / 1024) << names << closure;
            EXPECT_GT(test::largest(wet), 0);
          } else {
            test::expect_same_bits(wet, warm, names + std::string(closure));
          }
        }
      }
    }
  }
}

/// theta_v in place of theta is all that there is to moist air: stresses, eddies, and tendencies of wind and
/// sub-grid energy of the first stage have the bits of dry air of that temperature.
template <class T>
void expect_virtual(char const* policy, std::vector<int> const& tops, char const* closure,
                    char const* ground) {
  auto const kelvin = T(300.25), vapour = static_cast<T>(0.0125), heat = static_cast<T>(0.1),
             moisture = static_cast<T>(2e-4);
  auto const text = [&](double heat_flux) {
    return case_of("[air]\nreference_theta = 300.0\n[closure]\nkind = '" + std::string(closure) +
                   "'\n[ground]\nwind = '" + ground + "'\nheat_flux = " + text_of(heat_flux) + "\n");
  };
  Eddies moist(text(heat) + "moisture_flux = " + text_of(moisture) + "\n" + humid, policy, Host{},
               Assembly::deterministic, tops);
  Eddies dry(text(les::virtual_flux(heat, moisture, kelvin, vapour)), policy, Host{}, Assembly::deterministic,
             tops);
  for (auto* eddies : {&moist, &dry}) eddies->randomize(3, 2, 300, 0.5);
  moisten(moist, 0.0, 0.02);
  // The same air in the lowest cell of each column, where buoyancy's flux depends on it.
  auto theta = moist.values("theta"), q = moist.values("q");
  for (int j = 0; j < 9; ++j) {
    for (int i = 0; i < 12; ++i) {
      auto const at = moist.index(lowest(tops, j, i), j, i);
      theta[at] = kelvin, q[at] = vapour;
    }
  }
  moist.write("theta", theta);
  moist.write("q", q);
  for (std::size_t n = 0; n < theta.size(); ++n) {
    theta[n] = les::virtual_theta(static_cast<T>(theta[n]), static_cast<T>(q[n]));
  }
  dry.write("theta", theta);
  test::Written of_moist, of_dry;
  for (auto* eddies : {&moist, &dry}) {
    eddies->settled();
    eddies->core().stages().observe(eddies == &moist ? &of_moist : &of_dry);
    eddies->step();
  }
  for (auto const* field : {"viscosity", "diffusivity", "drag", "ustar", "shear"}) {
    if (!of_dry.all.contains({field, 0})) continue;
    test::expect_same_bits(of_moist.of(field, 0), of_dry.of(field, 0), field + std::string(closure) + ground);
  }
  for (auto const* field : {"stored_u", "stored_v", "stored_w", "stored_e"}) {
    if (!of_dry.all.contains({field, 1})) continue;
    test::expect_same_bits(of_moist.of(field, 1), of_dry.of(field, 1), field + std::string(closure) + ground);
  }
}
TEST(Humidity, IsFeltAsVirtualTemperature) {
  for (auto const& tops : {std::vector<int>{}, town()}) {
    for (auto const* closure : {"deardorff", "smagorinsky"}) {
      for (auto const* ground : {"flux_layer", "free_slip"}) {
        expect_virtual<double>("fp64", tops, closure, ground);
        expect_virtual<float>("fp32", tops, closure, ground);
      }
    }
  }
}

TEST(Humidity, OfTheSurfaceMakesAFluxAsTemperatureDoes) {
  // Differences of humidity that are those of temperature over 1024, and stability as of virtual temperature.
  auto const surface_q = 0.03125, surface_theta = 301.0;
  auto const text = [&](double theta) {
    return case_of(
        "[air]\nreference_theta = 300.0\n[ground]\nroughness = 0.1\nheat_roughness = 0.02\ntheta = " +
        text_of(theta) + "\n");
  };
  Eddies moist(text(surface_theta) + "humidity = " + text_of(surface_q) + "\n" + humid);
  Eddies dry(text(les::virtual_theta(surface_theta, surface_q)));
  Eddies still(text(surface_theta) + humid);
  for (auto* eddies : {&moist, &dry, &still}) eddies->randomize(3, 2, 301, 0.5);
  auto theta = moist.values("theta");
  auto q = theta;
  for (auto& value : q) value = surface_q + (value - surface_theta) / 1024;
  moist.write("q", q);
  still.write("q", q);
  for (std::size_t n = 0; n < theta.size(); ++n) theta[n] = les::virtual_theta(theta[n], q[n]);
  dry.write("theta", theta);
  for (auto* eddies : {&moist, &dry, &still}) eddies->settled();

  auto const heat = moist.values("heat_flux"), wet = moist.values("moisture_flux");
  for (std::size_t n = 0; n < heat.size(); ++n) {
    EXPECT_NE(heat[n], 0);
    // The difference of humidity is rounded as a number of 0.03 is.
    EXPECT_NEAR(wet[n], heat[n] / 1024, 8 * 0x1p-53 * (std::abs(wet[n]) + 0.03125));
  }
  for (auto const* field : {"ustar", "inverse_obukhov_length"}) {
    test::expect_same_bits(moist.values(field), dry.values(field), field);
  }
  EXPECT_EQ(test::largest(still.values("moisture_flux")), 0);
  // Without a flux of humidity the surface's air is as humid as that above it.
  auto const length = still.values("inverse_obukhov_length"),
             of_moist = moist.values("inverse_obukhov_length");
  EXPECT_NE(length, of_moist);
  for (std::size_t n = 0; n < length.size(); ++n) EXPECT_EQ(length[n] > 0, still.values("heat_flux")[n] < 0);

  moist.step();  // the wind has no divergence from now on
  auto const before = water(moist);
  test::Written written;
  moist.core().stages().observe(&written);
  moist.step();
  // What enters is the flux of each stage by its part of the step.
  auto grown = 0.0;
  for (int stage = 1; stage <= 3; ++stage) {
    auto mean = 0.0;
    for (auto const value : written.of("moisture_flux", stage == 1 ? 0 : stage)) mean += value / 108;
    double const weights[] = {1 / 6.0, 3 / 10.0, 8 / 15.0};
    grown += 0.9 * weights[stage - 1] * mean;
  }
  auto const bound =
      moist.height() * 3 * 0.04 * (0x1p-53 + 0.9 * (68 * 0x1p-53 * 3 + 16 * 0x1p-53 * 3) * per_cell);
  EXPECT_NEAR(static_cast<double>(water(moist) - before), grown, bound);
  EXPECT_GT(std::abs(grown), 100 * bound);
}

TEST(Humidity, MakesABubbleRiseAsWarmthDoes) {
  auto const text =
      test::bare_case("nx = 16\nny = 6\nnz = 16\ndx = 25.0\ndy = 25.0\ndz = 25.0", "step = '2 s'",
                      std::string(test::no_closure) + test::free_slip + "[air]\nreference_theta = 300.0\n");
  Eddies moist(text + "[profile.humidity]\nkg_per_kg = [0.0]\n"), dry(text);
  auto const vapour = [](int k, int, int i) {
    auto const x = (i - 8) / 4.0, z = (k - 6) / 4.0;
    return 0.02 * std::max(0.0, 1 - x * x - z * z);
  };
  moist.fill("theta", [](int, int, int) { return 300.0; });
  moist.fill("q", vapour);
  dry.fill("theta", [&](int k, int j, int i) { return les::virtual_theta(300.0, vapour(k, j, i)); });
  for (auto* eddies : {&moist, &dry}) {
    eddies->settled();
    eddies->steps(30);
  }

  auto const eps = 0x1p-53;
  auto const fastest = test::largest(dry.values("w"));
  EXPECT_GT(fastest, 1);
  EXPECT_LT(fastest, 5);
  // Each stage rounds temperatures of 300 K, and fluxes of 5 m/s times these over cells of 25 m; gravity
  // makes wind of it, over 60 s. What differs grows no faster than N = (9.81 x 0.61 x 0.02 / 100 m)^(1/2)
  // does: e^2 in that time.
  auto const of_theta = 90 * eps * 300 * (1 + 2 * 16 * 5 * 4 / 25.0);
  auto const of_wind = 8 * (9.81 / 300 * of_theta * 60);
  EXPECT_LE(test::distance(moist.values("w"), dry.values("w")), of_wind);
  EXPECT_LE(test::distance(moist.values("u"), dry.values("u")), of_wind);
  EXPECT_LT(of_wind, 1e-7);
  EXPECT_LE(test::distance(moist.values("theta"), std::vector<double>(16 * 16 * 6, 300)), of_theta);
}

TEST(Humidity, IsPassiveInNeutralAirAndWithoutGravity) {
  for (auto const* air : {"[air]\nneutral = true\n", "[air]\ngravity = 0.0\n"}) {
    auto const text = case_of(std::string(air) + "[profile.wind]\nu = [3.0]\n[start]\nnoise_wind = 0.5\n");
    Eddies moist(text + "noise_humidity = 0.005\n[ground]\nmoisture_flux = 1e-3\n" + humid), dry(text);
    auto const before = water(moist);
    for (auto* eddies : {&moist, &dry}) eddies->steps(4);
    for (auto const* field : {"u", "v", "w", "e", "ustar"}) {
      test::expect_same_bits(moist.values(field), dry.values(field), field + std::string(air));
    }
    EXPECT_NEAR(static_cast<double>(water(moist) - before), 1e-3 * 3.6, 1e-6);
  }
}

TEST(Humidity, LeavesAirAtRestWhereTheReferenceIsTheStart) {
  Eddies eddies(
      case_of(std::string(test::free_slip) +
              "[profile.theta]\nheights = [0.0, 150.0]\nkelvin = [298.3, 301.1]\n"
              "[profile.humidity]\nheights = [0.0, 90.0, 150.0]\nkg_per_kg = [0.013, 0.007, 0.002]\n"
              "[closure]\nkind = 'none'\n"));
  auto const hash = eddies.hash();
  eddies.steps(3);
  EXPECT_EQ(eddies.hash(), hash);
}

TEST(Humidity, StartsAsItsProfileWithItsNoise) {
  auto const text = [](double noise) {
    return case_of(
        "[profile.humidity]\nheights = [0.0, 50.0, 100.0]\nkg_per_kg = [0.012, 0.01, 0.002]\n"
        "[start]\nnoise_top = 60.0\nnoise_humidity = " +
        text_of(noise) + "\n");
  };
  Eddies even(text(0)), noisy(text(1e-3));
  auto const q = even.values("q"), disturbed = noisy.values("q");
  auto largest = 0.0;
  for (int k = 0; k < even.nz(); ++k) {
    auto const z = even.parameters().centres()[static_cast<std::size_t>(k)];
    auto const expected = z < 50 ? 0.012 - 0.002 * z / 50 : z < 100 ? 0.01 - 0.008 * (z - 50) / 50 : 0.002;
    for (int n = 0; n < 108; ++n) {
      auto const at = even.index(k, 0, 0) + static_cast<std::size_t>(n);
      EXPECT_NEAR(q[at], expected, 8 * 0x1p-53 * 0.012);
      auto const noise = disturbed[at] - q[at];
      EXPECT_LE(std::abs(noise), z <= 60 ? 1e-3 : 0.0);
      largest = std::max(largest, std::abs(noise));
    }
  }
  EXPECT_GT(largest, 0.9e-3);
  EXPECT_EQ(even.parameters().drying_at_lid(), 0);
}

TEST(Humidity, IsThereWhereACaseGivesItAlone) {
  Eddies dry(case_of("")), moist(case_of(humid));
  for (auto const* field : {"q", "wq", "moisture_flux", "theta_v"}) {
    EXPECT_FALSE(dry.has(field)) << field;
    EXPECT_TRUE(moist.has(field)) << field;
  }
  EXPECT_EQ(dry.core().integrals().size() + 1, moist.core().integrals().size());
  for (auto const* more : {"[ground]\nmoisture_flux = 1e-4\n", "[ground]\ntheta = 300.0\nhumidity = 0.01\n",
                           "[start]\nnoise_humidity = 1e-3\n"}) {
    EXPECT_THROW(Eddies{case_of(more)}, InputError) << more;
    EXPECT_NO_THROW(Eddies{case_of(more + std::string(humid))}) << more;
  }
  for (auto const* more :
       {"[ground]\nhumidity = 0.01\n", "[ground]\ntheta = 300.0\nmoisture_flux = 1e-4\n"}) {
    EXPECT_THROW(Eddies{case_of(more + std::string(humid))}, InputError) << more;
  }
}

}  // namespace
