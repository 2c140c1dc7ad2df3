// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rows.hpp"

namespace ulpine::atlas {

/// runtime_error where a call of the CUDA runtime failed.
inline void check(cudaError_t status, char const* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// runtime_error where a call of a library returned another status than 0, which is success in all of them.
template <class Status>
void check(Status status, char const* what) {
  if (static_cast<int>(status) != 0) {
    throw std::runtime_error(std::string(what) + ": status " + std::to_string(static_cast<int>(status)));
  }
}

/// An array in the device's memory.
template <class T>
class OnCard {
 public:
  explicit OnCard(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T) + 1), "cudaMalloc");
    data_ = static_cast<T*>(memory);
  }
  explicit OnCard(std::vector<T> const& values) : OnCard(values.size()) { set(values); }
  OnCard(OnCard&& other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(other.count_) {}
  OnCard& operator=(OnCard&&) = delete;
  ~OnCard() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  /// Copies values to the place `first` and those after it.
  void set(std::vector<T> const& values, std::size_t first = 0) {
    if (first + values.size() > count_) throw std::logic_error("more values than the array has");
    check(cudaMemcpy(data_ + first, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "to the card");
  }
  /// The values from place `first` on, all where `count` is 0; waits for what computes them.
  std::vector<T> get(std::size_t first = 0, std::size_t count = 0) const {
    std::vector<T> values(count == 0 ? count_ - first : count);
    check(cudaDeviceSynchronize(), "a kernel");
    check(cudaMemcpy(values.data(), data_ + first, values.size() * sizeof(T), cudaMemcpyDeviceToHost),
          "from the card");
    return values;
  }
  void clear() { check(cudaMemset(data_, 0, count_ * sizeof(T)), "cudaMemset"); }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// A stream that does not wait for the default one.
class OwnStream {
 public:
  OwnStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  OwnStream(OwnStream const&) = delete;
  OwnStream& operator=(OwnStream const&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// "12.0.0", of a library's function that gives major, minor and patch.
template <class GetProperty>
std::string version_by(GetProperty get) {
  std::string text;
  for (auto const part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    check(get(part, &value), "a library's version");
    text += (text.empty() ? "" : ".") + std::to_string(value);
  }
  return text;
}

/// Keeps the card busy on `stream` for about `milliseconds` with a kernel of as many blocks as fit half of
/// it.
void load_card(cudaStream_t stream, int milliseconds);

/// c = a b as the chain of fused multiply-adds over k = 0, 1, .., column major without gaps.
template <class T>
void chain_product(int m, int n, int k, T const* a, T const* b, T* c);

/// The groups of rows, each measured by its own source.
void fft_rows(Rows& rows);
void blas_rows(Rows& rows);
void blas_lt_rows(Rows& rows);
void sparse_rows(Rows& rows);
void solver_rows(Rows& rows);
void random_rows(Rows& rows);
void sum_rows(Rows& rows);
void atomic_rows(Rows& rows);
void tensor_rows(Rows& rows);
void function_rows(Rows& rows);
void nccl_rows(Rows& rows);

}  // namespace ulpine::atlas
