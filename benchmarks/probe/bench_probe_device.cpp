// SPDX-License-Identifier: Apache-2.0
// The probe on a GPU: hashing arrays of 1 GiB by turns with a copy of the same bytes (read and written once
// each), medians of 25 by events, and the time that a call keeps the model's thread. Arrays are larger than
// the L2 cache.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "probe/source/device.hpp"
#include "probe/source/hash.hpp"

namespace {

using namespace ulpine::probe;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

constexpr int turns = 25;
constexpr std::int64_t bytes = std::int64_t{1} << 30;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + turns / 2, values.end());
  return values[turns / 2];
}

struct Field {
  char const* name;
  Part part;
  double read;  ///< bytes that the hash has to read
};

ulpine_array array(void* data, int type, std::vector<std::int64_t> const& extent,
                   std::vector<std::int64_t> const& stride) {
  ulpine_array array{};
  array.data = data;
  array.type = type;
  array.rank = static_cast<int>(extent.size());
  array.flags = ULPINE_DEVICE;
  std::copy(extent.begin(), extent.end(), array.extent);
  std::copy(stride.begin(), stride.end(), array.stride);
  return array;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no GPU");
    return 77;
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  void *data = nullptr, *other = nullptr;
  check(cudaMalloc(&data, bytes));
  check(cudaMalloc(&other, bytes));
  check(cudaMemset(data, 0x3f, bytes));
  constexpr std::int64_t n = 512;  // 512^3 doubles are 1 GiB
  std::vector<Field> const fields = {
      {"float64, dense", part_of("x", 1, array(data, ULPINE_F64, {n, n, n}, {})), 0x1p30},
      {"float32, dense", part_of("x", 1, array(data, ULPINE_F32, {2 * n, n, n}, {})), 0x1p30},
      {"float64, without a halo of 2",
       part_of("x", 1, array(data, ULPINE_F64, {n - 4, n - 4, n - 4}, {8 * n * n, 8 * n, 8})),
       8.0 * (n - 4) * (n - 4) * (n - 4)},
      {"int32, dense", part_of("x", 1, array(data, ULPINE_I32, {2 * n, n, n}, {})), 0x1p30}};
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::printf("%s\n", properties.name);
  for (auto const& field : fields) {
    BlockSums const sums(field.part.whole_count());
    std::vector<double> hashing, copying, calling;
    for (int turn = 0; turn < turns + 2; ++turn) {
      float milliseconds = 0;
      check(cudaEventRecord(begin));
      check(cudaMemcpyAsync(other, data, bytes, cudaMemcpyDeviceToDevice));
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      check(cudaEventElapsedTime(&milliseconds, begin, end));
      if (turn >= 2) copying.push_back(1e-3 * static_cast<double>(milliseconds));
      check(cudaEventRecord(begin));
      auto const before = std::chrono::steady_clock::now();
      auto hash = hash_on_device(field.part, sums.shift(), static_cast<int>(sums.blocks()));
      auto const after = std::chrono::steady_clock::now();
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      check(cudaEventElapsedTime(&milliseconds, begin, end));
      std::vector<std::uint64_t> blocks(static_cast<std::size_t>(sums.blocks()));
      hash.wait(blocks);
      if (turn < 2) continue;
      hashing.push_back(1e-3 * static_cast<double>(milliseconds));
      calling.push_back(std::chrono::duration<double>(after - before).count());
    }
    auto const copy = 2.0 * static_cast<double>(bytes) / median(copying), hash = field.read / median(hashing);
    std::printf("%-30s hash %6.0f GB/s, copy %6.0f GB/s (read and written), ratio %.2f, call %.1f us\n",
                field.name, 1e-9 * hash, 1e-9 * copy, hash / copy, 1e6 * median(calling));
  }
  return 0;
}
