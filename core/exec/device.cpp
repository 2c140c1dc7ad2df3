// SPDX-License-Identifier: Apache-2.0
#include "core/exec/device.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "io/error.hpp"
#include "ulpine_version.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <map>
#include <mutex>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#endif

namespace ulpine {

void host_cpu_check() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) {
    throw EnvironmentError(
        "this processor cannot run this program (it lacks FMA, AVX2 or BMI2 instructions) use an x86-64-v3 "
        "processor: Intel "
        "since 2013, AMD since 2015");
  }
#endif
}

bool runs_on(std::string_view architectures, int capability) {
  while (!architectures.empty()) {
    auto const comma = std::min(architectures.find(','), architectures.size());
    auto const entry = architectures.substr(0, comma);
    architectures.remove_prefix(std::min(comma + 1, architectures.size()));
    int built = 0;
    auto const [rest, error] = std::from_chars(entry.data(), entry.data() + entry.size(), built);
    if (error != std::errc{}) {
      return true;  // native, all, all-major: the build knew the machine or left nothing out
    }
    std::string_view const kind(rest, static_cast<std::size_t>(entry.data() + entry.size() - rest));
    bool const specific = kind.starts_with('a') || kind.starts_with('f');
    bool const binary = !kind.ends_with("-virtual");  // runs on its own generation
    bool const portable = !kind.ends_with("-real");   // is translated for newer ones by the driver
    if (capability == built ||
        (!specific && capability > built && (portable || (binary && capability / 10 == built / 10)))) {
      return true;
    }
  }
  return false;
}

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

Device require_device(int ordinal) {
  auto const found = devices();
  if (std::string{build::cuda_architectures}.empty()) {
    throw EnvironmentError(
        "no GPU support (this build has no CUDA) build with -DULPINE_CUDA=ON or use --device cpu");
  }
  if (found.empty()) {
    throw EnvironmentError("no GPU found (no device or no driver) check nvidia-smi or use --device cpu");
  }
  if (ordinal < 0 || ordinal >= static_cast<int>(found.size())) {
    throw EnvironmentError("no GPU " + std::to_string(ordinal) + " (" + std::to_string(found.size()) +
                           " found, counted from 0) see `ulpine info` for the devices");
  }
  auto const& device = found[static_cast<std::size_t>(ordinal)];
  if (!device.supported) {
    auto const capability = std::to_string(device.compute_capability);
    throw EnvironmentError("GPU " + std::to_string(ordinal) + " cannot run this build (" + device.name +
                           " has architecture " + capability + ", the build holds " +
                           build::cuda_architectures +
                           ") build with -DCMAKE_CUDA_ARCHITECTURES=" + capability);
  }
  return device;
}

#if defined(ULPINE_HAS_CUDA)

std::vector<Device> devices() {
  // Streams that share a connection to the device wait for one another: as many as there can be, where
  // nobody says otherwise. CUDA reads it when it starts.
  [[maybe_unused]] static int const asked = setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  auto count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver or no device: an answer, not an error that later calls should see
    return {};
  }
  std::vector<Device> found;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, ordinal), "asking for the device's properties");
    auto const capability = 10 * properties.major + properties.minor;
    found.push_back({ordinal, properties.name, capability,
                     static_cast<std::int64_t>(properties.totalGlobalMem), properties.multiProcessorCount,
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
  constexpr std::int64_t largest = std::int64_t{1} << 29;
  constexpr std::size_t repetitions = 15;
  Stream const stream(ordinal);
  auto const cuda = stream.executor();
  auto const bytes = std::min(largest, free_device_memory(ordinal) / 4);
  Array<std::byte, Cuda> source(cuda, bytes), target(cuda, bytes);
  std::vector<Event> events;
  for (std::size_t i = 0; i <= repetitions; ++i) {
    events.emplace_back(cuda, Event::Timed::yes);
  }
  target.copy_from(source);  // warms up
  events.front().record(cuda);
  for (std::size_t i = 1; i < events.size(); ++i) {
    target.copy_from(source);
    events[i].record(cuda);
  }
  events.back().wait();
  std::array<double, repetitions> seconds;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    seconds[i] = seconds_between(events[i], events[i + 1]);
  }
  auto* const median = seconds.begin() + repetitions / 2;
  std::nth_element(seconds.begin(), median, seconds.end());
  return 2 * static_cast<double>(bytes) / *median;
}

}  // namespace

double copy_bandwidth(int ordinal) {
  static std::mutex mutex;
  static std::map<int, double> measured;
  if (ordinal < 0) {
    return 0;
  }
  std::lock_guard const lock(mutex);
  auto const known = measured.find(ordinal);
  return known != measured.end() ? known->second
                                 : measured.emplace(ordinal, measure_copy_bandwidth(ordinal)).first->second;
}

#else

std::vector<Device> devices() { return {}; }
std::string driver_version() { return {}; }
double copy_bandwidth(int /*ordinal*/) { return 0; }

#endif

}  // namespace ulpine
