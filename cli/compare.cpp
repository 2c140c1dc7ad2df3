// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/compare.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console.hpp"
#include "cli/csv.hpp"
#include "cli/told_parts.hpp"
#include "ensembles/study/failed_run.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "verification/comparison/limits.hpp"
#include "verification/results/junit.hpp"

namespace ulpine::cli {

namespace {

using Json = nlohmann::ordered_json;

void require_variable(io::InputFile const& file, std::filesystem::path const& path, std::string const& name) {
  if (file.has_values(name)) {
    return;
  }
  throw InputError(path.string() + ": no variable '" + name + "'" + choices_hint(name, file.variables()));
}

/// Names that a table of limits may have: what either file has.
std::vector<std::string> names_of(io::InputFile const& reference, io::InputFile const& test) {
  std::vector<std::string> names;
  for (auto const* file : {&reference, &test}) {
    for (auto const& more : {file->variables(), file->labels(), file->places(), file->unreadable()})
      names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

/// What judges the comparison; nothing where it is to be measured alone.
std::optional<verification::LimitsJudge> judge_of(CompareOptions const& options,
                                                  std::optional<io::CaseFile> const& file) {
  if (file) return verification::LimitsJudge(verification::read_limits(*file));
  if (!options.fail_on.empty()) return verification::LimitsJudge(verification::limits_of_equality());
  return std::nullopt;
}

/// Refuses limits that hold for no name: of what was compared, its speeds and levels, or of the files.
void require_tables(io::CaseFile const& file, io::InputFile const& reference, io::InputFile const& test,
                    verification::Comparison const& comparison) {
  auto names = names_of(reference, test);
  for (auto const& variable : comparison.variables) names.push_back(variable.name);
  verification::require_names(file, verification::read_limits(file), names);
}

int code_of(verification::LimitsAnswer answer) {
  return answer == verification::LimitsAnswer::beyond      ? exit_code::different
         : answer == verification::LimitsAnswer::undecided ? exit_code::undecided
                                                           : exit_code::done;
}

}  // namespace

int compare(CompareOptions const& options) {
  std::optional<io::CaseFile> limits;
  if (!options.limits.empty()) limits = io::CaseFile::load(options.limits);
  auto judge = judge_of(options, limits);
  if (!options.junit.empty()) {
    io::require_no_input(options.junit, std::vector{options.reference, options.test, options.limits});
    io::require_replaceable(options.junit, io::signatures::markup,
                            io::overwrite_if(options.common.overwrite));
  }
  io::InputFile const reference(options.reference);
  io::InputFile const test(options.test);
  tell_of_parts({options.reference, options.test});
  for (auto const& name : options.variables) {
    require_variable(reference, options.reference, name);
    require_variable(test, options.test, name);
  }
  verification::ComparisonOptions how;
  how.variables = options.variables;
  how.times = options.all_times ? verification::Times::all
              : options.last    ? verification::Times::last
                                : verification::Times::worst;
  how.by_level = options.levels;
  if (!options.weights.empty()) how.weighting = verification::Weighting(options.weights);
  if (judge) {
    how.each_time = [&](auto const& variable, auto const& time) { judge->see(variable, time); };
  }
  auto comparison = verification::compare(reference, test, how);
  if (limits) require_tables(*limits, reference, test, comparison);
  std::optional<verification::LimitsReport> report;
  if (judge) report = judge->report(comparison);
  if (limits && report->results.empty()) {
    throw InputError(
        options.limits.string() +
        ": holds for no variable that was compared (nothing would be judged) give one a limit, or "
        "a table [default]");
  }
  auto failed = false;
  for (auto const& path : {options.reference, options.test}) {
    auto const is_folder = std::filesystem::is_directory(path);
    if (!is_folder && path.filename() != "output.nc") continue;
    auto const failure = ensembles::failure_in(is_folder ? path : path.parent_path());
    if (!failure) continue;
    failed = true;
    comparison.notes.push_back(path.string() + " is of a run that failed: " + *failure);
  }
  auto const json = [&] { return verification::to_json(comparison, how.times, report ? &*report : nullptr); };
  auto text = options.json  ? json()
              : options.csv ? csv_table(rows_by_name(Json::parse(json()).at("variables"), "variable"))
                            : verification::to_text(comparison, how.times);
  if (!text.ends_with('\n')) {
    text += '\n';
  }
  if (report && !options.json && !options.csv) text += verification::to_text(*report);
  print(options.common, text);
  if (!options.junit.empty()) {
    auto const title = "compare " + options.reference.string() + " " + options.test.string();
    io::write_atomically(options.junit, io::with_signature(verification::to_junit(title, report->results),
                                                           io::signatures::markup));
  }
  if (failed) return exit_code::different;
  if (report) return code_of(report->answer());
  return comparison.usable() ? exit_code::done : exit_code::different;
}

}  // namespace ulpine::cli
