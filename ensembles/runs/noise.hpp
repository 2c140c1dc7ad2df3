// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ulpine::ensembles {

/// Who gets noise.
enum class Noise { members, control };

/// Seed of the noise that the members of one amplitude get (Perturbation::seed): 64 bits of the Philox block
/// whose key is the study's seed and whose counter holds the bits of the amplitude and who gets it. Patterns
/// of different amplitudes, and those of the control ensemble, have nothing in common, and which other
/// amplitudes a study has does not matter.
std::uint64_t seed_of_noise(std::uint64_t seed, double amplitude, Noise of = Noise::members);

}  // namespace ulpine::ensembles
