// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/run_ending.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include "core/model/not_solved.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::ensembles {
namespace {

template <class Error>
RunEnding ending_by(bool is_reference) {
  return ending_of(
      {}, []() -> RunRecord { throw Error("why"); }, is_reference);
}

TEST(RunEnding, WhatEndsTheStudyIsNoFaultOfTheRunAlone) {
  for (auto const is_reference : {false, true}) {
    SCOPED_TRACE(is_reference);
    for (auto const& failed : {ending_by<NotSolved>(is_reference), ending_by<RunFailed>(is_reference),
                               ending_by<std::runtime_error>(is_reference)}) {
      EXPECT_EQ(failed.failure, "why");
      EXPECT_FALSE(failed.fatal);
    }
    auto const machine = ending_by<EnvironmentError>(is_reference);
    EXPECT_TRUE(machine.failure.empty());
    EXPECT_TRUE(machine.fatal);
    auto const memory = ending_of(
        {}, []() -> RunRecord { throw std::bad_alloc(); }, is_reference);
    EXPECT_NE(message_of(memory.fatal).find("out of memory"), std::string::npos);
    auto const input = ending_by<InputError>(is_reference);
    EXPECT_EQ(input.failure, "why");
    EXPECT_EQ(static_cast<bool>(input.fatal), is_reference);
  }
}

TEST(RunEnding, ACaseWhoseStepTakesNoTimeIsBadInputInAStudyAsInARun) {
  test::TemporaryFolder folder;
  CaseSource const source{folder.write("case.toml", test::toy_case())};
  auto const with = [&](std::vector<std::string> keys) { return CaseSource{source.path, std::move(keys)}; };
  CaseSource const stuck = with({"toy.stuck_step=6", "toy.adaptive=true"});
  auto const plan = make_plan(test::toy_study());
  auto const words = test::message_of<InputError>([&] { run_study(stuck, plan, folder / "study", {}); });
  EXPECT_NE(words.find("took no time"), std::string::npos) << words;
  // What it did is kept: the manifest says why it ended, and the same case ends there again.
  auto const manifest = read_manifest(folder / "study");
  EXPECT_NE(manifest.entries.front().reason.find("took no time"), std::string::npos);
  EXPECT_THROW(run_study(stuck, plan, folder / "study", {.resume = true}), InputError);
}

}  // namespace
}  // namespace ulpine::ensembles
