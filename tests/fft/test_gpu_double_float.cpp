// SPDX-License-Identifier: Apache-2.0
// Transforms of numbers of two floats on a device.
#include <gtest/gtest.h>

#include <string>

#include "fft/pieces.hpp"
#include "fft/transforms.hpp"
// The arithmetic of 113 bits comes first.
#include "core/exec/memory.hpp"
#include "core/fft/portable_cuda.hpp"
#include "support/device_test.hpp"
#include "support/pair_bits.hpp"

namespace {

using namespace fft_test;
using test::bits_of;

/// Where the values of a test are that runs on a device.
struct OnDevice {
  Cuda cuda;
  struct Values {
    Array<DoubleFloat, Cuda> values;
    DoubleFloat* data() { return values.view().data(); }
    std::vector<DoubleFloat> read() const {
      std::vector<DoubleFloat> read(static_cast<std::size_t>(values.size()));
      values.to_host(read.data());
      return read;
    }
  };
  Values operator()(std::vector<DoubleFloat> const& values) const {
    Array<DoubleFloat, Cuda> array(cuda, static_cast<std::int64_t>(values.size()));
    array.from_host(values.data());
    return {std::move(array)};
  }
};

class PairTransformOnDevice : public test::DeviceTest {
 protected:
  /// Random reals; the padding is 0.
  static std::vector<DoubleFloat> random_planes(Shape shape, std::uint64_t seed) {
    auto x = test::random_pairs(shape.values(), seed);
    for (std::int32_t k = 0; k < shape.planes; ++k) {
      for (std::int32_t y = 0; y < shape.ny; ++y) {
        for (auto i = shape.nx; i < 2 * shape.pairs(); ++i) x[shape.at(k, y, i)] = 0;
      }
    }
    return x;
  }

  /// The host's bits, forward and back, with values behind the planes left alone.
  void expect_host_bits(Shape shape, fft::DeviceSchedule schedule = {}) const {
    auto const x = random_planes(shape, 29);
    auto const there = forward(Host{2}, shape, x), back = inverse(Host{2}, shape, there);
    auto const transform =
        fft::make_portable_transform<DoubleFloat>(cuda, shape.planes, shape.ny, shape.nx, schedule);
    auto guarded = x;
    guarded.resize(x.size() + 64, 77);
    auto planes = upload(guarded);
    auto const expect = [&](std::vector<DoubleFloat> expected, char const* direction) {
      expected.resize(guarded.size(), 77);
      EXPECT_TRUE(bits_of(download(planes)) == bits_of(expected))
          << shape.planes << " x " << shape.ny << " x " << shape.nx << direction;
    };
    transform->forward(planes.view().data());
    expect(there, ", forward");
    transform->inverse(planes.view().data());
    expect(back, ", inverse");
  }
};

TEST_F(PairTransformOnDevice, HasTheHostsBitsForRowsOfEverySize) {
  for (auto const n : sizes()) expect_host_bits({2, 3, n});
}

TEST_F(PairTransformOnDevice, HasTheHostsBitsForColumnsOfEverySize) {
  for (auto const n : sizes()) expect_host_bits({2, n, 20});
}

TEST_F(PairTransformOnDevice, HasTheHostsBitsForMixedSizesAndAnyBlock) {
  for (int const block : {32, 96, 256}) {
    use_block(block);
    for (auto const& shape : {Shape{3, 64, 48}, {2, 343, 360}, {1, 625, 1000}, {2, 49, 77}, {40, 128, 128}}) {
      expect_host_bits(shape);
    }
  }
}

/// One line a block, and lines that no block's memory holds; few planes at once.
TEST_F(PairTransformOnDevice, HasTheHostsBitsForAnyMemory) {
  for (std::int64_t const bytes : {40000, 5000, 16}) {
    for (auto const& shape : {Shape{2, 60, 64}, {2, 49, 77}, {1, 256, 512}, {3, 7, 6}, {2, 13, 22}}) {
      expect_host_bits(shape, {.shared_bytes = bytes, .cached_bytes = bytes});
    }
  }
  expect_host_bits({1, 4, 40000});
  expect_host_bits({1, 20000, 4});
}

TEST_F(PairTransformOnDevice, LeavesWavenumbersOfRowsInPiecesAndTakesThemFromThere) {
  std::uint64_t seed = 11;
  auto const make = [this](RowsOfLevels const& of) {
    return make_portable_rows_in_pieces<DoubleFloat>(cuda, of);
  };
  for (auto const n : {1, 2, 15, 30, 49, 97, 256, 1024}) {
    expect_pieces<DoubleFloat, Exact>(3, 5, n, ++seed, make, OnDevice{cuda});
  }
}

TEST_F(PairTransformOnDevice, HasTheHostsBitsLineByLine) {
  for (Shape const shape : {Shape{3, 18, 40}, Shape{2, 96, 31}, Shape{2, 53, 128}}) {
    auto const x = random_planes(shape, 31);
    auto const there = forward(Host{2}, shape, x), back = inverse(Host{2}, shape, there);
    auto const made = [&](std::int32_t nx, PlaneLines lines) {
      return make_portable_transform<DoubleFloat>(cuda, shape.planes, shape.ny, nx, lines);
    };
    auto const rows = made(shape.nx, PlaneLines::rows), columns = made(shape.pairs(), PlaneLines::columns);
    auto planes = upload(x);
    rows->forward(planes.view().data());
    columns->forward(planes.view().data());
    EXPECT_TRUE(bits_of(download(planes)) == bits_of(there));
    columns->inverse(planes.view().data());
    rows->inverse(planes.view().data());
    EXPECT_TRUE(bits_of(download(planes)) == bits_of(back));

    auto expected = x;
    make_portable_transform<DoubleFloat>(Host{2}, shape.planes, shape.ny, shape.pairs(),
                                         PlaneLines::columns_of_rows_together)
        ->forward(expected.data());
    planes = upload(x);
    made(shape.pairs(), PlaneLines::columns_of_rows_together)->forward(planes.view().data());
    EXPECT_TRUE(bits_of(download(planes)) == bits_of(expected));
  }
}

}  // namespace
