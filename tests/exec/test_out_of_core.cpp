// SPDX-License-Identifier: Apache-2.0
// Tiles against kernels that are called for all points at once, bit by bit: on the host, and with a fake CUDA
// runtime (fake_cuda/) whose streams put off their work, so that a missing wait shows.
#include "benchmarks/out_of_core/out_of_core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <string>
#include <tuple>
#include <vector>

#include "exec/fake_cuda/fake_cuda.hpp"
#include "exec/two_kernels.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;
using exec_test::same_bits, exec_test::tiling_of, exec_test::TwoKernels;
using test::RandomValues;

/// At once on the host; in stream order where the fake device is slow.
template <class Kernel>
void launch(Host host, Extent3 extent, Kernel const& kernel) {
  for_each(host, extent, kernel);
}
template <class Kernel>
void launch(Cuda cuda, Extent3 extent, Kernel const& kernel) {
  DeviceGuard const guard(cuda.ordinal);  // as for_each has
  fake_cuda::launch(cuda.stream, [=] { for_each(Host{}, extent, kernel); });
}

auto const launches = [](auto executor, Extent3 extent, auto const& kernel) {
  launch(executor, extent, kernel);
};

template <class T, class Executor>
void expect_as_at_once(Executor executor, TwoKernels<T> tiled, Tiling const& tiling,
                       std::string const& what) {
  auto whole = tiled;
  OutOfCore<Executor> run(executor, tiled.arrays(), tiling);
  for (int step = 0; step < 2; ++step) {
    whole.at_once();
    run.run(tiled.kernel(launches));
    EXPECT_TRUE(same_bits(tiled.smooth, whole.smooth)) << what << ", step " << step;
    EXPECT_TRUE(same_bits(tiled.state, whole.state)) << what << ", step " << step;
  }
  EXPECT_LE(run.executor_bytes(), tiling.memory) << what;
}

/// `work` on both executors, the device a slow one.
template <class Work>
void on_each(Work const& work) {
  work(Host{});
  work(Host{3});
  fake_cuda::reset();
  fake_cuda::put_off(true);
  {
    Stream const stream(1);
    work(stream.executor());
  }
  fake_cuda::put_off(false);
  EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{});
  EXPECT_EQ(fake_cuda::held(), 0);
}

/// The message of the InputError that `action` throws, one line; empty where it throws none.
template <class Error = InputError, class Action>
std::string refusal(Action const& action) {
  try {
    action();
  } catch (Error const& error) {
    std::string const message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return "";
}
std::string refusal_of_plan(std::vector<TiledArray> const& arrays, Tiling const& tiling) {
  return refusal([&] { TilePlan const plan(arrays, tiling); });
}
void expect_told(std::string const& message, std::string const& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "'" << message << "' lacks '" << part << "'";
}

TEST(OutOfCore, TilesHaveTheBitsOfAllAtOnce) {
  on_each([](auto executor) {
    RandomValues random(1);
    for (auto const& [outer, length, inner] :
         {std::tuple{1, 17, 5}, {4, 17, 3}, {3, 2, 1}, {1, 40, 1}, {7, 12, 1}, {2, 1, 9}}) {
      for (std::int64_t const positions : {0, 2, 3, 5, 16, 17, 100}) {
        for (int const streams : {1, 2, 3, 4}) {
          for (auto const transfers : {Transfers::staged, Transfers::in_place}) {
            auto const what = std::to_string(outer) + " x " + std::to_string(length) + " x " +
                              std::to_string(inner) + ", tiles of " + std::to_string(positions) + ", " +
                              std::to_string(streams) + " streams";
            auto const tiling = tiling_of(length, positions, streams, transfers);
            expect_as_at_once(executor, TwoKernels<double>(random, outer, length, inner), tiling, what);
            expect_as_at_once(executor, TwoKernels<float>(random, outer, length, inner), tiling, what);
          }
        }
      }
    }
  });
}

TEST(OutOfCore, RandomExtentsAndLimitsHaveTheBitsOfAllAtOnce) {
  on_each([](auto executor) {
    RandomValues random(2);
    for (int trial = 0; trial < 150; ++trial) {
      auto const of = [&](std::size_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
      auto const outer = of(6), length = of(60), inner = of(20);
      TwoKernels<float> const kernels(random, outer, length, inner);
      auto tiling = tiling_of(length, 0, static_cast<int>(of(5)),
                              random.below(2) == 0 ? Transfers::staged : Transfers::in_place);
      tiling.threads = static_cast<int>(of(3));
      // A limit between the smallest tiles, as large as the halo, and somewhat above.
      auto const slab = outer * inner * std::int64_t{sizeof(float)};
      auto const least = tiling.streams * ((2 + 6 + 2 + 3) * slab + 4 * 256);
      tiling.memory = least + static_cast<std::int64_t>(random.uniform() * double(4 * length * slab));
      expect_as_at_once(executor, kernels, tiling, "trial " + std::to_string(trial));
    }
  });
}

TEST(OutOfCore, LongRowsAreCopiedByAllThreads) {
  RandomValues random(3);
  TwoKernels<double> const kernels(random, 2, 7, 9001);
  auto tiling = tiling_of(7, 3, 2);
  expect_as_at_once(Host{3}, kernels, tiling, "three threads");
}

/// Positions of each array and what of it lies where, for every way of cutting a small box.
TEST(Tiles, CoverEachPositionOnceWithTheNeighboursThatThereAre) {
  for (std::int64_t length = 1; length < 12; ++length) {
    for (std::int64_t positions = 2; positions < 14; ++positions) {
      Slabs const with_ghosts{3, length + 2, 2, -1};
      std::vector<double> in(static_cast<std::size_t>(3 * (length + 2) * 2));
      std::vector<float> out(static_cast<std::size_t>(5 * length));
      std::vector<std::byte> memory(1 << 14);
      TilePlan const plan({writes(out.data(), {1, length, 5}), reads(in.data(), with_ghosts, {2, 2})},
                          tiling_of(length, positions, 2));
      EXPECT_EQ(plan.slots(), length <= positions ? 1 : 2);
      std::int64_t next = 0, bytes_in = 0, bytes_out = 0;
      for (std::int64_t n = 0; n < plan.tiles(); ++n) {
        auto const tile = plan.tile(n, memory.data());
        EXPECT_EQ(tile.begin, next);
        EXPECT_GT(tile.end, tile.begin);
        next = tile.end;
        auto const &written = tile.parts[0], &read = tile.parts[1];
        auto const first = std::max<std::int64_t>(tile.begin - 2, -1);
        auto const end = std::min(tile.end + 2, length + 1);
        EXPECT_EQ(read.first, first);
        EXPECT_EQ(read.width, (end - first) * 16);
        EXPECT_EQ(read.rows, 3);
        EXPECT_EQ(reinterpret_cast<double*>(read.host), in.data() + 2 * (first + 1));
        EXPECT_EQ(read.host_pitch, 16 * (length + 2));
        EXPECT_EQ(read.data, memory.data());
        EXPECT_EQ(written.data - memory.data(), tile.out_begin);
        EXPECT_EQ(tile.in_bytes, tile.out_begin);
        EXPECT_GE(tile.in_bytes, read.width * read.rows);
        EXPECT_EQ(tile.in_bytes % 256, 0);
        EXPECT_EQ(reinterpret_cast<float*>(written.host), out.data() + 5 * tile.begin);
        EXPECT_EQ(written.width, 20 * tile.positions());
        EXPECT_LE(tile.in_bytes, plan.slot_in_bytes());
        EXPECT_LE(tile.out_bytes, plan.slot_out_bytes());
        EXPECT_LE(tile.out_begin + tile.out_bytes, plan.slot_bytes());
        bytes_in += read.width * read.rows;
        bytes_out += written.width * written.rows;
        auto const view = tile.view<double const>(1);
        EXPECT_EQ(&view(2, first, 1), reinterpret_cast<double const*>(read.data) + 2 * 2 * (end - first) + 1);
      }
      EXPECT_EQ(next, length);
      EXPECT_EQ(plan.bytes_in(), bytes_in);
      EXPECT_EQ(plan.bytes_out(), bytes_out);
    }
  }
}

TEST(Tiles, TakeTheMemoryThatTheyMayAndNoMore) {
  std::vector<double> in(1000), out(1000);
  auto const plan_of = [&](std::int64_t memory, int streams) {
    auto tiling = tiling_of(100, 0, streams);
    tiling.memory = memory;
    return TilePlan({reads(in.data(), {1, 100, 10}), writes(out.data(), {1, 100, 10})}, tiling);
  };
  // A position is 80 bytes of either array; arrays begin at multiples of 256.
  EXPECT_EQ(plan_of(1 << 20, 1).positions(), 100);
  EXPECT_EQ(plan_of(1 << 20, 2).positions(), 13);
  EXPECT_EQ(plan_of(1 << 20, 3).positions(), 9);
  EXPECT_EQ(plan_of(512, 1).positions(), 3);
  EXPECT_EQ(plan_of(1023, 1).positions(), 3);
  EXPECT_EQ(plan_of(1024, 1).positions(), 6);
  EXPECT_EQ(plan_of(1024, 2).positions(), 3);
  EXPECT_EQ(plan_of(1024, 2).slot_bytes(), 512);
  expect_told(refusal([&] { plan_of(1023, 2); }),
              "1023 bytes hold no 2 tiles of 1 positions (1024 are needed)");
  auto tiling = tiling_of(100, 50, 2);
  tiling.memory = 8191;
  expect_told(refusal_of_plan({reads(in.data(), {1, 100, 10})}, tiling),
              "8191 bytes hold no 2 tiles of 50 positions (8192 are needed)");
  tiling.memory = 8192;
  EXPECT_EQ(refusal_of_plan({reads(in.data(), {1, 100, 10})}, tiling), "");
}

TEST(Tiles, AreLargeEnoughForTheHaloWhereTheyAreChosen) {
  std::vector<double> in(64);
  TilePlan const plan({reads(in.data(), {1, 64, 1}, {20, 0})}, tiling_of(64, 0, 4));
  EXPECT_EQ(plan.positions(), 20);
}

TEST(Tiles, AreCutAlongAnyAxis) {
  auto const expect = [](Slabs const& slabs, std::int64_t outer, std::int64_t count, std::int64_t inner) {
    EXPECT_EQ(slabs.outer, outer);
    EXPECT_EQ(slabs.count, count);
    EXPECT_EQ(slabs.inner, inner);
  };
  expect(slabs_of({5, 6, 7}, 0), 1, 5, 42);
  expect(slabs_of({5, 6, 7}, 1), 5, 6, 7);
  expect(slabs_of({5, 6, 7}, 2), 30, 7, 1);
  EXPECT_EQ(slabs_of({5, 6, 7}, 2, -3).first, -3);
  expect_told(refusal([] { slabs_of({5, 6}, 2); }), "axis 2 cannot be cut (the array has 2");
  expect_told(refusal([] { slabs_of({5, 6}, -1); }), "axis -1 cannot be cut");
}

TEST(Tiles, RefuseWhatDoesNotGoTogether) {
  std::vector<double> a(100), b(100);
  Slabs const slabs{1, 10, 10};
  auto const tiling = tiling_of(10, 2, 2);
  EXPECT_EQ(refusal_of_plan({reads(a.data(), slabs, {2, 2}), writes(b.data(), slabs)}, tiling), "");
  expect_told(refusal_of_plan({}, tiling), "nothing to cut");
  expect_told(refusal_of_plan({reads(a.data(), slabs)}, tiling_of(0, 2, 2)), "nothing to cut");
  for (int const streams : {-1, 0, 65}) {
    expect_told(refusal_of_plan({reads(a.data(), slabs)}, tiling_of(10, 2, streams)), "streams (1 to 64");
  }
  EXPECT_EQ(refusal_of_plan({reads(a.data(), slabs)}, tiling_of(10, 2, 64)), "");
  expect_told(refusal_of_plan({reads(a.data(), slabs)}, tiling_of(10, -1, 1)), "tiles of -1 positions");
  auto no_threads = tiling;
  no_threads.threads = 0;
  expect_told(refusal_of_plan({reads(a.data(), slabs)}, no_threads), "with 0 threads");
  expect_told(refusal_of_plan({reads<double>(nullptr, slabs)}, tiling),
              "array 0 cannot be cut (it has no values)");
  expect_told(refusal_of_plan({reads(a.data(), slabs), reads(b.data(), {0, 10, 10})}, tiling), "array 1");
  expect_told(refusal_of_plan({reads(a.data(), {1, 10, 0})}, tiling), "it has no values");
  expect_told(refusal_of_plan({reads(a.data(), {1, 9, 10})}, tiling),
              "it has slabs for positions 0 to 8, kernels are called for 0 to 9");
  expect_told(refusal_of_plan({reads(a.data(), {1, 10, 10, -1})}, tiling), "positions -1 to 8");
  expect_told(refusal_of_plan({reads(a.data(), {1, 10, 10, 1})}, tiling), "positions 1 to 10");
  expect_told(refusal_of_plan({reads(a.data(), slabs, {-1, 0})}, tiling), "its halo is negative");
  expect_told(refusal_of_plan({reads(a.data(), slabs, {0, -1})}, tiling), "its halo is negative");
  auto with_halo = updates(a.data(), slabs);
  with_halo.halo.above = 1;
  expect_told(refusal_of_plan({with_halo}, tiling), "neighbours of what is written");
  with_halo.halo = {1, 0};
  expect_told(refusal_of_plan({with_halo}, tiling), "neighbours of what is written");
}

TEST(Tiles, RefuseToBeSmallerThanTheHalo) {
  std::vector<double> a(100);
  Slabs const slabs{1, 10, 10};
  for (auto const& halo : {SlabHalo{3, 0}, SlabHalo{0, 3}}) {
    expect_told(refusal_of_plan({reads(a.data(), slabs, halo)}, tiling_of(10, 2, 2)),
                "tiles of 2 positions are smaller than the halo (kernels read 3 slabs to a side)");
    EXPECT_EQ(refusal_of_plan({reads(a.data(), slabs, halo)}, tiling_of(10, 3, 2)), "");
  }
  EXPECT_EQ(refusal_of_plan({reads(a.data(), slabs, {30, 0})}, tiling_of(10, 10, 2)), "");
}

TEST(Tiles, RefuseToWriteWhatOthersUse) {
  std::vector<double> a(101);
  Slabs const slabs{1, 10, 5};
  auto const tiling = tiling_of(10, 2, 2);
  EXPECT_EQ(refusal_of_plan({reads(a.data(), slabs), writes(a.data() + 50, slabs)}, tiling), "");
  EXPECT_EQ(refusal_of_plan({reads(a.data(), slabs), reads(a.data() + 49, slabs)}, tiling), "");
  expect_told(refusal_of_plan({reads(a.data(), slabs), writes(a.data() + 49, slabs)}, tiling),
              "arrays 0 and 1 share memory");
  expect_told(refusal_of_plan({updates(a.data(), slabs), reads(a.data() + 49, slabs)}, tiling),
              "arrays 1 and 0 share memory");
}

/// Two runs of two kernels, every call of the runtime failing once: an EnvironmentError, nothing left.
TEST(OutOfCoreFailing, LeavesNothingBehind) {
  for (auto const transfers : {Transfers::staged, Transfers::in_place}) {
    RandomValues random(4);
    TwoKernels<double> kernels(random, 3, 11, 5);
    auto calls = 0;
    auto const work = [&] {
      OutOfCore<Cuda> run(Cuda{nullptr, 256, 1}, kernels.arrays(), tiling_of(11, 2, 3, transfers));
      run.run(kernels.kernel(launches));
      calls = fake_cuda::calls();
    };
    fake_cuda::reset();
    fake_cuda::put_off(true);
    work();
    auto const until_done = calls, all = fake_cuda::calls();
    EXPECT_GT(until_done, 40);
    for (int call = 1; call <= all; ++call) {
      fake_cuda::reset();
      fake_cuda::fail_at(call);
      auto const message = refusal<EnvironmentError>(work);
      // Destructors, which come last, do not throw.
      EXPECT_EQ(message.find("(") != std::string::npos, call <= until_done) << "call " << call << message;
      EXPECT_EQ(fake_cuda::held(), 0) << "call " << call;
      EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{}) << "call " << call;
    }
    fake_cuda::put_off(false);
  }
}

TEST(OutOfCoreFailing, PassesOnWhatAKernelThrowsOnceNothingIsUnderWay) {
  on_each([](auto executor) {
    for (auto const transfers : {Transfers::staged, Transfers::in_place}) {
      RandomValues random(5);
      TwoKernels<double> kernels(random, 3, 12, 5);
      OutOfCore<decltype(executor)> run(executor, kernels.arrays(), tiling_of(12, 2, 3, transfers));
      auto const before = kernels.state;
      auto const failing = [&](auto where, Tile const& tile) {
        if (tile.begin == 8) throw std::bad_alloc();
        kernels.kernel(launches)(where, tile);
      };
      EXPECT_THROW(run.run(failing), std::bad_alloc);
      // Nothing of the failed run arrives later; the next one is whole.
      kernels.state = before;
      auto whole = kernels;
      whole.at_once();
      run.run(kernels.kernel(launches));
      EXPECT_TRUE(same_bits(kernels.state, whole.state));
      EXPECT_TRUE(same_bits(kernels.smooth, whole.smooth));
    }
  });
}

TEST(OutOfCoreOnDevice, HoldsTheMemoryThatItSaysAndARunTakesNone) {
  fake_cuda::reset();
  RandomValues random(6);
  TwoKernels<float> kernels(random, 3, 50, 40);
  auto tiling = tiling_of(50, 0, 2);
  tiling.memory = 40000;
  auto const before = fake_cuda::most_device_bytes();
  OutOfCore<Cuda> run(Cuda{nullptr, 256, 0}, kernels.arrays(), tiling);
  EXPECT_EQ(static_cast<std::int64_t>(fake_cuda::most_device_bytes() - before), run.executor_bytes());
  EXPECT_LE(run.executor_bytes(), 40000);
  EXPECT_GT(run.plan().tiles(), 4);
  auto const held = fake_cuda::held();
  auto const allocated = allocations();
  run.run(kernels.kernel(launches));
  EXPECT_EQ(fake_cuda::held(), held);
  EXPECT_EQ(allocations(), allocated);
}

TEST(OutOfCoreOnDevice, PageLocksWhatIsNotYetLockedOnce) {
  fake_cuda::reset();
  Stream const stream(0);
  // Small arrays of one buffer share pages; one is locked already.
  std::vector<double> all(1500);
  PinnedBuffer pinned(stream.executor(), 8 * 100);
  auto* const locked = static_cast<double*>(pinned.data());
  std::fill(locked, locked + 100, 1.0);
  Slabs const slabs{10, 5, 2};
  auto const held = fake_cuda::held();
  {
    OutOfCore<Cuda> run(stream.executor(),
                        {reads(locked, slabs), writes(all.data(), slabs), reads(all.data() + 100, slabs),
                         writes(all.data() + 1400, slabs)},
                        tiling_of(5, 2, 1, Transfers::in_place));
    EXPECT_GT(fake_cuda::held(), held);
    run.run([](Cuda cuda, Tile const& tile) {
      launch(cuda, {2, static_cast<std::int32_t>(tile.positions()), 10},
             [=, one = tile.view<double>(1), three = tile.view<double>(3), from = tile.view<double const>(0)](
                 std::int32_t i, std::int32_t n, std::int32_t o) {
               one(o, tile.begin + n, i) = 2 * from(o, tile.begin + n, i);
               three(o, tile.begin + n, i) = 3 * from(o, tile.begin + n, i);
             });
    });
  }
  EXPECT_EQ(fake_cuda::held(), held);
  for (int n = 0; n < 100; ++n) {
    EXPECT_EQ(all[static_cast<std::size_t>(n)], 2);
    EXPECT_EQ(all[static_cast<std::size_t>(1400 + n)], 3);
  }
  EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{});
}

TEST(OutOfCoreOnDevice, OverlapsAsManyTilesAsThereAreStreams) {
  fake_cuda::reset();
  fake_cuda::put_off(true);
  std::vector<double> in(40), out(40);
  for (int const streams : {1, 2, 4}) {
    OutOfCore<Cuda> run(Cuda{nullptr, 256, 0}, {reads(in.data(), {1, 40, 1}), writes(out.data(), {1, 40, 1})},
                        tiling_of(40, 2, streams));
    int given = 0, done = 0, most = 0;
    run.run([&](Cuda cuda, Tile const&) {
      most = std::max(most, ++given - done);
      fake_cuda::launch(cuda.stream, [&] { ++done; });
    });
    EXPECT_EQ(most, streams);
    EXPECT_EQ(done, 20);
  }
  fake_cuda::put_off(false);
  EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{});
}

}  // namespace
