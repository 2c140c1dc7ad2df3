// SPDX-License-Identifier: Apache-2.0
// A runner of stages on the host: what it reports, counts and plants, and where it says that it is.
#include "core/stage/runner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "core/exec/host.hpp"
#include "core/field/table.hpp"
#include "io/error.hpp"
#include "support/positions.hpp"

namespace {

using namespace ulpine;
using test::at;

/// Position, stage, field and the first value of every report.
using Reports = std::vector<std::tuple<std::string, std::string, std::string, double>>;

struct Watcher : StageObserver {
  Reports reports;
  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override {
    ASSERT_EQ(values.type, ValueType::float64);
    double first = 0;
    read_values(values, 0, 1, ValueType::float64, &first);
    reports.emplace_back(position.text(), stage, field, first);
  }
};

/// Two fields and three stages: `grow` adds 1 to x, `copy` makes y of x in two launches, `library` is a call.
struct Toy {
  Host host{1};
  FieldTable fields;
  FieldOf<double, Host>& x = fields.add<double>(host, {.name = "x"}, Layout::entities(4));
  FieldOf<double, Host>& y = fields.add<double>(host, {.name = "y"}, Layout::entities(4));
  StageRunner runner;
  Stage grow = runner.add({"toy.grow", "adds 1", 64, Guarantee::bitwise});
  Stage copy = runner.add({"toy.copy", "y = x", 100, Guarantee::run_to_run});
  Stage library = runner.add({"toy.library", "both twice", 8, Guarantee::none});

  void run_grow() {
    runner.run(grow, host, std::int64_t{4}, [v = x.view()](std::int64_t i) { v[i] += 1; }, {&x});
  }
  void run_copy() {
    auto const half = [from = x.view(), to = y.view()](std::int64_t first) {
      return [=](std::int64_t i) { to[first + i] = from[first + i]; };
    };
    runner.run(copy, host, std::int64_t{2}, half(0), {});
    runner.run(copy, host, std::int64_t{2}, half(2), {&y});
  }
  void run_library() {
    runner.call(library, host,
                [&] {
                  for (std::int64_t i = 0; i < 4; ++i) x.view()[i] *= 2, y.view()[i] *= 2;
                },
                {&x, &y});
  }
  /// grow, then two passes of copy and library.
  void step(std::int64_t number) {
    runner.begin_step(host, number);
    run_grow();
    for (int pass = 1; pass <= 2; ++pass) {
      auto const passes = runner.loop("pass", pass);
      run_copy();
      run_library();
    }
  }
};

TEST(StageRunner, ReportsEveryWriteOnceWithItsPositionAndValues) {
  Toy toy;
  Watcher watcher;
  toy.runner.observe(&watcher);
  toy.step(1);
  EXPECT_TRUE(toy.runner.watched());
  EXPECT_EQ(watcher.reports, (Reports{{"step 1", "toy.grow", "x", 1},
                                      {"step 1, pass 1", "toy.copy", "y", 1},
                                      {"step 1, pass 1", "toy.library", "x", 2},
                                      {"step 1, pass 1", "toy.library", "y", 2},
                                      {"step 1, pass 2", "toy.copy", "y", 2},
                                      {"step 1, pass 2", "toy.library", "x", 4},
                                      {"step 1, pass 2", "toy.library", "y", 4}}));
  watcher.reports.clear();
  toy.runner.observe(nullptr);
  toy.step(2);
  EXPECT_FALSE(toy.runner.watched());
  EXPECT_TRUE(watcher.reports.empty());
}

TEST(StageRunner, StandsAgainWhereItStoodAfterALoopHoweverItEnds) {
  Toy toy;
  toy.runner.begin_step(toy.host, 5);
  {
    auto outer = toy.runner.loop("tracer", 1);
    for (int stage = 1; stage <= 2; ++stage) {
      auto const inner = toy.runner.loop("stage", stage);
      EXPECT_EQ(toy.runner.position(), at(5, {{"tracer", 1}, {"stage", stage}}));
    }
    EXPECT_EQ(toy.runner.position(), at(5, {{"tracer", 1}}));
    outer.set(2);
    EXPECT_EQ(toy.runner.position(), at(5, {{"tracer", 2}}));
    EXPECT_THROW(
        {
          auto const inner = toy.runner.loop("stage", 1);
          throw std::runtime_error("planted");
        },
        std::runtime_error);
    EXPECT_EQ(toy.runner.position(), at(5, {{"tracer", 2}}));
  }
  EXPECT_EQ(toy.runner.position(), at(5));
  toy.runner.begin_step(toy.host, 6);
  EXPECT_EQ(toy.runner.position(), at(6));
}

TEST(StageRunner, PlantsAFaultAtItsPositionStageAndFieldOnly) {
  auto const final_x = [](PlantedFault const& fault) {
    Toy toy;
    toy.runner.plant(fault);
    for (int step = 1; step <= 3; ++step) toy.step(step);
    return std::pair{toy.x.view()[2], toy.y.view()[2]};
  };
  auto const plain = final_x({});
  EXPECT_EQ(plain, std::pair(4. * (1 + 4 * (1 + 4)), 4. * (1 + 4 * (1 + 4))));
  auto const next = [](double x) { return std::nextafter(x, 1e9); };

  // After the last write of all: seen as it is.
  EXPECT_EQ(final_x({"toy.library", "x", at(3, {{"pass", 2}}), 2}),
            std::pair(next(plain.first), plain.second));
  EXPECT_EQ(final_x({"toy.library", "y", at(3, {{"pass", 2}}), 2}),
            std::pair(plain.first, next(plain.second)));
  // On the way: doubled with the value that it was planted into.
  EXPECT_EQ(final_x({"toy.copy", "y", at(3, {{"pass", 2}}), 2}),
            std::pair(plain.first, 2 * next(plain.second / 2)));
  // Of another element, or overwritten later.
  EXPECT_EQ(final_x({"toy.library", "x", at(3, {{"pass", 2}}), 1}), plain);
  EXPECT_EQ(final_x({"toy.library", "y", at(3, {{"pass", 1}}), 2}), plain);
  // Nowhere: another step, loop, pass or depth, another stage, a field that the stage does not write.
  for (auto const& position : {at(4, {{"pass", 2}}), at(3, {{"passes", 2}}), at(3, {{"pass", 3}}), at(3),
                               at(3, {{"pass", 2}, {"pass", 2}})}) {
    EXPECT_EQ(final_x({"toy.library", "x", position, 2}), plain) << position.text();
  }
  EXPECT_EQ(final_x({"toy.librar", "x", at(3, {{"pass", 2}}), 2}), plain);
  EXPECT_EQ(final_x({"toy.copy", "x", at(3, {{"pass", 2}}), 2}), plain);
}

TEST(StageRunner, ShowsAPlantedFaultToTheObserverAndWatchesItsStepOnly) {
  Toy toy;
  toy.runner.plant({"toy.grow", "x", at(2), 0});
  for (int step = 1; step <= 3; ++step) {
    toy.step(step);
    EXPECT_EQ(toy.runner.watched(), step == 2) << "fused stages give way where the fault is planted";
  }
  Toy watched;
  Watcher watcher;
  watched.runner.observe(&watcher);
  watched.runner.plant({"toy.grow", "x", at(1), 0});
  watched.step(1);
  EXPECT_EQ(std::get<3>(watcher.reports[0]), std::nextafter(1., 2.));
}

TEST(StageRunner, RefusesAFaultThatCannotBePlanted) {
  Toy toy;
  toy.runner.plant({"toy.grow", "x", at(1), 4});
  EXPECT_THROW(toy.step(1), InputError);
}

TEST(StageRunner, CountsLaunchesBytesAndTimesOfEveryStage) {
  Toy toy;
  toy.step(1);
  toy.step(2);
  auto const times = toy.runner.times();
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].name, "toy.grow");
  EXPECT_EQ(times[0].launches, 2);
  EXPECT_EQ(times[0].bytes, 2 * 64);
  EXPECT_EQ(times[1].name, "toy.copy");
  EXPECT_EQ(times[1].launches, 2 * 2 * 2);
  EXPECT_EQ(times[1].bytes, 2 * 2 * 2 * 100);
  EXPECT_EQ(times[2].name, "toy.library");
  EXPECT_EQ(times[2].launches, 2 * 2);
  EXPECT_EQ(times[2].bytes, 2 * 2 * 8);
  for (auto const& time : times) {
    EXPECT_EQ(time.timed, time.launches) << "on the host all are";
    EXPECT_GT(time.seconds, 0);
  }
}

TEST(StageRunner, ListsItsStagesAsTheyWereDescribed) {
  Toy toy;
  ASSERT_EQ(toy.runner.stages().size(), 3u);
  auto const& copy = toy.runner.stages()[1];
  EXPECT_EQ(copy.name, "toy.copy");
  EXPECT_EQ(copy.doc, "y = x");
  EXPECT_EQ(copy.bytes, 100);
  EXPECT_EQ(copy.guarantee, Guarantee::run_to_run);
  EXPECT_STREQ(name_of(Guarantee::bitwise), "bitwise");
  EXPECT_STREQ(name_of(Guarantee::run_to_run), "run_to_run");
  EXPECT_STREQ(name_of(Guarantee::none), "none");
}

TEST(StageRunner, CallsSequencesPlainlyOnTheHostAndCountsThem) {
  Toy toy;
  toy.runner.begin_step(toy.host, 1);
  int calls = 0;
  auto const sequence = [&] {
    ++calls;
    toy.run_grow();
    toy.run_grow();
  };
  for (int k = 0; k < 3; ++k) toy.runner.graph("growth", toy.host, sequence);
  toy.runner.forget_graphs();
  toy.runner.graph("growth", toy.host, sequence);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(toy.x.view()[3], 8);
  EXPECT_EQ(toy.runner.times()[0].launches, 8);
}

TEST(StageRunner, FollowsAnotherToItsPositionAndObserver) {
  Toy leader, follower;
  Watcher watcher;
  leader.runner.begin_step(leader.host, 4);
  auto const pass = leader.runner.loop("pass", 2);
  follower.runner.follow(leader.runner, &watcher);
  follower.run_grow();
  EXPECT_EQ(watcher.reports, (Reports{{"step 4, pass 2", "toy.grow", "x", 1}}));
  follower.runner.follow(leader.runner, nullptr);
  follower.run_grow();
  EXPECT_EQ(watcher.reports.size(), 1u);
}

/// Keeps what it is told of stages.
struct Told : Host {
  std::vector<std::uint64_t>* places = nullptr;
  void begin_step() const {}
  void begin_stage(std::string const& /*stage*/, std::uint64_t place) const { places->push_back(place); }
  void end_stage() const {}
};

TEST(StageRunner, TellsStagesApartByTheirNumberAndEveryLoop) {
  auto const places_of = [] {
    Toy toy;
    std::vector<std::uint64_t> places;
    Told const host{{1}, &places};
    for (int step = 1; step <= 3; ++step) {
      toy.runner.begin_step(host, step);
      for (int pass = 1; pass <= 3; ++pass) {
        auto const passes = toy.runner.loop("pass", pass);
        for (int substep = 1; substep <= 3; ++substep) {
          auto const substeps = toy.runner.loop("substep", substep);
          for (auto const stage : {toy.grow, toy.copy, toy.library}) toy.runner.call(stage, host, [] {}, {});
        }
      }
    }
    return places;
  };
  auto const places = places_of();
  EXPECT_EQ(std::set(places.begin(), places.end()).size(), 81u);
  EXPECT_EQ(places_of(), places);
}

}  // namespace
