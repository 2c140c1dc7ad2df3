// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "core/model/operations.hpp"
#include "io/error.hpp"
#include "lorenz96/lorenz.hpp"

// Operations of a whole model, whose kernels are few and plain.

namespace {

using namespace ulpine;

constexpr double cells = 3 * 4 * 12;
std::string const box =
    "core = 'lorenz96'\n[grid]\nlevels = 3\nrows = 4\ncolumns = 12\n[lorenz]\ncoupling = 1\n"
    "[time]\nstep = 0.025\n";

class LorenzOperations : public testing::Test {
 protected:
  LorenzOperations() { lorenz96::register_lorenz(); }

  static CountedOperations count(std::int64_t steps, int threads = 1, std::string const& text = box) {
    return count_operations(io::CaseFile::parse(text, "box.toml"), steps, threads);
  }
  static std::map<std::string, StageOperations> by_name(CountedOperations const& counted) {
    std::map<std::string, StageOperations> stages;
    for (auto const& stage : counted.stages) stages[stage.stage] = stage;
    return stages;
  }
};

TEST_F(LorenzOperations, AreWhatTheKernelsSay) {
  auto const counted = count(3);
  EXPECT_EQ(counted.cells, cells);
  auto const stages = by_name(counted);

  // sum += weight k, next = u + ahead k: in four parts of a step.
  auto const& advance = stages.at("lorenz96.advance");
  EXPECT_EQ(advance.launches, 4);
  EXPECT_EQ(advance.kernels, 4);
  EXPECT_EQ(advance.bytes, 4 * 5 * 8 * cells);
  ByRoleAndKind<double> expected;
  expected.at(Role::compute, Kind::multiply) = 4 * 2 * cells;
  expected.at(Role::compute, Kind::add) = 4 * 2 * cells;
  expected.at(Role::compute, Kind::from_state) = 4 * cells;
  expected.at(Role::state, Kind::from_compute) = 4 * cells;
  EXPECT_EQ(advance.operations, expected);

  // Advection along x and y, coupling of levels, damping and forcing; the parameters are doubles of the host.
  auto const& tendency = stages.at("lorenz96.tendency");
  expected = {};
  expected.at(Role::compute, Kind::multiply) = 4 * 3 * cells;
  expected.at(Role::compute, Kind::add) = 4 * (2 + 2 + 4 + 1) * cells;
  expected.at(Role::compute, Kind::sign) = 4 * cells;
  expected.at(Role::compute, Kind::from_state) = 4 * 9 * cells;
  expected.at(Role::compute, Kind::from_real) = 4 * 2 * cells;
  EXPECT_EQ(tendency.operations, expected);

  // Copies compute nothing, and are there for their bytes.
  EXPECT_EQ(stages.at("lorenz96.copy").operations, ByRoleAndKind<double>{});
  EXPECT_EQ(stages.at("lorenz96.copy").launches, 1);
  // Lengths of the step, computed between stages.
  EXPECT_EQ(counted.stages.back().stage, "");
  EXPECT_EQ(stages.at("").operations.at(Role::compute, Kind::multiply), 4);
}

TEST_F(LorenzOperations, AreAMeanOfStepsOnAnyNumberOfThreads) {
  auto const one = count(1);
  for (auto const& other : {count(4), count(2, 3)}) {
    ASSERT_EQ(other.stages.size(), one.stages.size());
    for (std::size_t s = 0; s < one.stages.size(); ++s) {
      EXPECT_EQ(other.stages[s].stage, one.stages[s].stage);
      EXPECT_EQ(other.stages[s].operations, one.stages[s].operations) << one.stages[s].stage;
      EXPECT_EQ(other.stages[s].launches, one.stages[s].launches) << one.stages[s].stage;
    }
  }
}

TEST_F(LorenzOperations, LeaveTheValuesOfTheRunInDouble) {
  auto const model = make_model(io::CaseFile::parse(box, "box.toml"), {});
  model->advance(1 + 5);
  EXPECT_EQ(count(5).hash, model->state_hash());
}

TEST_F(LorenzOperations, RefuseWhatCannotBeCounted) {
  EXPECT_THROW(count(0), InputError);
  EXPECT_THROW(count(1, 1, "core = 'other'\n"), InputError);
  EXPECT_THROW(count(1, 1, box + "[lorenz]\nunknown = 1\n"), InputError);
}

}  // namespace
