// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "seaice/rough_case.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::IceSolver;

struct Size {
  int nx, ny;
};

Setup rough_setup(Size size, int substeps) {
  Setup setup{.mesh = rectangle_mesh(size.nx, size.ny, test::length, test::length * size.ny / size.nx)};
  auto& parameters = setup.parameters;
  parameters.wind = test::cyclone();
  parameters.substeps = substeps;
  if (size.nx > 9 && size.ny > 9) {
    auto& mask = setup.mesh.mask;
    auto const row = static_cast<std::size_t>(size.nx), middle = row * (size.ny / 2) + row / 2;
    mask[middle] = mask[middle + 1] = mask[middle + row] = mask[0] = mask[1] = mask[row] = 0;
  }
  return setup;
}

std::unique_ptr<IceSolver> run(std::unique_ptr<IceSolver> solver, Setup const& setup) {
  test::give_random_ice(*solver, setup.mesh.cells(), 3);
  for (int step = 1; step <= 3; ++step) solver->advance(step);
  return solver;
}

class BlockedOnDevice : public test::DeviceTest, public testing::WithParamInterface<char const*> {};

TEST_P(BlockedOnDevice, EveryWayToTakeSubstepsGivesTheHostsBits) {
  // Smaller and larger than tiles and strips; passes end before, with and after the last sub-step.
  for (auto const size : {Size{1, 9}, Size{19, 13}, Size{61, 47}, Size{150, 130}}) {
    for (int const substeps : {2, 8, 14}) {
      auto setup = rough_setup(size, substeps);
      auto const host = run(test::make(Host{2}, GetParam(), Assembly::deterministic, setup), setup);
      for (auto const method : {SubstepMethod::automatic, SubstepMethod::one_pass, SubstepMethod::strips,
                                SubstepMethod::resident}) {
        SCOPED_TRACE(testing::Message() << size.nx << " x " << size.ny << " cells, " << substeps
                                        << " sub-steps, method " << static_cast<int>(method));
        setup.parameters.substep_method = method;

        auto const device = run(test::make(cuda, GetParam(), Assembly::deterministic, setup), setup);

        for (auto const field : test::state) {
          EXPECT_EQ(device->bits(field), host->bits(field)) << name_of(field);
        }
      }
    }
  }
}

TEST_P(BlockedOnDevice, FusedAdvectionGivesTheHostsBitsInEveryOrder) {
  for (int const order : {1, 2, 3}) {
    for (double const distortion : {0.0, 0.05}) {
      test::Rough rough(distortion);
      rough.setup.parameters.runge_kutta = order;
      auto const host = rough.run(GetParam(), Assembly::deterministic, 2, 3);

      auto const device =
          rough.run(test::make(cuda, GetParam(), Assembly::deterministic, rough.setup), 3, nullptr);

      for (auto const field : test::state) {
        EXPECT_EQ(device->bits(field), host->bits(field)) << name_of(field) << ", order " << order;
      }
    }
  }
}

TEST_P(BlockedOnDevice, LaunchesAreCountedAsStages) {
  auto setup = rough_setup({61, 47}, 14);
  auto const launches = [&](SubstepMethod method) {
    setup.parameters.substep_method = method;
    auto const solver = run(test::make(cuda, GetParam(), Assembly::deterministic, setup), setup);
    std::map<std::string, std::int64_t> counts;
    for (auto const& time : solver->times()) counts[time.name] = time.launches;
    return counts;
  };
  bool const is_double = std::string(GetParam()) == "fp64";

  auto const resident = launches(SubstepMethod::resident), strips = launches(SubstepMethod::strips);

  // Three steps of 13 sub-steps and one that is run by stages.
  EXPECT_EQ(resident.at("seaice.substeps"), 3);
  EXPECT_EQ(resident.at("seaice.strain_stress"), 0);
  EXPECT_EQ(strips.at("seaice.substeps"), 3 * (is_double ? 6 : 4));
  EXPECT_EQ(strips.at("seaice.strain_stress"), 3);
  EXPECT_EQ(strips.at("seaice.divergence_velocity"), 3);
  EXPECT_EQ(strips.at("seaice.advect.stage"), 3 * 2);
  EXPECT_EQ(strips.at("seaice.advect.velocities"), 3);
}

INSTANTIATE_TEST_SUITE_P(Policies, BlockedOnDevice,
                         testing::Values("fp64", "fp32", "mixed", "tf32", "bf16", "fp16"),
                         [](auto const& info) { return std::string(info.param); });

}  // namespace
