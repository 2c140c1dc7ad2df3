// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "core/exec/executor.hpp"

struct CUevent_st;

/// Resources that a process holds on a GPU besides memory (memory.hpp). Each knows its device, so that any
/// thread can use and release it, whatever that thread's current device.
namespace ulpine {

/// A stream of GPU `ordinal`, not ordered with the default stream; released with the object.
class Stream {
 public:
  /// Whose blocks a device takes next where several streams have some: those of `high` come first.
  enum class Priority { usual, high };
  /// EnvironmentError without such a device or where this build holds no code for it (or no CUDA at all);
  /// InputError where `block` is no multiple of 32 in [32, 256].
  explicit Stream(int ordinal = 0, int block = 256, Priority priority = Priority::usual);
  Stream(Stream&& other) noexcept : cuda_{std::exchange(other.cuda_, {})} {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(cuda_, other.cuda_);
    return *this;
  }
  ~Stream();

  /// Valid while the stream lives.
  Cuda executor() const { return cuda_; }

 private:
  Cuda cuda_;
};

/// Makes GPU `ordinal` the calling thread's device while it lives. Nothing is asked of the GPU where it is so
/// already.
class DeviceGuard {
 public:
  /// EnvironmentError where that fails.
  explicit DeviceGuard(int ordinal);
  /// For destructors: where it fails the device stays as it is.
  DeviceGuard(int ordinal, std::nothrow_t) noexcept;
  DeviceGuard(DeviceGuard const&) = delete;
  DeviceGuard& operator=(DeviceGuard const&) = delete;
  ~DeviceGuard();

 private:
  static constexpr int unchanged = -1;
  int before_ = unchanged;
};

/// A mark in a stream's order.
class Event {
 public:
  enum class Timed { no, yes };
  explicit Event(Cuda cuda, Timed timed = Timed::no);
  Event(Event&& other) noexcept : event_{std::exchange(other.event_, nullptr)}, ordinal_{other.ordinal_} {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    std::swap(ordinal_, other.ordinal_);
    return *this;
  }
  ~Event();

  /// Marks what has been given to `cuda`, a stream of the same device, so far.
  void record(Cuda cuda);
  /// Returns once what the last mark stands for is done; at once where there was none.
  void wait() const;
  /// Work given to `cuda`, of any device, from now on waits for the last mark.
  void hold_back(Cuda cuda) const;

  /// Both timed and recorded; waits for neither.
  friend double seconds_between(Event const& begin, Event const& end);

 private:
  CUevent_st* event_ = nullptr;
  int ordinal_ = 0;
};

/// Page-locked host memory that a device copies to and from while both go on.
class PinnedBuffer {
 public:
  PinnedBuffer(Cuda cuda, std::int64_t bytes);
  PinnedBuffer(PinnedBuffer const&) = delete;
  PinnedBuffer& operator=(PinnedBuffer const&) = delete;
  ~PinnedBuffer();

  void* data() { return memory_; }
  std::int64_t bytes() const { return bytes_; }
  /// Returns once the last copy to or from it is done; at once where there was none.
  void wait() const { copied_.wait(); }

 private:
  friend void copy_to_host_async(Cuda cuda, PinnedBuffer& target, void const* source, std::int64_t bytes);
  friend void copy_to_device_async(Cuda cuda, void* target, PinnedBuffer& source, std::int64_t bytes);
  Event copied_;
  int ordinal_;
  void* memory_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Copies `bytes` of device memory to the start of `target` in stream order; PinnedBuffer::wait() tells when
/// they are there.
void copy_to_host_async(Cuda cuda, PinnedBuffer& target, void const* source, std::int64_t bytes);

/// Copies the first `bytes` of `source` to device memory in stream order; PinnedBuffer::wait() tells when it
/// may be written to again.
void copy_to_device_async(Cuda cuda, void* target, PinnedBuffer& source, std::int64_t bytes);

/// Page-locks host memory that is there already and outlives it.
class PageLock {
 public:
  /// EnvironmentError where that cannot be had, also where some of it is page-locked already.
  PageLock(Cuda cuda, void* memory, std::int64_t bytes);
  PageLock(PageLock&& other) noexcept
      : memory_{std::exchange(other.memory_, nullptr)}, ordinal_{other.ordinal_} {}
  PageLock& operator=(PageLock&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(ordinal_, other.ordinal_);
    return *this;
  }
  /// No copy to or from it may be under way.
  ~PageLock();

 private:
  void* memory_ = nullptr;
  int ordinal_ = 0;
};

/// Whether `memory` is page-locked host memory.
bool page_locked(Cuda cuda, void const* memory);

/// `rows` rows of `width` bytes, `pitch` bytes apart, in page-locked host memory.
struct HostRows {
  void* data = nullptr;
  std::int64_t width = 0, rows = 0, pitch = 0;
};
/// Copies in stream order between such rows and device memory, where they lie one after the other. The host's
/// memory may be used once the stream's work so far is done.
void copy_rows_to_device_async(Cuda cuda, void* target, HostRows const& source);
void copy_rows_to_host_async(Cuda cuda, HostRows const& target, void const* source);

/// Bytes of GPU `ordinal` that are free now.
std::int64_t free_device_memory(int ordinal);

}  // namespace ulpine
