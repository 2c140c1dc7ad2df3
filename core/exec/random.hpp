// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// Counter-based random numbers (Philox4x32-10: Salmon et al., SC 2011, doi:10.1145/2063384.2063405): a
/// number is a pure function of its key and index, so neither order nor decomposition nor backend matters.
namespace ulpine {

std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key);

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
double uniform_symmetric(std::uint64_t seed, std::uint32_t member, std::uint32_t field, std::int64_t index);

}  // namespace ulpine
