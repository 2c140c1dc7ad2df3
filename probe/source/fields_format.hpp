// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/bytes.hpp"
#include "io/seal.hpp"

// A file of values, integers little-endian: the magic word, the version, attributes (io::put_pairs), a
// checksum. Then chunks, each of its kind (1 byte), the length of its content (8 bytes), the content and a
// checksum: of the checksum before and the chunk, so that none can be altered, left out or exchanged. A chunk
// of values follows each chunk of a place. The place: levels (their number, loop and index of each), stage,
// field, unit, type (texts), seconds (the bits of a double), bytes of an element, flags, number of axes, and
// of each axis extent, first, whole, whether it is numbered, and its numbers. Values: as they were in memory,
// dense, the last axis fastest.

namespace ulpine::probe::fields_format {

inline constexpr std::string_view magic = "ULPFIELD";
inline constexpr std::uint32_t version = 1;
enum class Chunk : std::uint8_t { place = 1, values = 2, end = 3 };
inline constexpr std::uint8_t fastest_first = 1, replicated = 2;
inline constexpr std::size_t chunk_head = 1 + 8, checksum_size = 8;

inline std::uint64_t checksum_of(std::uint64_t before, std::string_view bytes) {
  std::string start;
  io::put(start, before);
  io::StreamHash hash;
  hash.add(start);
  hash.add(bytes);
  return hash.value();
}

}  // namespace ulpine::probe::fields_format
