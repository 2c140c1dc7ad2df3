// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verification/results/results.hpp"

namespace ulpine::verification {

/// How long runs of a chaotic flow stay near the reference: the time at which the error of a field (relative
/// L2) first reaches half of its saturation.
struct Predictability {
  /// An unperturbed run, or the reference's members of one amplitude.
  struct Entry {
    std::string run;               ///< id; empty: members
    std::string epsilon_text;      ///< amplitude of the members
    std::int64_t runs = 0;         ///< how many reach it ...
    std::int64_t of = 0;           ///< ... of so many
    std::optional<MeanSd> time_s;  ///< since the first output, over those that reach it
  };
  std::string field;
  double saturation = 0;  ///< error that trajectories end up with which have nothing in common
  std::vector<Entry> entries;
};

/// For the fields whose errors have forgotten at the last time how large they were: where the root mean
/// square distance of the reference's members of some amplitude from it is within a factor of 3/2 of that of
/// the largest amplitude, from which it was apart by 64 or more when the field was first perturbed. The
/// larger of the two is the saturation. Between outputs the logarithm of the error is straight. Empty where
/// there is no such field.
std::vector<Predictability> predictability(StudyResults const& results);

}  // namespace ulpine::verification
