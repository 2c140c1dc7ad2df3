// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/error.hpp"
#include "verification/consistency/published.hpp"
#include "verification/consistency/pycect.hpp"
#include "verification/consistency/pycect_histories.hpp"
#include "verification/consistency/pycect_pop.hpp"
#include "verification/consistency/pycect_summary.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;

/// The one file of each run; empty where a run has several, which PyCECT does not know.
std::vector<fs::path> single_files(std::vector<RunFiles> const& runs) {
  std::vector<fs::path> files;
  for (auto const& run : runs) {
    if (run.files.size() != 1) return {};
    files.push_back(run.files.front());
  }
  return files;
}

std::vector<std::string> names_of(std::vector<fs::path> const& files) {
  std::vector<std::string> names;
  for (auto const& file : files) names.push_back(file.filename().string());
  return names;
}

bool has_means(History history) { return history != History::other && history != History::pop; }

PycectModel model_of(History history) {
  return history == History::mpas ? PycectModel::mpas : PycectModel::cam;
}

/// Means of runs of any model at one time.
std::vector<std::vector<double>> means_at(EnsembleSummary const& runs, std::size_t time) {
  std::vector<std::vector<double>> means;
  for (std::size_t v = 0; v < runs.variables.size(); ++v) {
    auto& of = means.emplace_back();
    for (auto const& run : runs.members) {
      of.push_back(run.variables[v][time].mean);
      if (!std::isfinite(of.back())) {
        throw InputError(run.name + ": " + runs.variables[v].name +
                         ": has no finite mean (PyCECT stops there without an answer) leave it out with "
                         "--variables, or judge without --as");
      }
    }
  }
  return means;
}

/// The ensemble, and the new runs where there are some.
struct ReadByPycect {
  PycectEnsemble ensemble;
  std::optional<PycectTests> tests;
};

class PycectReader {
 public:
  PycectReader(PublishedRequest const& request, std::int64_t time, ReadingProgress const& progress,
               std::vector<std::string>& notes)
      : request_{request}, time_{time}, progress_{progress}, notes_{notes} {}

  ReadByPycect read() {
    switch (pycect_file(request_.ensemble)) {
      case PycectFile::none:
        break;
      case PycectFile::results:
        throw InputError(request_.ensemble.string() +
                         ": has results of new runs (--saveResults of PyCECT) name the ensemble's summary");
      default:
        return of_summary();
    }
    if (fs::is_directory(request_.ensemble) && !fs::exists(request_.ensemble / "manifest.json")) {
      auto const files = single_files(runs_in(request_.ensemble));
      if (!files.empty()) {
        auto const history = history_of(files.front());
        if (has_means(history)) return of_histories(files, history);
      }
    }
    return of_any_files();
  }

 private:
  ReadByPycect of_summary() {
    refuse_options(request_, "history files are averaged as PyCECT does");
    if (!request_.write.empty()) {
      throw InputError(
          "--write-summary: the ensemble is a summary already (there is nothing to read) name a "
          "folder");
    }
    if (!request_.variables.empty()) {
      throw InputError(
          "--variables: PyCECT's summary has its own (its components are of all of them) leave the "
          "option out");
    }
    ReadByPycect read{read_pycect_summary(request_.ensemble), {}};
    add_tests(read, History::other);
    return read;
  }

  ReadByPycect of_histories(std::vector<fs::path> const& files, History history) {
    refuse_options(request_, "history files are averaged as PyCECT does");
    auto means = history_variables(files.front(), history, request_.variables);
    means.means = history_means(files, history, means, time_, progress_, notes_);
    ReadByPycect read{pycect_ensemble(std::move(means), model_of(history), notes_), {}};
    if (!request_.write.empty()) {
      write_pycect_summary(request_.write, read.ensemble, history_grid(files.front(), history));
    }
    add_tests(read, history);
    return read;
  }

  /// New runs that are history files or saved results, for an ensemble of such.
  void add_tests(ReadByPycect& read, History expected) {
    if (request_.tests.empty()) return;
    auto const& ensemble = read.ensemble;
    if (request_.tests.size() == 1 && pycect_file(request_.tests.front()) == PycectFile::results) {
      read.tests = read_pycect_results(request_.tests.front(), ensemble.names.size());
      return;
    }
    auto const files = single_files(runs_of(request_.tests));
    auto const history = files.empty() ? History::other : history_of(files.front());
    auto const fits = has_means(history) && model_of(history) == ensemble.model &&
                      (expected == History::other || expected == history);
    if (!fits) {
      throw InputError(request_.tests.front().string() + ": is no history of " +
                       (ensemble.model == PycectModel::mpas ? "MPAS-A" : "CAM") +
                       " as the ensemble's are (PyCECT compares these with each other) name such files");
    }
    PycectMeans const variables{ensemble.names, ensemble.parts, {}};
    read.tests = {names_of(files), history_means(files, history, variables, time_, progress_, notes_)};
  }

  ReadByPycect of_any_files() {
    if (!request_.write.empty()) {
      throw InputError(
          "--write-summary: these are no history files of CAM or MPAS-A (PyCECT could not read the new runs) "
          "leave out --as, for a summary of Ulpine's");
    }
    auto const runs = read_for_rule(request_, false, progress_, notes_);
    auto const time = time_of_rule(time_, runs.ensemble, request_.rule + ".tslice", notes_);
    PycectMeans means;
    for (auto const& variable : runs.ensemble.variables) means.names.push_back(variable.name);
    means.parts = {means.names.size()};
    means.means = means_at(runs.ensemble, time);
    ReadByPycect read{pycect_ensemble(std::move(means), PycectModel::cam, notes_), {}};
    read.tests.emplace();
    for (auto const& run : runs.tests.members) read.tests->runs.push_back(run.name);
    auto const all = means_at(runs.tests, time);
    for (std::size_t v = 0; v < runs.tests.variables.size(); ++v) {
      auto const& name = runs.tests.variables[v].name;
      if (std::ranges::count(read.ensemble.names, name) > 0) read.tests->means.push_back(all[v]);
    }
    return read;
  }

  PublishedRequest const& request_;
  std::int64_t time_;
  ReadingProgress const& progress_;
  std::vector<std::string>& notes_;
};

/// The history files of POP that are to make a summary; empty where the ensemble is none of those.
std::vector<fs::path> pop_files(PublishedRequest const& request) {
  if (!fs::is_directory(request.ensemble)) return {};
  auto files = single_files(runs_in(request.ensemble));
  return !files.empty() && history_of(files.front()) == History::pop ? files : std::vector<fs::path>{};
}

/// The rule for POP, which is another: nothing where the ensemble is not of POP.
struct OfPop {
  bool is_pop = false;
  std::optional<Outcome> outcome = {};
};
OfPop as_pop(PublishedRequest const& request, Parameters& parameters, ReadingProgress const& progress,
             std::vector<std::string>& notes) {
  auto const summary = pycect_file(request.ensemble) == PycectFile::pop_summary;
  auto const files = summary ? std::vector<fs::path>{} : pop_files(request);
  if (!summary && files.empty()) return {};
  refuse_options(request, "points are compared as PyCECT does");
  if (request.rule == "eet") {
    throw InputError(
        "--as eet: PyCECT has no exhaustive test for POP (its files are judged one by one) give --as "
        "pycect");
  }
  if (summary && !request.variables.empty())
    throw InputError(
        "--variables: PyCECT's summary has its own (all of them are judged) leave the option out");
  if (!summary) {
    if (request.write.empty()) {
      throw InputError("--ensemble: " + request.ensemble.string() +
                       " has history files of POP (their summary is large, and is kept) give --write-summary "
                       "too, or name that summary");
    }
    request.require_own(request.write, pycect_signature);
    write_pop_summary(request.write, files, request.variables, progress);
  }
  if (request.tests.empty()) return {true, {}};
  auto const tests = single_files(runs_of(request.tests));
  if (tests.empty() || history_of(tests.front()) != History::pop) {
    throw InputError(
        request.tests.front().string() +
        ": is no history of POP as the ensemble's are (PyCECT compares these with each other) name "
        "such files");
  }
  return {true, pop_test(summary ? request.ensemble : request.write, tests, parameters, progress, notes)};
}

}  // namespace

std::optional<Outcome> as_pycect(PublishedRequest const& request, Parameters& parameters,
                                 ReadingProgress const& progress, std::vector<std::string>& notes) {
  if (auto of_pop = as_pop(request, parameters, progress, notes); of_pop.is_pop)
    return std::move(of_pop.outcome);
  auto const time = parameters.integer("tslice", 0, -1000000, 1000000);
  if (!request.write.empty()) request.require_own(request.write, pycect_signature);
  auto const [ensemble, tests] = PycectReader(request, time, progress, notes).read();
  if (!tests) return std::nullopt;
  progress(1, "");
  auto const apply = request.rule == "eet" ? exhaustive_test : pycect_test;
  return apply(ensemble, *tests, parameters, request.seed, notes);
}

bool is_summary_of_pycect(fs::path const& path) {
  auto const file = pycect_file(path);
  return file != PycectFile::none && file != PycectFile::results;
}

Verdict judge_by_means(PublishedRequest const& request, std::vector<std::string> methods, std::int64_t time,
                       ReadingProgress const& progress) {
  if (pycect_file(request.ensemble) == PycectFile::pop_summary) {
    throw InputError(
        request.ensemble.string() +
        ": is PyCECT's summary of POP (it has no members that Ulpine's methods compare) judge by "
        "--as pycect, or name the folder of the runs");
  }
  for (auto const& method : methods) {
    if (method != "pca" && method != "twosample") {
      throw InputError(
          "--method " + method +
          ": PyCECT's summary has means alone (pca and twosample compare these) ask for those, or name "
          "the folder of the runs");
    }
  }
  if (methods.empty()) methods = {"pca", "twosample"};
  std::vector<std::string> notes = {"PyCECT's summary has means alone: pca and twosample judge by them"};
  auto const [ensemble, tests] = PycectReader(request, time, progress, notes).read();
  auto const summary_of = [&](std::vector<std::vector<double>> const& means,
                              std::vector<std::string> const& runs) {
    EnsembleSummary summary;
    summary.times = {not_a_number};
    for (auto const& name : ensemble.names) {
      VariableInfo variable;
      variable.name = name;
      variable.points = 1;
      summary.variables.push_back(std::move(variable));
    }
    for (std::size_t run = 0; run < means.front().size(); ++run) {
      RunSummary of{run < runs.size() ? runs[run] : fmt::format("member {}", run + 1), {}};
      for (auto const& values : means) {
        auto const value = values[run];
        of.variables.push_back({{value, {{value, value, value, 0, 0}}}});
      }
      summary.members.push_back(std::move(of));
    }
    return summary;
  };
  auto const accepted = summary_of(ensemble.means, {}), tested = summary_of(tests->means, tests->runs);
  progress(1, "");
  Request own;
  own.ensemble.summary = &accepted;
  own.tests.summary = &tested;
  own.methods = std::move(methods);
  own.parameters = request.parameters;
  own.seed = request.seed;
  auto verdict = judge(own);
  verdict.notes.insert(verdict.notes.begin(), notes.begin(), notes.end());
  return verdict;
}

}  // namespace ulpine::verification::consistency
