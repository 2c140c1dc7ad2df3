// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/bitwise.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/csv.hpp"
#include "cli/program_limits.hpp"
#include "cli/ranks.hpp"
#include "cli/work_folder.hpp"
#include "core/exec/device.hpp"
#include "core/exec/threads.hpp"
#include "ensembles/programs/compared_variants.hpp"
#include "ensembles/programs/program_study.hpp"
#include "ensembles/reproducibility/known_differences.hpp"
#include "ensembles/reproducibility/probed_programs.hpp"
#include "ensembles/reproducibility/programs.hpp"
#include "ensembles/reproducibility/results_json.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"

namespace ulpine::cli {
namespace {

/// Prints the result as the options ask; `rows` is the member that has the table's.
template <class Result>
void show(BitwiseOptions const& options, Result const& result, char const* rows) {
  if (options.json) return print_json(options.common, ensembles::to_json(result));
  print(options.common,
        options.csv ? csv_table(ensembles::to_json(result).at(rows)) : ensembles::table(result));
}

/// Prints which programs have equal bits; the exit code.
template <class Result>
int tell(BitwiseOptions const& options, Result const& result) {
  show(options, result, "programs");
  return result.groups == 1 ? exit_code::done : exit_code::different;
}

int compare_builds(BitwiseOptions const& options, ensembles::Configuration const& base) {
  if (options.configurations.size() > 1) {
    throw InputError("--configs: " + std::to_string(options.configurations.size()) +
                     " configurations (with --programs all run in one) name one");
  }
  WorkFolder const scratch("bitwise");
  ensembles::ProgramsRequest request;
  request.source = {options.case_file, options.set};
  request.programs = ensembles::parse_programs(options.programs);
  request.configuration = ensembles::parse_configuration(
      options.configurations.empty() ? "cpu:1" : options.configurations.front(), base);
  request.steps = options.steps;
  request.scratch = scratch.path();
  request.limits = program_limits(options.program_timeout);
  request.cancel = &cancelled();
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  request.progress = [&](std::string const& what, double fraction) {
    progress.update(fraction, std::numeric_limits<double>::infinity(), what);
  };
  auto const result = ensembles::compare_programs(request);
  progress.finish();
  return tell(options, result);
}

/// Variants of the program that the case names.
int compare_variants(BitwiseOptions const& options) {
  WorkFolder const scratch("bitwise");
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  ensembles::VariantsRequest request;
  request.source = {options.case_file, options.set};
  request.variants = options.configurations;
  request.scratch = scratch.path();
  request.cancel = &cancelled();
  request.progress = [&](std::string const& what, double fraction) {
    progress.update(fraction, std::numeric_limits<double>::infinity(), what);
  };
  auto const result = ensembles::compare_variants(request);
  progress.finish();
  show(options, result, "variants");
  return result.groups == 1 && result.watching_changes_nothing() ? exit_code::done : exit_code::different;
}

/// Programs of others, run as they are.
int compare_probed(BitwiseOptions const& options) {
  if (options.programs.empty()) {
    throw InputError(
        "CASE is missing (there is nothing to run) name a case file, or --programs that tell the probe of "
        "their "
        "stages");
  }
  WorkFolder const scratch("bitwise");
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  ensembles::ProbedRequest request;
  request.programs = ensembles::parse_programs(options.programs);
  request.scratch = scratch.path();
  request.limits = program_limits(options.program_timeout);
  request.cancel = &cancelled();
  request.progress = [&](std::string const& what, double fraction) {
    progress.update(fraction, std::numeric_limits<double>::infinity(), what);
  };
  auto const result = ensembles::compare_probed(request);
  progress.finish();
  return tell(options, result);
}

}  // namespace

int bitwise(BitwiseOptions const& options) {
  if (options.case_file.empty()) return compare_probed(options);
  require_case_file(options.case_file);
  if (ensembles::names_program({options.case_file, options.set})) return compare_variants(options);
  ensembles::BitwiseRequest request;
  request.source = {options.case_file, options.set};
  ensembles::Configuration base;
  base.policy = options.policy;
  base.assembly = ensembles::parse_assembly(options.assembly);
  ensembles::require_policy(base.policy);
  if (!options.programs.empty()) return compare_builds(options, base);
  request.steps = options.steps;
  request.cancel = &cancelled();
  auto texts = options.configurations;
  if (texts.empty()) {
    texts = {"cpu:1", "cpu:2"};
    if (!ensembles::of_host_alone(base.policy) && std::ranges::any_of(devices(), &Device::supported)) {
      texts.insert(texts.end(), {"cuda:128", "cuda:256"});
    }
  }
  for (auto const& text : texts) {
    request.configurations.push_back(ensembles::parse_configuration(text, base));
    require_threads(ensembles::model_options(request.configurations.back()).threads);
  }
  auto const threads_of = [](ensembles::Configuration const& one) {
    return ensembles::model_options(one).threads;
  };
  require_ranks(std::ranges::max(request.configurations, {}, &ensembles::Configuration::ranks).ranks,
                threads_of(std::ranges::max(request.configurations, {}, threads_of)), request.source);

  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  request.progress = [&](std::string const& what, double fraction) {
    progress.update(fraction, std::numeric_limits<double>::infinity(), what);
  };
  auto result = ensembles::compare_bitwise(request);
  progress.finish();
  if (result.interrupted) {
    return interrupted("There is nothing to resume: call it again");
  }
  if (!result.identical) ensembles::tell_what_is_known(result, ensembles::shipped_atlas());
  show(options, result, "configurations");
  return result.identical && !result.invalid() ? exit_code::done : exit_code::different;
}

}  // namespace ulpine::cli
