// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/les/disturbance_times.hpp"
#include "io/error.hpp"
#include "les/eddies_support.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using test::Eddies;

std::string text_of(std::string const& time, std::string const& every, std::string const& until) {
  return test::bare_case("nx = 4\nny = 3\nnz = 4\ndx = 100.0\ndy = 100.0\ndz = 100.0", time,
                         std::string(test::no_closure) + test::free_slip +
                             "[start]\ndisturbance = 0.1\ndisturb_every = '" + every +
                             "'\ndisturb_until = '" + until + "'\n");
}
les::DisturbanceTimes times_of(std::string const& time, std::string const& every, std::string const& until) {
  auto const setup = les::read_case(io::CaseFile::parse(text_of(time, every, until), "case.toml"));
  return les::DisturbanceTimes(setup.parameters);
}
/// Steps of one length, from 0, that are disturbed, and by which multiple.
std::vector<std::pair<int, unsigned>> disturbed(std::string const& step, double seconds,
                                                std::string const& every, std::string const& until,
                                                int steps) {
  auto const times = times_of("step = '" + step + "'", every, until);
  std::vector<std::pair<int, unsigned>> all;
  for (int n = 0; n < steps; ++n) {
    if (auto const round = times.round_of(n * seconds)) all.emplace_back(n, *round);
  }
  return all;
}
using Rounds = std::vector<std::pair<int, unsigned>>;

TEST(CasesOfEddies, RefuseDisturbancesOfNoLevel) {
  // Centres at 50, 150, 250 and 350 m, of which the lowest is never disturbed.
  auto const refusal = [](std::string const& start) {
    auto const text =
        test::bare_case("nx = 4\nny = 3\nnz = 4\ndx = 100.0\ndy = 100.0\ndz = 100.0", "step = '1 s'",
                        std::string(test::no_closure) + test::free_slip + start);
    return test::message_of<InputError>([&] { les::read_case(io::CaseFile::parse(text, "case.toml")); });
  };
  std::string const none = "(nothing thrown)";
  auto const range = [&](char const* keys) {
    return refusal("[start]\ndisturbance = 0.1\n" + std::string(keys)).find("start.disturbance: disturbs no");
  };
  EXPECT_NE(range("disturbance_bottom = 400.0\n"), std::string::npos);
  EXPECT_NE(range("disturbance_top = 149.0\n"), std::string::npos);
  EXPECT_NE(range("disturbance_bottom = 160.0\ndisturbance_top = 240.0\n"), std::string::npos);
  EXPECT_EQ(refusal("[start]\ndisturbance = 0.1\ndisturbance_bottom = 150.0\ndisturbance_top = 150.0\n"),
            none);
  EXPECT_EQ(refusal("[start]\ndisturbance = 0.0\ndisturbance_bottom = 400.0\n"), none);
  EXPECT_NE(refusal("[start]\nnoise_wind = 0.1\nnoise_top = 49.0\n").find("start.noise_top: is below"),
            std::string::npos);
  EXPECT_EQ(refusal("[start]\nnoise_wind = 0.1\nnoise_top = 50.0\n"), none);
  EXPECT_NE(refusal("[sponge]\nrate = 0.01\n").find("sponge.rate: has no layer"), std::string::npos);
}

TEST(DisturbanceTimes, OfStepsOfOneLengthAreTheFirstAtOrAfterEachMultiple) {
  EXPECT_EQ(disturbed("0.75 s", 0.75, "1 s", "3 s", 12), (Rounds{{0, 0}, {2, 1}, {3, 2}, {4, 3}}));
  EXPECT_EQ(disturbed("0.7 s", 0.7, "1 s", "3 s", 12), (Rounds{{0, 0}, {2, 1}, {3, 2}, {5, 3}}));
  EXPECT_EQ(disturbed("2 s", 2, "4 s", "9 s", 12), (Rounds{{0, 0}, {2, 1}, {4, 2}}));
}
TEST(DisturbanceTimes, OfStepsLongerThanTheIntervalAreOneAStep) {
  EXPECT_EQ(disturbed("2.5 s", 2.5, "1 s", "6 s", 9), (Rounds{{0, 0}, {1, 2}, {2, 5}, {3, 6}}));
}
TEST(DisturbanceTimes, AreMetWhateverProductsOfStepsRoundTo) {
  // 3 x 0.1 is more than 0.3 in double, other products are less than they stand for.
  for (auto const& [text, step] : {std::pair{"0.1 s", 0.1}, {"0.3 s", 0.3}, {"0.7 s", 0.7}, {"1.1 s", 1.1}}) {
    for (int every = 1; every < 8; ++every) {
      auto const tenths = static_cast<int>(std::lround(step * 10)) * every;
      auto const interval = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
      auto const found = disturbed(text, step, interval, "1 h", 3000);
      ASSERT_EQ(found.size(), (2999u + static_cast<unsigned>(every)) / static_cast<unsigned>(every))
          << interval;
      for (unsigned n = 0; n < found.size(); ++n) {
        ASSERT_EQ(found[n], (std::pair{static_cast<int>(n) * every, n})) << interval;
      }
    }
  }
}
TEST(DisturbanceTimes, OfStepsThatVaryAreWhereTheyEnd) {
  for (auto const& [text, every] :
       {std::pair{"0.1 s", 0.1}, {"0.3 s", 0.3}, {"150 s", 150.0}, {"7 s", 7.0}}) {
    auto const times = times_of("courant = 0.5", text, "1 d");
    auto time = 0.0;
    for (unsigned n = 0; n < 500; ++n) {
      ASSERT_EQ(times.round_of(time), n) << text;
      EXPECT_EQ(times.round_of(time + every / 3), std::nullopt);
      auto const next = times.next_after(time + every / 3);
      ASSERT_EQ(times.next_after(time), next);
      ASSERT_GT(next, time);
      time = next;
    }
  }
  auto const times = times_of("courant = 0.5", "4 s", "9 s");
  EXPECT_EQ(times.next_after(4.5), 8);
  EXPECT_EQ(times.next_after(8), std::numeric_limits<double>::infinity());
  EXPECT_EQ(times.round_of(12), std::nullopt);
}

/// The model steps in which there was a disturbance.
struct Disturbed : StageObserver {
  void stage_done(StagePosition const& position, char const* stage, char const*, RawField const&) override {
    if (stage == std::string("les.disturbance")) steps.insert(position[0].index);
  }
  std::set<std::int64_t> steps;
};
TEST(Disturbances, ComeWithStepsThatDoNotDivideTheirInterval) {
  Eddies eddies(text_of("step = '0.7 s'", "1 s", "3 s"));
  Disturbed observer;
  eddies.core().stages().observe(&observer);

  eddies.steps(7);

  EXPECT_EQ(observer.steps, (std::set<std::int64_t>{1, 3, 4, 6}));
}

}  // namespace
