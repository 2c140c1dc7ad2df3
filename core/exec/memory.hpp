// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/view.hpp"

namespace ulpine {

/// Bytes that the host can give before it swaps: the least of what the kernel calls available, the limit of
/// the control group and that of the address space; the largest number where none is known.
std::int64_t available_host_memory();
/// EnvironmentError naming `what` where `bytes` are more than that.
void require_host_memory(std::int64_t bytes, char const* what);

/// How often this process has allocated executor memory so far, on the host or a device.
std::int64_t allocations();

/// Throws EnvironmentError naming `what` and CUDA's own text unless `status` is cudaSuccess.
void check_cuda(int status, char const* what);

namespace detail {

/// Zero-filled memory; EnvironmentError where there is none left. Host memory is 64-byte aligned and first
/// touched by the executor's own threads.
void* allocate(Host host, std::int64_t bytes);
void* allocate(Cuda cuda, std::int64_t bytes);
void release(Host, void* memory) noexcept;
void release(Cuda, void* memory) noexcept;
/// Blocking copies between host memory and the executor's, ordered after all its work.
void to_executor(Host, void* target, void const* source, std::int64_t bytes);
void to_executor(Cuda cuda, void* target, void const* source, std::int64_t bytes);
void to_host(Host, void* target, void const* source, std::int64_t bytes);
void to_host(Cuda cuda, void* target, void const* source, std::int64_t bytes);
void copy_within(Host, void* target, void const* source, std::int64_t bytes);
void copy_within(Cuda cuda, void* target, void const* source, std::int64_t bytes);
void fill_zero(Host, void* target, std::int64_t bytes);
void fill_zero(Cuda cuda, void* target, std::int64_t bytes);

}  // namespace detail

/// Waits for all work given to the executor.
inline void synchronize(Host) {}
void synchronize(Cuda cuda);

/// Owns `size` values in the executor's memory, zero at the start.
template <class T, class Executor>
class Array {
 public:
  Array() = default;
  Array(Executor executor, std::int64_t size)
      : executor_{executor},
        data_{static_cast<T*>(detail::allocate(executor, size * bytes_each))},
        size_{size} {}
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() { detail::release(executor_, data_); }

  View<T> view() { return {data_, size_}; }
  View<T const> view() const { return {data_, size_}; }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * bytes_each; }

  void from_host(T const* source) { detail::to_executor(executor_, data_, source, bytes()); }
  void to_host(T* target) const { detail::to_host(executor_, target, data_, bytes()); }
  /// Asynchronous on a device (in stream order).
  void copy_from(Array const& other) { detail::copy_within(executor_, data_, other.data_, bytes()); }
  void fill_zero() { detail::fill_zero(executor_, data_, bytes()); }
  void swap(Array& other) noexcept {
    auto const executor = executor_;
    auto* const data = data_;
    auto const size = size_;
    executor_ = other.executor_, data_ = other.data_, size_ = other.size_;
    other.executor_ = executor, other.data_ = data, other.size_ = size;
  }

 private:
  static constexpr std::int64_t bytes_each = sizeof(T);
  Executor executor_{};
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace ulpine
