// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/les/register.hpp"
#include "core/model/model.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "support/conformance.hpp"
#include "support/thread_team.hpp"

namespace {

using namespace ulpine;

/// Tables of a case, each once.
std::string eddies(std::string const& sizes, std::string const& time, std::string const& start,
                   std::string const& more) {
  return "core = 'les'\n[grid]\n" + sizes + "dx = 20.0\ndy = 15.0\ndz = 10.0\n[time]\nend = '1 h'\n" + time +
         "[start]\nnoise_wind = 0.5\nnoise_theta = 0.1\n" + start + "[profile.wind]\nu = [3.0]\nv = [1.0]\n" +
         more;
}
// Two ranks have rows between those that they send, three or more have none.
std::string const block = "nx = 11\nny = 15\nnz = 8\n", row = "nx = 29\nny = 2\nnz = 5\n";
std::string const fixed = "step = '0.5 s'\n", longest = "courant = 0.8\n";
std::string const disturbed = "disturbance = 0.25\ndisturb_every = '4 s'\ndisturb_until = '20 s'\n";
std::string const warm = "[ground]\nheat_flux = 0.1\nroughness = 0.2\n";
std::string const town = "[buildings]\nkind = 'street_canyon'\nheight = 20.0\ncanyon_width = 60.0\n";

class EddiesOnRanks : public test::PlacesTest {
 protected:
  EddiesOnRanks() { les::register_core(); }
  test::ThreadTeam team_{7};
};

std::string const town_of_canyons = warm + town + "[air]\nlatitude = 52.0\n";
std::string const moist =
    eddies(block, fixed, "noise_humidity = 1e-3\n",
           "[ground]\ntheta = 299.0\nhumidity = 0.015\nwarming_per_hour = -2.0\n[closure]\nkind = "
           "'smagorinsky'\n[profile.humidity]\nkg_per_kg = [0.01]\n[sponge]\nfrom = 60.0\nrate = 0.01\n"
           "[output]\nmomentum_flux = true\nwind_speed = true\ndivergence = true\n");
std::string const exact_walls =
    eddies("nx = 16\nny = 16\nnz = 7\n", longest, disturbed,
           "[ground]\nroughness = 0.2\n[buildings]\nkind = 'cubes'\nside = 40.0\ngap = 40.0\nheight = "
           "20.0\nstaggered = false\n[pressure]\nbuildings = 'exact'\niterations = 3\n[force]\nmean_u = "
           "3.0\n[air]\nneutral = true\n");

#if defined(ULPINE_GPU_TESTS)

TEST_F(EddiesOnRanks, HaveTheHostsBitsOnGpus) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32"}) {
    test::expect_conformance(eddies(block, longest, disturbed, town_of_canyons), policy,
                             Assembly::deterministic, test::on_gpus(), 3);
  }
}
/// In the first step and in those after the second stages run beside messages, recorded once.
TEST_F(EddiesOnRanks, HaveThemBesideMessagesOnGpus) {
  test::expect_conformance(eddies("nx = 32\nny = 37\nnz = 12\n", longest, "", warm), "fp32",
                           Assembly::deterministic, test::on_gpus(), 6);
  test::expect_conformance(eddies(block, fixed, "", warm + "[ranks]\noverlap = false\n"), "fp64",
                           Assembly::deterministic, test::on_gpus(), 3);
}
TEST_F(EddiesOnRanks, HaveThemInMoistAirAndWithExactWallsOnGpus) {
  test::expect_conformance(moist, "fp64", Assembly::deterministic, test::on_gpus(), 3);
  test::expect_conformance(exact_walls, "mixed", Assembly::deterministic, test::on_gpus(), 3);
}

#else

TEST_F(EddiesOnRanks, HaveTheBitsOfOneInEveryPolicy) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "bf16", "fp16"}) {
    test::expect_conformance(eddies(block, longest, disturbed, town_of_canyons), policy,
                             Assembly::deterministic, test::on_ranks({1, 2, 4}), 2);
  }
}
TEST_F(EddiesOnRanks, HaveThemInMoistAirOverGroundThatCools) {
  test::expect_conformance(moist, "fp64", Assembly::deterministic, test::on_ranks({1, 3, 6}), 2);
}
TEST_F(EddiesOnRanks, HaveThemInATownWithExactWallsAndAMeanWind) {
  test::expect_conformance(exact_walls, "mixed", Assembly::deterministic, test::on_ranks({1, 2, 4}), 2);
}
/// Blocks side by side have each their own walls: cut along x, which a domain of few rows is.
TEST_F(EddiesOnRanks, HaveThemInAStreetAcrossAChannel) {
  test::expect_conformance(eddies("nx = 29\nny = 2\nnz = 7\n", fixed, "", town_of_canyons), "fp32",
                           Assembly::deterministic, test::on_ranks({1, 2}), 2);
}
TEST_F(EddiesOnRanks, HaveThemInAnUnevenChannelOfSeven) {
  test::expect_conformance(
      eddies(row, longest, disturbed, warm + "[force]\nmean_u = 3.0\n[closure]\nkind = 'none'\n"), "fp32",
      Assembly::deterministic, test::on_ranks({1, 2, 7}), 2);
  test::expect_conformance(
      eddies(row, fixed, "", "[ground]\nwind = 'no_slip'\n[closure]\nkind = 'constant'\nviscosity = 1.0\n"),
      "fp64", Assembly::deterministic, test::on_ranks({1, 5}), 2);
}
TEST_F(EddiesOnRanks, HaveThemInFormatsAndQuad) {
  auto const tiny = "nx = 8\nny = 4\nnz = 4\n";
  test::expect_conformance(eddies(tiny, fixed, "", warm), "quad", Assembly::deterministic,
                           test::on_ranks({1, 2}), 2);
  test::expect_conformance(eddies(tiny, fixed, "", warm + "[ranks]\noverlap = false\n"), "fp64",
                           Assembly::deterministic, test::on_ranks({1, 2}), 2);
  test::expect_conformance(eddies(tiny, longest, disturbed, warm), "e8m10", Assembly::deterministic,
                           test::on_ranks({1, 2}), 2);
}
TEST_F(EddiesOnRanks, TakeTheVendorsTransform) {
  test::expect_conformance(eddies(block, fixed, "", warm), "fp64", Assembly::atomic, test::on_ranks({1, 3}),
                           2);
}

TEST_F(EddiesOnRanks, SayWhatTheyCannotShare) {
  EXPECT_NE(test::refusal_on_ranks(eddies(block, longest, "", warm), "quad", 2).find("use one rank"),
            std::string::npos);
  EXPECT_NE(test::refusal_on_ranks(eddies("nx = 5\nny = 5\nnz = 5\n", fixed, "", warm), "fp64", 3)
                .find("fewer ranks"),
            std::string::npos);
}

#endif

}  // namespace
