// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_kernels.hpp"

#include "core/exec/cuda.cuh"
#include "exec/kernels.hpp"

namespace exec_test {

void visit(ulpine::Cuda cuda, ulpine::View<int> visits) {
  ulpine::for_each(cuda, visits.size(), Visit{visits, 0});
}

void visit(ulpine::Cuda cuda, ulpine::Extent2 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, Visit{visits, extent.nx});
}

void logistic(ulpine::Cuda cuda, double a, ulpine::View<double> x) {
  ulpine::for_each(cuda, x.size(), Logistic{a, x});
}

}  // namespace exec_test
