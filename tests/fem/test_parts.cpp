// SPDX-License-Identifier: Apache-2.0
// What the parts of finite elements declare in a case.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fem/air_support.hpp"

namespace {

using namespace ulpine;
using test::ElementAir;

using Names = std::vector<std::string>;

std::string case_with(std::string const& more = "") {
  return "[mesh]\nnx = 3\nny = 2\nnz = 3\nlength = [3000.0, 2000.0, 3000.0]\n[time]\nstep = '4 s'\n"
         "[base]\nbuoyancy_frequency = 0.0\n" +
         more;
}
char const* const humid = "[air]\nhumid = true\n";
char const* const carried = "[water]\ncarried = true\n";
char const* const open = "[boundary]\nopen = ['outflow']\n";
char const* const manufactured = "[manufactured]\nperiod = '64 s'\n";

Names stages_of(std::string const& text) {
  ElementAir air(text);
  Names all;
  for (auto const& stage : air.core().stages().stages()) all.push_back(stage.name);
  return all;
}
Names integrals_of(std::string const& text) {
  ElementAir air(text);
  Names all;
  for (auto const& integral : air.core().integrals()) all.push_back(integral.name);
  return all;
}

TEST(PartsOfElements, DeclareNoFieldThatACaseHasNoUseFor) {
  struct Use {
    std::string with;
    Names fields;
  };
  for (auto const& [with, fields] :
       {Use{humid, {"fallen", "water_made", "fall_speed", "vapour_reference", "rain_on_ground"}},
        Use{carried, {"vapour", "cloud", "rain", "old_vapour"}},
        Use{open, {"outflow", "scalar_given", "pressure_given"}},
        Use{manufactured, {"source", "source_mass", "wind_error", "theta_error_share"}}}) {
    ElementAir with_it(case_with(with)), without(case_with());
    for (auto const& field : fields) {
      EXPECT_NE(with_it.core().fields().find(field), nullptr) << field;
      EXPECT_EQ(without.core().fields().find(field), nullptr) << field;
    }
  }
  ElementAir passive(case_with(carried));
  EXPECT_EQ(passive.core().fields().find("vapour_reference"), nullptr);
  EXPECT_EQ(passive.core().fields().find("fallen"), nullptr);
}

TEST(PartsOfElements, NumberTheStagesThatAllCasesHaveAlike) {
  auto const least = stages_of(case_with());
  EXPECT_EQ(least.size(), 17U);
  EXPECT_EQ(least.front(), "fem.old");
  EXPECT_EQ(least.back(), "fem.new");
  auto all = least;
  all.insert(all.end(), {"fem.rain.form", "fem.rain.fall", "fem.rain.saturate", "fem.open"});
  EXPECT_EQ(stages_of(case_with(std::string(humid) + open)), all);
  EXPECT_EQ(stages_of(case_with(carried)), least);
  EXPECT_EQ(stages_of(case_with(manufactured)), least);
}

TEST(PartsOfElements, ReportTheIntegralsOfTheirOwn) {
  Names const least{"mass", "mass_residual", "kinetic_energy", "drag"};
  EXPECT_EQ(integrals_of(case_with()), least);
  EXPECT_EQ(integrals_of(case_with(open)).back(), "outflow");
  EXPECT_EQ(integrals_of(case_with(humid)).back(), "water_made");
  EXPECT_EQ(integrals_of(case_with(carried)), least);
  EXPECT_EQ(integrals_of(case_with(manufactured)).size(), 7U);
}

}  // namespace
