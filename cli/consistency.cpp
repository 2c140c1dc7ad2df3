// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console.hpp"
#include "cli/csv.hpp"
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
#include "verification/consistency/output.hpp"
#include "verification/consistency/published.hpp"
#include "verification/consistency/runs_of_files.hpp"

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

/// The runs that the options name.
FileRequest request_of(ConsistencyOptions const& options) {
  FileRequest request;
  if (!options.epsilon.empty() && !is_study(options.ensemble)) {
    throw InputError("--epsilon: has no effect (" + options.ensemble.string() +
                     " is no study of amplitudes) name a study, or leave the option out");
  }
  if (is_summary(options.ensemble)) {
    request.stored = read_summary(options.ensemble);
    request.summary = options.ensemble;
  } else if (is_study(options.ensemble)) {
    auto study = runs_of_study(options.ensemble, options.epsilon);
    request.ensemble = std::move(study.ensemble);
    request.control = std::move(study.control);
    request.notes.push_back(study.note);
  } else {
    request.ensemble.members = runs_in(options.ensemble);
  }
  if (!options.unperturbed.empty()) {
    if (request.stored)
      throw InputError("--unperturbed: a summary has its own (or none) name the folder of the runs instead");
    request.ensemble.unperturbed = run_of_file(options.unperturbed);
  }
  request.tests.members = runs_of(options.tests);
  if (!options.control.empty()) request.control.members = runs_of({options.control});
  if (!options.truth.empty()) request.truth.members = runs_of({options.truth});
  request.variables = options.variables;
  request.times = TimeChoice(options.times);
  if (!options.weights.empty()) request.weighting = verification::Weighting(options.weights);
  request.by_level = options.levels;
  request.seed = options.seed;
  return request;
}

/// Refuses to write over another's file, or over a file that is read.
void require_own_outputs(ConsistencyOptions const& options) {
  auto const overwrite = io::overwrite_if(options.common.overwrite);
  std::vector<std::pair<fs::path, io::FileSignature>> outputs;
  if (!options.write_summary.empty() && options.as.empty())
    outputs.emplace_back(options.write_summary, io::signatures::summary);
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

/// What a published rule is applied to.
PublishedRequest published_request(ConsistencyOptions const& options,
                                   std::vector<std::pair<std::string, std::string>> parameters) {
  PublishedRequest request;
  request.rule = options.as;
  request.ensemble = options.ensemble;
  request.tests = options.tests;
  request.unperturbed = options.unperturbed;
  request.variables = options.variables;
  request.parameters = std::move(parameters);
  request.seed = options.seed;
  request.weights_given = !options.weights.empty();
  if (request.weights_given) request.reading_option = "--weights";
  if (options.times == "last") request.reading_option = "--times";
  if (!options.epsilon.empty()) request.reading_option = "--epsilon";
  request.write = options.write_summary;
  request.runs = [&options] { return request_of(options); };
  request.require_own = [&options](fs::path const& path, io::FileSignature const& signature) {
    auto read = options.tests;
    read.insert(read.end(), {options.ensemble, options.unperturbed});
    io::require_no_input(path, read);
    io::require_replaceable(path, signature, io::overwrite_if(options.common.overwrite));
  };
  return request;
}

/// The verdict of the methods, where there are new runs; writes the summary first where that is asked for.
std::optional<Verdict> verdict_of(ConsistencyOptions const& options,
                                  std::vector<std::pair<std::string, std::string>> const& parameters,
                                  std::vector<std::string> const& methods, ReadingProgress const& progress) {
  if (is_summary_of_pycect(options.ensemble) && !options.tests.empty()) {
    if (options.levels || !options.control.empty() || !options.truth.empty() ||
        !options.unperturbed.empty()) {
      throw InputError(options.ensemble.string() +
                       ": is a summary of PyCECT's (it has means of variables alone) leave out --levels, "
                       "--control, --truth and --unperturbed, or name the folder of the runs");
    }
    auto means = published_request(options, parameters);
    means.reading_option = options.weights.empty() ? "" : "--weights";
    return judge_by_means(means, methods, options.times == "last" ? -1 : 0, progress);
  }
  auto request = request_of(options);
  request.methods = methods;
  request.parameters = parameters;
  auto const stored = request.stored.has_value();
  auto const accepted = read_accepted(request, progress);
  if (!options.write_summary.empty()) {
    if (stored)
      throw InputError(
          "--write-summary: the ensemble is a summary already (there is nothing to read) name a folder");
    write_summary(options.write_summary, accepted.ensemble.summary, accepted.grid, request.ensemble);
  }
  if (options.tests.empty()) return std::nullopt;
  return judge(accepted, request, progress);
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

/// A row for each finding of each method.
nlohmann::ordered_json rows_of_findings(std::string const& json) {
  auto rows = nlohmann::ordered_json::array();
  auto const document = nlohmann::ordered_json::parse(json);
  for (auto const& outcome : document.at("outcomes")) {
    for (auto const& finding : outcome.at("findings")) {
      rows.push_back({{"method", outcome.at("method")}, {"answer", outcome.at("answer")}});
      rows.back().update(finding);
    }
  }
  return rows;
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
  if (!options.as.empty()) require_rule(options.as);
  ensembles::ProgressReporter bar(stderr, options.common.quiet);
  auto const progress = [&](double fraction, std::string const& what) {
    ensembles::stop_where(&cancelled());
    bar.update(fraction, std::numeric_limits<double>::infinity(),
               what.empty() ? "testing" : "reading " + what);
  };
  try {
    auto const found = options.as.empty() ? verdict_of(options, parameters, methods, progress)
                                          : judge_as(published_request(options, parameters), progress);
    bar.finish();
    if (!options.write_summary.empty() && !options.json && !options.csv)
      print(options.common, options.write_summary.string() + "\n");
    if (!found) return exit_code::done;
    auto const& verdict = *found;
    ComparedNames compared{options.ensemble.string(), {}};
    for (auto const& path : options.tests) compared.tests.push_back(path.string());
    auto const json = to_json(verdict, io::build_provenance(), compared);
    print(options.common, options.json  ? io::plain_json(json)
                          : options.csv ? csv_table(rows_of_findings(json))
                                        : to_text(verdict));
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
