// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/model/model.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/ongoing_evaluation.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/study/study_evaluation.hpp"
#include "ensembles/study/unchanged_runs.hpp"
#include "io/error.hpp"
#include "verification/results/junit.hpp"
#include "verification/results/summary.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

void require_reference(StudyEvaluation const& study) {
  auto const& entry = study.manifest.entries.front();
  if (entry.state == RunState::planned) {
    throw InputError(study.study.string() + ": has no finished reference run " +
                     study.manifest.plan.reference + " (" +
                     (entry.reason.empty() ? "it has not run" : entry.reason) +
                     ") resume the study with `ulpine ensemble ... --resume`");
  }
}

/// E.g. "updraught: extremum of w, which maximum".
std::string words_of(verification::EvaluationInfo const& info) {
  auto text = fmt::format("{}: {} of {}", info.name, info.kind, fmt::join(info.fields, ", "));
  for (auto const& [key, value] : info.parameters) {
    auto const* words = std::get_if<std::string>(&value);
    text += ", " + key + " " + (words != nullptr ? *words : io::number_text(std::get<double>(value)));
  }
  return text;
}

/// Fits the evaluations, which are judged besides the fields, to the grid of the reference's output.
void fit_evaluations(StudyEvaluation& study) {
  auto const evaluations = verification::read_evaluations(study.case_file, study.declared);
  study.evaluations = verification::fit(evaluations, study.layout, study.results.notes);
  auto& results = study.results;
  for (auto const& [evaluation, statistics, curves] : study.evaluations) {
    results.evaluations.push_back(evaluation.info);
    results.notes.push_back(words_of(evaluation.info));
    results.statistics.insert(results.statistics.end(), statistics.begin(), statistics.end());
    results.curves.insert(results.curves.end(), curves.begin(), curves.end());
  }
  std::vector<std::string> statistics, curves;
  for (auto const& statistic : results.statistics) statistics.push_back(statistic.name);
  for (auto const& curve : results.curves) curves.push_back(curve.name);
  results.rules = verification::read_rules(study.case_file, study.declared);
  verification::require_margins(study.case_file, statistics, curves);
  for (auto& figure : verification::read_figures(study.case_file, study.declared)) {
    auto const units_in = [&](auto const& list, auto units) {
      for (auto const& item : list) {
        if (item.name == figure.subject) figure.units = units(item);
      }
    };
    if (figure.subject_kind == "statistic") {
      units_in(results.statistics, [](auto const& item) { return item.units; });
    } else if (figure.subject_kind == "curve") {
      units_in(results.curves, [](auto const& item) { return item.y.units; });
    } else if (auto const grid = study.layout.grids.find(figure.subject); grid != study.layout.grids.end()) {
      figure.units = grid->second.units;
    }
    results.figures.push_back(std::move(figure));
  }
}

/// Sets aside what `[verify.levels]` leaves out, of fields whose first dimension has coordinates.
void set_levels_aside(StudyEvaluation& study) {
  auto const& rule = study.results.rules.levels;
  if (rule.all()) return;
  std::int64_t levels = 0;
  for (auto& [name, grid] : study.layout.grids) {
    if (grid.levels == 0 || grid.coordinates.front().empty()) continue;
    for (auto const place : grid.coordinates.front()) {
      grid.aside.push_back(!rule.hold(place));
      levels += grid.aside.back();
    }
  }
  study.results.notes.push_back(
      fmt::format("{} levels of all fields lie outside of verify.levels and are judged with the whole field "
                  "alone{}",
                  levels, rule.reason.empty() ? "" : " (" + rule.reason + ")"));
}

/// Times of all runs that others are held against that fit in memory.
std::int64_t times_together(StudyEvaluation const& study) {
  std::set<std::string> shared = {study.results.reference};
  for (auto const& entry : study.manifest.entries) {
    if (entry.run.member) shared.insert(baseline_of(study, entry.run));
  }
  auto const bytes = study.layout.frame_bytes * static_cast<std::int64_t>(shared.size());
  auto const times = static_cast<std::int64_t>(study.layout.times.size());
  return std::clamp<std::int64_t>(study.options.shared_bytes / std::max<std::int64_t>(bytes, 1), 1, times);
}

void note_builds(StudyEvaluation& study) {
  std::map<std::string, int> runs_by_build;
  for (auto const& [id, build] : study.builds) ++runs_by_build[build];
  if (runs_by_build.size() > 1) {
    std::string text;
    for (auto const& [build, count] : runs_by_build)
      text += fmt::format("{}{} ({} runs)", text.empty() ? "" : ", ", build, count);
    study.results.notes.push_back("runs were made by different builds: " + text);
  }
}

/// The study whose reference failed, with how its runs ended; there is nothing to hold anything against.
void judge_without_values(StudyEvaluation& study) {
  for (auto& run : study.runs) study.results.runs.push_back(std::move(run.result));
  fill_reference_error(study);
  fill_gates(study);
  note_builds(study);
  verification::judge_study(study.results);
}

}  // namespace

StudyEvaluation begin_evaluation(fs::path const& folder, Manifest manifest, ResultsOptions const& options) {
  auto case_file = CaseSource{folder / "case.toml"}.load();
  auto declared = judging_of(case_file.core());
  StudyEvaluation study{
      folder, options, std::move(manifest), std::move(case_file), std::move(declared), {}, {}, {}, {}, {}};
  require_reference(study);
  if (study.reference_failed()) {
    study.results.rules = verification::read_rules(study.case_file, study.declared);
    collect_runs(study);
    return study;
  }
  study.layout = verification::read_layout(study.output_of(study.reference()));
  fit_evaluations(study);
  set_levels_aside(study);
  collect_runs(study);
  study.times_together = times_together(study);
  return study;
}

verification::StudyResults finish_evaluation(StudyEvaluation study) {
  if (study.reference_failed()) {
    judge_without_values(study);
    return std::move(study.results);
  }
  fill_ensembles(study);
  fill_controls(study);
  fill_orientation_spreads(study);
  fill_bitwise(study);
  auto const at_rest = runs_at_rest(study);
  for (auto& run : study.runs) {
    study.results.runs.push_back(std::move(run.result));
  }
  fill_reference_error(study);
  fill_gates(study);
  note_builds(study);
  verification::judge_study(study.results);
  withhold_verdicts(study.results, at_rest);
  return std::move(study.results);
}

verification::StudyResults compute_results(fs::path const& folder, ResultsOptions const& options) {
  auto manifest = read_manifest(folder, options.cancel);
  require_same_case(folder, manifest);
  refresh_states(folder, manifest, options.cancel, {}, options.threads);
  auto study = begin_evaluation(folder, std::move(manifest), options);
  if (options.ongoing != nullptr) options.ongoing->hand_over(study);
  if (!study.reference_failed()) evaluate_files(study);
  return finish_evaluation(std::move(study));
}

void require_own_results(fs::path const& study, io::Overwrite overwrite) {
  io::require_replaceable(study / "results.json", io::signatures::results, overwrite);
  io::require_replaceable(study / "junit.xml", io::signatures::markup, overwrite);
  io::require_replaceable(study / "summary.md", io::signatures::markup, overwrite);
}

verification::StudyResults write_results(fs::path const& study, ResultsOptions const& options) {
  require_own_results(study, options.overwrite);
  auto const results = compute_results(study, options);
  verification::write_results(study / "results.json", results);
  write_atomically(study / "junit.xml",
                   io::with_signature(verification::to_junit(results), io::signatures::markup));
  write_atomically(study / "summary.md",
                   io::with_signature(verification::to_summary(results), io::signatures::markup));
  return results;
}

}  // namespace ulpine::ensembles
