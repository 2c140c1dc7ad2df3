// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "core/seaice/case_setup.hpp"
#include "core/seaice/register.hpp"
#include "core/seaice/solver.hpp"
#include "io/error.hpp"
#include "support/refusal.hpp"

// Single stages in the arithmetic of another policy, or of a format that the host emulates.

namespace {

using namespace ulpine;

std::unique_ptr<Model> model(std::vector<StageOverride> const& stages, std::string const& policy = "fp64",
                             int threads = 1, std::string const& extra = "") {
  seaice::register_core();
  auto const case_file = io::CaseFile::parse(
      "core = 'seaice'\n[grid]\nnx = 12\nny = 9\ndistortion = 0.03\n[time]\nsubsteps = 7\n" + extra,
      "small.toml");
  ModelOptions options;
  options.policy = policy;
  options.threads = threads;
  options.stages = stages;
  return make_model(case_file, options);
}

std::uint64_t hash_after(std::vector<StageOverride> const& stages, std::string const& policy = "fp64",
                         int threads = 1, int steps = 3) {
  auto const made = model(stages, policy, threads);
  made->advance(steps);
  return made->state_hash();
}

constexpr char const* every_stage[] = {"seaice.advect.velocity", "seaice.advect.normal_velocity",
                                       "seaice.advect.cell",     "seaice.advect.edges",
                                       "seaice.advect.update",   "seaice.limit",
                                       "seaice.nodal",           "seaice.forcing",
                                       "seaice.strength",        "seaice.strain",
                                       "seaice.stress",          "seaice.divergence",
                                       "seaice.velocity",        "seaice.boundary"};

TEST(StagePolicies, TheRunsOwnPolicyChangesNoBit) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32"}) {
    auto const plain = hash_after({}, policy);
    for (auto const* stage : every_stage) {
      EXPECT_EQ(hash_after({{stage, policy}}, policy), plain) << stage << " in " << policy;
    }
  }
}

TEST(StagePolicies, EachStageInFloatChangesBitsUnlessItOnlyCopies) {
  auto const plain = hash_after({});
  for (auto const* stage : every_stage) {
    auto const hash = hash_after({{stage, "fp32"}});
    // Fields are stored in double: a stage in float leaves its results rounded.
    EXPECT_NE(hash, plain) << stage;
    EXPECT_EQ(hash_after({{stage, "fp32"}}, "fp64", 3), hash) << stage << " on three threads";
  }
}

TEST(StagePolicies, AllStagesInFloatAreTheFloatRunButForItsConstants) {
  std::vector<StageOverride> all;
  for (auto const* stage : every_stage) all.push_back({stage, "fp32"});
  // A double field that floats were stored in reads back to them, so the runs have the same values.
  auto const patched = model(all), plain = model({}, "fp32");
  patched->advance(3);
  plain->advance(3);
  for (auto const& info : plain->fields()) {
    // The cell means are made of the fields in the run's own policy.
    if (info.name == "sivol" || info.name == "siconc" || info.name == "shear") continue;
    std::vector<double> a(static_cast<std::size_t>(info.size())), b(a);
    patched->read(info.name, a);
    plain->read(info.name, b);
    EXPECT_EQ(a, b) << info.name;
  }
}

TEST(StagePolicies, AnEmulatedBinary32IsTheProcessorsOwn) {
  // Not seaice.limit, which moves values: they stay as wide as they are where no type narrows them.
  for (auto const* stage :
       {"seaice.strain", "seaice.stress", "seaice.divergence", "seaice.advect.cell", "seaice.nodal"}) {
    EXPECT_EQ(hash_after({{stage, "e8m23"}}), hash_after({{stage, "fp32"}})) << stage;
  }
}

TEST(StagePolicies, FewerBitsAreFartherAway) {
  auto const reference = model({});
  reference->advance(3);
  auto const distance = [&](std::string const& format) {
    auto const made = model({{"seaice.stress", format}});
    made->advance(3);
    std::vector<double> a(130), b(130);
    reference->read("siu", a);
    made->read("siu", b);
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
  };
  auto const wide = distance("e8m20"), middle = distance("e8m13"), narrow = distance("e8m6");
  EXPECT_GT(wide, 0);
  // 7 bits are a factor of 128; a tenth of it is asked for.
  EXPECT_GT(middle, 12 * wide);
  EXPECT_GT(narrow, 12 * middle);
}

TEST(StagePolicies, StochasticRoundingDependsOnItsSeedAndNotOnThreads) {
  auto const hash = hash_after({{"seaice.stress", "e8m10-sr7"}});
  EXPECT_EQ(hash_after({{"seaice.stress", "e8m10-sr7"}}, "fp64", 3), hash);
  EXPECT_NE(hash_after({{"seaice.stress", "e8m10-sr8"}}), hash);
  EXPECT_NE(hash_after({{"seaice.stress", "e8m10"}}), hash);
  EXPECT_NE(hash_after({{"seaice.stress", "e8m10-rz"}}), hash);
}

/// What the stage of the ice's strength wrote, launch by launch.
class Strengths : public StageObserver {
 public:
  void stage_done(StagePosition const&, char const* stage, char const*, RawField const& values) override {
    if (std::string(stage) != "seaice.strength") return;
    auto& launch = launches.emplace_back();
    for (std::int64_t i = 0; i < values.count(); ++i) {
      launch.push_back(static_cast<double const*>(values.data)[values.layout.memory_index(i)]);
    }
  }
  std::vector<std::vector<double>> launches;
};

TEST(StagePolicies, StochasticRoundingDiffersFromLaunchToLaunch) {
  // Uniform ice at rest has the same strength at every step, but for how it is rounded.
  auto const strengths = [](std::string const& format) {
    auto const made = model({{"seaice.strength", format}}, "fp64", 1,
                            "[initial]\nsource = 'uniform'\nheight = 1.3\nconcentration = 0.9\n"
                            "[forcing]\nwind = 'calm'\nocean = 'still'\n");
    Strengths seen;
    made->observe(&seen);
    made->advance(3);
    made->observe(nullptr);
    return seen.launches;
  };
  auto const nearest = strengths("e8m5"), random = strengths("e8m5-sr7");
  ASSERT_EQ(nearest.size(), 3u);
  EXPECT_EQ(nearest[0], nearest[1]);
  EXPECT_EQ(nearest[0], nearest[2]);
  ASSERT_EQ(random.size(), 3u);
  EXPECT_NE(random[0], random[1]);
  EXPECT_NE(random[0], random[2]);
  EXPECT_NE(random[1], random[2]);
}

TEST(StagePolicies, AllStagesInBinary64ToNearestAreTheRunInDouble) {
  auto const plain = hash_after({});
  EXPECT_EQ(hash_after({}, "e11m52"), plain);
  EXPECT_EQ(hash_after({}, "e11m52", 2), plain);
  std::vector<StageOverride> all;
  for (auto const* stage : every_stage) all.push_back({stage, "e11m52"});
  EXPECT_EQ(hash_after(all), plain);
}

/// A solver in fp64 but for single stages, and the parameters of its case.
std::unique_ptr<seaice::Solver> solver(std::vector<StageOverride> const& stages,
                                       seaice::Parameters& parameters) {
  auto const case_file = io::CaseFile::parse("core = 'seaice'\n[grid]\nnx = 12\nny = 9\n", "small.toml");
  auto const setup = seaice::read_case(case_file);
  parameters = setup.parameters;
  return seaice::with_stages(seaice::make_solver(Host{1}, "fp64", Assembly::deterministic, setup), stages,
                             Host{1}, setup);
}

TEST(StagePolicies, StagesInOnePolicyShareTheirMemory) {
  auto const bytes = [](std::vector<StageOverride> const& stages) {
    seaice::Parameters parameters;
    return solver(stages, parameters)->other_bytes();
  };
  StageOverride const stress{"seaice.stress", "fp32"};
  auto const one = bytes({stress});
  EXPECT_GT(one, bytes({}));
  EXPECT_EQ(bytes({stress, {"seaice.strain", "fp32"}}), one);
  EXPECT_GT(bytes({stress, {"seaice.strain", "mixed"}}), one);
}

TEST(StagePolicies, AStageRunsAloneByItsName) {
  for (auto const& stages : {std::vector<StageOverride>{}, {{"seaice.stress", "fp32"}}}) {
    seaice::Parameters parameters;
    auto const ice = solver(stages, parameters);
    for (auto const* stage : every_stage) EXPECT_TRUE(run_stage(*ice, parameters, stage)) << stage;
    EXPECT_FALSE(run_stage(*ice, parameters, "seaice.strian"));
    EXPECT_FALSE(run_stage(*ice, parameters, "seaice.substeps")) << "part of a step alone";
    EXPECT_FALSE(run_stage(*ice, parameters, "seaice.exchange")) << "of several ranks";
  }
}

TEST(StagePolicies, WhatCannotRunIsRefused) {
  EXPECT_THROW(model({{"seaice.strian", "fp32"}}), InputError);
  EXPECT_THROW(model({{"seaice.strain_stress", "fp32"}}), InputError) << "a fused stage is two of these";
  EXPECT_THROW(model({{"seaice.stress", "fp33"}}), InputError);
  EXPECT_THROW(model({{"seaice.stress", "e8m53"}}), InputError);
  EXPECT_THROW(model({{"seaice.stress", "fp32"}, {"seaice.stress", "tf32"}}), InputError);
  EXPECT_THROW(model({{"seaice.strian", "e8m7"}}), InputError);
  EXPECT_THROW(model({{"seaice.strain_stress", "e8m7"}}), InputError) << "formats run stages one by one";
  EXPECT_THROW(model({{"seaice.stress", "e8m7"}}, "fp32"), InputError) << "fp32 is no format";
  EXPECT_THROW(model({{"seaice.stress", "e8m7"}, {"seaice.strain", "quad"}}), InputError);
  EXPECT_THROW(model({{"seaice.stress", "e8m7"}, {"seaice.stress", "e8m8"}}), InputError);
}

}  // namespace
