// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

#include "ensembles/study/manifest.hpp"

namespace ulpine::ensembles {

/// Brings manifest.json up to date while a study runs: every few seconds, and less often where one writing
/// takes long, as a study of many runs must not spend its time on it. What a kill makes it miss is in the
/// runs' own records.
class ManifestKeeper {
 public:
  explicit ManifestKeeper(std::filesystem::path folder) : folder_{std::move(folder)} {}

  /// Writes the manifest where the last writing is long enough ago, or whenever it was where this is the
  /// `last`.
  void keep(Manifest const& manifest, bool last);

 private:
  using Clock = std::chrono::steady_clock;
  /// Least time between two writings, s, and how many times what one takes.
  static constexpr double least_interval_s = 2, interval_writings = 20;

  std::filesystem::path folder_;
  Clock::time_point written_ = Clock::now();
  double interval_s_ = least_interval_s;
};

}  // namespace ulpine::ensembles
