// SPDX-License-Identifier: Apache-2.0
#include "core/stage/position.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/positions.hpp"

namespace {

using ulpine::StagePosition;
using ulpine::test::at;

TEST(StagePosition, IsThePathOfTheLoopsAroundAStage) {
  StagePosition position(3);
  EXPECT_EQ(position.step(), 3);
  EXPECT_EQ(position.depth(), 1u);
  EXPECT_EQ(position.text(), "step 3");
  position.push({"tracer", 1});
  position.push({"stage", 2});
  EXPECT_EQ(position.text(), "step 3, tracer 1, stage 2");
  EXPECT_EQ(position.depth(), 3u);
  EXPECT_EQ(position[1].loop, std::string("tracer"));
  EXPECT_EQ(position[2].index, 2);
  position.set_index(7);
  EXPECT_EQ(position.text(), "step 3, tracer 1, stage 7");
  EXPECT_EQ(position.step(), 3);
  position.pop();
  position.pop();
  EXPECT_EQ(position, StagePosition(3));
}

TEST(StagePosition, OutsideStepsIsEmpty) {
  StagePosition const nowhere;
  EXPECT_EQ(nowhere.step(), 0);
  EXPECT_EQ(nowhere.depth(), 0u);
  EXPECT_EQ(nowhere.text(), "");
  EXPECT_FALSE(nowhere == StagePosition(0));
}

TEST(StagePosition, IsEqualWhereAllNamesAndIndicesAre) {
  auto const position = at(2, {{"substep", 3}, {"iteration", 4}});
  std::string const name = "sub";  // the same name at another address
  auto const same = name + "step";
  EXPECT_EQ(position, at(2, {{same.c_str(), 3}, {"iteration", 4}}));
  for (auto const& other :
       {at(1, {{"substep", 3}, {"iteration", 4}}), at(2, {{"substep", 2}, {"iteration", 4}}),
        at(2, {{"substep", 3}, {"iteration", 5}}), at(2, {{"substeps", 3}, {"iteration", 4}}),
        at(2, {{"iteration", 4}, {"substep", 3}}), at(2, {{"substep", 3}}), at(2),
        at(2, {{"substep", 3}, {"iteration", 4}, {"iteration", 4}})}) {
    EXPECT_FALSE(position == other) << other.text();
  }
  // What a longer path left behind does not count.
  auto popped = at(2, {{"substep", 3}, {"iteration", 9}});
  popped.pop();
  EXPECT_EQ(popped, at(2, {{"substep", 3}}));
}

TEST(StagePosition, RefusesLoopsNestedTooDeeply) {
  StagePosition position(1);
  while (position.depth() < StagePosition::deepest) position.push({"loop", 1});
  EXPECT_THROW(position.push({"loop", 1}), std::logic_error);
  EXPECT_EQ(position.depth(), StagePosition::deepest);
}

}  // namespace
