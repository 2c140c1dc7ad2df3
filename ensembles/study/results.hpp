// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/own_files.hpp"
#include "verification/results/results.hpp"

namespace ulpine::ensembles {

class OngoingEvaluation;

struct ResultsOptions {
  int threads = 1;                 ///< runs evaluated side by side
  std::string program = "ulpine";  ///< that advice tells to call
  std::function<void(double fraction, std::string const& what)> progress = {};
  std::atomic<bool> const* cancel = nullptr;
  std::int64_t shared_bytes = std::int64_t{512}
                              << 20;               ///< of outputs that others are held against, in memory
  OngoingEvaluation* ongoing = nullptr;            ///< its results so far are used again
  io::Overwrite overwrite = io::Overwrite::never;  ///< of files that Ulpine did not write
};

/// Everything that results.json holds, computed from the files of a study's finished runs alone. InputError
/// where `study` is no study or its reference run is missing; Interrupted.
verification::StudyResults compute_results(std::filesystem::path const& study,
                                           ResultsOptions const& options = {});

/// InputError where a file under a results' name was not written by Ulpine and may not be overwritten.
void require_own_results(std::filesystem::path const& study, io::Overwrite overwrite = io::Overwrite::never);
/// compute_results() written as `results.json`, `junit.xml` and `summary.md`.
verification::StudyResults write_results(std::filesystem::path const& study,
                                         ResultsOptions const& options = {});

}  // namespace ulpine::ensembles
