// SPDX-License-Identifier: Apache-2.0
#include "cub_sum.hpp"

#include <cub/device/device_reduce.cuh>

int cub_sum(ulpine::Cuda cuda, void* scratch, std::size_t& scratch_bytes, double const* x, double* sum,
            std::int64_t count) {
  return cub::DeviceReduce::Sum(scratch, scratch_bytes, x, sum, count, cuda.stream);
}
int cub_sum(ulpine::Cuda cuda, void* scratch, std::size_t& scratch_bytes, float const* x, float* sum,
            std::int64_t count) {
  return cub::DeviceReduce::Sum(scratch, scratch_bytes, x, sum, count, cuda.stream);
}
