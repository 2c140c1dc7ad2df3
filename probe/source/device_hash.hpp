// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/hash.hpp"
#include "ulpine.h"

/// What the host and the kernel of device_hash.cu share.
namespace ulpine::probe {

/// How the bits of an element become the word that is hashed.
enum class ElementKind : std::int32_t {
  binary32,              ///< all NaN are one
  binary64,              ///< all NaN are one
  binary32_zeros_equal,  ///< -0 counts as 0 too
  binary64_zeros_equal,
  integer8,  ///< extended to 32 bits with its sign, as integer16 and integer32
  integer16,
  integer32,
  integer64,
  logical8,  ///< 0 or 1 in 32 bits, as logical32 and logical64
  logical32,
  logical64
};

/// A field in device memory. Axes slowest first; those before the last `rank` of them are not looked at.
struct DeviceHashTask {
  static constexpr int most_axes = ULPINE_MOST_AXES + 1;

  unsigned char const* data;
  ElementKind kind;
  std::int32_t rank;
  std::int64_t count;              ///< elements of the part
  std::int64_t extent[most_axes];  ///< axis a of `rank` at [a]
  std::int64_t stride[most_axes];  ///< bytes
  std::int64_t first[most_axes];
  std::int64_t whole[most_axes];
  std::int64_t const* numbers;  ///< device memory; null where elements follow one another along each axis
  std::int32_t numbered;        ///< axis of `numbers`
  std::int32_t shift;           ///< a block hash is of 2^shift dense indices
  std::int32_t blocks;          ///< number of block hashes, at most 256
  std::int32_t packed;          ///< 1 where element i has dense index i and lies i elements after the first
  unsigned long long* sums;     ///< device memory: `blocks` words, to which is added
};

/// Threads of a thread block of the kernel, and elements that one takes.
inline constexpr int device_hash_threads = 256;
inline constexpr std::int64_t device_hash_chunk = 16 * device_hash_threads;

}  // namespace ulpine::probe
