// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "fft/pieces.hpp"
#include "fft/transforms.hpp"
// The arithmetic of 113 bits comes first.
#include "core/exec/memory.hpp"
#include "core/fft/portable_cuda.hpp"
#include "support/device_test.hpp"

namespace {

using namespace fft_test;

/// Where the values of a test are that runs on a device.
struct OnDevice {
  Cuda cuda;
  template <class T>
  struct Values {
    Array<T, Cuda> values;
    T* data() { return values.view().data(); }
    std::vector<T> read() const {
      std::vector<T> read(static_cast<std::size_t>(values.size()));
      values.to_host(read.data());
      return read;
    }
  };
  template <class T>
  Values<T> operator()(std::vector<T> const& values) const {
    Array<T, Cuda> array(cuda, static_cast<std::int64_t>(values.size()));
    array.from_host(values.data());
    return {std::move(array)};
  }
};

class TransformOnDevice : public test::DeviceTest {
 protected:
  /// The host's bits, forward and back, with values behind the planes left alone.
  template <class T, class Format>
  void expect_host_bits(Shape shape, fft::DeviceSchedule schedule = {}) const {
    auto x = random_planes<T>(shape, 29);
    // Neither direction scales, and infinities would become NaNs, whose bits differ between machines.
    T const scale = T(std::ldexp(1, -std::ilogb(double(shape.nx) * shape.ny)));
    for (auto& value : x) value *= scale;
    auto const there = forward<T, Format>(Host{2}, shape, x);
    auto const back = inverse<T, Format>(Host{2}, shape, there);
    for (T const value : back) ASSERT_TRUE(std::isfinite(value));
    auto const transform =
        fft::make_portable_transform<T, Format>(cuda, shape.planes, shape.ny, shape.nx, schedule);
    auto guarded = x;
    guarded.resize(x.size() + 64, T(77));
    auto planes = upload(guarded);
    auto const name = std::to_string(shape.planes) + " x " + std::to_string(shape.ny) + " x " +
                      std::to_string(shape.nx) + ", " + Format::name + ", " + std::to_string(sizeof(T)) +
                      " bytes";
    auto const expect = [&](std::vector<T> const& expected, char const* direction) {
      auto const result = download(planes);
      EXPECT_EQ(std::memcmp(result.data(), expected.data(), expected.size() * sizeof(T)), 0)
          << name << direction;
      for (auto i = x.size(); i < result.size(); ++i) EXPECT_EQ(result[i], T(77)) << name << direction;
    };
    transform->forward(planes.view().data());
    expect(there, ", forward");
    transform->inverse(planes.view().data());
    expect(back, ", inverse");
  }
  void expect_host_bits_in_all_types(Shape shape, fft::DeviceSchedule schedule = {}) const {
    expect_host_bits<double, Exact>(shape, schedule);
    expect_host_bits<float, Exact>(shape, schedule);
    expect_host_bits<float, Tf32>(shape, schedule);
    expect_host_bits<float, Bfloat16>(shape, schedule);
    expect_host_bits<float, Binary16>(shape, schedule);
  }
};

TEST_F(TransformOnDevice, HasTheHostsBitsForRowsOfEverySize) {
  for (auto const n : sizes()) expect_host_bits_in_all_types({2, 3, n});
}

TEST_F(TransformOnDevice, HasTheHostsBitsForColumnsOfEverySize) {
  for (auto const n : sizes()) expect_host_bits_in_all_types({2, n, 20});
}

TEST_F(TransformOnDevice, HasTheHostsBitsForMixedSizes) {
  for (auto const& shape : {Shape{3, 64, 48},
                            {2, 343, 360},
                            {2, 97, 100},
                            {5, 121, 105},
                            {1, 625, 1000},
                            {1, 1024, 243},
                            {2, 169, 2048},
                            {40, 512, 512},
                            {200, 2, 2}}) {
    expect_host_bits_in_all_types(shape);
  }
}

TEST_F(TransformOnDevice, HasTheHostsBitsForAnyBlock) {
  for (int const block : {32, 64, 96, 128, 256}) {
    use_block(block);
    for (auto const& shape : {Shape{2, 60, 64}, {2, 49, 77}, {1, 256, 512}, {2, 7, 6}}) {
      expect_host_bits<double, Exact>(shape);
      expect_host_bits<float, Exact>(shape);
    }
  }
}

/// One line a block, and lines that no block's memory holds.
TEST_F(TransformOnDevice, HasTheHostsBitsForAnySharedMemory) {
  for (std::int64_t const bytes : {40000, 5000, 16}) {
    for (auto const& shape : {Shape{2, 60, 64}, {2, 49, 77}, {1, 256, 512}, {3, 7, 6}, {2, 13, 22}}) {
      expect_host_bits_in_all_types(shape, {.shared_bytes = bytes});
    }
  }
  expect_host_bits<double, Exact>({1, 4, 40000});
  expect_host_bits<double, Exact>({1, 20000, 4});
}

TEST_F(TransformOnDevice, HasTheHostsBitsForAnyPlanesAtOnce) {
  for (std::int64_t const bytes : {1, 30000, 100000}) {
    expect_host_bits<double, Exact>({7, 30, 28}, {.cached_bytes = bytes});
  }
}

TEST_F(TransformOnDevice, LeavesWavenumbersOfRowsInPiecesAndTakesThemFromThere) {
  std::uint64_t seed = 11;
  auto const expect = [&]<class T, class Format>(T, Format, std::int32_t levels, std::int32_t rows,
                                                 std::int32_t nx) {
    auto const make = [this](RowsOfLevels const& of) {
      return make_portable_rows_in_pieces<T, Format>(cuda, of);
    };
    expect_pieces<T, Format>(levels, rows, nx, ++seed, make, OnDevice{cuda});
  };
  for (auto const n : sizes()) expect(double(), Exact(), 3, 5, n);
  for (auto const n : {30, 49, 256}) {
    expect(float(), Exact(), 2, 7, n);
    expect(float(), Tf32(), 2, 7, n);
    expect(float(), Bfloat16(), 2, 7, n);
    expect(float(), Binary16(), 2, 7, n);
  }
  expect(double(), Exact(), 24, 100, 1024);
  // No block's memory holds such a row.
  EXPECT_EQ(make_portable_rows_in_pieces<double>(cuda, {1, 1, 40000, 40002, 40002}), nullptr);
}

/// Rows of a slab, then columns of other planes' wavenumbers: one after the other they are the whole.
TEST_F(TransformOnDevice, HasTheHostsBitsLineByLine) {
  for (Shape const shape : {Shape{3, 18, 40}, Shape{2, 96, 31}, Shape{2, 53, 128}}) {
    auto const x = random_planes<double>(shape, 31);
    auto const there = forward(Host{2}, shape, x), back = inverse(Host{2}, shape, there);
    auto const rows =
        make_portable_transform<double>(cuda, shape.planes, shape.ny, shape.nx, PlaneLines::rows);
    auto const columns =
        make_portable_transform<double>(cuda, shape.planes, shape.ny, shape.pairs(), PlaneLines::columns);
    auto planes = upload(x);
    rows->forward(planes.view().data());
    columns->forward(planes.view().data());
    EXPECT_EQ(download(planes), there);
    columns->inverse(planes.view().data());
    rows->inverse(planes.view().data());
    EXPECT_EQ(download(planes), back);

    auto const together = [&](auto const& where) {
      return make_portable_transform<double>(where, shape.planes, shape.ny, shape.pairs(),
                                             PlaneLines::columns_of_rows_together);
    };
    auto expected = x;
    together(Host{2})->forward(expected.data());
    planes = upload(x);
    together(cuda)->forward(planes.view().data());
    EXPECT_EQ(download(planes), expected);

    auto const library_rows =
        make_vendor_transform<double>(cuda, shape.planes, shape.ny, shape.nx, PlaneLines::rows);
    auto const library_columns =
        make_vendor_transform<double>(cuda, shape.planes, shape.ny, shape.pairs(), PlaneLines::columns);
    auto others = upload(x);
    library_rows->forward(others.view().data());
    library_columns->forward(others.view().data());
    auto const found = download(others);
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      error += (found[i] - there[i]) * (found[i] - there[i]);
      norm += there[i] * there[i];
    }
    // As in test_accuracy.cpp, for two transforms.
    EXPECT_LT(std::sqrt(error / norm), 0x1p-53 * 2 * 60 * std::log2(2.0 * shape.nx * shape.ny));
  }
}
/// A transform with little shared memory leaves one with much able to run.
TEST_F(TransformOnDevice, LeavesOthersTheirSharedMemory) {
  Shape const shape{1, 2048, 8};
  auto const x = random_planes<double>(shape, 31);
  auto const first = make_portable_transform<double>(cuda, 1, shape.ny, shape.nx);
  auto const second = fft::make_portable_transform<double>(cuda, 1, 4, 4, {.shared_bytes = 1000});
  auto planes = upload(x);
  first->forward(planes.view().data());
  EXPECT_EQ(download(planes), forward(Host{1}, shape, x));
}

TEST_F(TransformOnDevice, CanBeRecordedAndAllocatesOnlyWhenMade) {
  Shape const shape{3, 44, 60};
  auto const x = random_planes<double>(shape, 37);
  auto const transform = make_portable_transform<double>(cuda, shape.planes, shape.ny, shape.nx);
  EXPECT_GT(transform->work_bytes(), 0);
  auto planes = upload(x);
  auto const expected = forward(Host{1}, shape, x);
  auto const before = allocations();
  cudaGraph_t graph;
  cudaGraphExec_t recorded;
  check_cuda(cudaStreamBeginCapture(cuda.stream, cudaStreamCaptureModeThreadLocal), "recording");
  transform->forward(planes.view().data());
  check_cuda(cudaStreamEndCapture(cuda.stream, &graph), "recording");
  check_cuda(cudaGraphInstantiate(&recorded, graph, 0), "recording");
  EXPECT_EQ(download(planes), x);
  check_cuda(cudaGraphLaunch(recorded, cuda.stream), "recording");
  EXPECT_EQ(download(planes), expected);
  EXPECT_EQ(allocations(), before);
  check_cuda(cudaGraphExecDestroy(recorded), "recording");
  check_cuda(cudaGraphDestroy(graph), "recording");
}

/// cuFFT's error is of the order of ours (test_accuracy.cpp): 8 u log2(n) for the whole plane, twice.
template <class T>
void expect_near(Shape shape, std::vector<T> const& result, std::vector<T> const& expected,
                 std::int32_t values) {
  double error = 0, norm = 0;
  for (std::int32_t k = 0; k < shape.planes; ++k) {
    for (std::int32_t y = 0; y < shape.ny; ++y) {
      for (std::int32_t i = 0; i < values; ++i) {
        auto const at = shape.at(k, y, i);
        error += std::pow(double(result[at]) - double(expected[at]), 2);
        norm += std::pow(double(expected[at]), 2);
      }
    }
  }
  auto const unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  EXPECT_LE(std::sqrt(error / norm), 2 * 8 * unit * std::log2(double(shape.nx) * shape.ny));
}

template <class T>
void expect_vendor(Cuda cuda, Shape shape) {
  auto const x = random_planes<T>(shape, 41);
  auto host = x;
  auto const on_host = make_vendor_transform<T>(Host{1}, shape.planes, shape.ny, shape.nx);
  auto const on_device = make_vendor_transform<T>(cuda, shape.planes, shape.ny, shape.nx);
  Array<T, Cuda> planes(cuda, std::int64_t(x.size()));
  planes.from_host(x.data());
  std::vector<T> result(x.size());
  on_host->forward(host.data());
  on_device->forward(planes.view().data());
  planes.to_host(result.data());
  expect_near(shape, result, host, 2 * shape.pairs());
  planes.from_host(host.data());
  on_host->inverse(host.data());
  on_device->inverse(planes.view().data());
  planes.to_host(result.data());
  expect_near(shape, result, host, shape.nx);
}

TEST_F(TransformOnDevice, OfTheLibraryIsThatOfFftw) {
  for (auto const& shape : {Shape{3, 64, 64}, {4, 45, 30}, {2, 100, 243}}) {
    expect_vendor<float>(cuda, shape);
    expect_vendor<double>(cuda, shape);
  }
}

/// Large primes need one.
TEST_F(TransformOnDevice, OfTheLibraryTellsItsWorkArea) {
  auto const before = free_device_memory(cuda.ordinal);
  auto const transform = make_vendor_transform<double>(cuda, 64, 1009, 1013);
  EXPECT_GT(transform->work_bytes(), 0);
  // The libraries' own tables and code besides.
  EXPECT_LE(transform->work_bytes(), before - free_device_memory(cuda.ordinal));
}

}  // namespace
