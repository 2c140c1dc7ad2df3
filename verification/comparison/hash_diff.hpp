// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/hash_log.hpp"

namespace ulpine::verification {

/// The first step after which the states of two runs differ.
struct HashDivergence {
  std::int64_t step = 0;   ///< the first step after which they differ; after which one run alone has a state
  bool one_alone = false;  ///< all common states are equal, but one run goes on
  std::int64_t differing = 0;  ///< common states that differ
  /// Steps from this one on are equal again to the end of the shorter run.
  std::optional<std::int64_t> same_from = {};
  std::int64_t common = 0;  ///< states that both runs have
};

/// The first difference of the states of two runs, at the steps that both have; none where all are equal and
/// both end with the same step. All are looked at, for a difference may heal. InputError where no step is
/// common.
std::optional<HashDivergence> first_difference(io::HashLog const& a, io::HashLog const& b);

/// "the states differ from step 43 on", and where they agree again.
std::string describe(HashDivergence const& divergence);

}  // namespace ulpine::verification
