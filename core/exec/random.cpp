// SPDX-License-Identifier: Apache-2.0
#include "core/exec/random.hpp"

#include <Random123/philox.h>

namespace ulpine {

std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key) {
  auto const words =
      r123::Philox4x32_R<10>{}({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
  return {words[0], words[1], words[2], words[3]};
}

double uniform_symmetric(std::uint64_t seed, std::uint32_t member, std::uint32_t field, std::int64_t index) {
  auto const low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  auto const position = static_cast<std::uint64_t>(index);
  auto const words =
      philox_block({low(position), low(position >> 32), member, field}, {low(seed), low(seed >> 32)});
  auto const bits = static_cast<std::int64_t>(std::uint64_t{words[1]} << 32 | words[0]);
  return static_cast<double>(bits >> 10) * 0x1p-53;  // a 54-bit signed integer: exact
}

}  // namespace ulpine
