// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "precision/double_float.hpp"
#include "support/random_values.hpp"

namespace ulpine::test {

/// The bits of numbers of two floats, which tell zeros apart.
inline std::vector<std::uint64_t> bits_of(std::vector<DoubleFloat> const& values) {
  std::vector<std::uint64_t> bits;
  for (auto const x : values) bits.push_back(std::uint64_t{to_bits(x.hi())} << 32 | to_bits(x.lo()));
  return bits;
}

/// Random numbers with both floats.
inline std::vector<DoubleFloat> random_pairs(std::size_t count, std::uint64_t seed) {
  RandomValues random(seed);
  std::vector<DoubleFloat> values;
  for (std::size_t n = 0; n < count; ++n) values.emplace_back(random.normal());
  return values;
}

}  // namespace ulpine::test
