// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "les/eddies_support.hpp"

namespace {

using namespace ulpine;
using test::Eddies;

char const* const grid = "nx = 8\nny = 6\nnz = 6\ndx = 50.0\ndy = 50.0\ndz = 50.0";
char const* const air_alone = "[air]\nneutral = true\n";

/// Steps of one length, and no process but advection and pressure.
std::string bare(std::string const& more = "") {
  return test::bare_case(grid, "step = '1 s'", std::string(test::no_closure) + test::free_slip + more);
}
/// Steps as long as the flow allows, heat, eddies with an energy of their own, and a mean wind that is held.
std::string full(std::string const& more = "") {
  return test::bare_case(grid, "courant = 0.9", "[force]\nmean_u = 2.0\n" + more);
}

TEST(Parts, DeclareNoFieldThatACaseHasNoUseFor) {
  Eddies all(full("[profile.humidity]\nkg_per_kg = [0.01]\n"));
  Eddies fewest(bare(air_alone));
  Eddies passive(bare(air_alone + std::string("[profile.humidity]\nkg_per_kg = [0.01]\n")));
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
  auto const expected = names(full());
  EXPECT_EQ(expected.front(), "les.surface");
  EXPECT_EQ(expected.back(), "les.pressure.correct");
  EXPECT_EQ(names(bare()), expected);
  EXPECT_EQ(names(bare(air_alone)), expected);
}

}  // namespace
