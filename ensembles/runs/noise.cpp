// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/noise.hpp"

#include <bit>

#include "core/exec/random.hpp"

namespace ulpine::ensembles {

std::uint64_t seed_of_noise(std::uint64_t seed, double amplitude, Noise of) {
  auto const low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  auto const bits = std::bit_cast<std::uint64_t>(amplitude);
  auto const [words] =
      philox_block({low(bits), low(bits >> 32), of == Noise::control ? 1u : 0u, name_key("amplitude")},
                   {low(seed), low(seed >> 32)});
  return std::uint64_t{words[1]} << 32 | words[0];
}

}  // namespace ulpine::ensembles
