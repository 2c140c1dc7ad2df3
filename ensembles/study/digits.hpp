// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/runs/run.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/study.hpp"

namespace ulpine::ensembles {

/// Runs of a case that differ in their random rounding alone.
struct SampleRequest {
  std::string arithmetic = "e11m52-sr";  ///< a format that rounds at random, without seed
  int samples = 30;
  std::uint32_t seed = 1;                 ///< seed of the first sample; the next ones follow
  std::optional<double> until = {};       ///< s; default: the case's `time.end`
  std::optional<double> quad_until = {};  ///< s; as StudyOptions::quad_until
  /// Samples with random rounding in one of these stages alone, besides; `all`: in each that can be.
  /// Of a program: fields, as STAGE.FIELD of the probe, in place of stages.
  std::vector<std::string> stages = {};
  std::string variant = {};  ///< of the program that the case names; empty: its first
  int threads = 1;           ///< a run
};

/// As many samples as were asked for, but for those that failed.
struct SampleSet {
  std::string stage;  ///< that alone rounds at random; empty: all do
  std::vector<std::filesystem::path> outputs = {};
  std::vector<std::string> failures = {};  ///< one line each
};

struct SampleRuns {
  int mantissa = 53;               ///< bits of the arithmetic
  RunRecord record;                ///< of the run that rounds to nearest
  std::filesystem::path baseline;  ///< its output
  std::filesystem::path wider;     ///< output of the run in `quad`; empty: none
  std::vector<SampleSet> sets;     ///< that of all stages first
  std::vector<std::string> notes;
};

/// Runs them as a study in `folder`, with one in nearest rounding and, where that is cheap or asked for, one
/// in `quad`. InputError, also for an arithmetic that does not round at random and a nearest run that fails;
/// Interrupted.
SampleRuns run_samples(CaseSource const& source, SampleRequest const& request,
                       std::filesystem::path const& folder, StudyExecution const& execution);

}  // namespace ulpine::ensembles
