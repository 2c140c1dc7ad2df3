// SPDX-License-Identifier: Apache-2.0
// Orders of sums, rheologies and residuals as a case asks for them, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/seaice/case_setup.hpp"
#include "core/seaice/register.hpp"
#include "ensembles/study/case_source.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using Words = std::vector<std::string>;

struct ChoicesOfACase : testing::Test {
  test::TemporaryFolder folder;

  ChoicesOfACase() {
    seaice::register_core();
    test::write_file(folder / "small.toml",
                     "core = \"seaice\"\n[grid]\nnx = 4\nny = 4\nlength = 512e3\n"
                     "[time]\nstep = \"120 s\"\nend = \"120 s\"\nsubsteps = 1\n");
  }
  std::unique_ptr<Model> model(Words const& overrides, ModelOptions const& options = {}) const {
    return make_model(ensembles::CaseSource{folder / "small.toml", overrides}.load(), options);
  }
  std::string refusal(Words const& overrides, ModelOptions const& options = {}) const {
    auto const message = test::message_of<InputError>([&] { model(overrides, options); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
};

TEST_F(ChoicesOfACase, OrdersOfSumsAreReadAsTheyAreCalled) {
  for (auto const& [name, order] : {std::pair{"gather", seaice::SumOrder::gather},
                                    {"rowwise", seaice::SumOrder::rowwise},
                                    {"checkerboard", seaice::SumOrder::checkerboard}}) {
    ensembles::CaseSource const source{folder / "small.toml", {std::string("seaice.assembly=") + name}};
    EXPECT_EQ(seaice::read_case(source.load()).parameters.sum_order, order) << name;
  }
  auto const setup = seaice::read_case(ensembles::CaseSource{folder / "small.toml", {}}.load());
  EXPECT_EQ(setup.parameters.sum_order, seaice::SumOrder::gather);
}

TEST_F(ChoicesOfACase, ResidualsAreWrittenWhereAskedForAndBelongToAStep) {
  ModelOptions plain, staged;
  staged.stages = {{"seaice.strain", "fp32"}};
  for (auto const& options : {plain, staged}) {
    auto const count = [&](Words const& overrides) {
      auto const fields = model(overrides, options)->fields();
      return std::ranges::count_if(
          fields, [](auto const& info) { return info.name.find("residual") != std::string::npos; });
    };
    EXPECT_EQ(count({}), 0);
    EXPECT_EQ(count({"output.convergence=true"}), 4);
    auto const ice = model({"output.convergence=true"}, options);
    auto const ratio = [&] {
      std::vector<double> value(1);
      ice->read("velocity_residual_ratio", value);
      return value[0];
    };
    EXPECT_EQ(ratio(), 0) << "no step yet";
    ice->advance(1);
    EXPECT_GT(ratio(), 0);
    ice->perturb("sivol", {1, 0, 0x1p-10});
    EXPECT_EQ(ratio(), 0) << "another state";
  }
}

TEST_F(ChoicesOfACase, ChoicesThatAreNotBuiltTogetherAreRefused) {
  ModelOptions atomic, rounded, staged, emulated;
  atomic.assembly = Assembly::atomic;
  rounded.policy = "tf32";
  staged.stages = {{"seaice.velocity", "fp32"}, {"seaice.strain", "bf16"}};
  emulated.policy = "e8m7";
  for (auto const& [key, value] : {std::pair{"seaice.assembly", "rowwise"},
                                   {"seaice.assembly", "checkerboard"},
                                   {"seaice.rheology", "vp_replacement"},
                                   {"discretisation.maps", "on_the_fly"}}) {
    Words const choice = {std::string(key) + "=" + value};
    auto const expect = [&](ModelOptions const& options, std::string const& why) {
      auto const message = refusal(choice, options);
      EXPECT_NE(message.find(std::string(key) + ": " + value + " ("), std::string::npos) << message;
      EXPECT_NE(message.find(why), std::string::npos) << message;
    };
    EXPECT_NO_THROW(model(choice));
    expect(atomic, "atomic assembly");
    expect(rounded, "policy tf32");
    expect(staged, "policy bf16");
    expect(emulated, "policy e8m7");
    staged.stages.pop_back();
    EXPECT_NO_THROW(model(choice, staged));
    staged.stages.push_back({"seaice.strain", "bf16"});
  }
  for (auto const& [choice, other, expected] :
       {std::tuple{"seaice.rheology=vp_replacement", "discretisation.cg=2",
                   "seaice.rheology: vp_replacement (it is not built for discretisation.cg = 2"},
        {"discretisation.maps=on_the_fly", "discretisation.dg=1",
         "discretisation.maps: on_the_fly (it is built for cG1 with dG3 and cG2 with dG6, not cG1 with dG1"},
        {"discretisation.maps=on_the_fly", "discretisation.cg=2",
         "discretisation.maps: on_the_fly (it is built for cG1 with dG3 and cG2 with dG6, not cG2 with dG3"},
        {"discretisation.maps=on_the_fly", "seaice.rheology=vp_replacement",
         "discretisation.maps: on_the_fly (it is not built for seaice.rheology = vp_replacement"}}) {
    auto const message = refusal({choice, other});
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace ulpine
