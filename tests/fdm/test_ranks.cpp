// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/fdm/register.hpp"
#include "support/conformance.hpp"
#include "support/thread_team.hpp"

namespace {

using namespace ulpine;

std::string air(std::string const& sizes, std::string const& more) {
  return "core = 'fdm'\n[grid]\n" + sizes +
         "dx = 500.0\ndy = 600.0\ndz = 400.0\n[base]\nkind = 'constant_n'\nv = 2.0\nu_aloft = 5.0\n"
         "shear_depth = 2000.0\n[start]\nkind = 'bubble'\namplitude = 3.0\ncentre_z = 1500.0\nradius_x = "
         "1500.0\n"
         "radius_z = 1200.0\n[time]\nstep = '3 s'\nend = '1 h'\n" +
         more;
}
std::string const block = "nx = 13\nny = 12\nnz = 6\n", channel = "nx = 29\nny = 2\nnz = 5\n";
std::string const terrain = "[terrain]\nkind = 'bell'\nheight = 300.0\nhalf_width = 1500.0\n";
std::string const open =
    "[boundary]\nwest = 'open'\neast = 'open'\nsouth = 'wall'\nnorth = 'zero_gradient'\n";
std::string const lid = "[lid]\nkind = 'radiative'\n";
std::string const eddies =
    "[mixing]\nclosure = 'smagorinsky'\nfourth_order = 1e-3\n[sponge]\nfrom = 1600.0\nrate = 0.01\n";
std::string const forest = "[canopy]\nheight = 700.0\n";

class AirOnRanks : public test::PlacesTest {
 protected:
  AirOnRanks() { fdm::register_core(); }
  test::ThreadTeam team_{7};
};

#if defined(ULPINE_GPU_TESTS)

TEST_F(AirOnRanks, HasTheHostsBitsOnGpus) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32"}) {
    test::expect_conformance(air(block, eddies), policy, Assembly::deterministic, test::on_gpus(), 3);
  }
}
TEST_F(AirOnRanks, HasThemOverTerrainWithEverySideOnGpus) {
  test::expect_conformance(air(block, terrain + open + eddies + forest + "[advection]\norder = 5\n"), "fp64",
                           Assembly::deterministic, test::on_gpus(), 3);
  test::expect_conformance(air(block, open + "speed_of = 'column'\n"), "fp64", Assembly::deterministic,
                           test::on_gpus(), 3);
  test::expect_conformance(air(channel, "scheme = 'leapfrog'\n[air]\ndensity = 'full'\nhumid = true\n"),
                           "fp32", Assembly::deterministic, test::on_gpus(), 3);
}
TEST_F(AirOnRanks, HasThemBelowARadiativeLidOnGpus) {
  test::expect_conformance(air(block, terrain + lid), "mixed", Assembly::deterministic, test::on_gpus(), 3);
}

#else

TEST_F(AirOnRanks, HasTheBitsOfOneInEveryPolicy) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "bf16", "fp16"}) {
    test::expect_conformance(air(block, eddies), policy, Assembly::deterministic, test::on_ranks({1, 2, 4}),
                             2);
  }
}
TEST_F(AirOnRanks, HasThemOverTerrainWithEverySide) {
  test::expect_conformance(air(block, terrain + open + eddies + forest + "[advection]\norder = 5\n"), "fp64",
                           Assembly::deterministic, test::on_ranks({1, 3, 6}), 2);
  test::expect_conformance(air(block, open + "speed_of = 'column'\n"), "fp32", Assembly::deterministic,
                           test::on_ranks({1, 3}), 3);
  test::expect_conformance(air(block, "[air]\ndensity = 'full'\nhumid = true\n"), "fp64",
                           Assembly::deterministic, test::on_ranks({1, 2, 4}), 2);
  test::expect_conformance(
      air(block, terrain + "[boundary]\nsouth = 'open'\nnorth = 'open'\nspeed_of = 'column'\n"), "mixed",
      Assembly::deterministic, test::on_ranks({1, 4}), 2);
}
TEST_F(AirOnRanks, HasThemInAHumidLeapInAChannelOfSeven) {
  test::expect_conformance(
      air(channel,
          "scheme = 'leapfrog'\n[air]\ndensity = 'full'\nhumid = true\n[mixing]\nclosure = 'energy'\n"
          "[sound]\ntheta = 'small'\n"),
      "fp32", Assembly::deterministic, test::on_ranks({1, 2, 7}), 2);
}
TEST_F(AirOnRanks, HasThemInFormatsAndQuad) {
  auto const tiny = air("nx = 8\nny = 4\nnz = 4\n", "[ranks]\noverlap = false\n");
  test::expect_conformance(tiny, "quad", Assembly::deterministic, test::on_ranks({1, 2}), 2);
  test::expect_conformance(tiny, "e8m10", Assembly::deterministic, test::on_ranks({1, 2}), 2);
}

TEST_F(AirOnRanks, HasThemBelowARadiativeLid) {
  test::expect_conformance(air(block, terrain + lid), "mixed", Assembly::deterministic,
                           test::on_ranks({1, 4}), 2);
  test::expect_conformance(air(channel, lid + "[sound]\ntheta = 'small'\nfactors = 'stored'\n"), "fp64",
                           Assembly::deterministic, test::on_ranks({1, 7}), 1);
  test::expect_conformance(air("nx = 8\nny = 4\nnz = 4\n", lid), "e8m10", Assembly::deterministic,
                           test::on_ranks({1, 2}), 1);
}

#endif

}  // namespace
