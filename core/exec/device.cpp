// SPDX-License-Identifier: Apache-2.0
#include "core/exec/device.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <string>

#include "core/exec/memory.hpp"
#include "io/error.hpp"
#include "ulpine_version.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
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

#if defined(ULPINE_HAS_CUDA)

Cuda make_cuda(int ordinal, int block) {
  if (block < 32 || block > 256 || block % 32 != 0) {
    throw InputError("a block of " + std::to_string(block) +
                     " threads cannot be launched (a multiple of 32 from 32 to 256 is needed) use 256");
  }
  int count = 0;
  auto const status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    throw EnvironmentError(std::string("no GPU (") +
                           cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status) +
                           ") use --device cpu");
  }
  if (ordinal < 0 || ordinal >= count) {
    throw EnvironmentError("no GPU " + std::to_string(ordinal) + " (" + std::to_string(count) +
                           " found, counted from 0) use --device cuda:0");
  }
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, ordinal), "asking for the device");
  int const capability = 10 * properties.major + properties.minor;
  if (!runs_on(build::cuda_architectures, capability)) {
    throw EnvironmentError("GPU " + std::to_string(ordinal) + " cannot run this build (" + properties.name +
                           " has compute capability " + std::to_string(properties.major) + "." +
                           std::to_string(properties.minor) + ", built for " + build::cuda_architectures +
                           ") configure with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(capability));
  }
  check_cuda(cudaSetDevice(ordinal), "choosing the device");
  Cuda cuda{nullptr, block};
  check_cuda(cudaStreamCreateWithFlags(&cuda.stream, cudaStreamNonBlocking), "creating a stream");
  return cuda;
}

void release_cuda(Cuda cuda) noexcept { cudaStreamDestroy(cuda.stream); }

namespace {

double measure_copy_bandwidth(Cuda cuda) {
  constexpr std::int64_t largest = std::int64_t{1} << 29;
  constexpr int repetitions = 15;
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "asking for free memory");
  auto const bytes = std::min(largest, static_cast<std::int64_t>(free / 4));
  Array<std::byte, Cuda> source(cuda, bytes), target(cuda, bytes);
  std::array<cudaEvent_t, repetitions + 1> events;
  for (auto& event : events) {
    check_cuda(cudaEventCreate(&event), "creating an event");
  }
  target.copy_from(source);  // warms up
  check_cuda(cudaEventRecord(events[0], cuda.stream), "timing a copy");
  for (std::size_t i = 1; i < events.size(); ++i) {
    target.copy_from(source);
    check_cuda(cudaEventRecord(events[i], cuda.stream), "timing a copy");
  }
  check_cuda(cudaEventSynchronize(events.back()), "timing a copy");
  std::array<float, repetitions> milliseconds;
  for (std::size_t i = 0; i < milliseconds.size(); ++i) {
    check_cuda(cudaEventElapsedTime(&milliseconds[i], events[i], events[i + 1]), "timing a copy");
  }
  for (auto const event : events) {
    cudaEventDestroy(event);
  }
  auto* const median = milliseconds.begin() + repetitions / 2;
  std::nth_element(milliseconds.begin(), median, milliseconds.end());
  return 2e3 * static_cast<double>(bytes) / static_cast<double>(*median);
}

}  // namespace

double device_copy_bandwidth(Cuda cuda) {
  static double const bandwidth = measure_copy_bandwidth(cuda);
  return bandwidth;
}

PinnedBuffer::PinnedBuffer(std::int64_t bytes) : bytes_{bytes} {
  check_cuda(cudaEventCreateWithFlags(&arrived_, cudaEventDisableTiming), "creating an event");
  if (cudaMallocHost(&memory_, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))) != cudaSuccess) {
    cudaGetLastError();
    cudaEventDestroy(arrived_);
    throw EnvironmentError(
        "out of memory (" + std::to_string(bytes) +
        " bytes of page-locked memory asked for on the host) use a smaller grid or fewer jobs");
  }
}

PinnedBuffer::~PinnedBuffer() {
  cudaEventSynchronize(arrived_);  // a copy still under way would write to freed memory
  cudaFreeHost(memory_);
  cudaEventDestroy(arrived_);
}

void PinnedBuffer::wait() const { check_cuda(cudaEventSynchronize(arrived_), "copy from the GPU"); }

void copy_to_host_async(Cuda cuda, PinnedBuffer& target, void const* source, std::int64_t bytes) {
  assert(bytes <= target.bytes_);
  check_cuda(cudaMemcpyAsync(target.memory_, source, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                             cuda.stream),
             "copy from the GPU");
  check_cuda(cudaEventRecord(target.arrived_, cuda.stream), "copy from the GPU");
}

#else

Cuda make_cuda(int, int) {
  throw EnvironmentError(
      "no GPU (this program was built without CUDA) use --device cpu, or configure with -DULPINE_CUDA=ON");
}

void release_cuda(Cuda) noexcept {}

#endif

}  // namespace ulpine
