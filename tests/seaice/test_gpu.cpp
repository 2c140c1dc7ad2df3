// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "seaice/rough_case.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::IceSolver;
using test::Rough;

/// Policy, distortion of the mesh (0: shared maps), unknowns a cell.
class OnDevice : public test::DeviceTest,
                 public testing::WithParamInterface<std::tuple<char const*, double, test::Order>> {
 protected:
  std::unique_ptr<IceSolver> run(Rough const& rough, Assembly assembly, int block, int steps,
                                 StageObserver* observer = nullptr) {
    use_block(block);
    return rough.run(test::make(cuda, std::get<0>(GetParam()), assembly, rough.setup), steps, observer);
  }
};

TEST_P(OnDevice, DeterministicBitsAreTheHostsForEveryBlockSize) {
  auto const& [policy, distortion, order] = GetParam();
  Rough const rough(distortion, order);
  auto const host = rough.run(policy, Assembly::deterministic, 2, 5);

  for (int const block : {64, 128, 256}) {
    auto const device = run(rough, Assembly::deterministic, block, 5);

    for (auto const field : test::state) {
      EXPECT_EQ(device->bits(field), host->bits(field)) << name_of(field) << ", block " << block;
    }
    EXPECT_EQ(device->state_hash(), host->state_hash());
  }
}

TEST_P(OnDevice, OtherSumsAndRheologiesGiveTheHostsBits) {
  auto const& [policy, distortion, order] = GetParam();
  Parameters rowwise, checkerboard, replacement;
  rowwise.sum_order = SumOrder::rowwise;
  checkerboard.sum_order = SumOrder::checkerboard;
  replacement.rheology = "vp_replacement";
  for (auto const& choice : {rowwise, checkerboard, replacement}) {
    Rough rough(distortion, order);
    auto& parameters = rough.setup.parameters;
    parameters.sum_order = choice.sum_order;
    parameters.rheology = choice.rheology;
    if (test::make(policy, Assembly::deterministic, rough.setup) == nullptr) {
      EXPECT_EQ(test::make(cuda, policy, Assembly::deterministic, rough.setup), nullptr);
      continue;
    }
    auto const host = rough.run(policy, Assembly::deterministic, 2, 3);
    for (int const block : {32, 256}) {
      auto const device = run(rough, Assembly::deterministic, block, 3);
      for (auto const field : test::state) {
        EXPECT_EQ(device->bits(field), host->bits(field)) << name_of(field) << ", block " << block;
      }
    }
  }
}

TEST_P(OnDevice, FusedAndStagedStepsGiveTheSameBits) {
  auto const& [policy, distortion, order] = GetParam();
  Rough const rough(distortion, order);
  struct Silent : StageObserver {
    void stage_done(StagePosition const&, char const*, char const*, RawField const&) override {}
  } watched;

  auto const fused = run(rough, Assembly::deterministic, 128, 5)->state_hash();
  auto const staged = run(rough, Assembly::deterministic, 128, 5, &watched)->state_hash();

  EXPECT_EQ(fused, staged);
}

TEST_P(OnDevice, AtomicAssemblyDiffersByRoundoffOnly) {
  auto const& [policy, distortion, order] = GetParam();
  Rough const rough(distortion, order);
  auto const bounds = test::bounds_of(rough, policy, 3);
  auto const host = rough.run(policy, Assembly::deterministic, 1, 3);

  auto const device = run(rough, Assembly::atomic, 256, 3);

  for (std::size_t f = 0; f < std::size(test::compared); ++f) {
    auto const field = test::compared[f];
    EXPECT_LT(test::relative_difference(test::read(*device, field), test::read(*host, field)), bounds[f])
        << name_of(field);
  }
}

TEST_P(OnDevice, AtomicForcesAreTheHostsButForTheOrderOfTheSum) {
  auto const& [policy, distortion, order] = GetParam();
  Rough const rough(distortion, order);
  auto const host = rough.run(policy, Assembly::deterministic, 1, 2);
  use_block(128);
  auto const device = test::make(cuda, policy, Assembly::atomic, rough.setup);
  for (auto const field : {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy}) {
    device->write_bits(field, host->bits(field).data());
  }
  ASSERT_TRUE(host->run_stage("seaice.divergence"));
  auto const wanted = test::read(*host, FieldId::force_x);
  double largest = 0;
  for (double const value : wanted) {
    largest = std::max(largest, std::abs(value));
  }
  // Four numbers in another order: at most three roundings either way, of partial sums that may be larger.
  bool const single_sums = host->field(FieldId::force_x).type() == ValueType::float32;
  double const bound = 64 * largest * (single_sums ? 0x1p-24 : 0x1p-53);
  long other_bits = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    ASSERT_TRUE(device->run_stage("seaice.divergence"));
    auto const got = test::read(*device, FieldId::force_x);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      EXPECT_LE(std::abs(got[k] - wanted[k]), bound) << k;
      other_bits += got[k] != wanted[k] ? 1 : 0;
    }
  }
  if (std::string(policy) == "mixed") {
    return;  // sums in double of numbers in float are exact but for cancellation: the order hardly matters
  }
  // In each run 216 vertices inside sum four numbers. The host takes them in the order of memory; in one of
  // the 23 other orders about every second sum has other bits.
  if (other_bits == 0) {
    GTEST_SKIP()
        << "in 20 runs no sum had other bits than the ordered one: either this device always adds in "
           "the order of memory or the assembly is not atomic; nothing is shown";
  }
}

TEST_P(OnDevice, MapsOnTheFlyGiveTheHostsBitsFusedAndStaged) {
  auto const& [policy, distortion, order] = GetParam();
  Rough rough(distortion, order);
  rough.setup.parameters.maps = MapsKind::on_the_fly;
  if (test::make(policy, Assembly::deterministic, rough.setup) == nullptr) {
    EXPECT_EQ(test::make(cuda, policy, Assembly::deterministic, rough.setup), nullptr);
    return;
  }
  auto const host = rough.run(policy, Assembly::deterministic, 2, 3);
  struct Silent : StageObserver {
    void stage_done(StagePosition const&, char const*, char const*, RawField const&) override {}
  } watched;
  for (auto* const observer : {static_cast<StageObserver*>(nullptr), static_cast<StageObserver*>(&watched)}) {
    for (int const block : {32, 256}) {
      auto const device = run(rough, Assembly::deterministic, block, 3, observer);
      for (auto const field : test::state) {
        EXPECT_EQ(device->bits(field), host->bits(field))
            << name_of(field) << ", block " << block << (observer == nullptr ? "" : ", staged");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, OnDevice,
    ::testing::Combine(::testing::Values("fp64", "fp32", "mixed", "tf32", "bf16", "fp16"),
                       ::testing::Values(0.0, 0.05), ::testing::Values(test::Order{1, 1}, test::Order{1, 3})),
    [](auto const& info) { return test::name_of_case(info.param); });
INSTANTIATE_TEST_SUITE_P(OtherOrders, OnDevice,
                         ::testing::Combine(::testing::Values("fp64", "fp32", "mixed", "tf32"),
                                            ::testing::Values(0.0, 0.05),
                                            ::testing::ValuesIn(test::other_orders)),
                         [](auto const& info) { return test::name_of_case(info.param); });

}  // namespace
