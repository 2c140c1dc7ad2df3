// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/runs/run.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/configuration.hpp"
#include "verification/comparison/compare.hpp"

namespace ulpine::ensembles {

struct RestartRequest {
  CaseSource source;
  /// `spinup.nc`, `reference/` and one folder a test ("cuda-fp32-atomic") are written below.
  std::filesystem::path folder;
  double spinup = 0, until = 0;  ///< s since the start of the model
  Configuration reference = {};
  std::vector<Configuration> tests = {};  ///< all different: each has a folder
  int threads = 1, block = 256;           ///< for configurations that have no size
  bool spare_threads = false;             ///< as for model_of_case(), for those
  bool overwrite = false;                 ///< replaces also a `spinup.nc` that is no restart
  std::function<void(std::string const& what, RunProgress const&)> progress = {};
  std::atomic<bool> const* cancel = nullptr;
};

struct RestartTestResult {
  Configuration configuration;
  std::string hash;
  bool same_bits = false;  ///< final state equals the reference's
  std::optional<std::string> failed = {};
  verification::Comparison comparison = {};  ///< at `until`, test against reference
};

struct RestartResult {
  double spinup = 0, until = 0;
  std::string reference, reference_hash;
  bool restart_exact = false;  ///< the reference run through the restart file ends as the one in memory
  bool cut_short = false;      ///< steps vary, and one ends at `spinup` only because of that
  bool unchanged = false;      ///< the reference's fields at `until` are those at `spinup`
  bool must_be_exact = true;   ///< not in atomic assembly, where no two runs need agree
  std::vector<RestartTestResult> tests;
  bool interrupted = false;

  /// Whether all that had to agree does and no test failed; differences of the tests are no failure.
  bool passed() const;
};

/// Spins up with the reference configuration, restarts all from that one file (converted value by value where
/// a test's policy has other types) and compares at `until`.
RestartResult compare_restarts(RestartRequest const& request);
std::string table(RestartResult const& result);

}  // namespace ulpine::ensembles
