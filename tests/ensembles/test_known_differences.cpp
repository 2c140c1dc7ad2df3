// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/known_differences.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ulpine::ensembles {
namespace {

/// One row: libgomp's atomic additions have other bits from run to run, as a host measured.
verification::Atlas atlas() {
  return {{"libgomp",
           "12.2",
           "atomic additions, 4 threads, double",
           "arrival",
           "200 runs",
           {{"AMD EPYC", "", false, 58, ""}}}};
}

/// Two numbers next to each other.
ElementDifference nearly_one() {
  return {3, 1, 1.0, 1.0000000000000002, "0x3ff0000000000000", "0x3ff0000000000001"};
}

/// Two configurations, of which the second differs from the first in the output of a stage.
BitwiseResult result_of(std::string const& first, std::string const& second, std::string const& stage,
                        Guarantee guarantee, ElementDifference const& values = nearly_one()) {
  BitwiseResult result;
  result.core = stage.empty() ? "seaice" : "";
  for (auto const& text : {first, second}) result.outcomes.push_back({parse_configuration(text)});
  auto& divergence = result.outcomes.back().divergence.emplace();
  static_cast<ElementDifference&>(divergence) = values;
  divergence.stage = stage;
  divergence.guarantee = guarantee;
  result.outcomes.front().equal = true;
  tell_what_is_known(result, atlas());
  return result;
}

TEST(KnownDifferences, OfConfigurationsAreTold) {
  auto const result = result_of("cpu:2/fp64/atomic", "cpu:4/fp64/atomic", "seaice.nodal", Guarantee::none);
  auto const& known = result.outcomes.back().known;
  EXPECT_EQ(
      known.find("known of libgomp 12.2: atomic additions, 4 threads, double had other bits, up to 58 units"),
      0u)
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
  EXPECT_EQ(known("cpu:2/fp64/atomic", "cpu:2/fp64/atomic", "seaice.stress", Guarantee::none), "");
  EXPECT_EQ(known("cpu:2/fp64/atomic", "cpu:1/fp64/atomic", "seaice.nodal", Guarantee::none), "");
  EXPECT_EQ(known("cpu:1/fp64/atomic", "mpi:2:1/fp64/atomic", "les.pressure.inverse_fft", Guarantee::none),
            "");
}

TEST(KnownDifferences, OfFaultyValuesAreNotTold) {
  auto const known = [](ElementDifference const& values) {
    return result_of("cpu:2/fp64/atomic", "cpu:2/fp64/atomic", "seaice.nodal", Guarantee::none, values)
        .outcomes.back()
        .known;
  };
  EXPECT_NE(known(nearly_one()), "");
  EXPECT_EQ(known({3, 1, 1.0, 1.5, "0x3ff0000000000000", "0x3ff8000000000000"}), "");
  EXPECT_EQ(known({3, 1, 1.0, std::nan(""), "0x3ff0000000000000", "0x7ff8000000000000"}), "");
  EXPECT_EQ(known({}), "");  // other stages, or other shapes
}

TEST(KnownDifferences, OfDifferencesThatNoStageIsFoundForAreTold) {
  auto const result = result_of("cpu:2/fp64/atomic", "cpu:2/fp64/atomic", "", Guarantee::bitwise, {});
  EXPECT_NE(result.outcomes.back().known.find("look with --assembly deterministic"), std::string::npos);
  EXPECT_EQ(
      result_of("cpu:2/fp64/atomic", "cpu:1/fp64/atomic", "", Guarantee::bitwise, {}).outcomes.back().known,
      "");
  EXPECT_EQ(result_of("cpu:2", "cpu:2", "", Guarantee::bitwise, {}).outcomes.back().known, "");
}

TEST(KnownDifferences, OfRecordsWithoutValuesAreNotTold) {
  RunDifference difference{
      .states = {}, .place = {}, .stage = "seaice.nodal", .element = {}, .note = "shape"};
  EXPECT_EQ(known_of(difference, {"/missing", "/missing"}, atlas()), "");
}

TEST(Distance, IsInUnitsInTheLastPlace) {
  EXPECT_EQ(distance(nearly_one()), 1);
  EXPECT_EQ(distance({0, 1, 0.0, -0.0, "0x0000000000000000", "0x8000000000000000"}), 0);
  EXPECT_EQ(distance({0, 1, 1e-45, -1e-45, "0x00000001", "0x80000001"}), 2);
  EXPECT_TRUE(std::isinf(distance({})));
}

TEST(KnownDifferences, AtlasComesWithTheProgram) { EXPECT_GE(shipped_atlas().size(), 150u); }

}  // namespace
}  // namespace ulpine::ensembles
