// SPDX-License-Identifier: Apache-2.0
#include "core/devices.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/model.hpp"
#include "io/error.hpp"
#include "ulpine_version.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>

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

bool runs_on(std::string const& architectures, int compute_capability) {
  std::size_t begin = 0;
  while (begin < architectures.size()) {
    auto const end = std::min(architectures.find(',', begin), architectures.size());
    auto const entry = architectures.substr(begin, end - begin);
    begin = end + 1;
    auto built = 0;
    auto const [rest, error] = std::from_chars(entry.data(), entry.data() + entry.size(), built);
    if (error != std::errc{}) {
      continue;
    }
    std::string_view const suffix(rest, static_cast<std::size_t>(entry.data() + entry.size() - rest));
    auto const binary = !suffix.ends_with("-virtual");
    auto const ptx = !suffix.ends_with("-real");
    auto const same_generation = built / 10 == compute_capability / 10 && compute_capability >= built;
    if (suffix.starts_with('a')) {  // features of one architecture only
      if (built == compute_capability) return true;
    } else if (suffix.starts_with('f')) {  // features of one generation only
      if (same_generation) return true;
    } else if ((binary && same_generation) || (ptx && compute_capability >= built)) {
      return true;
    }
  }
  return false;
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

namespace {

double measure_copy_bandwidth(int ordinal) {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  constexpr int copies = 8;
  auto previous = 0;
  check_cuda(cudaGetDevice(&previous), "asking for the device");
  check_cuda(cudaSetDevice(ordinal), "choosing the device");
  void *source = nullptr, *target = nullptr;
  cudaEvent_t begin{}, end{};
  auto milliseconds = 0.0F;
  auto const enough = cudaMalloc(&source, bytes) == cudaSuccess && cudaMalloc(&target, bytes) == cudaSuccess;
  if (enough) {
    check_cuda(cudaEventCreate(&begin), "creating an event");
    check_cuda(cudaEventCreate(&end), "creating an event");
    auto const copy = [&] {
      check_cuda(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, nullptr),
                 "copy on the GPU");
    };
    copy();
    check_cuda(cudaEventRecord(begin), "timing");
    for (int i = 0; i < copies; ++i) copy();
    check_cuda(cudaEventRecord(end), "timing");
    check_cuda(cudaEventSynchronize(end), "timing");
    check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "timing");
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  } else {
    cudaGetLastError();
  }
  cudaFree(target);
  cudaFree(source);
  check_cuda(cudaSetDevice(previous), "choosing the device");
  return milliseconds > 0
             ? 2.0 * static_cast<double>(bytes) * copies / (1e-3 * static_cast<double>(milliseconds))
             : 0;
}

}  // namespace

double copy_bandwidth(int ordinal) {
  static std::mutex mutex;
  static std::map<int, double> measured;
  if (ordinal < 0) {
    return 0;
  }
  std::lock_guard const lock(mutex);
  if (auto const known = measured.find(ordinal); known != measured.end()) {
    return known->second;
  }
  return measured[ordinal] = measure_copy_bandwidth(ordinal);
}

#else

std::vector<DeviceInfo> devices() { return {}; }
std::string driver_version() { return {}; }
double copy_bandwidth(int /*ordinal*/) { return 0; }

#endif

}  // namespace ulpine
