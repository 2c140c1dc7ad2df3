// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "verification/digits/digits.hpp"

namespace ulpine::verification {

/// Outputs that a user names for digits_of().
struct NamedSamples {
  std::vector<std::filesystem::path> samples;
  std::filesystem::path nearest = {}, wider = {};  ///< as digits_of() takes them; may be empty
};

/// InputError where a file stands for two samples, under whatever name, or is a copy of one among others
/// (samples that rounded at random differ somewhere, unless none of them does), and where one file is both
/// `nearest` and `wider`. `between` is called after each file and may throw to stop.
void require_distinct(NamedSamples const& named, std::function<void()> const& between);

/// Adds notes where samples end as they began or are not finite; `looked_at` is the output of one run.
void note_doubts(Digits& digits, std::filesystem::path const& looked_at);

}  // namespace ulpine::verification
