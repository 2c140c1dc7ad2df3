// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/conformance.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/csv.hpp"
#include "cli/ranks.hpp"
#include "cli/work_folder.hpp"
#include "core/exec/device.hpp"
#include "core/exec/threads.hpp"
#include "ensembles/programs/program_conformance.hpp"
#include "ensembles/programs/program_study.hpp"
#include "ensembles/reproducibility/results_json.hpp"
#include "ensembles/study/configuration.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"

namespace ulpine::cli {
namespace {

int tell(ConformanceOptions const& options, std::vector<ensembles::ConformanceCheck> const& checks) {
  if (options.json) {
    print_json(options.common, ensembles::to_json(checks));
  } else {
    print(options.common,
          options.csv ? csv_table(ensembles::to_json(checks).at("checks")) : ensembles::table(checks));
  }
  auto const none = [&](std::string ensembles::ConformanceCheck::*fault) {
    return std::ranges::all_of(checks, &std::string::empty, fault);
  };
  if (!none(&ensembles::ConformanceCheck::broken)) return exit_code::different;
  return none(&ensembles::ConformanceCheck::unjudged) ? exit_code::done : exit_code::undecided;
}

int check_program(ConformanceOptions const& options) {
  WorkFolder const folder("conformance");
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  ensembles::VariantsRequest request;
  request.source = {options.case_file, options.set};
  request.variants = options.configurations;
  request.scratch = folder.path();
  request.cancel = &cancelled();
  request.progress = [&](std::string const& check, double fraction) {
    progress.update(fraction, std::numeric_limits<double>::infinity(), check);
  };
  auto const checks = ensembles::check_program(request);
  progress.finish();
  return tell(options, checks);
}

}  // namespace

int conformance(ConformanceOptions const& options) {
  require_case_file(options.case_file);
  if (ensembles::names_program({options.case_file, options.set})) return check_program(options);
  ensembles::Configuration base;
  base.policy = options.policy;
  base.assembly = ensembles::parse_assembly(options.assembly);
  ensembles::require_policy(base.policy);
  auto texts = options.configurations;
  if (texts.empty()) {
    texts = {"cpu:1", "cpu:2"};
    if (!ensembles::of_host_alone(base.policy) && std::ranges::any_of(devices(), &Device::supported)) {
      texts.insert(texts.end(), {"cuda:128", "cuda:256"});
    }
  }
  ensembles::ConformanceRequest request;
  request.source = {options.case_file, options.set};
  request.steps = options.steps;
  request.cancel = &cancelled();
  for (auto const& text : texts) {
    auto const configuration = ensembles::parse_configuration(text, base);
    request.configurations.push_back(ensembles::model_options(configuration));
    auto const& first = request.configurations.front();
    auto const& added = request.configurations.back();
    if (added.policy != first.policy || added.assembly != first.assembly || added.stages != first.stages) {
      throw InputError("--configs: " + text + " differs from " + texts.front() +
                       " in more than its place (all must give the same bits) use one policy and assembly");
    }
    require_threads(added.threads);
  }
  require_ranks(std::ranges::max(request.configurations, {}, &ModelOptions::ranks).ranks,
                std::ranges::max(request.configurations, {}, &ModelOptions::threads).threads, request.source);
  WorkFolder const folder("conformance");
  request.folder = folder.path();
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  auto done = 0;
  request.progress = [&](std::string const& check) {
    progress.update(std::min(1.0, ++done / static_cast<double>(ensembles::conformance_checks)),
                    std::numeric_limits<double>::infinity(), check);
  };
  auto const checks = ensembles::check_conformance(request);
  progress.finish();
  return tell(options, checks);
}

}  // namespace ulpine::cli
