// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "lorenz96/lorenz.hpp"
#include "support/conformance.hpp"

// A whole run, and single stages, in emulated formats, on a model whose operations are few and plain.

namespace {

using namespace ulpine;

std::string const box =
    "core = 'lorenz96'\n[grid]\nlevels = 3\nrows = 4\ncolumns = 12\n[lorenz]\ncoupling = 1\n"
    "[time]\nstep = 0.025\n";

class Lorenz : public testing::Test {
 protected:
  Lorenz() { lorenz96::register_lorenz(); }

  static std::vector<double> state(std::string const& policy, std::int64_t steps,
                                   std::vector<StageOverride> const& stages = {}, int threads = 1) {
    auto const case_file = io::CaseFile::parse(box, "box.toml");
    ModelOptions options;
    options.policy = policy;
    options.stages = stages;
    options.threads = threads;
    auto const model = make_model(case_file, options);
    model->advance(steps);
    std::vector<double> values(static_cast<std::size_t>(model->cells()));
    model->read("u", values);
    return values;
  }
  static std::vector<StageOverride> every_stage(std::string const& format) {
    std::vector<StageOverride> all;
    for (auto const* name : {"copy", "exchange", "tendency", "advance", "finish"}) {
      all.push_back({std::string("lorenz96.") + name, format});
    }
    return all;
  }
};

TEST_F(Lorenz, InBinary64ToNearestIsTheRunInDouble) {
  auto const plain = state("fp64", 40);
  EXPECT_EQ(state("e11m52", 40), plain);
  EXPECT_EQ(state("fp64", 40, every_stage("e11m52")), plain);
  EXPECT_EQ(state("fp64", 40, {{"lorenz96.tendency", "fp64"}}), plain);
}

TEST_F(Lorenz, InBinary32IsTheRunInFloat) {
  auto const plain = state("fp32", 40);
  EXPECT_EQ(state("e8m23", 40), plain);
  EXPECT_EQ(state("mixed", 40), plain) << "whose state, in double, holds floats from the first step on";
  EXPECT_EQ(state("fp64", 40, every_stage("fp32")), plain);
}

TEST_F(Lorenz, WithOperandsOfProductsRoundedIsTheRunInThatPolicy) {
  for (auto const* policy : {"tf32", "bf16", "fp16"}) {
    EXPECT_EQ(state("fp64", 20, every_stage(policy)), state(policy, 20)) << policy;
  }
}

TEST_F(Lorenz, RoundedAtRandomRepeatsItselfFromItsSeedOnAnyNumberOfThreads) {
  for (std::string const kind : {"e11m52-sr", "e11m52-rr", "e8m23-sr"}) {
    auto const first = state(kind + "1", 20);
    EXPECT_EQ(state(kind + "1", 20), first) << kind;
    EXPECT_EQ(state(kind + "1", 20, {}, 2), first) << kind;
    EXPECT_EQ(state(kind + "1", 20, {}, 3), first) << kind;
    EXPECT_NE(state(kind + "2", 20), first) << kind;
  }
  EXPECT_NE(state("e11m52-sr1", 20), state("e11m52-rr1", 20));
}

TEST_F(Lorenz, RoundedAtRandomErrsEquallyUpAndDown) {
  auto const exact = state("fp64", 4), nearest = state("e8m23", 4);
  constexpr int seeds = 64;
  double sum = 0, squares = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    auto const values = state("e8m23-sr" + std::to_string(seed), 4);
    double error = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) error += values[i] - exact[i];
    sum += error;
    squares += error * error;
  }
  auto const mean = sum / seeds, deviation = std::sqrt(squares / seeds - mean * mean);
  EXPECT_GT(deviation, 0);
  // Five standard deviations of the mean.
  EXPECT_LT(std::fabs(mean), 5 * deviation / std::sqrt(seeds));
}

TEST_F(Lorenz, OnlyTheNamedStageIsCoarse) {
  auto const plain = state("fp64", 1), coarse = state("fp64", 1, {{"lorenz96.tendency", "e8m3"}}),
             all = state("e8m3", 1);
  auto const distance = [&](std::vector<double> const& values) {
    double most = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) most = std::max(most, std::fabs(values[i] - plain[i]));
    return most;
  };
  EXPECT_GT(distance(coarse), 1e-3);
  EXPECT_GT(distance(all), distance(coarse)) << "where the state is rounded too";
}

TEST_F(Lorenz, KeepsWhatEveryCorePromises) {
  ModelOptions one, two;
  two.threads = 2;
  for (auto const* policy : {"e11m52", "e11m52-sr1", "e8m23-rr2", "e5m10-sr3"}) {
    test::expect_conformance(box + "end = '2 s'\n", policy, Assembly::deterministic, {one, two});
  }
  for (auto* place : {&one, &two}) {
    place->stages = {{"lorenz96.tendency", "e8m10-sr4"}, {"lorenz96.finish", "bf16"}};
  }
  test::expect_conformance(box + "end = '2 s'\n", "fp64", Assembly::deterministic, {one, two});
}

TEST_F(Lorenz, WhatCannotBeEmulatedIsRefused) {
  EXPECT_THROW(state("e11m53", 1), InputError);
  EXPECT_THROW(state("fp64", 1, {{"lorenz96.tendncy", "e8m7"}}), InputError);
  EXPECT_THROW(state("fp64", 1, {{"lorenz96.tendency", "quad"}}), InputError);
  EXPECT_THROW(state("fp32", 1, {{"lorenz96.tendency", "e8m7"}}), InputError);
  EXPECT_THROW(state("fp64", 1, {{"lorenz96.tendency", "e8m7"}, {"lorenz96.tendency", "e8m8"}}), InputError);
}

}  // namespace
