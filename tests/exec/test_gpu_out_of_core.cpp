// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "exec/gpu_kernels.hpp"
#include "exec/two_kernels.hpp"
#include "io/error.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;
using exec_test::same_bits, exec_test::tiling_of, exec_test::TwoKernels;

class OutOfCoreOnDevice : public test::DeviceTest {
 protected:
  template <class T>
  void expect_as_at_once_on_the_host(TwoKernels<T> tiled, Tiling const& tiling, std::string const& what) {
    auto whole = tiled;
    OutOfCore<Cuda> run(cuda, tiled.arrays(), tiling);
    for (int step = 0; step < 3; ++step) {
      whole.at_once();
      run.run(tiled.kernel([](Cuda stream, Extent3 extent, auto const& kernel) {
        exec_test::launch(stream, extent, kernel);
      }));
      EXPECT_TRUE(same_bits(tiled.smooth, whole.smooth)) << what << ", step " << step;
      EXPECT_TRUE(same_bits(tiled.state, whole.state)) << what << ", step " << step;
    }
    EXPECT_LE(run.executor_bytes(), tiling.memory) << what;
  }
};

TEST_F(OutOfCoreOnDevice, TilesHaveTheBitsOfTheHost) {
  test::RandomValues random(7);
  for (int const streams : {1, 2, 4}) {
    for (auto const transfers : {Transfers::staged, Transfers::in_place}) {
      for (auto const& [outer, length, inner] : {Extent3{1, 301, 257}, {33, 64, 100}, {40, 100, 1}}) {
        for (std::int64_t const positions : {0, 2, 7, 1000}) {
          auto tiling = tiling_of(length, positions, streams, transfers);
          tiling.threads = 2;
          auto const what = std::to_string(streams) + " streams, " + std::to_string(outer) + " x " +
                            std::to_string(length) + " x " + std::to_string(inner) + ", tiles of " +
                            std::to_string(positions);
          expect_as_at_once_on_the_host(TwoKernels<double>(random, outer, length, inner), tiling, what);
          expect_as_at_once_on_the_host(TwoKernels<float>(random, outer, length, inner), tiling, what);
        }
      }
    }
  }
}

TEST_F(OutOfCoreOnDevice, TinyMemoryIsEnough) {
  test::RandomValues random(8);
  for (int const streams : {1, 2, 4}) {
    TwoKernels<float> const kernels(random, 5, 400, 64);
    auto tiling = tiling_of(400, 0, streams);
    // Tiles of two positions: 2 + 6 + 2 + 3 slabs of four arrays that begin at multiples of 256 bytes.
    tiling.memory = streams * 13 * 5 * 64 * std::int64_t{sizeof(float)};
    expect_as_at_once_on_the_host(kernels, tiling, std::to_string(streams) + " streams");
    --tiling.memory;
    EXPECT_THROW(TilePlan(TwoKernels<float>(kernels).arrays(), tiling), InputError);
  }
}

TEST_F(OutOfCoreOnDevice, MemoryIsGivenBack) {
  test::RandomValues random(9);
  TwoKernels<double> kernels(random, 1, 64, 1 << 16);
  auto tiling = tiling_of(64, 16, 2);
  auto const before = free_device_memory(cuda.ordinal);
  for (int n = 0; n < 20; ++n) {
    OutOfCore<Cuda> run(cuda, kernels.arrays(), tiling);
    EXPECT_THROW(run.run([](Cuda, Tile const& tile) {
      if (tile.begin == 32) throw InputError("planted");
    }),
                 InputError);
  }
  // Streams keep a little; twenty times two slots would be 1.4 GB.
  EXPECT_GT(free_device_memory(cuda.ordinal), before - (std::int64_t{256} << 20));
}

}  // namespace
