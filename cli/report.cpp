// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/console.hpp"
#include "cli/html_report.hpp"
#include "cli/study_results.hpp"
#include "core/exec/threads.hpp"
#include "ensembles/interrupt.hpp"
#include "ensembles/lock.hpp"
#include "ensembles/progress.hpp"
#include "ensembles/results.hpp"
#include "ensembles/shell.hpp"
#include "ensembles/study.hpp"
#include "io/error.hpp"
#include "verification/verdict.hpp"

namespace ulpine::cli {
namespace {

/// The verdicts, a line each, and the gates that did not pass.
std::string verdict(verification::StudyResults const& results) {
  std::string text;
  for (auto const& verdict : results.verdicts) {
    text += fmt::format("{}: {}\n", verdict.configuration, name_of(verdict.answer));
    for (auto const& evidence : verdict.evidence) {
      if (evidence.answer == verification::Answer::different) {
        text += fmt::format("  {}\n", words_of(evidence));
      }
    }
  }
  for (auto const& gate : results.gates) {
    auto const told = std::ranges::any_of(
        results.verdicts, [&](auto const& verdict) { return verdict.configuration == gate.run; });
    if (!gate.passed && !told) {
      text += fmt::format("  {} {}: {}\n", gate.run, gate.name,
                          gate.skipped.empty() ? gate.reason : "not judged: " + gate.skipped);
    }
  }
  return text + fmt::format("{}: {}\n", name_of(results.answer), tally_of(results));
}

int code_of(verification::Answer answer) {
  switch (answer) {
    case verification::Answer::different:
      return exit_code::different;
    case verification::Answer::undecided:
      return exit_code::undecided;
    default:
      return exit_code::done;
  }
}

}  // namespace

int write_study_results(Common const& common, std::filesystem::path const& study, int threads,
                        bool html_required) {
  ensembles::ResultsOptions evaluation;
  evaluation.threads = threads;
  evaluation.program = program_name();
  evaluation.cancel = &cancelled();
  ensembles::ProgressReporter progress(stderr, common.quiet);
  evaluation.progress = [&](double fraction, std::string const& what) {
    progress.update(fraction, std::numeric_limits<double>::infinity(), "comparing " + what);
  };
  auto const resume = "Go on with: " + program_name() + " report " + ensembles::shell_quoted(study.string());
  verification::StudyResults results;
  try {
    results = ensembles::write_results(study, evaluation);
    progress.finish();
    ensembles::stop_where(&cancelled());
  } catch (ensembles::Interrupted const&) {
    progress.finish();
    return interrupted(resume);
  }
  auto const problem = write_html_report(study);
  if (cancelled()) {
    return interrupted(resume);
  }
  if (results.missing.runs > 0 && results.answer != verification::Answer::undecided) {
    print(common, verification::words_of(results.missing) + "\n");
  }
  auto const failed =
      std::ranges::count_if(results.runs, [](auto const& run) { return run.failed.has_value(); });
  if (failed > 0) {
    print(common, fmt::format("{} of {} runs failed\n", failed, results.runs.size()));
  }
  print(common, verdict(results));
  print(common, (study / (problem.empty() ? "report.html" : "summary.md")).string() + "\n");
  if (!results.would_decide.empty()) {
    print(common, "what would decide: " + results.would_decide + "\n");
  }
  auto const code = code_of(results.answer);
  if (!problem.empty()) {
    if (html_required && code != exit_code::different) {
      throw EnvironmentError(problem);
    }
    complain(problem);
  }
  return code;
}

int report(ReportOptions const& options) {
  if (!std::filesystem::is_directory(options.study)) {
    throw InputError("no study " + options.study.string() +
                     " (there is no such folder) name the folder that `" + program_name() +
                     " ensemble -o` wrote");
  }
  auto const threads = threads_or_all(options.threads);
  require_threads(threads);
  if (!std::filesystem::exists(options.study / "manifest.json")) {
    return write_study_results(options.common, options.study, threads, true);  // which says so
  }
  ensembles::FolderLock const lock(options.study, ensembles::Use::alone);
  ensembles::clear_study(options.study);
  return write_study_results(options.common, options.study, threads, true);
}

}  // namespace ulpine::cli
