// SPDX-License-Identifier: Apache-2.0
#include "core/devices.hpp"

#include <charconv>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/model/model.hpp"
#include "io/error.hpp"
#include "ulpine_version.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>

#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#endif

namespace ulpine {

int device_ordinal(std::string const& device) {
  if (device == "cpu") {
    return -1;
  }
  if (device == "cuda") {
    return 0;
  }
  constexpr std::string_view prefix = "cuda:";
  if (device.starts_with(prefix)) {
    auto ordinal = -1;
    auto const* const end = device.data() + device.size();
    auto const [rest, error] = std::from_chars(device.data() + prefix.size(), end, ordinal);
    if (error == std::errc{} && rest == end && ordinal >= 0) {
      return ordinal;
    }
  }
  throw InputError("unknown device '" + device +
                   "' (known are cpu, cuda and cuda:N) see `ulpine info` for the devices");
}

void require_device(int ordinal) {
  auto const found = devices();
  if (std::string{build::cuda_architectures}.empty()) {
    throw EnvironmentError(
        "no GPU support (this build has no CUDA) build with -DULPINE_CUDA=ON or use --device cpu");
  }
  if (found.empty()) {
    throw EnvironmentError("no GPU found (no device or no driver) check nvidia-smi or use --device cpu");
  }
  if (ordinal >= static_cast<int>(found.size())) {
    throw EnvironmentError("no GPU " + std::to_string(ordinal) + " (" + std::to_string(found.size()) +
                           " found) see `ulpine info` for the devices");
  }
  auto const& device = found[static_cast<std::size_t>(ordinal)];
  if (!device.supported) {
    auto const capability = std::to_string(device.compute_capability);
    throw EnvironmentError("GPU " + std::to_string(ordinal) + " cannot run this build (" + device.name +
                           " has architecture " + capability + ", the build holds " +
                           build::cuda_architectures +
                           ") build with -DCMAKE_CUDA_ARCHITECTURES=" + capability);
  }
}

#if defined(ULPINE_HAS_CUDA)

std::vector<DeviceInfo> devices() {
  auto count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver or no device: an answer, not an error that later calls should see
    return {};
  }
  std::vector<DeviceInfo> found;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, ordinal), "asking for the device's properties");
    auto const capability = 10 * properties.major + properties.minor;
    found.push_back({ordinal, properties.name, capability,
                     static_cast<std::int64_t>(properties.totalGlobalMem),
                     runs_on(build::cuda_architectures, capability)});
  }
  return found;
}

std::string driver_version() {
  auto version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0) {
    cudaGetLastError();
    return {};
  }
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

double copy_bandwidth(int ordinal) {
  static std::mutex mutex;
  if (ordinal < 0) {
    return 0;
  }
  std::lock_guard const lock(mutex);
  auto const cuda = make_cuda(ordinal);
  auto const bandwidth = device_copy_bandwidth(cuda);
  release_cuda(cuda);
  return bandwidth;
}

#else

std::vector<DeviceInfo> devices() { return {}; }
std::string driver_version() { return {}; }
double copy_bandwidth(int /*ordinal*/) { return 0; }

#endif

}  // namespace ulpine
