// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "seaice/rough_case.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::bits;
using test::Rough;

/// Policy, distortion of the mesh (0: shared maps), unknowns a cell.
class OnDevice : public test::DeviceTest,
                 public testing::WithParamInterface<std::tuple<char const*, double, int>> {
 protected:
  std::unique_ptr<Solver> run(Rough const& rough, Assembly assembly, int block, int steps,
                              StageObserver* observer = nullptr) {
    use_block(block);
    return rough.run(std::unique_ptr<Solver>(
                         make_solver(cuda, std::get<0>(GetParam()), assembly, rough.mesh, rough.parameters)),
                     steps, observer);
  }
};

TEST_P(OnDevice, DeterministicBitsAreTheHostsForEveryBlockSize) {
  auto const& [policy, distortion, dg] = GetParam();
  Rough const rough(distortion, dg);
  auto const host = rough.run(policy, Assembly::deterministic, 2, 5);

  for (int const block : {64, 128, 256}) {
    auto const device = run(rough, Assembly::deterministic, block, 5);

    for (auto const field : test::state) {
      EXPECT_EQ(bits(*device, field), bits(*host, field)) << host->layout(field).name << ", block " << block;
    }
    EXPECT_EQ(device->state_hash(), host->state_hash());
  }
}

TEST_P(OnDevice, FusedAndStagedStepsGiveTheSameBits) {
  auto const& [policy, distortion, dg] = GetParam();
  Rough const rough(distortion, dg);
  struct Silent : StageObserver {
    void stage_done(StagePosition, char const*, char const*, RawField const&) override {}
  } watched;

  auto const fused = run(rough, Assembly::deterministic, 128, 5)->state_hash();
  auto const staged = run(rough, Assembly::deterministic, 128, 5, &watched)->state_hash();

  EXPECT_EQ(fused, staged);
}

TEST_P(OnDevice, AtomicAssemblyDiffersByRoundoffOnly) {
  auto const& [policy, distortion, dg] = GetParam();
  Rough const rough(distortion, dg);
  auto const host = rough.run(policy, Assembly::deterministic, 1, 3);

  auto const device = run(rough, Assembly::atomic, 256, 3);

  for (auto const field : {FieldId::u, FieldId::v, FieldId::h, FieldId::a}) {
    EXPECT_LT(test::relative_difference(test::read(*device, field), test::read(*host, field)),
              test::bound_of(policy))
        << host->layout(field).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, OnDevice,
                         ::testing::Combine(::testing::Values("fp64", "fp32", "mixed", "tf32", "bf16",
                                                              "fp16"),
                                            ::testing::Values(0.0, 0.05), ::testing::Values(1, 3)),
                         [](auto const& info) { return test::name_of_case(info.param); });

}  // namespace
