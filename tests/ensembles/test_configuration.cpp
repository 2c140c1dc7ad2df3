// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/configuration.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

std::string refusal(std::string const& text) {
  try {
    parse_configuration(text);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

/// Any configuration that can be written, all of them equally likely but for the number of stages.
class RandomConfigurations {
 public:
  explicit RandomConfigurations(unsigned seed) : random_{seed} {
    for (auto const* name = policy_names(); *name != nullptr; ++name) policies_.emplace_back(*name);
    policies_.insert(policies_.end(), {"e8m7", "e8m7-rz", "e11m52-sr1", "e11m52-rr12"});
  }

  Configuration draw() {
    Configuration configuration;
    if (below(2) == 0) {
      configuration.size = below(2) == 0 ? 0 : 1 + below(most_threads);
      if (below(2) == 0) configuration.ranks = 1 + below(1 << 20);
    } else if (below(3) == 0) {
      configuration.device = "cuda";
      configuration.ranks = 1 + below(9);
      configuration.size = 32 * below(9);
    } else if (below(2) == 0) {
      configuration.device = "cuda";
      configuration.host_ranks = 1 + below(9);
      configuration.ranks = 1 + below(9) + configuration.host_ranks;
    } else {
      auto const ordinal = below(32);
      configuration.device = ordinal == 0 ? "cuda" : "cuda:" + std::to_string(ordinal);
      configuration.size = 32 * below(9);
    }
    configuration.policy = policy();
    configuration.assembly = below(2) == 0 ? Assembly::atomic : Assembly::deterministic;
    for (auto const* stage : {"A.b", "fp32", "les.pressure", "seaice.stress", "seaice.stress_2"}) {
      if (below(6) == 0) configuration.stages.push_back({stage, policy()});
    }
    return configuration;
  }

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

 private:
  std::string policy() {
    return policies_[static_cast<std::size_t>(below(static_cast<int>(policies_.size())))];
  }

  std::minstd_rand random_;
  std::vector<std::string> policies_;
};

TEST(Configuration, IsReadBackFromItsTextWhateverTheBase) {
  RandomConfigurations random(1);
  for (int i = 0; i < 5000; ++i) {
    auto const configuration = random.draw();
    auto const base = random.draw();
    auto const text = to_text(configuration);
    EXPECT_EQ(parse_configuration(text, base), configuration) << text;
    EXPECT_EQ(text, device_text(configuration) + "/" + policy_text(configuration));
    auto const on_device = parse_device(device_text(configuration), base);
    EXPECT_EQ(to_text(on_device), device_text(configuration) + "/" + policy_text(base));
    auto const of_policy = parse_configuration(policy_text(configuration), base);
    EXPECT_EQ(to_text(of_policy), device_text(base) + "/" + policy_text(configuration));
  }
}

TEST(Configuration, OfARunTellsItsRanksFromTwoOn) {
  ModelOptions options{.policy = "fp32", .assembly = Assembly::atomic};
  for (auto const& [ranks, text] :
       {std::pair{1, "cpu/fp32/atomic"}, {2, "mpi:2/fp32/atomic"}, {7, "mpi:7/fp32/atomic"}}) {
    options.ranks = ranks;
    auto configuration = configuration_of(options);
    configuration.size = 0;
    EXPECT_EQ(to_text(configuration), text);
  }
}

TEST(Configuration, HasATextAndAFolderOfItsOwn) {
  RandomConfigurations random(2);
  std::map<std::string, std::string> texts;  // by folder
  auto repeated = 0;
  for (int i = 0; i < 20000; ++i) {
    auto const text = to_text(random.draw());
    auto const [entry, added] = texts.try_emplace(path_text(text), text);
    EXPECT_EQ(entry->second, text);
    EXPECT_EQ(entry->first.find_first_of("/:="), std::string::npos) << entry->first;
    repeated += added ? 0 : 1;
  }
  EXPECT_GT(repeated, 100) << "equal ones must have been among them";
}

TEST(Configuration, OfManyStagesHasAFolderThatFileSystemsTake) {
  std::string text = "fp64/deterministic";
  for (int stage = 0; stage < 40; ++stage) text += "/core.some_stage_" + std::to_string(stage) + "=e8m10";
  auto const folder = path_text(text + "/z=fp32"), other = path_text(text + "/z=e8m7");
  EXPECT_LE(folder.size(), 255u);  // NAME_MAX
  EXPECT_NE(folder, other);
  EXPECT_EQ(folder, path_text(text + "/z=fp32"));
  EXPECT_EQ(folder.find_first_of("/:="), std::string::npos);
}

/// Words that mean something, put together anyhow: what is taken is read the same from its own text.
TEST(Configuration, TextsOfAnyWordsAreRefusedInOneLineOrMeanOneThing) {
  std::vector<std::string> const words = {
      "cpu",  "cuda", ":",  "1",    "31",   "32", "128",    "4096",
      "fp64", "fp32", "/",  "/",    "quad", "/",  "atomic", "deterministic",
      "=",    "a.b",  "A/", "a.b=", "\n",   " ",  "-1",     "tf32"};
  RandomConfigurations random(3);
  auto taken = 0, refused = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (auto count = 1 + random.below(6); count > 0; --count) {
      text += words[static_cast<std::size_t>(random.below(static_cast<int>(words.size())))];
    }
    try {
      auto const configuration = parse_configuration(text);
      EXPECT_EQ(parse_configuration(to_text(configuration)), configuration) << text;
      ++taken;
    } catch (InputError const& error) {
      EXPECT_NE(std::string(error.what()).find('('), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(taken, 500);
  EXPECT_GT(refused, 500);
}

TEST(Configuration, TextsInUseKeepTheirMeaning) {
  Configuration const base{.policy = "tf32", .assembly = Assembly::atomic};
  struct Case {
    char const* text;
    Configuration meaning;
  };
  auto const deterministic = Assembly::deterministic, atomic = Assembly::atomic;
  for (auto const& [text, meaning] : std::vector<Case>{
           {"cpu:2", {"cpu", "tf32", atomic, 2}},
           {"cuda:128", {"cuda", "tf32", atomic, 128}},
           {"cuda:1:64", {"cuda:1", "tf32", atomic, 64}},
           {"cuda:0:64", {"cuda", "tf32", atomic, 64}},
           {"cpu/fp64/deterministic", {"cpu", "fp64", deterministic, 0}},
           {"cuda:1/fp32/atomic", {"cuda:1", "fp32", atomic, 0}},
           {"cuda:0/fp32/deterministic", {"cuda", "fp32", deterministic, 0}},
           {"cpu:8/quad/deterministic", {"cpu", "quad", deterministic, 8}},
           {"fp32/deterministic", {"cpu", "fp32", deterministic, 0}},
           {"fp32", {"cpu", "fp32", atomic, 0}},
           {"deterministic", {"cpu", "tf32", deterministic, 0}},
           {"cuda", {"cuda", "tf32", atomic, 0}},
           {"cuda/b.c=fp32/a=bf16", {"cuda", "tf32", atomic, 0, {{"a", "bf16"}, {"b.c", "fp32"}}}}}) {
    EXPECT_EQ(parse_configuration(text, base), meaning) << text;
  }
}

TEST(Configuration, APartThatIsNamedIsWholeAndTheOthersAreTheBases) {
  Configuration const base{"cpu", "fp64", Assembly::atomic, 4, {{"a", "fp32"}}};
  EXPECT_EQ(parse_configuration("cpu", base).size, 0) << "another device, with the command's threads";
  EXPECT_EQ(parse_configuration("cuda:1", base).stages, base.stages);
  EXPECT_TRUE(parse_configuration("fp64", base).stages.empty()) << "all stages in it";
  EXPECT_EQ(parse_configuration("fp64", base).size, 4);
  EXPECT_EQ(parse_configuration("deterministic", base).stages, base.stages);
  EXPECT_EQ(parse_configuration("b=bf16", base).stages, (std::vector<StageOverride>{{"b", "bf16"}}));
  EXPECT_EQ(parse_device("cuda", base).policy, "fp64");
}

TEST(Configuration, RefusesWhatIsNoneAndSaysWhy) {
  for (auto const& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "unknown part ''"},
           {"/", "unknown part ''"},
           {"cpu/", "unknown part ''"},
           {"cpu//atomic", "unknown part ''"},
           {"gpu:2", "unknown part 'gpu:2'"},
           {":2", "unknown part ':2'"},
           {"cpu/fp46/atomic", "did you mean 'fp16'?"},
           {"cpu/fp64/atomics", "did you mean 'atomic'?"},
           {"CPU", "unknown part 'CPU'"},
           {"cpu /fp64", "unknown part 'cpu '"},
           {"cpu:", "'' is no whole number"},
           {"cpu:0", "1 to 4096 threads are possible"},
           {"cpu:4097", "1 to 4096 threads are possible"},
           {"cpu:99999999999", "'99999999999' is no whole number"},
           {"cpu:-1", "'-1' is no whole number"},
           {"cpu:2x", "'2x' is no whole number"},
           {"cpu:1:2", "the host has one number"},
           {"cuda:33", "a multiple of 32 up to 256"},
           {"cuda:288", "a multiple of 32 up to 256"},
           {"cuda:1:2", "a multiple of 32 up to 256"},
           {"cuda:64:64", "a GPU has two numbers"},
           {"cuda:1:64:64", "a GPU has two numbers"},
           {"cuda:x", "'x' is no whole number"},
           {"mpi", "mpi needs the number of ranks"},
           {"mpi:0", "1 to 1048576 ranks are possible"},
           {"cuda:1x0", "1 to 1048576 ranks are possible"},
           {"cuda:1x1+cpu", "GPUs' ranks and the host's are cuda:1xRANKS+mpi:RANKS"},
           {"cuda:1x1:64+mpi:1", "GPUs' ranks and the host's are"},
           {"mpi:2+mpi:2", "GPUs' ranks and the host's are"},
           {"cuda:1+mpi:2", "GPUs' ranks and the host's are"},
           {"cuda:1x1+mpi:0", "1 to 1048576 ranks are possible"},
           {"cuda:1x1+mpi:2:3", "take --threads"},
           {"fp64/cpu", "'cpu' stands in the wrong place or is one too many"},
           {"atomic/fp64", "'fp64' stands in the wrong place"},
           {"cpu/cuda", "'cuda' stands in the wrong place"},
           {"fp64/fp32", "'fp32' stands in the wrong place"},
           {"a=fp32/atomic", "'atomic' stands in the wrong place"},
           {"a=fp46", "did you mean 'fp16'?"},
           {"a=", "unknown policy ''"},
           {"=fp32", "gives no stage a policy"},
           {"a-b=fp32", "gives no stage a policy"},
           {"a=fp32=fp64", "unknown policy 'fp32=fp64'"},
           {"a=fp32/b=fp64/a=bf16", "stage a is given two policies"}}) {
    EXPECT_NE(refusal(text).find(why), std::string::npos) << text << ": " << refusal(text);
  }
}

TEST(Device, IsNothingElseThanADevice) {
  EXPECT_EQ(parse_device("cpu:3").size, 3);
  for (auto const* text : {"", "gpu", "fp64", "cpu/fp64", "cpu:2/fp64", "atomic", "a=fp32"}) {
    EXPECT_THROW(parse_device(text), InputError) << text;
  }
}

TEST(ModelOptions, HaveTheConfigurationsSizeOrTheCommands) {
  auto const of = [](char const* text) { return model_options(parse_configuration(text), 7, 96); };
  EXPECT_EQ(of("cpu").threads, 7);
  EXPECT_EQ(of("cpu:3").threads, 3);
  EXPECT_EQ(of("cpu:3").block, 96);
  EXPECT_EQ(of("cuda").block, 96);
  EXPECT_EQ(of("cuda:1:64").block, 64);
  EXPECT_EQ(of("cuda:1:64").device, "cuda:1");
  EXPECT_EQ(of("cuda:64").threads, 7);
  auto const options = of("cuda/fp32/atomic/a=bf16");
  EXPECT_EQ(options.policy, "fp32");
  EXPECT_EQ(options.assembly, Assembly::atomic);
  EXPECT_EQ(options.stages, (std::vector<StageOverride>{{"a", "bf16"}}));
}

TEST(Stages, AreOrderedByNameAndEachIsThereOnce) {
  EXPECT_EQ(parse_stages({"b=fp32", "a.x=tf32"}),
            (std::vector<StageOverride>{{"a.x", "tf32"}, {"b", "fp32"}}));
  EXPECT_TRUE(parse_stages({}).empty());
  EXPECT_THROW(parse_stages({"a=fp32", "a=fp32"}), InputError);
  EXPECT_THROW(parse_stages({"a"}), InputError);
}

}  // namespace
}  // namespace ulpine::ensembles
