// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The one place for facts about processors and GPUs.
namespace ulpine {

/// EnvironmentError where the processor lacks the instructions (FMA, AVX2, BMI2) that this build uses without
/// asking. To be called first in main().
void host_cpu_check();

/// Whether code built for `architectures` (as build::cuda_architectures: CMAKE_CUDA_ARCHITECTURES joined by
/// commas) runs on a device of compute capability `capability` (90 for 9.0).
bool runs_on(std::string_view architectures, int capability);

/// A GPU as seen now.
struct Device {
  int ordinal = 0;
  std::string name;
  int compute_capability = 0;  ///< 90 for 9.0
  std::int64_t memory_bytes = 0;
  int multiprocessors = 0;
  bool supported = false;  ///< this build holds code for it
};

/// In the order of their ordinals; empty without CUDA in the build, without driver or device.
std::vector<Device> devices();
/// CUDA driver version as "13.0"; empty without.
std::string driver_version();

/// The ordinal of "cuda" (0) or "cuda:N"; -1 for "cpu". InputError otherwise.
int device_ordinal(std::string const& device);

/// GPU `ordinal`. EnvironmentError, saying what to do, unless it is there and this build holds code for it.
Device require_device(int ordinal);

/// Median rate of a copy within the memory of GPU `ordinal`, bytes read and written per s; 0 for a negative
/// ordinal and in a build without CUDA. Measured once in a process for each device.
double copy_bandwidth(int ordinal);

}  // namespace ulpine
