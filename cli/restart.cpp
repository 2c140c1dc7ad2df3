// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/csv.hpp"
#include "cli/output_folder.hpp"
#include "core/exec/device.hpp"
#include "core/exec/threads.hpp"
#include "ensembles/programs/program_restart.hpp"
#include "ensembles/programs/program_study.hpp"
#include "ensembles/reproducibility/restart_comparison.hpp"
#include "ensembles/reproducibility/results_json.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/study/lock.hpp"
#include "ensembles/study/progress.hpp"

namespace ulpine::cli {
namespace {

void take_configurations(RestartOptions const& options, ensembles::RestartRequest& request) {
  request.reference = ensembles::parse_configuration(options.reference.empty() ? "cpu/fp64/deterministic"
                                                                               : options.reference);
  auto texts = options.tests;
  if (texts.empty()) {
    texts = {"cpu/fp64/atomic", "cpu/fp32/deterministic"};
    if (std::ranges::any_of(devices(), &Device::supported)) {
      texts = {"cuda/fp64/deterministic", "cuda/fp64/atomic", "cuda/fp32/atomic"};
    }
  }
  for (auto const& text : texts) {
    request.tests.push_back(ensembles::parse_configuration(text));
    require_threads(ensembles::model_options(request.tests.back(), request.threads).threads);
  }
  require_threads(ensembles::model_options(request.reference, request.threads).threads);
}

/// The variants of the program that the case names; the first one and all others where none are given.
void take_variants(RestartOptions const& options, ensembles::RestartRequest& request) {
  ensembles::StudyOptions study;
  study.members = 0;
  study.threads = request.threads;
  study.reference = options.reference;
  study.configurations = options.tests;
  auto const plan = ensembles::make_plan(ensembles::with_variants(request.source, study));
  request.reference = plan.runs.front().configuration;
  for (auto run = plan.runs.begin() + 1; run != plan.runs.end(); ++run) {
    request.tests.push_back(run->configuration);
  }
}

/// A row for each test and variable; a single one for a test that failed.
nlohmann::ordered_json rows_of_tests(ensembles::RestartResult const& result) {
  auto rows = nlohmann::ordered_json::array();
  auto const document = ensembles::to_json(result);
  for (auto test : document.at("tests")) {
    auto const comparison = test.at("comparison");
    test.erase("comparison");
    auto const variables = comparison.is_null() ? nlohmann::ordered_json::array()
                                                : rows_by_name(comparison.at("variables"), "variable");
    if (variables.empty()) rows.push_back(test);
    for (auto const& variable : variables) {
      rows.push_back(test);
      rows.back().update(variable);
    }
  }
  return rows;
}

}  // namespace

int restart(RestartOptions const& options) {
  require_case_file(options.case_file);
  ensembles::RestartRequest request;
  request.source = {options.case_file, options.set};
  request.folder =
      options.output.empty() ? "out" / options.case_file.stem().concat("-restart") : options.output;
  request.spinup = duration_option("--spinup", options.spinup);
  request.until = duration_option("--until", options.until);
  request.cancel = &cancelled();
  request.threads = threads_or_all(options.threads);
  request.spare_threads = options.threads == 0;
  request.block = options.block;
  request.overwrite = options.common.overwrite;
  auto const of_program = ensembles::names_program(request.source);
  if (of_program) {
    take_variants(options, request);
  } else {
    take_configurations(options, request);
  }
  OutputFolder const folder(request.folder);
  ensembles::require_no_results_but(request.folder, "");
  ensembles::FolderLock const lock(request.folder, ensembles::Use::alone);

  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  request.progress = [&](std::string const& what, ensembles::RunProgress const& now) {
    auto const fraction =
        now.steps > 0 ? static_cast<double>(now.step) / static_cast<double>(now.steps) : 1.0;
    progress.update(fraction, now.remaining_s, fmt::format("{}, step {}/{}", what, now.step, now.steps));
  };
  auto const result =
      of_program ? ensembles::compare_program_restarts(request) : ensembles::compare_restarts(request);
  progress.finish();
  if (result.interrupted) {
    return interrupted("Call it again to start anew");
  }
  if (options.json) {
    print_json(options.common, ensembles::to_json(result));
  } else {
    print(options.common, options.csv ? csv_table(rows_of_tests(result)) : ensembles::table(result));
  }
  return result.passed() ? exit_code::done : exit_code::different;
}

}  // namespace ulpine::cli
