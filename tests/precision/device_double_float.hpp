// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/executor.hpp"
#include "precision/double_float_functions.hpp"
#include "precision/double_float_kernels.hpp"
#include "precision/kernels.hpp"

namespace precision_test {

void run(ulpine::Cuda cuda, Evaluation<ulpine::DoubleFloat> evaluation);
void run(ulpine::Cuda cuda, std::int64_t count, OperationKernel kernel);

/// Adds value[i] to sum[i % sum.size()] atomically.
void add_atomically(ulpine::Cuda cuda, ulpine::View<ulpine::DoubleFloat const> value,
                    ulpine::View<ulpine::DoubleFloat> sum);

}  // namespace precision_test
