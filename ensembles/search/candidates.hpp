// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ensembles/runs/run.hpp"
#include "ensembles/search/error_judge.hpp"
#include "ensembles/search/log.hpp"
#include "ensembles/study/configuration.hpp"

namespace ulpine::ensembles::search {

/// Runs configurations of a case, has each judged, writes that down and removes what the run wrote.
class Candidates {
 public:
  struct Settings {
    std::filesystem::path folder;  ///< folder of the search
    std::filesystem::path study;   ///< the reference's study, below it
    std::optional<double> until;   ///< s
    int threads = 1, jobs = 1;
    std::atomic<bool> const* cancel = nullptr;
  };
  Candidates(Settings settings, ErrorJudge const& judge, Log& log);

  /// Outcomes in the order of `configurations`; those in the log are not run again. Interrupted.
  std::vector<Outcome> judge(std::span<Configuration const> configurations);

 private:
  Outcome judge_one(Configuration const& configuration);

  Settings settings_;
  ErrorJudge const& judge_;
  Log& log_;
  std::mutex mutex_;  ///< guards the log
};

}  // namespace ulpine::ensembles::search
