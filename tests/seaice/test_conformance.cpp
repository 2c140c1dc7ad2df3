// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/seaice/register.hpp"
#include "seaice/solver_support.hpp"
#include "support/conformance.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;

/// Every check holds, on a coast and distorted cells.
void expect_conformance(std::string const& policy, Assembly assembly, std::vector<ModelOptions> places,
                        test::Order order = {1, 3}, std::string const& choices = "") {
  seaice::register_core();
  test::expect_conformance(
      "core = 'seaice'\n[grid]\nnx = 7\nny = 6\ndistortion = 0.04\n"
      "[time]\nsubsteps = 3\nend = '1 h'\n[output]\ncoefficients = true\nconvergence = "
      "true\n[discretisation]\ncg = " +
          std::to_string(order.cg) + "\ndg = " + std::to_string(order.dg) + "\n" + choices,
      policy, assembly, std::move(places));
}

TEST(SeaIceConformance, HoldsOnTheHostInEveryPolicy) {
  ModelOptions one, two, three;
  two.threads = 2;
  three.threads = 3;
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "bf16"}) {
    expect_conformance(policy, Assembly::deterministic, {one, two, three});
    expect_conformance(policy, Assembly::atomic, {one, two});
  }
  expect_conformance("quad", Assembly::deterministic, {one, two});
}

TEST(SeaIceConformance, HoldsOnTheHostInEveryOrder) {
  ModelOptions one, three;
  three.threads = 3;
  for (auto const order : test::other_orders) {
    expect_conformance("fp64", Assembly::deterministic, {one, three}, order);
    expect_conformance("mixed", Assembly::atomic, {one, three}, order);
  }
}

TEST(SeaIceConformance, HoldsWithSumsInPassesAndTheOtherRheology) {
  ModelOptions one, two;
  two.threads = 2;
  for (auto const* choice :
       {"assembly = 'rowwise'\n", "assembly = 'checkerboard'\n", "rheology = 'vp_replacement'\n"}) {
    for (auto const* policy : {"fp64", "fp32", "mixed"}) {
      expect_conformance(policy, Assembly::deterministic, {one, two}, {1, 3},
                         std::string("[seaice]\n") + choice);
    }
  }
}

TEST(SeaIceConformance, HoldsWithMatricesOnTheFly) {
  ModelOptions one, two;
  two.threads = 2;
  for (auto const order : {test::Order{1, 3}, test::Order{2, 6}}) {
    for (auto const* policy : {"fp64", "fp32", "mixed"}) {
      expect_conformance(policy, Assembly::deterministic, {one, two}, order, "maps = 'on_the_fly'\n");
    }
  }
}

TEST(SeaIceConformance, HoldsWithStagesInOtherPolicies) {
  ModelOptions one, two;
  two.threads = 2;
  for (auto* place : {&one, &two}) place->stages = {{"seaice.strain", "e8m7"}, {"seaice.velocity", "fp32"}};
  expect_conformance("fp64", Assembly::deterministic, {one, two});
}

TEST(SeaIceConformance, HoldsInEmulatedFormats) {
  ModelOptions one, two;
  two.threads = 2;
  for (auto const* format : {"e11m52-sr1", "e8m23-rr2"}) {
    expect_conformance(format, Assembly::deterministic, {one, two});
    expect_conformance(format, Assembly::deterministic, {one, two}, {2, 6});
  }
}

}  // namespace
