// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/known_differences.hpp"

#include <gtest/gtest.h>

namespace ulpine::ensembles {
namespace {

/// One row: libgomp's atomic additions have other bits from run to run, as a host measured.
verification::Atlas atlas() {
  return {{"libgomp",
           "12.2",
           "atomic additions, 4 threads, double",
           "arrival",
           "200 runs",
           {{"AMD EPYC", false, false, ""}}}};
}

/// Two configurations, of which the second differs from the first in the output of a stage.
BitwiseResult result_of(std::string const& first, std::string const& second, std::string const& stage,
                        Guarantee guarantee) {
  BitwiseResult result;
  for (auto const& text : {first, second}) result.outcomes.push_back({parse_configuration(text)});
  auto& divergence = result.outcomes.back().divergence.emplace();
  divergence.stage = stage;
  divergence.guarantee = guarantee;
  tell_what_is_known(result, atlas());
  return result;
}

TEST(KnownDifferences, OfConfigurationsAreTold) {
  auto const result = result_of("cpu:2/fp64/atomic", "cpu:1/fp64/atomic", "seaice.nodal", Guarantee::none);
  auto const& known = result.outcomes.back().known;
  EXPECT_EQ(
      known.find("known of libgomp 12.2: atomic additions, 4 threads, double has other bits by 200 runs"), 0u)
      << known;
  EXPECT_NE(table(result).find(known + "\n"), std::string::npos);
  EXPECT_EQ(result.outcomes.front().known, "");
}

TEST(KnownDifferences, OfOtherConfigurationsAndStagesAreNotTold) {
  auto const known = [](auto... words) { return result_of(words...).outcomes.back().known; };
  EXPECT_EQ(known("cpu:2/fp64/atomic", "cpu:1/fp64/atomic", "seaice.nodal", Guarantee::bitwise), "");
  EXPECT_EQ(known("cpu:2/fp64/deterministic", "cpu:1/fp64/deterministic", "seaice.nodal", Guarantee::none),
            "");
  EXPECT_EQ(known("cpu:2/fp64/atomic", "cpu:2/fp32/atomic", "seaice.nodal", Guarantee::none), "");
  EXPECT_EQ(known("cpu:1/fp64/atomic", "mpi:2:1/fp64/atomic", "seaice.nodal", Guarantee::none), "");
  EXPECT_EQ(known("cpu:2/fp64/atomic", "cpu:1/fp64/atomic", "seaice.stress", Guarantee::none), "");
}

TEST(KnownDifferences, AtlasComesWithTheProgram) { EXPECT_GE(shipped_atlas().size(), 150u); }

}  // namespace
}  // namespace ulpine::ensembles
