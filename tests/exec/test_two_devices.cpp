// SPDX-License-Identifier: Apache-2.0
// The rules of the CUDA runtime that nobody sees on a machine of one GPU: what belongs to a device is made,
// used and released while that device is current, and a constructor that fails half-way leaves nothing
// behind. Held against a fake runtime of two devices (fake_cuda/).
#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/pace.hpp"
#include "core/exec/reduce.hpp"
#include "core/exec/side_stream.hpp"
#include "core/exec/stream.hpp"
#include "core/field/field.hpp"
#include "core/field/hash.hpp"
#include "core/field/operations.hpp"
#include "core/stage/clock.hpp"
#include "core/stage/graph.hpp"
#include "core/stage/trace.hpp"
#include "exec/fake_cuda/fake_cuda.hpp"
#include "io/error.hpp"
#include "support/positions.hpp"

namespace ulpine {

namespace {

bool const connections_were_said = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS") != nullptr;

RawField on_device(Array<double, Cuda>& array, Cuda cuda) {
  auto field = raw_values(array.view().data(), array.size(), ValueType::float64);
  field.on_device = true;
  field.cuda = cuda;
  return field;
}

/// All that a process does on a device.
struct Work {
  std::string name;
  std::function<void(int)> on;
};

std::vector<Work> all_work() {
  return {
      {"stream", [](int ordinal) { Stream const stream(ordinal); }},
      {"pace",
       [](int ordinal) {
         Stream const stream(ordinal);
         Pace pace(stream.executor(), 2);
         for (int n = 0; n < 3; ++n) pace.mark();
       }},
      {"event",
       [](int ordinal) {
         Stream const stream(ordinal);
         Event begin(stream.executor(), Event::Timed::yes), end(stream.executor(), Event::Timed::yes);
         begin.record(stream.executor());
         end.record(stream.executor());
         end.wait();
         EXPECT_EQ(seconds_between(begin, end), ordinal == 0 ? 0.5e-3 : 0.25e-3);
         end.hold_back(stream.executor());
       }},
      {"array",
       [](int ordinal) {
         Stream const stream(ordinal);
         std::vector<double> values(100), back(100);
         std::iota(values.begin(), values.end(), 0.0);
         Array<double, Cuda> one(stream.executor(), 100), two(stream.executor(), 100),
             none(stream.executor(), 0);
         one.from_host(values.data());
         two.copy_from(one);
         one.fill_zero();
         two.to_host(back.data());
         EXPECT_EQ(back, values);
         auto moved = std::move(two);
         synchronize(stream.executor());
       }},
      {"pinned buffer",
       [](int ordinal) {
         Stream const stream(ordinal);
         Array<double, Cuda> array(stream.executor(), 10);
         PinnedBuffer buffer(stream.executor(), 80);
         buffer.wait();
         copy_to_host_async(stream.executor(), buffer, array.view().data(), 80);
         buffer.wait();
         copy_to_device_async(stream.executor(), array.view().data(), buffer, 80);
         buffer.wait();
       }},
      {"graph",
       [](int ordinal) {
         Stream const stream(ordinal);
         Array<double, Cuda> array(stream.executor(), 10);
         auto const recorder = make_work_recorder(stream.executor());
         recorder->begin();
         array.fill_zero();
         recorder->abandon();
         recorder->begin();
         array.fill_zero();
         auto const recorded = recorder->end();
         for (int run = 0; run < 3; ++run) recorded->launch();
         recorder->wait();
       }},
      {"clock",
       [](int ordinal) {
         Stream const stream(ordinal);
         StageClock clock;
         auto const stage = clock.add_stage("stage");
         clock.enable(true);
         for (int i = 0; i < 3; ++i) clock.measure(stream.executor(), stage, 1, [] {});
         EXPECT_EQ(clock.times()[0].timed, 3);
       }},
      {"trace",
       [](int ordinal) {
         Stream const stream(ordinal);
         Array<double, Cuda> array(stream.executor(), 10);
         std::vector<StageRecord> records;
         auto const recorder = make_trace_recorder(records);
         recorder->stage_done(test::at(1), "stage", "x", on_device(array, stream.executor()));
         recorder->stage_done(test::at(2), "stage", "x", on_device(array, stream.executor()));
         recorder->flush();
         EXPECT_EQ(records.size(), 2U);
       }},
      {"trace of recorded work",
       [](int ordinal) {
         Stream const stream(ordinal);
         FieldOf<double, Cuda> field(stream.executor(), {.name = "x"}, Layout::entities(10));
         std::vector<StageRecord> records;
         auto const recorder = make_trace_recorder(records);
         auto const work = make_work_recorder(stream.executor());
         Field const* const written = &field;
         auto& observer = *recorder->recording();
         observer.begin_piece(stream.executor());
         work->begin();
         for (int stage = 0; stage < 3; ++stage) {
           observer.before_writes({&written, 1});
           field.fill_zero();
           observer.stage_recorded(test::at(1), "stage", {&written, 1});
         }
         auto const piece = observer.end_piece();
         auto const recorded = work->end();
         for (int step = 1; step <= 2; ++step) {
           observer.piece_runs(*piece, test::at(step), 1, [&] { recorded->launch(); });
         }
         recorder->flush();
         EXPECT_EQ(records.size(), 6U);
       }},
      {"hash",
       [](int ordinal) {
         Stream const stream(ordinal);
         Array<double, Cuda> array(stream.executor(), 10);
         field_hash(on_device(array, stream.executor()));
       }},
      {"values of a field",
       [](int ordinal) {
         Stream const stream(ordinal);
         Array<double, Cuda> array(stream.executor(), 10);
         auto const field = on_device(array, stream.executor());
         std::vector<double> values(10);
         read_values(field, 0, 10, ValueType::float64, values.data());
         write_values(field, 0, 10, ValueType::float64, values.data());
         copy_values(field, field);
         add_noise(field, {});
         EXPECT_FALSE(first_invalid(field));
       }},
      {"reducer",
       [](int ordinal) {
         Stream const stream(ordinal);
         Array<double, Cuda> array(stream.executor(), 10);
         Reducer<Cuda> reducer(stream.executor());
         reducer.sum(array.view());
         reducer.max(array.view());
         Scalar<double, Cuda> result(stream.executor(), 3), other(stream.executor());
         EXPECT_EQ(result.value(), 3);
         other.copy_from(result);
         reducer.sum_to(array.view(), result);
         reducer.dot_to(array.view(), array.view(), result);
         reducer.min_to(array.view(), result);
         EXPECT_EQ(result.value(), 0);
         EXPECT_EQ(other.value(), 3);
       }},
      {"side stream",
       [](int ordinal) {
         Stream const stream(ordinal);
         SideStream<Cuda> side(stream.executor());
         side.fork();
         side.join();
       }},
      {"copy bandwidth", [](int ordinal) { EXPECT_GT(copy_bandwidth(ordinal), 0); }},
  };
}

class TwoDevices : public testing::Test {
 protected:
  void SetUp() override {
    cudaSetDevice(0);
    fake_cuda::reset();
  }
  void TearDown() override {
    EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{});
    EXPECT_EQ(fake_cuda::held(), 0);
    int current = -1;
    cudaGetDevice(&current);
    EXPECT_EQ(current, 0) << "the thread's device was not put back";
  }
};

TEST_F(TwoDevices, EveryCallIsMadeOnItsObjectsDevice) {
  for (auto const& work : all_work()) {
    SCOPED_TRACE(work.name);
    for (int const ordinal : {1, 0}) work.on(ordinal);
    EXPECT_EQ(fake_cuda::held(), 0);
  }
}

TEST_F(TwoDevices, NothingIsHeldAfterAnyCallHasFailed) {
  for (auto const& work : all_work()) {
    SCOPED_TRACE(work.name);
    if (work.name == "copy bandwidth") continue;  // measured once in a process, so above
    fake_cuda::reset();
    work.on(1);
    auto const calls = fake_cuda::calls();
    ASSERT_GT(calls, 0);
    for (int call = 1; call <= calls; ++call) {
      SCOPED_TRACE("call " + std::to_string(call) + " of " + std::to_string(calls));
      fake_cuda::reset();
      fake_cuda::fail_at(call);
      try {
        work.on(1);
      } catch (EnvironmentError const& error) {
        EXPECT_NE(std::string(error.what()).find(" ("), std::string::npos);
      }
      EXPECT_EQ(fake_cuda::held(), 0);
      EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{});
    }
  }
}

TEST_F(TwoDevices, ObjectsOfBothLiveSideBySideAndMoveAcrossThreads) {
  struct Model {
    explicit Model(int ordinal)
        : stream(ordinal), array(stream.executor(), 100), buffer(stream.executor(), 800) {
      auto const recorder = make_work_recorder(stream.executor());
      recorder->begin();
      array.fill_zero();
      graph = recorder->end();
    }
    void step() {
      array.fill_zero();
      graph->launch();
      copy_to_host_async(stream.executor(), buffer, array.view().data(), 800);
    }
    Stream stream;
    Array<double, Cuda> array;
    PinnedBuffer buffer;
    std::unique_ptr<RecordedWork> graph;
  };
  auto one = std::make_unique<Model>(0), other = std::make_unique<Model>(1);
  for (int i = 0; i < 3; ++i) {
    one->step();
    other->step();
  }
  std::thread([&] {  // whose current device is 0
    other->step();
    other.reset();
    one.reset();
  })
      .join();
}

TEST_F(TwoDevices, ASideStreamComesAfterItsForkAndBeforeItsJoin) {
  fake_cuda::put_off(true);
  Stream const stream(1);
  SideStream<Cuda> side(stream.executor());
  std::string order;
  auto const give = [&](Cuda cuda, char name) {
    DeviceGuard const guard(cuda.ordinal);
    fake_cuda::launch(cuda.stream, [&, name] { order += name; });
  };
  for (bool const side_first : {true, false}) {
    order.clear();
    give(stream.executor(), 'a');
    side.fork();
    give(stream.executor(), 'b');
    give(side.executor(), 's');
    if (side_first) synchronize(side.executor());
    side.join();
    give(stream.executor(), 'c');
    synchronize(stream.executor());
    EXPECT_EQ(order, side_first ? "asbc" : "absc");
  }
  fake_cuda::put_off(false);
}

TEST_F(TwoDevices, MovedObjectsKeepTheirDevice) {
  Stream stream(1), other(0);
  Array<double, Cuda> array(stream.executor(), 10), elsewhere(other.executor(), 10);
  std::swap(stream, other);
  array.swap(elsewhere);
  array.fill_zero();
  elsewhere.fill_zero();
  EXPECT_EQ(stream.executor().ordinal, 0);
  EXPECT_EQ(other.executor().ordinal, 1);
}

TEST_F(TwoDevices, ATraceFollowsFieldsFromOneDeviceToTheOther) {
  Stream const one(0), other(1);
  Array<double, Cuda> first(one.executor(), 10), second(other.executor(), 10);
  std::vector<StageRecord> records;
  {
    auto const recorder = make_trace_recorder(records);
    for (int step = 1; step <= 4; ++step) {
      recorder->stage_done(
          test::at(step), "stage", "x",
          step % 2 == 0 ? on_device(first, one.executor()) : on_device(second, other.executor()));
    }
  }
  ASSERT_EQ(records.size(), 4U);
  for (int step = 1; step <= 4; ++step) {
    EXPECT_EQ(records[static_cast<std::size_t>(step - 1)].position, test::at(step));
  }
}

TEST_F(TwoDevices, TheDeviceIsNotSwitchedWhereItIsCurrent) {
  {
    Stream const stream(0);
    Array<double, Cuda> array(stream.executor(), 10);
    array.fill_zero();
  }
  EXPECT_EQ(fake_cuda::switches(), 0);
}

TEST_F(TwoDevices, FactsAreTheDevicesOwn) {
  auto const found = devices();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].ordinal, 1);
  EXPECT_EQ(found[1].compute_capability, 90);
  EXPECT_EQ(found[0].multiprocessors, 100);
  EXPECT_EQ(found[1].multiprocessors, 101);
  EXPECT_EQ(found[1].memory_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(driver_version(), "13.2");
  EXPECT_EQ(copy_bandwidth(0) * 2, copy_bandwidth(1));  // a quarter of 1 MiB twice in 0.5 ms, in 0.25 ms
  EXPECT_EQ(copy_bandwidth(0), 2 * (1 << 18) / 0.5e-3);
  EXPECT_EQ(copy_bandwidth(-1), 0);
  EXPECT_THROW(require_device(2), EnvironmentError);
}

TEST_F(TwoDevices, AsManyConnectionsAreAskedForAsThereAre) {
  if (connections_were_said) GTEST_SKIP() << "CUDA_DEVICE_MAX_CONNECTIONS is set";
  devices();
  EXPECT_STREQ(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "32");
}

TEST_F(TwoDevices, AStreamIsRefusedWithAReason) {
  EXPECT_THROW(Stream(2), EnvironmentError);
  for (int const block : {0, 16, 100, 288, 512, -32}) EXPECT_THROW(Stream(1, block), InputError) << block;
  EXPECT_EQ(Stream(1, 96).executor().block, 96);
}

TEST(Pace, KeepsTheHostSoManyMarksAheadOfADeviceAndNoMore) {
  for (int const marks : {1, 2, 5}) {
    fake_cuda::reset();
    fake_cuda::put_off(true);
    {
      Stream const stream(1);
      Pace pace(stream.executor(), marks);
      int done = 0;
      for (int given = 1; given <= 20; ++given) {
        {
          DeviceGuard const guard(1);
          fake_cuda::launch(stream.executor().stream, [&] { ++done; });
        }
        pace.mark();
        // This device works only where it is waited for.
        EXPECT_EQ(done, std::max(given - marks, 0)) << given << " of which " << marks << " may be left";
      }
    }
    fake_cuda::put_off(false);
    EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{});
    EXPECT_EQ(fake_cuda::held(), 0);
  }
}

}  // namespace
}  // namespace ulpine
