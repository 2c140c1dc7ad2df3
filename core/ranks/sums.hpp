// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ranks/ranks.hpp"
#include "precision/exact_sum.hpp"

namespace ulpine {

/// Replaces the sum of each rank's values by that of all: exact, so the same however they are shared.
inline void add_over_ranks(Ranks& ranks, ExactSum& sum) {
  auto words = sum.shared_words();
  ranks.add(words);
  sum = ExactSum::from_shared_words(words);
}

}  // namespace ulpine
