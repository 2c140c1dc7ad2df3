// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "cli/console.hpp"
#include "cli/html_report.hpp"
#include "cli/output_folder.hpp"
#include "cli/predicted.hpp"
#include "cli/study_results.hpp"
#include "core/exec/threads.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/shell.hpp"
#include "ensembles/study/lock.hpp"
#include "ensembles/study/progress.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "verification/results/study_comparison.hpp"
#include "verification/verdict/verdict.hpp"

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

/// The results of a study, which has been evaluated; `place` is its folder or the file itself.
verification::StudyResults results_of(std::filesystem::path const& place) {
  auto const file = std::filesystem::is_directory(place) ? place / "results.json" : place;
  if (!std::filesystem::exists(file)) {
    throw InputError("no results " + file.string() + " (there is no such file) write them with `" +
                     program_name() + " report`, or name another study");
  }
  return verification::read_results(file);
}

/// The files of a comparison: (its JSON file, its page).
std::pair<std::filesystem::path, std::filesystem::path> places_of(ReportOptions const& options) {
  auto page = options.output.empty() ? options.study : options.output;
  if (page.extension() != ".html") {
    page /= "comparison.html";
  }
  auto file = page;
  return {file.replace_extension(".json"), page};
}

/// Reports the changes since an earlier study.
int compare_with_earlier(ReportOptions const& options) {
  auto const comparison =
      verification::compare_studies(results_of(options.against), results_of(options.study),
                                    options.against.string(), options.study.string());
  auto const [file, page] = places_of(options);
  auto const overwrite = io::overwrite_if(options.common.overwrite);
  io::require_replaceable(file, io::signatures::comparison, overwrite);
  io::require_replaceable(page, io::signatures::page, overwrite);
  OutputFolder const folder(page.has_parent_path() ? page.parent_path() : std::filesystem::path("."));
  verification::write_comparison(file, comparison);
  auto const retry =
      fmt::format("{} report {} --against {}", ensembles::shell_quoted(program_name()),
                  ensembles::shell_quoted_path(options.study), ensembles::shell_quoted_path(options.against));
  auto const problem = write_html_comparison(file, page, retry, options.common.overwrite);
  ensembles::stop_where(&cancelled());
  print(options.common, verification::words_of(comparison));
  print(options.common, (problem.empty() ? page : file).string() + "\n");
  if (!problem.empty()) {
    if (comparison.passed()) {
      throw EnvironmentError(problem);
    }
    complain(problem);
  }
  return !comparison.passed()      ? exit_code::different
         : comparison.comparable() ? exit_code::done
                                   : exit_code::undecided;
}

/// Whether a folder that is no study has other results that make a page.
bool has_other_results(std::filesystem::path const& folder) {
  constexpr std::array files = {"digits.json", "search.json", "consistency.json"};
  return std::ranges::any_of(files, [&](auto const* name) { return std::filesystem::exists(folder / name); });
}

/// A page of what is there; nothing is evaluated.
int show_other_results(ReportOptions const& options, ChosenFields const& fields) {
  if (auto const problem =
          write_html_report(options.study, fields, EarlierPage::of_these, options.common.overwrite);
      !problem.empty()) {
    ensembles::stop_where(&cancelled());
    throw EnvironmentError(problem);
  }
  print(options.common, (options.study / "report.html").string() + "\n");
  return exit_code::done;
}

}  // namespace

int write_study_results(Common const& common, std::filesystem::path const& study, int threads,
                        bool html_required, ChosenFields const& fields,
                        ensembles::OngoingEvaluation* ongoing) {
  ensembles::ResultsOptions evaluation;
  evaluation.threads = threads;
  evaluation.program = program_name();
  evaluation.cancel = &cancelled();
  evaluation.ongoing = ongoing;
  evaluation.overwrite = io::overwrite_if(common.overwrite);
  ensembles::ProgressReporter progress(stderr, common.quiet);
  evaluation.progress = [&](double fraction, std::string const& what) {
    progress.update(fraction, std::numeric_limits<double>::infinity(), "comparing " + what);
  };
  auto const resume = "Go on with: " + ensembles::shell_quoted(program_name()) + " report " +
                      ensembles::shell_quoted_path(study);
  verification::StudyResults results;
  try {
    results = ensembles::write_results(study, evaluation);
    progress.finish();
    ensembles::stop_where(&cancelled());
  } catch (ensembles::Interrupted const&) {
    progress.finish();
    return interrupted(resume);
  }
  auto const problem = write_html_report(study, fields, EarlierPage::of_others, common.overwrite);
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
  if (auto const* reference = results.find_run(results.reference);
      reference != nullptr && reference->failed) {
    print(common,
          fmt::format("the reference {} failed: {} (nothing can be held against it) name another with "
                      "--reference, or mend the case, and start another study\n",
                      reference->id, *reference->failed));
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
  if (!options.against.empty()) {
    return compare_with_earlier(options);
  }
  auto const threads = threads_or_all(options.threads);
  require_threads(threads);
  ChosenFields const fields{options.fields, options.no_fields};
  io::require_replaceable(options.study / "report.html", io::signatures::page,
                          io::overwrite_if(options.common.overwrite));
  if (!std::filesystem::exists(options.study / "manifest.json")) {
    if (has_other_results(options.study)) {
      return show_other_results(options, fields);
    }
    return write_study_results(options.common, options.study, threads, true, fields);  // which says so
  }
  ensembles::FolderLock const lock(options.study, ensembles::Use::alone);
  ensembles::clear_study(options.study);
  if (!options.on.empty()) write_predictions(options.study, options.on);
  return write_study_results(options.common, options.study, threads, true, fields);
}

}  // namespace ulpine::cli
