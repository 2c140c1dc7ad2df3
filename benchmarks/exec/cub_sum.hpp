// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/exec/executor.hpp"

/// cub::DeviceReduce::Sum as CUB defines it: with `scratch` null it sets `scratch_bytes`, else it sums.
/// Returns a CUDA status.
int cub_sum(ulpine::Cuda cuda, void* scratch, std::size_t& scratch_bytes, double const* x, double* sum,
            std::int64_t count);
int cub_sum(ulpine::Cuda cuda, void* scratch, std::size_t& scratch_bytes, float const* x, float* sum,
            std::int64_t count);
