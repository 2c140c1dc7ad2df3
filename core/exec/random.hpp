// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "precision/host_device.hpp"

/// Counter-based random numbers (Philox4x32-10: Salmon et al., SC 2011, doi:10.1145/2063384.2063405): a
/// number is a pure function of its key and index, so neither order nor decomposition nor backend matters.
namespace ulpine {

struct PhiloxCounter {
  std::uint32_t words[4];
  friend bool operator==(PhiloxCounter const&, PhiloxCounter const&) = default;
};
struct PhiloxKey {
  std::uint32_t words[2];
};

/// 128 random bits of a counter and a key, in ten rounds.
ULPINE_HD constexpr PhiloxCounter philox_block(PhiloxCounter counter, PhiloxKey key) {
  auto* const c = counter.words;
  auto* const k = key.words;
  for (int round = 0; round < 10; ++round) {
    auto const first = std::uint64_t{0xd2511f53u} * c[0], second = std::uint64_t{0xcd9e8d57u} * c[2];
    c[0] = static_cast<std::uint32_t>(second >> 32) ^ c[1] ^ k[0];
    c[1] = static_cast<std::uint32_t>(second);
    c[2] = static_cast<std::uint32_t>(first >> 32) ^ c[3] ^ k[1];
    c[3] = static_cast<std::uint32_t>(first);
    k[0] += 0x9e3779b9u;
    k[1] += 0xbb67ae85u;
  }
  return counter;
}

/// 32 bits of a field's name (FNV-1a) for uniform_symmetric.
constexpr std::uint32_t name_key(std::string_view name) {
  std::uint32_t hash = 0x811c9dc5u;
  for (char const letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193u;
  }
  return hash;
}

/// Uniform in [-1, 1), a multiple of 2^-53. `field` is name_key of the field, `index` the global index of the
/// point.
ULPINE_HD constexpr double uniform_symmetric(std::uint64_t seed, std::uint32_t member, std::uint32_t field,
                                             std::int64_t index) {
  auto const low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  auto const position = static_cast<std::uint64_t>(index);
  auto const block =
      philox_block({low(position), low(position >> 32), member, field}, {low(seed), low(seed >> 32)});
  auto const bits = static_cast<std::int64_t>(std::uint64_t{block.words[1]} << 32 | block.words[0]);
  return static_cast<double>(bits >> 10) * 0x1p-53;  // a 54-bit signed integer: exact
}

}  // namespace ulpine
