// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/console.hpp"
#include "cli/html_report.hpp"
#include "cli/study_results.hpp"
#include "ensembles/progress.hpp"
#include "ensembles/results.hpp"
#include "io/error.hpp"

namespace ulpine::cli {
namespace {

std::string verdict(verification::StudyResults const& results) {
  auto const passed = std::ranges::count_if(results.gates, [](auto const& gate) { return gate.passed; });
  auto const skipped =
      std::ranges::count_if(results.gates, [](auto const& gate) { return !gate.skipped.empty(); });
  auto text = fmt::format("{}: {} of {} gates passed", results.passed() ? "passed" : "FAILED", passed,
                          results.gates.size());
  if (skipped > 0) {
    text += fmt::format(", {} could not be judged", skipped);
  }
  text += '\n';
  for (auto const& gate : results.gates) {
    if (!gate.passed) {
      auto const value = gate.value ? fmt::format("{:.4g}, limit {:.4g}", *gate.value, gate.limit)
                                    : (gate.skipped.empty() ? gate.reason : "not judged: " + gate.skipped);
      text += fmt::format("  {} {}: {}\n", gate.run, gate.name, value);
    }
  }
  return text;
}

}  // namespace

int write_study_results(Common const& common, std::filesystem::path const& study, int threads,
                        bool html_required) {
  ensembles::ResultsOptions evaluation;
  evaluation.threads = threads;
  evaluation.cancel = &cancelled();
  ensembles::ProgressReporter progress(stderr, common.quiet);
  evaluation.progress = [&](double fraction, std::string const& what) {
    progress.update(fraction, std::numeric_limits<double>::infinity(), "comparing " + what);
  };
  auto const results = ensembles::write_results(study, evaluation);
  progress.finish();
  auto const resume = "Go on with: ulpine report " + shell_quoted(study.string());
  if (cancelled()) {
    return interrupted(resume);
  }
  auto const problem = write_html_report(study);
  if (cancelled()) {
    return interrupted(resume);
  }
  auto const failed =
      std::ranges::count_if(results.runs, [](auto const& run) { return run.failed.has_value(); });
  if (failed > 0) {
    print(common, fmt::format("{} of {} runs failed\n", failed, results.runs.size()));
  }
  print(common, verdict(results));
  print(common, (study / (problem.empty() ? "report.html" : "summary.md")).string() + "\n");
  auto const different = !results.passed();
  if (!problem.empty()) {
    if (html_required && !different) {
      throw EnvironmentError(problem);
    }
    complain(problem);
  }
  return different ? exit_code::different : exit_code::done;
}

int report(ReportOptions const& options) {
  if (!std::filesystem::is_directory(options.study)) {
    throw InputError("no study " + options.study.string() +
                     " (there is no such folder) name the folder that `ulpine ensemble -o` wrote");
  }
  return write_study_results(options.common, options.study, threads_or_all(options.threads), true);
}

}  // namespace ulpine::cli
