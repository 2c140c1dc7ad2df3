// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "ensembles/reproducibility/bitwise.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "support/positions.hpp"

namespace ulpine::ensembles {
namespace {

class Bitwise : public testing::Test {
 protected:
  BitwiseRequest request(std::string const& policy = "fp64") {
    BitwiseRequest request{{folder.write("case.toml", test::toy_case())}};
    for (auto const* device : {"cpu:1", "cpu:2", "cpu:3"}) {
      request.configurations.push_back(parse_configuration(device, {.policy = policy}));
    }
    request.steps = 7;
    return request;
  }
  test::TemporaryFolder folder;
};

TEST_F(Bitwise, ThreadCountsGiveTheSameBits) {
  for (auto const* policy : {"fp64", "fp32", "bf16"}) {
    auto const result = compare_bitwise(request(policy));
    EXPECT_TRUE(result.identical) << table(result);
    ASSERT_EQ(result.outcomes.size(), 3u);
    for (auto const& outcome : result.outcomes) {
      EXPECT_EQ(outcome.records, 7 * 6);
      EXPECT_EQ(outcome.traced_hash, result.outcomes[0].traced_hash);
      EXPECT_EQ(outcome.untraced_hash, result.outcomes[0].traced_hash);
      EXPECT_FALSE(outcome.divergence);
    }
    EXPECT_EQ(table(result).find("DIFFERENT"), std::string::npos);
  }
}

TEST_F(Bitwise, EqualBitsOfAStateThatIsNoneAreNoBareYes) {
  for (auto const* value : {"0", "1e30"}) {  // 0: NaN
    auto wanted = request();
    wanted.source.overrides = {"toy.blow_up_policy=fp64", "toy.blow_up_step=3",
                               std::string("toy.blow_up_value=") + value};
    auto const result = compare_bitwise(wanted);
    EXPECT_TRUE(result.identical);
    EXPECT_TRUE(result.invalid());
    for (auto const& outcome : result.outcomes) {
      ASSERT_TRUE(outcome.invalid);
      EXPECT_EQ(outcome.invalid->first, 3);
      EXPECT_TRUE(outcome.invalid->second.starts_with("siu (0, 5) ")) << outcome.invalid->second;
    }
    auto const text = table(result);
    EXPECT_NE(text.find("same bits, but invalid\n"), std::string::npos) << text;
    EXPECT_NE(text.find("cpu:2 failed: its state is invalid from step 3 on: siu (0, 5) "), std::string::npos)
        << text;
  }
  auto const healthy = compare_bitwise(request());
  EXPECT_FALSE(healthy.invalid());
  EXPECT_EQ(table(healthy).find("invalid"), std::string::npos);
}

TEST_F(Bitwise, TellsWhereTheStagePromisesNoMore) {
  BitwiseResult result;
  for (auto const* device : {"mpi:1", "mpi:2"}) {
    result.outcomes.push_back({.configuration = parse_configuration(device)});
  }
  auto& place = result.outcomes.back().divergence.emplace();
  place.stage = "toy.solve";
  for (auto const guarantee : {Guarantee::bitwise, Guarantee::run_to_run, Guarantee::none}) {
    place.guarantee = guarantee;
    auto const line =
        std::string("toy.solve promises no more: its guarantee is ") + name_of(guarantee) + "\n";
    EXPECT_EQ(table(result).find(line) != std::string::npos, guarantee != Guarantee::bitwise);
  }
}

/// One element moved by one unit in the last place in the second sub-step of step 4.
TEST_F(Bitwise, PlantedFaultIsNamedToStepStageFieldAndElement) {
  for (auto const* policy : {"fp64", "fp32"}) {
    auto wanted = request(policy);
    wanted.fault = {1, "toy.momentum", "siv", test::at(4, {{"substep", 2}}), 137};
    auto const result = compare_bitwise(wanted);
    EXPECT_FALSE(result.identical);
    EXPECT_TRUE(result.outcomes[2].equal) << "only the faulty configuration differs";
    auto const& outcome = result.outcomes[1];
    EXPECT_FALSE(outcome.equal);
    ASSERT_TRUE(outcome.divergence);
    auto const& place = *outcome.divergence;
    EXPECT_EQ(place.position, test::at(4, {{"substep", 2}}));
    EXPECT_EQ(place.stage, "toy.momentum");
    EXPECT_EQ(place.field, "siv");
    EXPECT_EQ(place.element, 137);
    EXPECT_EQ(place.differing, 1);
    auto const one_up = std::string(policy) == "fp64"
                            ? std::nextafter(place.reference, std::copysign(INFINITY, place.reference))
                            : static_cast<double>(std::nextafterf(
                                  static_cast<float>(place.reference),
                                  std::copysign(INFINITY, static_cast<float>(place.reference))));
    EXPECT_EQ(place.value, one_up);
    EXPECT_EQ(place.reference_bits.size(), std::string(policy) == "fp64" ? 16u : 8u);
    auto const text = table(result);
    EXPECT_NE(text.find("step 4, substep 2, stage toy.momentum, field siv, element 137"), std::string::npos)
        << text;
  }
}

TEST_F(Bitwise, FaultInTheReferenceIsFoundInAllOthers) {
  auto wanted = request();
  wanted.fault = {0, "toy.transport", "sivol", test::at(1), 0};
  auto const result = compare_bitwise(wanted);
  EXPECT_FALSE(result.identical);
  EXPECT_TRUE(result.outcomes[0].equal);
  for (std::size_t i : {1, 2}) {
    ASSERT_TRUE(result.outcomes[i].divergence);
    EXPECT_EQ(result.outcomes[i].divergence->position, test::at(1));
    EXPECT_EQ(result.outcomes[i].divergence->element, 0);
  }
}

TEST_F(Bitwise, FaultAfterTheLastComparedStepChangesNothing) {
  auto wanted = request();
  wanted.fault = {1, "toy.transport", "sivol", test::at(8), 0};
  EXPECT_TRUE(compare_bitwise(wanted).identical);
}

TEST_F(Bitwise, FaultThatHealsBeforeTheEndIsADifference) {
  auto wanted = request();
  wanted.source = {folder.write("case.toml", test::toy_case() + "[toy]\ndiagnose = true\n")};
  EXPECT_TRUE(compare_bitwise(wanted).identical);
  wanted.fault = {1, "toy.diagnosis", "speed", test::at(4), 137};
  auto const result = compare_bitwise(wanted);
  EXPECT_FALSE(result.identical);
  auto const& outcome = result.outcomes[1];
  EXPECT_EQ(outcome.traced_hash, result.outcomes[0].traced_hash) << "no state is made of the speed";
  EXPECT_EQ(outcome.untraced_hash, result.outcomes[0].traced_hash);
  EXPECT_FALSE(outcome.equal);
  ASSERT_TRUE(outcome.divergence);
  EXPECT_EQ(outcome.divergence->position, test::at(4));
  EXPECT_EQ(outcome.divergence->field, "speed");
  EXPECT_EQ(outcome.same_from, 5);
  EXPECT_EQ(outcome.divergence->element, 137);
  EXPECT_TRUE(result.outcomes[2].equal);
  EXPECT_NE(table(result).find("DIFFERENT\n"), std::string::npos) << table(result);
}

TEST_F(Bitwise, ARunUnlikeItsUnwatchedSelfIsDifferent) {
  auto wanted = request();
  wanted.source = {folder.write("case.toml", test::toy_case() + "[toy]\nshy = true\n")};
  auto const result = compare_bitwise(wanted);
  EXPECT_FALSE(result.identical);
  for (auto const& outcome : result.outcomes) {
    EXPECT_EQ(outcome.traced_hash, result.outcomes[0].traced_hash) << "watched runs are alike";
    EXPECT_NE(outcome.traced_hash, outcome.untraced_hash);
  }
  EXPECT_NE(table(result).find("DIFFERENT when not watched"), std::string::npos) << table(result);
}

TEST_F(Bitwise, TellsThatNothingHappened) {
  auto const told = [&](std::string const& more) {
    BitwiseRequest request{{folder.write("case.toml", test::toy_case() + more)}};
    request.configurations = {parse_configuration("cpu:1"), parse_configuration("cpu:2")};
    request.steps = 3;
    auto const result = compare_bitwise(request);
    EXPECT_TRUE(result.identical);
    EXPECT_EQ(result.unchanged, !more.empty());
    return table(result).find("nothing happened: the fields of cpu:1 end as they began") != std::string::npos;
  };
  EXPECT_TRUE(told("[toy]\nstill = true\n"));
  EXPECT_FALSE(told(""));
}

TEST_F(Bitwise, RefusesWhatCannotBeCompared) {
  auto wanted = request();
  wanted.steps = 0;
  EXPECT_THROW(compare_bitwise(wanted), InputError);
  wanted = request();
  wanted.configurations.resize(1);
  EXPECT_THROW(compare_bitwise(wanted), InputError);
}

TEST_F(Bitwise, CancelledComparisonIsNotCalledIdentical) {
  std::atomic<bool> cancel{true};
  auto wanted = request();
  wanted.cancel = &cancel;
  auto const result = compare_bitwise(wanted);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.identical);
}

}  // namespace
}  // namespace ulpine::ensembles
