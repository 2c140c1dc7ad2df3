// SPDX-License-Identifier: Apache-2.0
#include "core/model/ranked_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/exec/host.hpp"
#include "core/model/core.hpp"
#include "core/ranks/blocks.hpp"
#include "io/error.hpp"
#include "support/counted_rank.hpp"
#include "support/thread_team.hpp"

namespace {

using namespace ulpine;

/// Adds 1 to its only field in each step; fails as the case says.
class Counting final : public Core {
 public:
  Counting(io::CaseFile const& c, std::shared_ptr<Ranks> const& team)
      : team_{team},
        fields_{team},
        blocks_(9, 5, team.get(), 1, "the grid"),
        failing_step_{c.integer("failing.step", 0)},
        failing_rank_{c.integer("failing.rank", -1)} {
    if (failing_step_ < 0) fail(0);
    Layout const layout{
        {{blocks_.ny(), blocks_.nx(), 5, blocks_.first_y()}, {blocks_.nx(), 1, 9, blocks_.first_x()}},
        0,
        std::int64_t{blocks_.ny()} * blocks_.nx()};
    value_ = &fields_.add<double>(Host{},
                                  {.name = "a",
                                   .role = FieldRole::prognostic,
                                   .dimensions = {"y", "x"},
                                   .output = true,
                                   .perturbable = Perturbable{}},
                                  layout);
  }
  std::string name() const override { return "counting"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return std::int64_t{blocks_.nx()} * blocks_.ny(); }
  double fixed_step() const override { return 1; }
  double take_step(std::int64_t step, double, double) override {
    stages_.begin_step(Host{}, step);
    if (step == failing_step_) fail(step);
    stages_.call(count_, Host{},
                 [&] {
                   for (std::int64_t n = 0; n < value_->layout().count(); ++n) value_->view()[n] += 1;
                   // Nobody goes on before the others do.
                   std::uint64_t word = 1;
                   if (several(team_)) team_->add({&word, 1});
                 },
                 {value_});
    return static_cast<double>(step);
  }

 private:
  void fail(std::int64_t step) const {
    auto const rank = team_ ? team_->rank() : 0;
    if (failing_rank_ < 0 || failing_rank_ == rank) {
      throw InputError("step " + std::to_string(step) + " is one too many (the case says so) take fewer");
    }
  }

  std::shared_ptr<Ranks> team_;
  FieldTable fields_;
  StageRunner stages_;
  Blocks blocks_;
  std::int64_t failing_step_;
  int failing_rank_;
  FieldOf<double, Host>* value_ = nullptr;
  Stage count_ = stages_.add({"counting.count", "adds one", 8, Guarantee::bitwise});
};

class RankedModelTest : public testing::Test {
 protected:
  RankedModelTest() {
    register_model("counting", "counts", [](io::CaseFile const& c, ModelOptions const& options) {
      return model_of(std::make_unique<Counting>(c, options.team), c, options.policy);
    });
    register_on_ranks("counting");
  }
  static std::unique_ptr<Model> model(int ranks, std::string const& more = "") {
    return make_model(io::CaseFile::parse("core = 'counting'\n" + more, "case.toml"), {.ranks = ranks});
  }
  static std::string error_of(auto const& body) {
    try {
      body();
    } catch (InputError const& error) {
      return std::string("input: ") + error.what();
    } catch (EnvironmentError const& error) {
      return std::string("environment: ") + error.what();
    }
    return "";
  }
  test::ThreadTeam team_{4};
};

TEST_F(RankedModelTest, IsLikeThatOfOneRank) {
  auto const one = model(1), three = model(3);
  for (auto* each : {one.get(), three.get()}) {
    each->perturb("a", {5, 2, 0.25});
    each->advance(3);
    EXPECT_EQ(each->cells(), 45);
    EXPECT_EQ(each->step(), 3);
  }
  EXPECT_EQ(one->state_hash(), three->state_hash());
  std::vector<double> a(45), b(45);
  one->read("a", a);
  three->read("a", b);
  EXPECT_EQ(a, b);
}

TEST_F(RankedModelTest, SeveralModelsOfOneTeamGoTheirOwnWays) {
  auto const two = model(2), four = model(4), again = model(2);
  two->advance(5);
  four->advance(2);
  again->advance(5);
  EXPECT_EQ(two->state_hash(), again->state_hash());
  EXPECT_NE(two->state_hash(), four->state_hash());
  io::StoredState const state(*four->state());
  two->restore(state);
  two->advance(1);
  four->advance(1);
  EXPECT_EQ(two->state_hash(), four->state_hash());
}

TEST_F(RankedModelTest, AnErrorOfAllIsToldAsOfOneAndTheModelGoesOn) {
  auto const three = model(3);
  auto const said = error_of([&] { three->perturb("b", {}); });
  EXPECT_EQ(said, error_of([&] { model(1)->perturb("b", {}); }));
  EXPECT_EQ(said.rfind("input: field 'b' cannot be perturbed", 0), 0u);
  three->advance(1);
  EXPECT_EQ(three->invalid_value(), "");
}

TEST_F(RankedModelTest, AStepThatAllRefuseIsRefused) {
  auto const three = model(3, "failing.step = 2\n");
  three->advance(1);
  EXPECT_EQ(error_of([&] { three->advance(1); }),
            "input: step 2 is one too many (the case says so) take fewer");
  EXPECT_EQ(three->step(), 1);
}

TEST_F(RankedModelTest, ARankThatFailsAloneEndsTheModelAndNobodyWaits) {
  for (int const rank : {0, 1, 2}) {
    auto const three = model(3, "failing.step = 2\nfailing.rank = " + std::to_string(rank) + "\n");
    three->advance(1);
    auto const said = error_of([&] { three->advance(1); });
    EXPECT_EQ(said,
              "environment: a rank failed (rank " + std::to_string(rank) +
                  ": step 2 is one too many (the case says so) take fewer) mend that and go on from the last "
                  "restart file");
    EXPECT_EQ(error_of([&] { three->advance(1); }), said);
  }
  EXPECT_EQ(model(3)->cells(), 45);
}

TEST_F(RankedModelTest, ARankThatCannotBeginEndsTheModel) {
  EXPECT_EQ(error_of([&] {
              model(3, "failing.step = -1\nfailing.rank = 2\n");
            }).rfind("environment: a rank failed (rank 2: ", 0),
            0u);
  EXPECT_EQ(error_of([&] { model(3, "failing.step = -1\n"); }),
            "input: step 0 is one too many (the case says so) take fewer");
  EXPECT_EQ(error_of([&] { model(3, "unknown = 1\n"); }), error_of([&] { model(1, "unknown = 1\n"); }));
}

TEST_F(RankedModelTest, MoreRanksThanThereAreAreRefused) {
  EXPECT_EQ(error_of([&] { model(5); }),
            "environment: 5 ranks are needed (this program has 4) start it with mpirun -n 5");
  EXPECT_EQ(error_of([&] { model(0); }).rfind("input: ranks = 0", 0), 0u);
  register_model("alone", "on one rank",
                 [](io::CaseFile const&, ModelOptions const&) { return std::unique_ptr<Model>(); });
  EXPECT_EQ(error_of([&] { make_model(io::CaseFile::parse("core = 'alone'\n", "case.toml"), {.ranks = 2}); }),
            "input: core 'alone' runs on one rank (2 are asked for) leave the others out");
}

TEST_F(RankedModelTest, AnUnevenShareOfAnUlpIsFoundByItsOwner) {
  for (std::int64_t const element : {0, 17, 44}) {
    std::vector<std::uint64_t> hashes;
    for (int const ranks : {1, 2, 3, 4}) {
      auto const made = model(ranks);
      made->plant({"counting.count", "a", StagePosition(2), element});
      made->advance(2);
      hashes.push_back(made->state_hash());
    }
    EXPECT_EQ(hashes, std::vector<std::uint64_t>(4, hashes.front()));
    auto const plain = model(1);
    plain->advance(2);
    EXPECT_NE(plain->state_hash(), hashes.front());
  }
}

TEST_F(RankedModelTest, RequestsGoDownATree) {
  constexpr int size = 13, used = 10;
  std::vector<std::shared_ptr<test::CountedRank>> counted;
  for (auto const& rank : thread_ranks(size)) counted.push_back(std::make_shared<test::CountedRank>(rank));
  constexpr int requests = 3;  // make, step, drop
  {
    test::ThreadTeam const team({counted.begin(), counted.end()});
    model(used)->take_step(1);
  }
  // That all leave is one more, to 12.
  auto const told = [&](std::size_t rank) { return counted[rank]->told; };
  EXPECT_EQ(told(0), requests * 4 + 4) << "1, 2, 4 and 8";
  EXPECT_EQ(told(1), 0);
  EXPECT_EQ(told(2), requests + 1) << "3";
  EXPECT_EQ(told(4), 2 * (requests + 1)) << "5 and 6";
  EXPECT_EQ(told(8), requests + 3) << "9, and 10 and 12 in the end";
  int all = 0;
  for (auto const& rank : counted) all += rank->told;
  EXPECT_EQ(all, requests * (used - 1) + size - 1);
}

TEST(Team, CallsCommandsOfItsRanks) {
  auto const ranks = thread_ranks(3);
  std::vector<std::jthread> others;
  for (std::size_t rank = 1; rank < 3; ++rank) {
    others.emplace_back([own = ranks[rank]] {
      serve(*own, [](std::vector<std::string> const& words) { return std::stoi(words.at(1)); });
    });
  }
  set_team(ranks.front());
  call_ranks([](int rank) { return std::vector<std::string>{"return", std::to_string(10 * rank)}; });
  EXPECT_EQ(await_ranks(), 20);
  set_team(nullptr);
  dismiss(*ranks.front());
}

}  // namespace
