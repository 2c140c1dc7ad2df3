// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "cli/console.hpp"
#include "cli/html_report.hpp"
#include "cli/named_runs.hpp"
#include "cli/output_folder.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/plain_text.hpp"
#include "io/provenance.hpp"
#include "verification/consistency/consistency.hpp"
#include "verification/consistency/output.hpp"
#include "verification/consistency/reading.hpp"
#include "verification/consistency/summary_file.hpp"

namespace ulpine::cli {
namespace {

namespace fs = std::filesystem;
using namespace verification::consistency;

std::vector<std::pair<std::string, std::string>> parameters_of(std::vector<std::string> const& texts) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (auto const& text : texts) {
    auto const equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("--parameter " + text + ": is no METHOD.KEY=VALUE (e.g. pca.sigma=2) write it so");
    }
    parameters.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return parameters;
}

/// The input of the command as lists of files; a summary file in the place of the ensemble's.
struct Wanted {
  RunList ensemble, tests, control, truth;
  std::optional<StoredSummary> stored;
  std::vector<std::string> notes;
};

Wanted wanted_of(ConsistencyOptions const& options) {
  Wanted wanted;
  if (!options.epsilon.empty() && !is_study(options.ensemble)) {
    throw InputError("--epsilon: has no effect (" + options.ensemble.string() +
                     " is no study of amplitudes) name a study, or leave the option out");
  }
  if (is_summary(options.ensemble)) {
    wanted.stored = read_summary(options.ensemble);
  } else if (is_study(options.ensemble)) {
    auto study = runs_of_study(options.ensemble, options.epsilon);
    wanted.ensemble = std::move(study.ensemble);
    wanted.control = std::move(study.control);
    wanted.notes.push_back(study.note);
  } else {
    wanted.ensemble.members = runs_in(options.ensemble);
  }
  if (!options.unperturbed.empty()) {
    if (wanted.stored)
      throw InputError("--unperturbed: a summary has its own (or none) name the folder of the runs instead");
    wanted.ensemble.unperturbed = run_of_file(options.unperturbed);
  }
  wanted.tests.members = runs_of(options.tests);
  if (!options.control.empty()) wanted.control.members = runs_of({options.control});
  if (!options.truth.empty()) wanted.truth.members = runs_of({options.truth});
  return wanted;
}

/// Refuses to write over another's file, or over a file that is read.
void require_own_outputs(ConsistencyOptions const& options) {
  auto const overwrite = io::overwrite_if(options.common.overwrite);
  std::vector<std::pair<fs::path, io::FileSignature>> outputs;
  if (!options.write_summary.empty()) outputs.emplace_back(options.write_summary, io::signatures::summary);
  if (!options.output.empty()) {
    outputs.emplace_back(options.output / "consistency.json", io::signatures::consistency);
    outputs.emplace_back(options.output / "junit.xml", io::signatures::markup);
    outputs.emplace_back(options.output / "report.html", io::signatures::page);
  }
  auto inputs = options.tests;
  inputs.insert(inputs.end(), {options.ensemble, options.unperturbed, options.control, options.truth});
  for (auto const& [path, signature] : outputs) {
    io::require_no_input(path, inputs);
    io::require_replaceable(path, signature, overwrite);
  }
}

/// Runs on the ensemble's grid, and their summary.
struct Read {
  std::unique_ptr<RunGroup> group;
  EnsembleSummary summary;
  Runs runs() const { return {&summary, group.get()}; }
};

Read read(RunList const& list, CommonGrid const& grid, ReadingProgress const& progress) {
  Read result;
  result.group = std::make_unique<RunGroup>(list, grid);
  result.summary = result.group->summary(progress);
  return result;
}

/// As read(), for accepted runs: each must have values wherever another has some.
Read read_accepted(RunList const& list, CommonGrid const& grid, ReadingProgress const& progress) {
  auto result = read(list, grid, progress);
  result.group->require_values(result.summary);
  return result;
}

int code_of(Verdict const& verdict) {
  switch (verdict.answer) {
    case Answer::consistent:
      return exit_code::done;
    case Answer::different:
      return exit_code::different;
    case Answer::undecided:
      return exit_code::undecided;
    default:
      return exit_code::bad_input;
  }
}

}  // namespace

int consistency(ConsistencyOptions const& options) {
  if (options.tests.empty() && options.write_summary.empty()) {
    throw InputError(
        "--test: no new run (there is nothing to test) name files or a folder, or --write-summary");
  }
  std::optional<OutputFolder> folder;
  if (!options.output.empty()) folder.emplace(options.output);
  require_own_outputs(options);
  auto const parameters = parameters_of(options.parameters);
  auto methods = options.methods;
  std::erase(methods, "all");
  for (auto const& name : methods) require_method(name);
  ensembles::ProgressReporter bar(stderr, options.common.quiet);
  auto const progress = [&](double fraction, std::string const& what) {
    ensembles::stop_where(&cancelled());
    bar.update(fraction, std::numeric_limits<double>::infinity(), "reading " + what);
  };
  try {
    auto wanted = wanted_of(options);
    Verdict verdict;
    Read ensemble, tests, control, truth;
    CommonGrid grid;
    std::vector<RunList const*> lists;
    if (!wanted.stored) lists.push_back(&wanted.ensemble);
    for (auto const* list : {&wanted.tests, &wanted.control, &wanted.truth}) {
      if (!list->members.empty()) lists.push_back(list);
    }
    auto names = options.variables;
    if (wanted.stored && names.empty()) {
      for (auto const& variable : wanted.stored->summary.variables) names.push_back(variable.name);
    }
    auto const weighting =
        options.weights.empty() ? verification::Weighting() : verification::Weighting(options.weights);
    grid = common_grid(lists, names, options.times == "last", weighting, progress);
    if (wanted.stored) {
      hold_to_summary(*wanted.stored, options.ensemble, wanted.tests, grid);
      ensemble.summary = std::move(wanted.stored->summary);
    } else {
      ensemble = read_accepted(wanted.ensemble, grid, progress);
    }
    if (!options.write_summary.empty()) {
      if (wanted.stored)
        throw InputError(
            "--write-summary: the ensemble is a summary already (there is nothing to read) name a folder");
      write_summary(options.write_summary, ensemble.summary, grid, wanted.ensemble);
      bar.finish();
      if (!options.json) print(options.common, options.write_summary.string() + "\n");
      if (options.tests.empty()) return exit_code::done;
    }
    tests = read(wanted.tests, grid, progress);
    Request request;
    request.ensemble = ensemble.runs();
    request.tests = tests.runs();
    if (!wanted.control.members.empty()) {
      control = read_accepted(wanted.control, grid, progress);
      request.control = control.runs();
    }
    if (!wanted.truth.members.empty()) {
      truth = read_accepted(wanted.truth, grid, progress);
      request.truth = truth.runs();
    }
    request.methods = methods;
    request.by_level = options.levels;
    request.parameters = parameters;
    request.seed = options.seed;
    bar.update(1, std::numeric_limits<double>::infinity(), "testing");
    verdict = judge(request);
    bar.finish();
    wanted.notes.insert(wanted.notes.end(), grid.notes.begin(), grid.notes.end());
    verdict.notes.insert(verdict.notes.begin(), wanted.notes.begin(), wanted.notes.end());
    ComparedNames compared{options.ensemble.string(), {}};
    for (auto const& path : options.tests) compared.tests.push_back(path.string());
    auto const json = to_json(verdict, io::build_provenance(), compared);
    print(options.common, options.json ? io::plain_json(json) : to_text(verdict));
    if (!options.output.empty()) {
      ensembles::write_atomically(options.output / "consistency.json", json);
      ensembles::write_atomically(options.output / "junit.xml",
                                  io::with_signature(to_junit(verdict), io::signatures::markup));
      auto const problem =
          write_html_report(options.output, {}, EarlierPage::of_others, options.common.overwrite);
      if (cancelled()) return interrupted("The page alone is missing: call it again");
      if (!problem.empty()) complain(problem);
    }
    auto const code = code_of(verdict);
    if (code == exit_code::bad_input) complain(verdict.statement);
    return code;
  } catch (ensembles::Interrupted const&) {
    bar.finish();
    return interrupted("Nothing was written: call it again");
  }
}

}  // namespace ulpine::cli
