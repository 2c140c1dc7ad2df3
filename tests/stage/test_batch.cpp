// SPDX-License-Identifier: Apache-2.0
// Batches of members on a device that does nothing before it is waited for.
#include "core/stage/batch.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/exec/host.hpp"
#include "core/field/table.hpp"
#include "core/stage/runner.hpp"

namespace ulpine::test {
namespace {

/// A device with streams that run in any order but for what one is told to wait for: as late as they may, the
/// last stream first.
struct LateDevice {
  struct Work {
    std::function<void()> run;
    std::vector<std::pair<struct LateStream*, std::size_t>> after = {};
  };
  std::deque<struct LateStream> streams;
  LateStream& add();
  void run(LateStream& stream, std::size_t end);
  void run_all();

  int launches = 0;  ///< kernels
  int members = 0;   ///< of all launches
  int graphs = 0, recordings = 0;
};
struct LateStream {
  LateDevice* device;
  std::vector<LateDevice::Work> given = {};
  std::size_t done = 0;
  std::vector<LateDevice::Work>* recorded = nullptr;
  std::vector<std::pair<LateStream*, std::size_t>> waits = {};  ///< of what is given next

  CUstream_st* handle() { return reinterpret_cast<CUstream_st*>(this); }
  static LateStream& of(Cuda cuda) {
    return *reinterpret_cast<LateStream*>(static_cast<CUstream_st*>(cuda.stream));
  }
  void give(std::function<void()> work) {
    if (recorded == nullptr) {
      given.push_back({std::move(work), std::exchange(waits, {})});
    } else {
      recorded->push_back({std::move(work)});
    }
  }
};

LateStream& LateDevice::add() { return streams.emplace_back(LateStream{this}); }
void LateDevice::run(LateStream& stream, std::size_t end) {
  while (stream.done < end) {
    auto const work = stream.given[stream.done++];
    for (auto const& [other, count] : work.after) run(*other, count);
    work.run();
  }
}
void LateDevice::run_all() {
  for (auto stream = streams.rbegin(); stream != streams.rend(); ++stream) run(*stream, stream->given.size());
}

class LateWork : public RecordedWork {
 public:
  LateWork(LateStream& stream, std::vector<LateDevice::Work> works)
      : stream_{stream}, works_{std::move(works)} {}
  void launch() override {
    ++stream_.device->graphs;
    for (auto const& work : works_) stream_.give(work.run);
  }

 private:
  LateStream& stream_;
  std::vector<LateDevice::Work> works_;
};

class LateRecorder : public WorkRecorder {
 public:
  explicit LateRecorder(LateStream& stream) : stream_{stream} {}
  Cuda executor() const override { return {stream_.handle()}; }
  void begin() override {
    ASSERT_EQ(stream_.recorded, nullptr);
    works_.clear();
    stream_.recorded = &works_;
  }
  std::unique_ptr<RecordedWork> end() override {
    stream_.recorded = nullptr;
    ++stream_.device->recordings;
    return std::make_unique<LateWork>(stream_, works_);
  }
  void abandon() noexcept override { stream_.recorded = nullptr; }
  void wait() override { stream_.device->run(stream_, stream_.given.size()); }
  std::function<void(Cuda)> mark(Cuda given) override {
    auto& earlier = LateStream::of(given);
    EXPECT_EQ(earlier.recorded, nullptr) << "what is recorded does not run";
    return [&earlier, count = earlier.given.size()](Cuda later) {
      LateStream::of(later).waits.emplace_back(&earlier, count);
    };
  }

 private:
  LateStream& stream_;
  std::vector<LateDevice::Work> works_;
};

/// The executor of a member: of the device, without what StageClock asks of CUDA.
struct Late : Host {
  static constexpr bool on_device = true;
  StreamHandle stream = {};
};

std::unique_ptr<WorkRecorder> make_work_recorder(Late device) {
  auto* const collector = device.stream.collector();
  if (collector == nullptr) {
    return std::make_unique<LateRecorder>(LateStream::of({device.stream}));
  }
  return make_collecting_recorder(*collector,
                                  std::make_unique<LateRecorder>(LateStream::of(collector->executor())));
}

template <class Body>
void give_bodies(Cuda cuda, Extent3 extent, std::span<std::byte const* const> arguments) {
  auto& stream = LateStream::of(cuda);
  ++stream.device->launches;
  stream.device->members += static_cast<int>(arguments.size());
  std::vector<Body> bodies;
  for (auto const* argument : arguments) {
    alignas(Body) std::byte copy[sizeof(Body)];
    std::memcpy(copy, argument, sizeof(Body));
    bodies.push_back(*reinterpret_cast<Body const*>(copy));
  }
  stream.give([bodies, extent] {
    for (auto const& body : bodies) {
      for (std::int64_t i = 0; i < extent.nx; ++i) body(i);
    }
  });
}

template <class Body>
void for_each(Late device, std::int64_t count, Body const& body) {
  Extent3 const extent{static_cast<std::int32_t>(count), 1, 1};
  auto* const collector = device.stream.collector();
  if (collector != nullptr && collector->collecting()) {
    collector->list().add(&give_bodies<Body>, extent, body);
    return;
  }
  auto const* const bytes = reinterpret_cast<std::byte const*>(&body);
  give_bodies<Body>({device.stream}, extent, {&bytes, 1});
}

/// x grows (twice, in a sequence too), is reduced by a share of itself that depends on the step.
template <class Executor>
struct Model {
  Executor executor;
  std::int64_t points;
  FieldTable fields;
  FieldOf<double, Host>& x = fields.add<double>(Host{1}, {.name = "x"}, Layout::entities(5));
  StageRunner runner;
  Stage grow = runner.add({"m.grow", "x = 1.5 x + i + 1", 10, Guarantee::bitwise});
  Stage reduce = runner.add({"m.reduce", "x -= share x", 30, Guarantee::bitwise});
  Stage look = runner.add({"m.look", "a library of the host", 20, Guarantee::bitwise});
  int looks_at_step = 0, fails_at_step = 0;
  double seen = 0;

  Model(Executor e, double start, std::int64_t count = 5) : executor{e}, points{count} {
    for (int i = 0; i < 5; ++i) x.view()[i] = start + i;
  }
  void run_grow() {
    auto const a = x.view();
    runner.run(grow, executor, points,
               [a](std::int64_t i) { a[i] = 1.5 * a[i] + static_cast<double>(i) + 1; }, {&x});
  }
  void run_reduce(double share) {
    auto const a = x.view();
    runner.run(reduce, executor, points, [a, share](std::int64_t i) { a[i] -= share * a[i]; }, {&x});
  }
  void step(std::int64_t number) {
    runner.begin_step(executor, number);
    run_grow();
    runner.graph("sequence", executor, [&] {
      for (int k = 1; k <= 3; ++k) {
        auto const loop = runner.loop("pass", k);
        run_grow();
        run_reduce(0.75);
      }
    });
    if (number == looks_at_step) {
      runner.call(look, Host{1}, [&] { seen += x.view()[0]; }, {});
    }
    if (number == fails_at_step) throw std::runtime_error("planted");
    run_reduce(1 / static_cast<double>(number + 3));
  }
  std::vector<double> values() const { return {x.view().data(), x.view().data() + 5}; }
};

constexpr std::int64_t first_step = 3;  // the second is timed

class Batches : public testing::Test {
 protected:
  LateDevice device;
  Batch batch{std::make_unique<LateRecorder>(device.add())};
  std::deque<std::shared_ptr<Collector>> collectors;
  std::deque<std::unique_ptr<Model<Late>>> models;

  Model<Late>& add(double start, std::int64_t points = 5) {
    auto* const handle = device.add().handle();
    auto const& collector = collectors.emplace_back(batch.member({handle}));
    models.push_back(std::make_unique<Model<Late>>(Late{{1}, {handle, collector.get()}}, start, points));
    return *models.back();
  }
  void step(std::int64_t number) {
    batch.together([&] {
      for (auto const& model : models) {
        try {
          model->step(number);
        } catch (std::runtime_error const&) {
          ++failures;
        }
      }
    });
  }
  int failures = 0;
};

/// The same member alone on the host, after the steps first_step to `last`.
std::unique_ptr<Model<Host>> alone(double start, std::int64_t last, int looks_at_step = 0,
                                   int fails_at_step = 0) {
  auto model = std::make_unique<Model<Host>>(Host{1}, start);
  model->looks_at_step = looks_at_step;
  model->fails_at_step = fails_at_step;
  for (auto step = first_step; step <= last; ++step) {
    try {
      model->step(step);
    } catch (std::runtime_error const&) {
    }
  }
  return model;
}

TEST_F(Batches, ShareWhatAllMembersLaunchAndRunSequencesSideBySide) {
  for (int m = 0; m < 3; ++m) add(m);
  for (auto number = first_step; number < first_step + 4; ++number) step(number);
  EXPECT_EQ(device.recordings, 3) << "each member's sequence once";
  EXPECT_EQ(device.graphs, 3 * 4);
  EXPECT_EQ(device.launches, 3 * 6 + 4 * 2) << "those recorded, and two a step for all three members";
  EXPECT_EQ(device.members, 3 * 6 + 4 * 2 * 3);
  device.run_all();
  for (int m = 0; m < 3; ++m)
    EXPECT_EQ(models[static_cast<std::size_t>(m)]->values(), alone(m, 6)->values()) << m;
}

TEST_F(Batches, CountStagesAsAlone) {
  add(0);
  add(1);
  for (auto number = first_step; number < first_step + 4; ++number) step(number);
  auto expected = alone(1, 6);
  for (std::size_t stage = 0; stage < 3; ++stage) {
    EXPECT_EQ(models[1]->runner.times()[stage].launches, expected->runner.times()[stage].launches);
    EXPECT_EQ(models[1]->runner.times()[stage].bytes, expected->runner.times()[stage].bytes);
  }
}

TEST_F(Batches, LetAMemberThatWaitsTakeTheRestOfItsStepAlone) {
  for (int m = 0; m < 3; ++m) add(m);
  models[1]->looks_at_step = 4;
  for (auto number = first_step; number < first_step + 4; ++number) step(number);
  EXPECT_EQ(models[1]->seen, alone(1, 4, 4)->seen) << "what was kept had to be given before";
  EXPECT_EQ(device.launches, 3 * 6 + 4 * 2 + 2) << "two of its own once, while the others share";
  device.run_all();
  for (int m = 0; m < 3; ++m)
    EXPECT_EQ(models[static_cast<std::size_t>(m)]->values(), alone(m, 6)->values()) << m;
}

TEST_F(Batches, GiveWhatAFailedStepHasLaunched) {
  for (int m = 0; m < 3; ++m) add(m);
  models[0]->fails_at_step = 4;
  for (auto number = first_step; number < first_step + 4; ++number) step(number);
  EXPECT_EQ(failures, 1);
  device.run_all();
  EXPECT_EQ(models[0]->values(), alone(0, 6, 0, 4)->values());
  EXPECT_EQ(models[2]->values(), alone(2, 6)->values());
}

TEST_F(Batches, GiveAllWhereARoundIsLeftByAnException) {
  for (int m = 0; m < 2; ++m) add(m);
  EXPECT_THROW(batch.together([&] {
    models[0]->step(3);
    throw std::runtime_error("planted");
  }),
               std::runtime_error);
  step(4);
  device.run_all();
  EXPECT_EQ(models[0]->values(), alone(0, 4)->values());
}

TEST_F(Batches, ShareAmongThoseOfOneExtent) {
  add(0);
  add(1, 4);
  add(2);
  step(3);
  EXPECT_EQ(device.launches, 3 * 6 + 2 + 2);
  device.run_all();
  EXPECT_EQ(models[0]->values(), alone(0, 3)->values());
  EXPECT_EQ(models[1]->values()[3], alone(1, 3)->values()[3]);
  EXPECT_EQ(models[1]->values()[4], 5) << "beyond its extent";
  EXPECT_EQ(models[2]->values(), alone(2, 3)->values());
}

TEST_F(Batches, AreOrderedWithWhatMembersDoBetweenSteps) {
  for (int m = 0; m < 3; ++m) add(m);
  auto expected = alone(1, 3);
  step(3);
  models[1]->run_reduce(0.5);  // on its own stream
  expected->run_reduce(0.5);
  step(4);
  expected->step(4);
  models[1]->run_grow();
  expected->run_grow();
  device.run_all();
  EXPECT_EQ(models[1]->values(), expected->values());
  EXPECT_EQ(models[2]->values(), alone(2, 4)->values());
}

TEST_F(Batches, GoOnWhenMembersLeaveAndJoin) {
  for (int m = 0; m < 3; ++m) add(m);
  step(3);
  step(4);
  device.run_all();
  models.erase(models.begin());
  add(7);
  step(5);
  device.run_all();
  models.erase(models.begin() + 1, models.end());
  step(6);
  device.run_all();
  EXPECT_EQ(models[0]->values(), alone(1, 6)->values());
}

TEST_F(Batches, LeaveStepsOutsideOfARoundAlone) {
  auto& model = add(1);
  model.step(3);
  model.step(4);
  EXPECT_EQ(device.launches, 6 + 2 * 2);
  device.run_all();
  EXPECT_EQ(model.values(), alone(1, 4)->values());
}

}  // namespace
}  // namespace ulpine::test
