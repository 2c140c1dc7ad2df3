// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "core/fdm/register.hpp"
#include "support/conformance.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;

std::string bubble(std::string const& sizes, std::string const& scheme, std::string const& more) {
  return "core = 'fdm'\n[grid]\n" + sizes +
         "dx = 500.0\ndy = 600.0\ndz = 400.0\n[time]\nstep = '3 s'\nend = '1 h'\nscheme = '" + scheme +
         "'\n[base]\nkind = 'constant_n'\nv = 2.0\nu_aloft = 5.0\nshear_depth = 2000.0\n"
         "[start]\nkind = 'bubble'\namplitude = 3.0\ncentre_z = 1500.0\nradius_x = 1500.0\nradius_z = "
         "1200.0\n" +
         more;
}
std::string const small = "nx = 11\nny = 6\nnz = 8\n", tiny = "nx = 4\nny = 3\nnz = 4\n";
std::string const terrain = "[terrain]\nkind = 'bell'\nheight = 300.0\nhalf_width = 1500.0\n";
std::string const forest = "[canopy]\nheight = 700.0\n";
std::string const eddies =
    "[mixing]\nclosure = 'smagorinsky'\nfourth_order = 1e-3\n[sponge]\nfrom = 2400.0\nrate = 0.01\n";
std::string const lid = "[lid]\nkind = 'radiative'\n";
std::string const open =
    "[boundary]\nwest = 'open'\neast = 'open'\nsouth = 'wall'\nnorth = 'zero_gradient'\n";

class AirConformance : public test::PlacesTest {
 protected:
  AirConformance() { fdm::register_core(); }
};

TEST_F(AirConformance, HoldsInEveryPolicy) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "bf16", "fp16"}) {
    test::expect_conformance(bubble(small, "runge_kutta", eddies), policy, Assembly::deterministic,
                             test::places());
  }
}

TEST_F(AirConformance, HoldsOverTerrainWithOpenSides) {
  for (auto const* policy : {"fp64", "mixed"}) {
    test::expect_conformance(
        bubble(small, "runge_kutta", terrain + open + forest + "[advection]\norder = 5\n"), policy,
        Assembly::deterministic, test::places());
  }
}

TEST_F(AirConformance, HoldsWithTheEnergyOfEddies) {
  for (auto const* scheme : {"runge_kutta", "leapfrog"}) {
    test::expect_conformance(bubble(small, scheme, "[mixing]\nclosure = 'energy'\n"), "fp64",
                             Assembly::deterministic, test::places());
  }
}

TEST_F(AirConformance, HoldsInLeaps) {
  for (auto const* policy : {"fp64", "fp32"}) {
    test::expect_conformance(
        bubble(small, "leapfrog",
               eddies + open + "speed_of = 'column'\n[air]\ndensity = 'full'\nhumid = true\n"),
        policy, Assembly::deterministic, test::places());
  }
}

TEST_F(AirConformance, HoldsBelowARadiativeLid) {
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    test::expect_conformance(bubble(small, "runge_kutta", lid), policy, Assembly::deterministic,
                             test::places());
  }
  test::expect_conformance(bubble(small, "leapfrog",
                                  lid + terrain + eddies +
                                      "[sound]\ntheta = 'small'\nfactors = 'stored'\n[air]\ndensity = "
                                      "'full'\nhumid = true\n"),
                           "mixed", Assembly::deterministic, test::places());
}

#if !defined(ULPINE_GPU_TESTS)
TEST_F(AirConformance, HoldsInTheReference) {
  test::expect_conformance(bubble(tiny, "runge_kutta", eddies + lid), "quad", Assembly::deterministic,
                           test::places());
}

TEST_F(AirConformance, HoldsInEmulatedFormats) {
  for (auto const* format : {"e11m52-sr1", "e8m23"}) {
    test::expect_conformance(
        bubble(tiny, "leapfrog", terrain + open + "speed_of = 'column'\n" + eddies + "[air]\nhumid = true\n"),
        format, Assembly::deterministic, test::places(), 2);
    test::expect_conformance(bubble(tiny, "runge_kutta", lid), format, Assembly::deterministic,
                             test::places(), 2);
  }
}
#endif

}  // namespace
