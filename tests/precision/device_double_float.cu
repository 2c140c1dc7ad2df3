// SPDX-License-Identifier: Apache-2.0
#include "precision/device_double_float.hpp"

#include "core/exec/cuda.cuh"

namespace precision_test {

using namespace ulpine;

void run(Cuda cuda, Evaluation<DoubleFloat> evaluation) { for_each(cuda, evaluation.x.size(), evaluation); }
void run(Cuda cuda, std::int64_t count, OperationKernel kernel) { for_each(cuda, count, kernel); }
namespace {
struct DeviceAdder {
  View<DoubleFloat const> value;
  View<DoubleFloat> sum;
  __device__ void operator()(std::int64_t i) const { Cuda::atomic_add(sum[i % sum.size()], value[i]); }
};
}  // namespace
void add_atomically(Cuda cuda, View<DoubleFloat const> value, View<DoubleFloat> sum) {
  for_each(cuda, value.size(), DeviceAdder{value, sum});
}

}  // namespace precision_test
