// SPDX-License-Identifier: Apache-2.0
#include "core/exec/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "core/exec/stream.hpp"
#include "io/error.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace ulpine {
namespace {

[[noreturn]] void out_of_memory(char const* where, std::int64_t bytes) {
  throw EnvironmentError("out of memory (" + std::to_string(bytes) + " bytes asked for on the " + where +
                         ") use a smaller grid or fewer jobs");
}

std::atomic<std::int64_t> allocated = 0;

constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();

/// The number after `label` in a file of the kernel (the first number where `label` is empty); `otherwise`
/// where there is none, e.g. the word "max".
std::int64_t kernel_number(std::filesystem::path const& path, std::string const& label,
                           std::int64_t otherwise) {
  std::ifstream in(path);
  std::string word;
  while (!label.empty() && in >> word && word != label) {
  }
  std::int64_t number = 0;
  return in >> number ? number : otherwise;
}

/// Bytes that the control group (version 2) and its ancestors may still take once their page cache is freed.
std::int64_t left_in_control_group() {
  std::ifstream in("/proc/self/cgroup");
  std::string line;
  while (std::getline(in, line) && !line.starts_with("0::/")) {
  }
  std::filesystem::path const root = "/sys/fs/cgroup";
  auto group = root / (line.starts_with("0::/") ? line.substr(4) : "");
  auto left = unlimited;
  while (true) {
    if (auto const most = kernel_number(group / "memory.max", "", unlimited); most != unlimited) {
      left = std::min(left, most - kernel_number(group / "memory.current", "", 0) +
                                kernel_number(group / "memory.stat", "file", 0));
    }
    if (group == root || !group.has_relative_path()) return left;
    group = group.parent_path();
  }
}

std::int64_t left_of_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur > static_cast<rlim_t>(unlimited)) {
    return unlimited;
  }
  auto const pages = kernel_number("/proc/self/statm", "", 0);
  return static_cast<std::int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

std::int64_t allocations() { return allocated; }

std::int64_t available_host_memory() {
  constexpr std::int64_t kibibyte = 1024;
  auto const machine = kernel_number("/proc/meminfo", "MemAvailable:", unlimited / kibibyte) * kibibyte;
  return std::max<std::int64_t>(0, std::min({machine, left_in_control_group(), left_of_address_space()}));
}

void require_host_memory(std::int64_t bytes, char const* what) {
  auto const mebibytes = [](std::int64_t count) { return std::to_string(count >> 20) + " MiB"; };
  if (auto const left = available_host_memory(); bytes > left) {
    throw EnvironmentError("out of memory (" + std::string(what) + " needs " + mebibytes(bytes) +
                           " or more, the host has " + mebibytes(left) +
                           " left) use a smaller grid or fewer jobs");
  }
}

namespace detail {

void* allocate(Host host, std::int64_t bytes) {
  ++allocated;
  constexpr std::int64_t large = 16 << 20;  // below this a look at the kernel's files is not worth its time
  if (bytes >= large) {
    require_host_memory(bytes, "an array of the model");
  }
  auto const rounded = static_cast<std::size_t>((bytes + 63) / 64 * 64);
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(64, rounded == 0 ? 64 : rounded));
  if (memory == nullptr) {
    out_of_memory("host", bytes);
  }
  constexpr std::size_t page = 4096;
  auto const pages = static_cast<std::int64_t>((rounded + page - 1) / page);
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int64_t i = 0; i < pages; ++i) {
    auto const begin = static_cast<std::size_t>(i) * page;
    std::memset(memory + begin, 0, begin + page < rounded ? page : rounded - begin);
  }
  return memory;
}

void release(Host, void* memory) noexcept { std::free(memory); }
void to_executor(Host host, void* target, void const* source, std::int64_t bytes) {
  copy_within(host, target, source, bytes);
}
void to_host(Host host, void* target, void const* source, std::int64_t bytes) {
  copy_within(host, target, source, bytes);
}
void copy_within(Host, void* target, void const* source, std::int64_t bytes) {
  // A block of 0 bytes may have a null address, which memcpy and memset forbid.
  if (bytes > 0) std::memcpy(target, source, static_cast<std::size_t>(bytes));
}
void fill_zero(Host, void* target, std::int64_t bytes) {
  if (bytes > 0) std::memset(target, 0, static_cast<std::size_t>(bytes));
}

}  // namespace detail

#if defined(ULPINE_HAS_CUDA)

void check_cuda(int status, char const* what) {
  if (status != cudaSuccess) {
    cudaGetLastError();  // told now, not once more by the next check
    throw EnvironmentError(std::string(what) + " failed on the GPU (" +
                           cudaGetErrorString(static_cast<cudaError_t>(status)) +
                           ") see `ulpine info` for the devices and the architectures of this build");
  }
}

void synchronize(Cuda cuda) {
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(cudaStreamSynchronize(cuda.stream), "waiting");
}

namespace detail {

void* allocate(Cuda cuda, std::int64_t bytes) {
  ++allocated;
  DeviceGuard const guard(cuda.ordinal);
  void* memory = nullptr;
  auto const size = static_cast<std::size_t>(bytes == 0 ? 64 : bytes);
  auto const status = cudaMalloc(&memory, size);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    out_of_memory("GPU", bytes);
  }
  check_cuda(status, "allocation");
  if (auto const cleared = cudaMemsetAsync(memory, 0, size, cuda.stream); cleared != cudaSuccess) {
    cudaFree(memory);
    check_cuda(cleared, "clearing memory");
  }
  return memory;
}

void release(Cuda cuda, void* memory) noexcept {
  if (memory != nullptr) {
    DeviceGuard const guard(cuda.ordinal, std::nothrow);
    cudaFree(memory);
  }
}

void to_executor(Cuda cuda, void* target, void const* source, std::int64_t bytes) {
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(
      cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, cuda.stream),
      "copy to the GPU");
  synchronize(cuda);
}

void to_host(Cuda cuda, void* target, void const* source, std::int64_t bytes) {
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(
      cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, cuda.stream),
      "copy from the GPU");
  synchronize(cuda);
}

void copy_within(Cuda cuda, void* target, void const* source, std::int64_t bytes) {
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(
      cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, cuda.stream),
      "copy on the GPU");
}

void fill_zero(Cuda cuda, void* target, std::int64_t bytes) {
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(cudaMemsetAsync(target, 0, static_cast<std::size_t>(bytes), cuda.stream), "clearing memory");
}

}  // namespace detail
#else
namespace detail {

// Types for either kind of executor may have members in a device's memory, which are empty here.
void release(Cuda, void*) noexcept {}

}  // namespace detail
#endif

}  // namespace ulpine
