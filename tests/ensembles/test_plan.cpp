// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "ensembles/runs/noise.hpp"
#include "ensembles/study/plan.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

template <class Call>
std::string refusal_of(Call const& call) {
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
  ASSERT_EQ(plan.runs.size(), 2u * 2 + 2 * 2 * 2 * 8);
  EXPECT_EQ(plan.runs[0].id, "fp64/deterministic");
  EXPECT_EQ(plan.runs[3].id, "fp32/atomic");
  EXPECT_EQ(plan.runs[3].path, "runs/fp32-atomic");
  auto const& member = plan.runs[4 + 2 * 2 * 8 + 7];
  EXPECT_EQ(member.id, "fp32/deterministic/eps=2^-23/m07");
  EXPECT_EQ(member.path, "members/fp32-deterministic/eps-2p-23/m07");
  EXPECT_EQ(member.epsilon->value, std::ldexp(1.0, -23));
  EXPECT_EQ(member.member, 7);
  EXPECT_EQ(plan.runs.back().path, "members/fp32-atomic/eps-1e-3/m07");
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
  EXPECT_EQ(plan.runs.size(), 4u * 2 + 4 * 2 * 4 * 101);
  EXPECT_EQ(ids.size(), plan.runs.size());
  EXPECT_EQ(paths.size(), plan.runs.size());
  EXPECT_TRUE(ids.contains("tf32/deterministic/eps=2^-7/m100"));
  EXPECT_TRUE(ids.contains("tf32/atomic/eps=2^-7/m007"));
}

TEST(Plan, TheReferenceRunsFirstEvenIfNotAskedFor) {
  StudyOptions options;
  options.policies = {"tf32"};
  options.assemblies = {"atomic"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  auto const plan = make_plan(options);
  ASSERT_EQ(plan.runs.size(), 4u);
  EXPECT_EQ(plan.runs[0].id, plan.reference);
  EXPECT_EQ(plan.runs[1].id, "tf32/atomic");
  EXPECT_EQ(plan.runs[2].id, "tf32/atomic/eps=2^-7/m00");
  EXPECT_EQ(plan.runs[3].id, "fp64/deterministic/eps=2^-7/m00");
}

TEST(Plan, OnSeveralRanksItIsThatOfOne) {
  StudyOptions options;
  options.members = 2;
  options.quad_until = 60;
  auto const one = make_plan(options);
  options.devices = {"mpi:2"};
  auto const two = make_plan(options);
  EXPECT_EQ(two.reference, one.reference);
  ASSERT_EQ(two.runs.size(), one.runs.size());
  for (std::size_t n = 0; n < one.runs.size(); ++n) {
    EXPECT_EQ(two.runs[n].id, one.runs[n].id);
    EXPECT_EQ(two.runs[n].path, one.runs[n].path);
    EXPECT_EQ(two.runs[n].seed, one.runs[n].seed);
    // The run in quad beside the reference is on one rank: not all cores have it on several.
    EXPECT_EQ(two.runs[n].configuration.ranks, is_quad(one.runs[n].configuration) ? 0 : 2);
  }
}

TEST(Plan, RefusesWhatCannotBePlannedAndSaysWhy) {
  auto const refusal = [](auto const& change) {
    StudyOptions options;
    change(options);
    return refusal_of([&] { make_plan(options); });
  };
  EXPECT_NE(refusal([](auto& o) { o.policies = {"fp23"}; }).find("did you mean 'fp"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.assemblies = {"determinstic"}; }).find("'deterministic'"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.policies = {"fp64", "fp64"}; }).find("twice"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.epsilons = {"2^-1", "0.5"}; }).find("same number"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.members = -1; }).find("members = -1"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.members = most_members + 1; }).find("0 to 100000"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.threads = 0; }).find("threads = 0"), std::string::npos);
  for (auto const* epsilon : {"0", "-1", "2^", "", "inf", "nan", "2^-23x"}) {
    EXPECT_NE(refusal([&](auto& o) { o.epsilons = {epsilon}; }), "nothing thrown") << epsilon;
  }
  EXPECT_NE(refusal([](auto& o) { o.policies = {"quad"}, o.devices = {"cuda"}; }).find("quad"),
            std::string::npos);
  for (auto const& list : {&StudyOptions::policies, &StudyOptions::assemblies, &StudyOptions::epsilons}) {
    EXPECT_NE(refusal([&](auto& o) { (o.*list).clear(); }), "nothing thrown");
  }
}

TEST(Plan, WithoutMembersIsOfUnperturbedRunsAlone) {
  StudyOptions options;
  options.configurations = {"fp32", "e11m52-sr1"};
  options.members = 0;
  auto const plan = make_plan(options);
  ASSERT_EQ(plan.runs.size(), 3u);
  for (auto const& run : plan.runs) {
    EXPECT_FALSE(run.member);
    EXPECT_TRUE(run.ensemble.empty()) << run.id;
  }
}

std::vector<std::string> ids_of(StudyOptions const& options) {
  std::vector<std::string> ids;
  for (auto const& run : make_plan(options).runs) ids.push_back(run.id);
  return ids;
}

/// Ids of the unperturbed runs (no member) or of the first member of each ensemble.
std::vector<std::string> ids_of(StudyOptions const& options, std::optional<int> member) {
  std::vector<std::string> ids;
  for (auto const& run : make_plan(options).runs) {
    if (run.member == member) ids.push_back(run.id);
  }
  return ids;
}

/// The ids and folders as the first version had them, which scripts and finished studies rely on.
TEST(Plan, OfOneDeviceHasTheIdsFoldersAndOrderOfTheFirstVersion) {
  std::vector<std::string> ids, paths;
  for (std::string const policy : {"fp64", "fp32", "mixed", "tf32"}) {
    for (std::string const assembly : {"deterministic", "atomic"}) {
      ids.push_back(policy + "/" + assembly);
      paths.push_back("runs/" + policy + "-" + assembly);
    }
  }
  for (std::string const policy : {"fp64", "fp32", "mixed", "tf32"}) {
    for (std::string const exponent : {"53", "23", "10", "7"}) {
      for (int member = 0; member < 24; ++member) {
        auto const number = (member < 10 ? "m0" : "m") + std::to_string(member);
        ids.push_back(policy + "/deterministic/eps=2^-" + exponent + "/" + number);
        paths.push_back("members/" + policy + "-deterministic/eps-2p-" + exponent + "/" + number);
      }
    }
  }
  for (std::string const device : {"cpu", "cuda", "cuda:1", "cpu:4"}) {
    StudyOptions options;
    options.devices = {device};
    options.members_of_first_assembly = true;
    auto const plan = make_plan(options);
    ASSERT_EQ(plan.runs.size(), ids.size());
    EXPECT_EQ(plan.reference, "fp64/deterministic");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(plan.runs[i].id, ids[i]);
      EXPECT_EQ(plan.runs[i].path, paths[i]);
      EXPECT_EQ(device_text(plan.runs[i].configuration), device);
    }
  }
}

TEST(Plan, OfSeveralDevicesNamesThemInIdsAndFolders) {
  StudyOptions options;
  options.devices = {"cpu", "cuda"};
  options.policies = {"fp64", "fp32"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  auto const plan = make_plan(options);
  EXPECT_EQ(ids_of(options),
            (std::vector<std::string>{
                "cpu/fp64/deterministic", "cpu/fp64/atomic", "cpu/fp32/deterministic", "cpu/fp32/atomic",
                "cuda/fp64/deterministic", "cuda/fp64/atomic", "cuda/fp32/deterministic", "cuda/fp32/atomic",
                "cpu/fp64/deterministic/eps=2^-7/m00", "cpu/fp64/atomic/eps=2^-7/m00",
                "cpu/fp32/deterministic/eps=2^-7/m00", "cpu/fp32/atomic/eps=2^-7/m00",
                "cuda/fp64/deterministic/eps=2^-7/m00", "cuda/fp64/atomic/eps=2^-7/m00",
                "cuda/fp32/deterministic/eps=2^-7/m00", "cuda/fp32/atomic/eps=2^-7/m00"}));
  EXPECT_EQ(plan.reference, "cpu/fp64/deterministic");
  EXPECT_EQ(plan.runs[7].path, "runs/cuda-fp32-atomic");
  EXPECT_EQ(plan.runs.back().path, "members/cuda-fp32-atomic/eps-2p-7/m00");
  EXPECT_EQ(plan.runs.back().configuration, parse_configuration("cuda/fp32/atomic"));
  EXPECT_EQ(plan.runs[7].ensemble, "cuda/fp32/atomic");
  EXPECT_EQ(plan.runs[1].ensemble, "cpu/fp64/atomic");
}

TEST(Plan, QuadIsForTheHostBesideOtherDevices) {
  StudyOptions options;
  options.devices = {"cuda", "cpu:2"};
  options.policies = {"quad", "fp64"};
  options.assemblies = {"deterministic"};
  options.reference = "cpu/quad/deterministic";
  EXPECT_EQ(ids_of(options, {}),
            (std::vector<std::string>{"cpu/quad/deterministic", "cuda/fp64/deterministic",
                                      "cpu:2/quad/deterministic", "cpu:2/fp64/deterministic"}));
  options.reference = "quad";
  EXPECT_NE(refusal_of([&] { make_plan(options); }).find("policy 'quad' cannot run on cuda"),
            std::string::npos)
      << "the device of the first is meant";
}

TEST(Plan, AnyConfigurationCanBeTheReference) {
  StudyOptions options;
  options.policies = {"fp64", "fp32"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  options.reference = "fp32/atomic";
  auto plan = make_plan(options);
  EXPECT_EQ(plan.reference, "fp32/atomic");
  EXPECT_EQ(ids_of(options), (std::vector<std::string>{
                                 "fp32/atomic", "fp64/deterministic", "fp64/atomic", "fp32/deterministic",
                                 "fp64/deterministic/eps=2^-7/m00", "fp64/atomic/eps=2^-7/m00",
                                 "fp32/deterministic/eps=2^-7/m00", "fp32/atomic/eps=2^-7/m00"}));
  options.reference = "quad";
  EXPECT_EQ(ids_of(options, {}).front(), "quad/deterministic");
  EXPECT_EQ(ids_of(options, 0).back(), "quad/deterministic/eps=2^-7/m00")
      << "who names it wants it to be judged against";
}

TEST(Plan, ListedConfigurationsAreTakenAsTheyStand) {
  StudyOptions options;
  options.configurations = {"cpu/fp64/deterministic", "cuda/fp32/atomic", "cuda:1:64/tf32/deterministic",
                            "fp64/deterministic/a.stress=fp32"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  auto const plan = make_plan(options);
  EXPECT_EQ(ids_of(options, {}), (std::vector<std::string>{"cpu/fp64/deterministic", "cuda/fp32/atomic",
                                                           "cuda:1:64/tf32/deterministic",
                                                           "cpu/fp64/deterministic/a.stress=fp32"}));
  EXPECT_EQ(ids_of(options, 0).size(), 4u);
  EXPECT_EQ(plan.runs[2].path, "runs/cuda-1-64-tf32-deterministic");
  EXPECT_EQ(plan.runs[3].path, "runs/cpu-fp64-deterministic-a.stress-fp32");
  EXPECT_EQ(plan.runs[3].ensemble, plan.runs[3].id) << "another model than plain fp64";

  options.configurations = {"cuda/fp32/atomic", "cuda/tf32/atomic"};
  EXPECT_EQ(ids_of(options, {}).front(), "fp64/deterministic") << "on their device, and so not named";
  options.configurations = {"fp32/atomic", "fp64/deterministic"};
  options.devices = {"cuda:1"};
  EXPECT_EQ(make_plan(options).runs[1].configuration, parse_configuration("cuda:1/fp32/atomic"));
}

TEST(Plan, MembersAreForThoseThatAreNamed) {
  StudyOptions options;
  options.devices = {"cpu", "cuda"};
  options.policies = {"fp64", "fp32", "tf32"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  auto const ensembles = [&](std::vector<std::string> const& members_for) {
    options.members_for = members_for;
    std::vector<std::string> names;
    for (auto const& run : make_plan(options).runs) {
      if (run.member) names.push_back(run.ensemble);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(ensembles({"fp32"}), (Names{"cpu/fp32/deterministic", "cpu/fp32/atomic",
                                        "cuda/fp32/deterministic", "cuda/fp32/atomic"}));
  EXPECT_EQ(ensembles({"cuda/deterministic"}),
            (Names{"cuda/fp64/deterministic", "cuda/fp32/deterministic", "cuda/tf32/deterministic"}));
  EXPECT_EQ(ensembles({"cuda/tf32/atomic", "cpu/fp64"}),
            (Names{"cuda/tf32/atomic", "cpu/fp64/deterministic", "cpu/fp64/atomic"}));
  EXPECT_EQ(ensembles({"cpu/fp32/atomic"}), (Names{"cpu/fp32/atomic"}));
  EXPECT_EQ(ensembles({"cpu/fp32/atomic", "cpu/fp32/deterministic", "cpu/fp32"}),
            (Names{"cpu/fp32/atomic", "cpu/fp32/deterministic"}));

  // Each run has its own members or none.
  ensembles({"cpu/fp32/atomic", "cuda/fp32"});
  for (auto const& run : make_plan(options).runs) {
    auto const name = to_text(run.configuration);
    EXPECT_EQ(run.ensemble, name == "cpu/fp32/atomic" || name.starts_with("cuda/fp32") ? name : "") << run.id;
  }

  // As in studies that were planned before each configuration had its own.
  options.members_of_first_assembly = true;
  EXPECT_EQ(ensembles({"fp32"}), (Names{"cpu/fp32/deterministic", "cuda/fp32/deterministic"}));
  EXPECT_EQ(ensembles({"cpu/fp32/atomic"}), (Names{"cpu/fp32/atomic"}));
  EXPECT_EQ(ensembles({}).size(), 6u);
  options.members_of_first_assembly = false;

  // A reference beside them has members, too.
  options.devices = {"cpu"};
  options.policies = {"fp32"};
  options.assemblies = {"deterministic"};
  EXPECT_EQ(ensembles({}), (Names{"fp32/deterministic", "fp64/deterministic"}));
  EXPECT_EQ(ensembles({"fp32"}), (Names{"fp32/deterministic"}));
  options.members_of_first_assembly = true;
  EXPECT_EQ(ensembles({}), (Names{"fp32/deterministic"}));
  options.members_of_first_assembly = false;
  EXPECT_EQ(ensembles({"fp64", "fp32"}), (Names{"fp64/deterministic", "fp32/deterministic"}));
}

TEST(Plan, ControlIsTheReferenceOnceMoreWithOtherNoise) {
  StudyOptions options;
  options.policies = {"fp32", "tf32"};
  options.reference = "fp32/atomic";
  options.epsilons = {"2^-23", "2^-7"};
  options.members = 8;
  auto const without = make_plan(options);
  options.control = true;
  auto const plan = make_plan(options);
  ASSERT_EQ(plan.runs.size(), without.runs.size() + 2 * 8);
  for (std::size_t i = 0; i < without.runs.size(); ++i) {
    EXPECT_EQ(plan.runs[i].id, without.runs[i].id) << "the others stay where they are";
    EXPECT_EQ(plan.runs[i].seed, without.runs[i].seed);
    EXPECT_FALSE(plan.runs[i].control);
  }
  for (std::size_t k = 0; k < 16; ++k) {
    auto const& run = plan.runs[without.runs.size() + k];
    EXPECT_EQ(run.configuration, parse_configuration("fp32/atomic"));
    EXPECT_EQ(run.ensemble, "control");
    EXPECT_TRUE(run.control);
    EXPECT_EQ(run.member, static_cast<int>(k % 8));
    EXPECT_EQ(run.epsilon->text, k < 8 ? "2^-23" : "2^-7");
  }
  EXPECT_EQ(plan.runs.back().id, "control/eps=2^-7/m07");
  EXPECT_EQ(plan.runs.back().path, "members/control/eps-2p-7/m07");

  options.members_for = {"tf32"};
  EXPECT_NE(refusal_of([&] {
              make_plan(options);
            }).find("a control ensemble has nothing to be held against (the reference fp32/atomic gets no"),
            std::string::npos);
}

TEST(Plan, SeedsAreOfAmplitudeAndOfControlOrNot) {
  StudyOptions options;
  options.control = true;
  options.members = 2;
  options.epsilons = {"2^-53", "2^-23", "2^-10", "2^-7", "0.1"};
  std::map<std::string, std::set<std::uint64_t>> seeds;
  for (auto const& run : make_plan(options).runs) {
    if (run.epsilon) {
      seeds[run.epsilon->text + (run.control ? " control" : "")].insert(run.seed);
    } else {
      EXPECT_EQ(run.seed, 0u);
    }
  }
  ASSERT_EQ(seeds.size(), 10u);
  std::set<std::uint64_t> all;
  for (auto const& [who, own] : seeds) {
    EXPECT_EQ(own.size(), 1u) << who << ": members of all policies are pairs";
    all.insert(own.begin(), own.end());
  }
  EXPECT_EQ(all.size(), 10u);
}

TEST(Plan, FewerAmplitudesHaveTheSameSeeds) {
  StudyOptions options;
  std::map<std::string, std::uint64_t> seeds;
  for (auto const& run : make_plan(options).runs) seeds[run.id] = run.seed;
  options.epsilons = {"2^-7", "2^-23"};
  options.members = 3;
  for (auto const& run : make_plan(options).runs) EXPECT_EQ(run.seed, seeds.at(run.id)) << run.id;
  options.seed = 2;
  for (auto const& run : make_plan(options).runs) {
    if (run.epsilon) {
      EXPECT_NE(run.seed, seeds.at(run.id)) << run.id;
    }
  }
}

/// Numbers by a Python program of its own, which reproduces the known answers of Random123 (2026-11-22):
/// other ones would change the members of every study.
TEST(Noise, SeedsAreWordsOfThePhiloxBlock) {
  EXPECT_EQ(seed_of_noise(1, 0x1p-23), 0x670ba9bb6486de15u);
  EXPECT_EQ(seed_of_noise(1, 0x1p-23, Noise::control), 0x8c6f64074d6aaaf4u);
  EXPECT_EQ(seed_of_noise(1, 0x1p-7), 0xdcfe95372f88c026u);
  EXPECT_EQ(seed_of_noise(0x123456789abcdef0, 1e-3), 0x8b8d96c48ff3a267u);
}

TEST(Plan, RefusesConfigurationsThatCannotBeAStudy) {
  auto const refusal = [](auto const& change) {
    StudyOptions options;
    change(options);
    return refusal_of([&] { make_plan(options); });
  };
  EXPECT_NE(refusal([](auto& o) {
              o.devices = {"cpu", "cpu"};
            }).find("'cpu' is given twice"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) {
              o.devices = {"cuda", "cuda:0"};
            }).find("is given twice"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.devices = {"gpu"}; }).find("unknown device 'gpu'"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.devices.clear(); }).find("no device given"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) {
              o.devices = {"cuda", "cuda:1"}, o.policies = {"quad"};
            }).find("quad"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) {
              o.configurations = {"fp32/atomic", "cpu/fp32/atomic"};
            }).find("twice"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) {
              o.configurations = {"fp64/deterministic", "fp64/deterministic"};
            }).find("twice"),
            std::string::npos)
      << "the reference too";
  EXPECT_NE(refusal([](auto& o) { o.configurations = {"cuda/quad/atomic"}; }).find("cannot run on cuda"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.configurations = {"fp46"}; }).find("did you mean 'fp16'"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.reference = "fp46"; }).find("did you mean 'fp16'"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.members_for = {"fp46"}; }).find("did you mean 'fp16'"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) {
              o.members_for = {"bf16"};
            }).find("members for 'bf16' cannot be run (it is none of the study's cpu/fp64/deterministic, "),
            std::string::npos);
}

TEST(Plan, IsOfNoMoreRunsThanCanBeKept) {
  StudyOptions options;
  options.policies = {"fp64"};
  options.assemblies = {"deterministic"};
  options.epsilons = {"1e-3", "1e-4"};
  options.members = 100'000;
  EXPECT_EQ(make_plan(options).runs.size(), 200'001u);
  options.epsilons.push_back("1e-5");
  options.members = 66'667;
  auto const refusal = refusal_of([&] { make_plan(options); });
  EXPECT_NE(refusal.find("--members = 66667 makes 200001 perturbed runs"), refusal.npos) << refusal;
}

TEST(Plan, IsAskedForByTheWordsOfItsOptions) {
  EXPECT_TRUE(words_of({}).empty());
  StudyOptions options;
  options.devices = {"cpu", "cuda:1"};
  options.policies = {"fp64", "bf16"};
  options.assemblies = {"atomic"};
  options.reference = "cpu/quad/deterministic";
  options.members_for = {"fp64", "cuda:1/bf16"};
  options.epsilons = {"2^-7"};
  options.members = 8;
  options.control = true;
  options.seed = 3;
  options.until = 5400.5;
  options.threads = 2;
  options.block = 64;
  options.perturb = {"sivol", "siconc"};
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of(options), (Words{"--policies",
                                      "fp64,bf16",
                                      "--assemblies",
                                      "atomic",
                                      "--devices",
                                      "cpu,cuda:1",
                                      "--reference",
                                      "cpu/quad/deterministic",
                                      "--members-for",
                                      "fp64,cuda:1/bf16",
                                      "--epsilons",
                                      "2^-7",
                                      "--members",
                                      "8",
                                      "--control",
                                      "--seed",
                                      "3",
                                      "--until",
                                      "5400.5 s",
                                      "--perturb",
                                      "sivol,siconc",
                                      "--threads",
                                      "2",
                                      "--block",
                                      "64"}));
  options = {};
  options.devices = {"cuda"};
  options.configurations = {"fp64/deterministic", "fp32/atomic"};
  EXPECT_EQ(words_of(options),
            (Words{"--configurations", "fp64/deterministic,fp32/atomic", "--device", "cuda"}));
}

TEST(Share, IsReadAsIndexOfCount) {
  auto const share = parse_share("3/24");
  EXPECT_EQ(share.index, 3);
  EXPECT_EQ(share.count, 24);
  for (auto const* text : {"", "3", "3/", "/4", "4/4", "-1/4", "1/0", "1/2/3", "1/2 ", "a/b"}) {
    EXPECT_THROW(parse_share(text), InputError) << text;
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

TEST(Progress, BarsFitTheTerminalWhateverTheText) {
  EXPECT_EQ(bar_line(0.5, "3/24 runs", ", 12 s left", 79),
            "[===============               ]  50 % 3/24 runs, 12 s left");
  EXPECT_EQ(bar_line(1, "4/4 runs", "", 79), "[==============================] 100 % 4/4 runs");
  auto const long_text = "comparing fp32/deterministic/eps=2^-23/m07 " + std::string(60, 'x');
  auto const columns_of = [](std::string const& line) {
    return std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
  };
  for (int columns = 1; columns < 200; ++columns) {
    for (auto const& text : {std::string("3/24 runs"), long_text, "äöü " + long_text}) {
      EXPECT_LE(columns_of(bar_line(0.25, text, ", 3 min 10 s left", columns)), columns) << text;
    }
  }
  EXPECT_EQ(bar_line(0.5, long_text, ", 12 s left", 79),
            "[=====     ]  50 % comparing fp32/deterministic/eps=2^-23/m07 xxx..., 12 s left")
      << "the bar gives way first, then the end of the text";
  EXPECT_EQ(bar_line(0, "ääää" + long_text, "", 26), "[          ]   0 % ääää...");
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
