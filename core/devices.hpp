// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine {

/// The ordinal of "cuda" (0) or "cuda:N"; -1 for "cpu". InputError otherwise.
int device_ordinal(std::string const& device);

/// Throws EnvironmentError, saying what to do, unless GPU `ordinal` is there and this build holds code for
/// it.
void require_device(int ordinal);

/// Whether code built for `architectures` (CMAKE_CUDA_ARCHITECTURES joined by commas, e.g. "80-real,90") runs
/// on a device of `compute_capability` (90 for 9.0): binary code within a generation, PTX on everything
/// newer.
bool runs_on(std::string const& architectures, int compute_capability);

/// Measured bandwidth of a copy within the memory of GPU `ordinal`, bytes read and written per s; 0 without a
/// GPU. Measured once in a process.
double copy_bandwidth(int ordinal);

}  // namespace ulpine
