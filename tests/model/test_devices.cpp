// SPDX-License-Identifier: Apache-2.0
#include "core/exec/device.hpp"

#include <gtest/gtest.h>

#include "core/model/model.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;

TEST(DeviceOrdinal, NumbersGpusAndTellsThemFromTheHost) {
  EXPECT_EQ(device_ordinal("cpu"), -1);
  EXPECT_EQ(device_ordinal("cuda"), 0);
  EXPECT_EQ(device_ordinal("cuda:0"), 0);
  EXPECT_EQ(device_ordinal("cuda:12"), 12);
}

TEST(DeviceOrdinal, RefusesWhatIsNoDevice) {
  for (char const* const name : {"", "gpu", "CPU", "cpu:0", "cuda:", "cuda:x", "cuda:1x", "cuda:1 ",
                                 "cuda:-1", "cuda:99999999999", "cuda0"}) {
    EXPECT_THROW(device_ordinal(name), InputError) << name;
  }
}

TEST(RequireDevice, HasNoGpuBeyondThoseThereAre) {
  EXPECT_THROW(require_device(static_cast<int>(devices().size())), EnvironmentError);
}

TEST(MakeModel, RefusesOptionsBeforeAnythingIsBuilt) {
  auto const case_file = io::CaseFile::parse("core = 'none'\n", "case.toml");
  auto const problem = [&](ModelOptions const& options) {
    try {
      make_model(case_file, options);
    } catch (InputError const& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(problem({.policy = "fp63"}).find("unknown policy 'fp63'"), std::string::npos);
  EXPECT_NE(problem({.threads = 0}).find("threads = 0"), std::string::npos);
  EXPECT_NE(problem({.device = "cuda", .block = 100}).find("block = 100"), std::string::npos);
  EXPECT_NE(problem({.device = "cuda", .block = 512}).find("block = 512"), std::string::npos);
  EXPECT_NE(problem({.stages = {{"none.stage", "fp63"}}}).find("unknown policy 'fp63' of stage none.stage"),
            std::string::npos);
  for (auto const* policy = policy_names(); *policy != nullptr; ++policy) {
    EXPECT_NE(problem({.policy = *policy}).find("unknown core 'none'"), std::string::npos) << *policy;
  }
}

TEST(MakeModel, CallsTheFactoryThatTheCaseNames) {
  auto const asked = std::make_shared<std::string>();
  for (std::string const name : {"one", "two"}) {
    register_model(name, "for this test", [=](io::CaseFile const&, ModelOptions const& options) {
      *asked = name + " " + options.policy;
      return std::unique_ptr<Model>();
    });
  }
  make_model(io::CaseFile::parse("core = 'two'\n", "case.toml"), {.policy = "fp32"});
  EXPECT_EQ(*asked, "two fp32");
  EXPECT_EQ(known_cores(), (std::vector<std::pair<std::string, std::string>>{{"one", "for this test"},
                                                                             {"two", "for this test"}}));
}

TEST(MakeModel, GivesStageOverridesOnlyToCoresThatTakeThem) {
  auto const given = std::make_shared<std::vector<StageOverride>>();
  auto const factory = [=](io::CaseFile const&, ModelOptions const& options) {
    *given = options.stages;
    return std::unique_ptr<Model>();
  };
  register_model("one", "for this test", factory, true);
  register_model("two", "for this test", factory);
  ModelOptions const options{.stages = {{"a.stress", "fp32"}, {"a.transport", "bf16"}}};
  make_model(io::CaseFile::parse("core = 'one'\n", "case.toml"), options);
  EXPECT_EQ(*given, options.stages);
  auto const two = io::CaseFile::parse("core = 'two'\n", "case.toml");
  EXPECT_THROW(make_model(two, options), InputError);
  EXPECT_NO_THROW(make_model(two, {}));
}

}  // namespace
