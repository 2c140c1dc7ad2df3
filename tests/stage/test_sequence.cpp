// SPDX-License-Identifier: Apache-2.0
// Sequences of stages on a device that only records and runs: one of the host that does nothing before it is
// waited for.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "core/exec/host.hpp"
#include "core/field/table.hpp"
#include "core/stage/runner.hpp"
#include "support/positions.hpp"

namespace ulpine::test {
namespace {

using Works = std::vector<std::function<void()>>;

struct LazyQueue {
  Works given;                ///< not yet run
  Works* recorded = nullptr;  ///< where what is given goes while recording
  int launches = 0;           ///< given one by one and not recorded
  int graphs = 0, recordings = 0, waits = 0;

  void give(std::function<void()> work) {
    if (recorded == nullptr) ++launches;
    (recorded == nullptr ? given : *recorded).push_back(std::move(work));
  }
  void run() {
    for (auto const& work : std::exchange(given, {})) work();
  }
};

struct LazyDevice : Host {
  static constexpr bool on_device = true;
  LazyQueue* queue = nullptr;
};

template <class Body>
void for_each(LazyDevice device, std::int64_t count, Body const& body) {
  device.queue->give([=] {
    for (std::int64_t i = 0; i < count; ++i) body(i);
  });
}

class LazyWork : public RecordedWork {
 public:
  LazyWork(LazyQueue& queue, Works works) : queue_{queue}, works_{std::move(works)} {}
  void launch() override {
    ++queue_.graphs;
    queue_.given.insert(queue_.given.end(), works_.begin(), works_.end());
  }

 private:
  LazyQueue& queue_;
  Works works_;
};

class LazyRecorder : public WorkRecorder {
 public:
  explicit LazyRecorder(LazyQueue& queue) : queue_{queue} {}
  Cuda executor() const override { return {}; }
  void begin() override {
    ASSERT_EQ(queue_.recorded, nullptr) << "a stream records once at a time";
    works_.clear();
    queue_.recorded = &works_;
  }
  std::unique_ptr<RecordedWork> end() override {
    queue_.recorded = nullptr;
    ++queue_.recordings;
    return std::make_unique<LazyWork>(queue_, works_);
  }
  void abandon() noexcept override { queue_.recorded = nullptr; }
  void wait() override {
    EXPECT_EQ(queue_.recorded, nullptr) << "nothing may wait while it is recorded";
    ++queue_.waits;
    queue_.run();
  }

 private:
  LazyQueue& queue_;
  Works works_;
};

std::unique_ptr<WorkRecorder> make_work_recorder(LazyDevice device) {
  return std::make_unique<LazyRecorder>(*device.queue);
}

/// x grows, the host takes its mean into y and halves it, x is reduced by y; twice in a step.
template <class Executor>
struct Model {
  explicit Model(Executor e) : executor{e} {}

  Executor executor;
  FieldTable fields;
  FieldOf<double, Host>& x = fields.add<double>(Host{1}, {.name = "x"}, Layout::entities(3));
  FieldOf<double, Host>& y = fields.add<double>(Host{1}, {.name = "y"}, Layout::entities(1));
  StageRunner runner;
  Stage grow = runner.add({"m.grow", "x = 1.5 x + i + 1", 10, Guarantee::bitwise});
  Stage mean = runner.add({"m.mean", "a library of the host", 20, Guarantee::bitwise});
  Stage reduce = runner.add({"m.reduce", "x -= y", 30, Guarantee::bitwise});
  int passes = 2;
  int fail_at_step = 0;
  bool host_calls = true;
  std::vector<std::string> host_positions = {};

  void stages(std::int64_t step) {
    for (int k = 1; k <= passes; ++k) {
      auto const pass = runner.loop("pass", k);
      auto const a = x.view(), b = y.view();
      runner.run(grow, executor, std::int64_t{3},
                 [a](std::int64_t i) { a[i] = 1.5 * a[i] + static_cast<double>(i) + 1; }, {&x});
      if (host_calls) {
        runner.call(mean, Host{1},
                    [&] {
                      if (step == fail_at_step) throw std::runtime_error("planted");
                      b[0] = (a[0] + a[1] + a[2]) / 6;
                      host_positions.push_back(runner.position().text());
                    },
                    {&y});
      }
      runner.run(reduce, executor, std::int64_t{3}, [a, b](std::int64_t i) { a[i] -= b[0]; }, {&x});
    }
  }
  void step(std::int64_t number) {
    runner.begin_step(executor, number);
    runner.graph("passes", executor, [&] { stages(number); });
  }
};

struct Lazy {
  LazyQueue queue;
  Model<LazyDevice> model{LazyDevice{{1}, &queue}};

  std::vector<double> values() {
    queue.run();
    auto const x = model.x.view();
    return {x[0], x[1], x[2], model.y.view()[0]};
  }
};

std::vector<double> on_the_host(int steps, bool host_calls = true) {
  Model<Host> model(Host{1});
  model.host_calls = host_calls;
  for (int step = 1; step <= steps; ++step) model.step(step);
  auto const x = model.x.view();
  return {x[0], x[1], x[2], model.y.view()[0]};
}

TEST(SequenceOfStages, GivesTheSameInPiecesBetweenCallsOfTheHost) {
  Lazy lazy;
  for (int step = 1; step <= 5; ++step) lazy.model.step(step);
  EXPECT_EQ(lazy.values(), on_the_host(5));
  // Recorded once, in three pieces around two calls; the second step is timed launch by launch.
  EXPECT_EQ(lazy.queue.recordings, 3);
  EXPECT_EQ(lazy.queue.graphs, 4 * 3);
  EXPECT_EQ(lazy.queue.launches, 4);
  EXPECT_EQ(lazy.queue.waits, 5 * 2) << "every call of the host waits for what is before it";
}

TEST(SequenceOfStages, WithoutCallsOfTheHostIsOneGraphAndNotRunThroughAgain) {
  Lazy lazy;
  lazy.model.host_calls = false;
  for (int step = 1; step <= 5; ++step) lazy.model.step(step);
  EXPECT_EQ(lazy.values(), on_the_host(5, false));
  EXPECT_EQ(lazy.queue.recordings, 1);
  EXPECT_EQ(lazy.queue.graphs, 4);
  EXPECT_EQ(lazy.queue.waits, 0);
  for (auto const& time : lazy.model.runner.times()) {
    EXPECT_EQ(time.launches, time.name == "m.mean" ? 0 : 5 * 2) << time.name << ": replays are counted";
  }
}

TEST(SequenceOfStages, KnowsTheirPositionsAndCountsEveryStage) {
  Lazy lazy;
  for (int step = 1; step <= 4; ++step) lazy.model.step(step);
  auto const& at = lazy.model.host_positions;
  ASSERT_EQ(at.size(), 8u);
  EXPECT_EQ(at[0], "step 1, pass 1");
  EXPECT_EQ(at[5], "step 3, pass 2");
  EXPECT_EQ(at[7], "step 4, pass 2");
  for (auto const& time : lazy.model.runner.times()) {
    EXPECT_EQ(time.launches, 8) << time.name;
    EXPECT_EQ(time.timed, 2) << time.name << ": in the second step";
    EXPECT_EQ(time.bytes, 8 * (time.name == "m.grow" ? 10 : time.name == "m.mean" ? 20 : 30)) << time.name;
  }
}

TEST(SequenceOfStages, IsRecordedAnewAfterAFailureAndAfterNewArguments) {
  Lazy lazy;
  lazy.model.fail_at_step = 3;
  lazy.model.step(1);
  lazy.model.step(2);
  EXPECT_THROW(lazy.model.step(3), std::runtime_error);
  EXPECT_EQ(lazy.queue.recorded, nullptr);
  lazy.model.step(4);
  EXPECT_EQ(lazy.queue.recordings, 3) << "what was whole stays";

  Lazy first;
  first.model.fail_at_step = 1;
  EXPECT_THROW(first.model.step(1), std::runtime_error);
  EXPECT_EQ(first.queue.recorded, nullptr);
  EXPECT_EQ(first.queue.recordings, 1);
  first.model.step(3);
  EXPECT_EQ(first.queue.recordings, 1 + 3) << "from its beginning";
  first.model.runner.forget_graphs();
  first.model.step(4);
  EXPECT_EQ(first.queue.recordings, 1 + 3 + 3);
}

TEST(SequenceOfStages, RefusesAnotherNumberOfCallsThanWereRecorded) {
  for (int const passes : {1, 3}) {
    Lazy lazy;
    lazy.model.step(1);
    lazy.model.passes = passes;
    EXPECT_THROW(lazy.model.step(3), std::logic_error) << passes;
    EXPECT_EQ(lazy.queue.recorded, nullptr);
  }
}

TEST(CallOfTheHost, OutsideOfSequencesWaitsForTheDevice) {
  Lazy lazy;
  auto& model = lazy.model;
  model.runner.begin_step(model.executor, 1);
  model.stages(1);
  EXPECT_EQ(lazy.values(), on_the_host(1));
  EXPECT_EQ(lazy.queue.waits, 2);
}

/// Writes down what it is told, and what it would see of x in the order of the device's work.
struct Follower : StageObserver, RecordingObserver {
  struct Noted : ObservedPiece {
    std::vector<std::string> outputs;
  };
  std::vector<std::string> told;
  std::unique_ptr<Noted> piece;
  bool records = true;

  RecordingObserver* recording() override { return records ? this : nullptr; }
  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const&) override {
    told.push_back(position.text() + " " + stage + " " + field);
  }
  void begin_piece(Cuda) override { piece = std::make_unique<Noted>(); }
  void before_writes(std::span<Field const* const> writes) override {
    piece->outputs.push_back("before " + (writes.empty() ? "any" : writes.front()->name()));
  }
  void stage_recorded(StagePosition const& position, char const* stage,
                      std::span<Field const* const> writes) override {
    EXPECT_EQ(position.depth(), 2u);
    piece->outputs.push_back(std::string(position[1].loop) + " " + std::to_string(position[1].index) + " " +
                             stage + " " + writes.front()->name());
  }
  std::unique_ptr<ObservedPiece> end_piece() override { return std::move(piece); }
  void abandon_piece() noexcept override { piece = nullptr; }
  void piece_runs(ObservedPiece const& observed, StagePosition const& position, std::size_t depth,
                  std::function<void()> const& launch) override {
    EXPECT_EQ(depth, 1u);
    for (auto const& output : static_cast<Noted const&>(observed).outputs) {
      if (!output.starts_with("before"))
        told.push_back("step " + std::to_string(position.step()) + ", " + output);
    }
    launch();
  }
};

TEST(SequenceOfStages, ShowsRecordedWorkToAnObserverWithPositionsOfTheStepThatRuns) {
  Lazy recorded, plain;
  Follower follower, watcher;
  watcher.records = false;
  recorded.model.runner.observe(&follower);
  plain.model.runner.observe(&watcher);
  for (int step = 1; step <= 5; ++step) {
    recorded.model.step(step);
    plain.model.step(step);
  }
  EXPECT_EQ(follower.told, watcher.told);
  EXPECT_EQ(follower.told.size(), 5u * 2 * 3);
  EXPECT_EQ(recorded.values(), on_the_host(5));
  EXPECT_EQ(recorded.queue.recordings, 3);
  EXPECT_EQ(recorded.queue.launches, 4) << "of the timed step";
  EXPECT_EQ(plain.queue.recordings, 0) << "it cannot look at recorded work";

  // Another observer's memory is not this one's.
  Follower next;
  recorded.model.runner.observe(&next);
  recorded.model.step(6);
  EXPECT_EQ(recorded.queue.recordings, 6);
  EXPECT_EQ(next.told.size(), 6u);
  EXPECT_EQ(follower.told.size(), 30u);
  recorded.model.runner.observe(nullptr);
  recorded.model.step(7);
  EXPECT_EQ(recorded.queue.recordings, 9) << "unobserved it is another graph";
  EXPECT_EQ(recorded.values(), on_the_host(7));
}

TEST(SequenceOfStages, TellsAnObserverBeforeFieldsAreOverwritten) {
  Lazy lazy;
  auto& model = lazy.model;
  struct Listener : Follower {
    std::vector<std::string> order;
    std::unique_ptr<ObservedPiece> end_piece() override {
      order.insert(order.end(), piece->outputs.begin(), piece->outputs.end());
      return Follower::end_piece();
    }
  } listener;
  model.runner.observe(&listener);
  model.runner.begin_step(model.executor, 1);
  model.runner.graph("clear", model.executor, [&] {
    auto const loop = model.runner.loop("pass", 1);
    auto const a = model.x.view();
    auto const none = [](std::int64_t) {};
    model.runner.will_write({&model.y});
    model.runner.run(model.grow, model.executor, std::int64_t{3}, none, {});
    model.runner.run(model.grow, model.executor, std::int64_t{3}, [a](std::int64_t i) { a[i] = 1; },
                     {&model.x});
  });
  EXPECT_EQ(listener.order,
            (std::vector<std::string>{"before y", "before any", "before x", "pass 1 m.grow x"}));
}

TEST(SequenceOfStages, RunsPlainlyInTheStepOfAPlantedFault) {
  Lazy lazy, plain;
  Follower follower;
  lazy.model.runner.observe(&follower);
  for (auto* model : {&lazy.model, &plain.model}) {
    model->runner.plant({"m.mean", "y", at(3, {{"pass", 2}}), 0});
    for (int step = 1; step <= 4; ++step) model->step(step);
  }
  EXPECT_EQ(lazy.queue.launches, 4 + 4) << "of the timed step and that of the fault";
  EXPECT_EQ(lazy.values(), plain.values());
  EXPECT_NE(lazy.values(), on_the_host(4));
}

}  // namespace
}  // namespace ulpine::test
