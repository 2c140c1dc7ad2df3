// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/host_device.hpp"

/// Sums of what stands before, and the largest number, by chunks: of integers, the same on every executor.
/// Include after the executor's launches (host.hpp or cuda.cuh).
namespace ulpine {
namespace detail {

/// Numbers that one point takes together.
inline constexpr std::int64_t scan_chunk = 64;

ULPINE_HD constexpr std::int64_t scan_chunks(std::int64_t count) {
  return (count + scan_chunk - 1) / scan_chunk;
}
ULPINE_HD constexpr std::int64_t scan_end(std::int64_t chunk, std::int64_t count) {
  return (chunk + 1) * scan_chunk < count ? (chunk + 1) * scan_chunk : count;
}

/// The sum of chunk c of `count` values.
template <class T>
struct ChunkAdder {
  T const* value;
  std::int64_t count;
  T* sum;

  ULPINE_HD void operator()(std::int64_t c) const {
    T total = 0;
    for (auto i = c * scan_chunk; i < scan_end(c, count); ++i) total += value[i];
    sum[c] = total;
  }
};

/// value[i] becomes the sum of those before it; `before[c]` is that of the chunks before c.
template <class T>
struct ChunkScanner {
  T* value;
  std::int64_t count;
  T const* before;

  ULPINE_HD void operator()(std::int64_t c) const {
    auto total = before == nullptr ? T(0) : before[c];
    for (auto i = c * scan_chunk; i < scan_end(c, count); ++i) {
      auto const own = value[i];
      value[i] = total;
      total += own;
    }
  }
};

/// The largest of chunk c.
template <class T>
struct ChunkLargest {
  T const* value;
  std::int64_t count;
  T* largest;

  ULPINE_HD void operator()(std::int64_t c) const {
    auto most = value[c * scan_chunk];
    for (auto i = c * scan_chunk + 1; i < scan_end(c, count); ++i) most = value[i] > most ? value[i] : most;
    largest[c] = most;
  }
};

}  // namespace detail

/// Numbers that scan() and largest_of() of `count` values need besides these.
constexpr std::int64_t scan_room(std::int64_t count) {
  std::int64_t room = 1;
  for (auto chunks = detail::scan_chunks(count); chunks > 1; chunks = detail::scan_chunks(chunks)) {
    room += chunks;
  }
  return room;
}

/// Each value becomes the sum of those before it. All memory is the executor's; nothing is allocated and
/// nothing waited for.
template <class T, class Executor>
void scan(Executor executor, T* value, std::int64_t count, T* room) {
  auto const chunks = detail::scan_chunks(count);
  if (chunks <= 1) {
    for_each(executor, chunks, detail::ChunkScanner<T>{value, count, nullptr});
    return;
  }
  for_each(executor, chunks, detail::ChunkAdder<T>{value, count, room});
  scan(executor, room, chunks, room + chunks);
  for_each(executor, chunks, detail::ChunkScanner<T>{value, count, room});
}

/// Where the largest of `count` values, at least one, stands: in `room`.
template <class T, class Executor>
T const* largest_of(Executor executor, T const* value, std::int64_t count, T* room) {
  do {
    auto const chunks = detail::scan_chunks(count);
    for_each(executor, chunks, detail::ChunkLargest<T>{value, count, room});
    value = room;
    room += chunks;
    count = chunks;
  } while (count > 1);
  return value;
}

}  // namespace ulpine
