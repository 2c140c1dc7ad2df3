// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "les/eddies_support.hpp"

namespace {

using namespace ulpine;
using test::Eddies;

char const* const coarse_grid = "nx = 8\nny = 6\nnz = 6\ndx = 50.0\ndy = 50.0\ndz = 50.0";
char const* const neutral_air = "[air]\nneutral = true\n";

/// Steps of one length, and no process but advection and pressure.
std::string least_case(std::string const& more = "") {
  return test::bare_case(coarse_grid, "step = '1 s'", std::string(test::no_closure) + test::free_slip + more);
}
/// Steps as long as the flow allows, heat, eddies with an energy of their own, and a mean wind that is held.
std::string whole_case(std::string const& more = "") {
  return test::bare_case(coarse_grid, "courant = 0.9", "[force]\nmean_u = 2.0\n" + more);
}

TEST(Parts, DeclareNoFieldThatACaseHasNoUseFor) {
  Eddies all(whole_case("[profile.humidity]\nkg_per_kg = [0.01]\n"));
  Eddies fewest(least_case(neutral_air));
  Eddies passive(least_case(neutral_air + std::string("[profile.humidity]\nkg_per_kg = [0.01]\n")));
  for (auto const* field : {"step_rate", "fastest_rate", "u_sum", "carried_theta", "stored_theta", "e",
                            "carried_e", "stored_e", "wtheta", "theta_v", "buoyancy_flux"}) {
    EXPECT_TRUE(all.has(field)) << field;
    EXPECT_FALSE(fewest.has(field)) << field;
    EXPECT_FALSE(passive.has(field)) << field;
  }
  for (auto const* field : {"q", "moisture_flux", "stored_q", "wq"}) {
    EXPECT_TRUE(all.has(field)) << field;
    EXPECT_FALSE(fewest.has(field)) << field;
    EXPECT_TRUE(passive.has(field)) << field;
  }
  for (auto const* field : {"air", "air_u", "air_v", "air_w"}) EXPECT_FALSE(all.has(field)) << field;
}

TEST(Parts, NumberTheirStagesAlikeInAllDryCases) {
  auto const names = [](std::string const& text) {
    Eddies eddies(text);
    std::vector<std::string> all;
    for (auto const& stage : eddies.core().stages().stages()) all.push_back(stage.name);
    return all;
  };
  auto const expected = names(whole_case());
  EXPECT_EQ(expected.front(), "les.surface");
  EXPECT_EQ(expected.back(), "les.pressure.correct");
  EXPECT_EQ(names(least_case()), expected);
  EXPECT_EQ(names(least_case(neutral_air)), expected);
}

}  // namespace
