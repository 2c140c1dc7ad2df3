// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "ensembles/case_source.hpp"
#include "ensembles/run.hpp"
#include "verification/compare.hpp"

namespace ulpine::ensembles {

/// "cpu/fp64/deterministic" or "cuda:1/fp32/atomic".
struct Configuration {
  std::string text;
  ModelOptions options;
};
/// InputError for unknown parts; `base` gives threads and block.
Configuration parse_configuration(std::string const& text, ModelOptions const& base = {});

struct RestartRequest {
  CaseSource source;
  /// `spinup.nc`, `reference/` and one folder a test ("cuda-fp32-atomic") are written below.
  std::filesystem::path folder;
  double spinup = 0, until = 0;  ///< s since the start of the model
  Configuration reference = {};
  std::vector<Configuration> tests = {};
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
