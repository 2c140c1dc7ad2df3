// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "ensembles/bitwise.hpp"
#include "ensembles/plan.hpp"
#include "ensembles/progress.hpp"
#include "ensembles/restart_comparison.hpp"
#include "ensembles/study.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

template <class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (InputError const& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Plan, IdsAndPathsFollowTheStudyLayout) {
  StudyOptions options;
  options.policies = {"fp64", "fp32"};
  options.epsilons = {"2^-23", "1e-3"};
  options.members = 8;
  auto const plan = make_plan(options);
  ASSERT_EQ(plan.runs.size(), 2u * 2 + 2 * 2 * 8);
  EXPECT_EQ(plan.runs[0].id, "fp64/deterministic");
  EXPECT_EQ(plan.runs[3].id, "fp32/atomic");
  EXPECT_EQ(plan.runs[3].path, "runs/fp32-atomic");
  auto const& member = plan.runs[4 + 2 * 8 + 7];
  EXPECT_EQ(member.id, "fp32/deterministic/eps=2^-23/m07");
  EXPECT_EQ(member.path, "members/fp32-deterministic/eps-2p-23/m07");
  EXPECT_EQ(member.epsilon->value, std::ldexp(1.0, -23));
  EXPECT_EQ(member.member, 7);
  EXPECT_EQ(plan.runs.back().path, "members/fp32-deterministic/eps-1e-3/m07");
  EXPECT_EQ(plan.runs.back().epsilon->value, 1e-3);
}

TEST(Plan, EveryRunHasAnIdAndFolderOfItsOwn) {
  StudyOptions options;
  options.members = 101;
  auto const plan = make_plan(options);
  std::set<std::string> ids, paths;
  for (auto const& run : plan.runs) {
    ids.insert(run.id);
    paths.insert(run.path.string());
  }
  EXPECT_EQ(plan.runs.size(), 4u * 2 + 4 * 4 * 101);
  EXPECT_EQ(ids.size(), plan.runs.size());
  EXPECT_EQ(paths.size(), plan.runs.size());
  EXPECT_TRUE(ids.contains("tf32/deterministic/eps=2^-7/m100"));
  EXPECT_TRUE(ids.contains("tf32/deterministic/eps=2^-7/m007"));
}

TEST(Plan, TheReferenceRunsFirstEvenIfNotAskedFor) {
  StudyOptions options;
  options.policies = {"tf32"};
  options.assemblies = {"atomic"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  auto const plan = make_plan(options);
  ASSERT_EQ(plan.runs.size(), 3u);
  EXPECT_EQ(plan.runs[0].id, plan.reference);
  EXPECT_EQ(plan.runs[1].id, "tf32/atomic");
  EXPECT_EQ(plan.runs[2].id, "tf32/atomic/eps=2^-7/m00");
}

TEST(Plan, RefusesWhatCannotBePlannedAndSaysWhy) {
  auto const refusal = [](auto const& change) {
    StudyOptions options;
    change(options);
    return message_of([&] { make_plan(options); });
  };
  EXPECT_NE(refusal([](auto& o) { o.policies = {"fp23"}; }).find("did you mean 'fp"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.assemblies = {"determinstic"}; }).find("'deterministic'"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.policies = {"fp64", "fp64"}; }).find("twice"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.epsilons = {"2^-1", "0.5"}; }).find("same number"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.members = 0; }).find("members = 0"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.members = most_members + 1; }).find("1 to 100000"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.threads = 0; }).find("threads = 0"), std::string::npos);
  for (auto const* epsilon : {"0", "-1", "2^", "", "inf", "nan", "2^-23x"}) {
    EXPECT_NE(refusal([&](auto& o) { o.epsilons = {epsilon}; }), "nothing thrown") << epsilon;
  }
  EXPECT_NE(refusal([](auto& o) { o.policies = {"quad"}, o.device = "cuda"; }).find("quad"),
            std::string::npos);
  for (auto const& list : {&StudyOptions::policies, &StudyOptions::assemblies, &StudyOptions::epsilons}) {
    EXPECT_NE(refusal([&](auto& o) { (o.*list).clear(); }), "nothing thrown");
  }
}

TEST(Share, IsReadAsIndexOfCount) {
  auto const share = parse_share("3/24");
  EXPECT_EQ(share.index, 3);
  EXPECT_EQ(share.count, 24);
  for (auto const* text : {"", "3", "3/", "/4", "4/4", "-1/4", "1/0", "1/2/3", "1/2 ", "a/b"}) {
    EXPECT_THROW(parse_share(text), InputError) << text;
  }
}

TEST(Configurations, NameDeviceAndSize) {
  EXPECT_EQ(parse_bitwise_configuration("cpu:3").threads, 3);
  EXPECT_EQ(parse_bitwise_configuration("cuda:128").block, 128);
  EXPECT_EQ(parse_bitwise_configuration("cuda:1:64").device, "cuda:1");
  for (auto const* text : {"", "cpu", "cpu:", "cpu:0", "gpu:2", "cpu:2x", ":2"}) {
    EXPECT_THROW(parse_bitwise_configuration(text), InputError) << text;
  }
  auto const configuration = parse_configuration("cuda:1/fp32/atomic");
  EXPECT_EQ(configuration.options.device, "cuda:1");
  EXPECT_EQ(configuration.options.policy, "fp32");
  EXPECT_EQ(configuration.options.assembly, Assembly::atomic);
  for (auto const* text : {"", "cpu", "cpu/fp64", "cpu/fp46/atomic", "cpu/fp64/atomics", "gpu/fp64/atomic"}) {
    EXPECT_THROW(parse_configuration(text), InputError) << text;
  }
}

TEST(Progress, DurationsReadWell) {
  EXPECT_EQ(readable_duration(0.2), "0 s");
  EXPECT_EQ(readable_duration(59.4), "59 s");
  EXPECT_EQ(readable_duration(59.6), "1 min 00 s");
  EXPECT_EQ(readable_duration(190), "3 min 10 s");
  EXPECT_EQ(readable_duration(7505), "2 h 05 min");
  EXPECT_EQ(readable_duration(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(readable_duration(std::nan("")), "?");
}

TEST(Progress, WritesPlainLinesWhereThereIsNoTerminal) {
  auto* const stream = std::tmpfile();
  {
    ProgressReporter reporter(stream, false, 1000);
    reporter.update(0.25, 30, "1/4 runs");
    reporter.update(0.5, 20, "2/4 runs");
    reporter.note("fp32/atomic failed");
    reporter.update(1, 0, "4/4 runs");
  }
  std::rewind(stream);
  std::string text(1000, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), stream));
  std::fclose(stream);
  EXPECT_EQ(text, " 25 % 1/4 runs, 30 s left\nfp32/atomic failed\n100 % 4/4 runs\n");
}

}  // namespace
}  // namespace ulpine::ensembles
