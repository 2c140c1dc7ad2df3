// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/consistency/probtest_tables.hpp"
#include "verification/consistency/published.hpp"
#include "verification/statistics/distributions.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;
constexpr char const* placeholder = "{member_id}";

/// Tables of the reference and the members, or the tolerances themselves; and tables of new runs.
struct ProbtestTables {
  ProbtestTable reference;
  std::vector<std::pair<std::string, ProbtestTable>> members, tests;
  std::optional<ProbtestTable> tolerances;
};

std::vector<fs::path> tables_in(fs::path const& folder) {
  std::vector<fs::path> tables;
  for (auto const& entry : fs::directory_iterator(folder)) {
    if (is_probtest_table(entry.path())) tables.push_back(entry.path());
  }
  std::ranges::sort(tables);
  return tables;
}

ProbtestTable statistics_in(fs::path const& path) {
  auto table = read_probtest_table(path);
  if (!table.has_heights) {
    throw InputError(
        path.string() +
        ": has tolerances (statistics of a run are asked for here) name what probtest stats wrote");
  }
  return table;
}

/// Tables of new runs, each in a file of its own.
std::vector<std::pair<std::string, ProbtestTable>> tested_tables(std::vector<fs::path> const& tests) {
  std::vector<std::pair<std::string, ProbtestTable>> tables;
  for (auto const& test : tests) {
    auto const files = fs::is_directory(test) ? tables_in(test) : std::vector{test};
    if (files.empty())
      throw InputError(test.string() +
                       ": has no table of probtest (the ensemble is of such) name stats_*.csv");
    for (auto const& file : files) tables.emplace_back(file.filename().string(), statistics_in(file));
  }
  return tables;
}

/// A table of tolerances, and the reference that they are about.
ProbtestTables of_tolerances(PublishedRequest const& request) {
  if (!request.write.empty()) {
    throw InputError(
        "--write-summary: the ensemble is a table of tolerances already (there is nothing to read) "
        "name the folder of the statistics");
  }
  if (request.unperturbed.empty()) {
    throw InputError(
        "--unperturbed: no reference run (probtest's tolerances are about one) name the table of its "
        "statistics");
  }
  ProbtestTables tables;
  tables.tolerances = read_probtest_table(request.ensemble);
  if (tables.tolerances->has_heights) {
    throw InputError(
        request.ensemble.string() +
        ": has statistics of one run (an ensemble has several, or tolerances) name a folder of such, "
        "or what probtest tolerance wrote");
  }
  tables.reference = statistics_in(request.unperturbed);
  tables.tests = tested_tables(request.tests);
  return tables;
}

/// A folder of tables, one a run.
ProbtestTables of_tables(PublishedRequest const& request, std::vector<fs::path> const& files,
                         std::vector<std::string>& notes) {
  auto reference = request.unperturbed;
  for (auto const& file : files) {
    if (reference.empty() && file.stem().string().ends_with("_ref")) reference = file;
  }
  if (reference.empty()) {
    throw InputError(
        request.ensemble.string() +
        ": has no stats_ref.csv (probtest's tolerances are about a reference run) name its table by "
        "--unperturbed");
  }
  ProbtestTables tables;
  tables.reference = statistics_in(reference);
  for (auto const& file : files) {
    if (fs::equivalent(file, reference)) continue;
    auto table = read_probtest_table(file);
    if (!table.has_heights) continue;
    tables.members.emplace_back(file.filename().string(), std::move(table));
  }
  notes.push_back(fmt::format("{} members about {}", tables.members.size(), reference.filename().string()));
  if (!request.tests.empty()) tables.tests = tested_tables(request.tests);
  return tables;
}

/// Values of the coordinate along the levels of each variable; empty where there is none.
std::vector<std::vector<double>> heights_of(EnsembleSummary const& ensemble, fs::path const& path) {
  std::vector<std::vector<double>> heights(ensemble.variables.size());
  if (path.empty()) return heights;
  io::InputFile const file(path);
  for (std::size_t v = 0; v < heights.size(); ++v) {
    auto const& variable = ensemble.variables[v];
    if (variable.levels == 1 || !file.has(variable.name)) continue;
    auto const coordinates = file.coordinates(variable.name);
    if (coordinates.empty() || !coordinates.front() || coordinates.front()->labels) continue;
    heights[v] = file.read_all(coordinates.front()->name);
    if (heights[v].size() != std::size_t(variable.levels)) heights[v].clear();
  }
  return heights;
}

/// Runs of any model.
ProbtestTables of_runs(PublishedRequest const& request, ReadingProgress const& progress,
                       std::vector<std::string>& notes) {
  auto const runs = read_for_rule(request, true, progress, notes);
  if (!runs.ensemble.unperturbed) {
    throw InputError(
        "--unperturbed: no reference run (probtest's tolerances are about one) name the run without "
        "noise");
  }
  auto const heights = heights_of(runs.ensemble, runs.file);
  auto const table_of = [&](RunSummary const& run) {
    return probtest_statistics_of(runs.ensemble, run, heights, "NetCDF:*.nc");
  };
  ProbtestTables tables;
  tables.reference = table_of(*runs.ensemble.unperturbed);
  for (auto const& run : runs.ensemble.members) tables.members.emplace_back(run.name, table_of(run));
  for (auto const& run : runs.tests.members) tables.tests.emplace_back(run.name, table_of(run));
  return tables;
}

/// Writes the tolerances; or, where the name has a place for the member's, the statistics of each run.
void write_tables(PublishedRequest const& request, ProbtestTables const& tables) {
  auto const pattern = request.write.string();
  auto const place = pattern.find(placeholder);
  // A CSV file has no place for a signature of Ulpine's, so none that is there is replaced unasked.
  static constexpr io::FileSignature unmarked{io::FileSignature::Place::start, "(no table begins so)",
                                              "table written by Ulpine"};
  if (place == std::string::npos) {
    request.require_own(request.write, unmarked);
    io::write_atomically(request.write, to_csv(*tables.tolerances));
    return;
  }
  std::vector<std::pair<fs::path, ProbtestTable const*>> files;
  auto const add = [&](std::string const& member, ProbtestTable const& table) {
    auto name = pattern;
    files.emplace_back(name.replace(place, std::string_view(placeholder).size(), member), &table);
    request.require_own(files.back().first, unmarked);
  };
  add("ref", tables.reference);
  for (std::size_t i = 0; i < tables.members.size(); ++i)
    add(std::to_string(i + 1), tables.members[i].second);
  for (auto const& [path, table] : files) io::write_atomically(path, to_csv(*table));
}

/// Share of normal differences that are beyond `factor` times the largest of `members` others.
double rate_of_factor(double factor, std::size_t members) {
  return distributions::integral(
      [&](double z) {
        return std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2) *
               std::pow(std::erf(z / factor / std::numbers::sqrt2), double(members));
      },
      0, 40, 1e-9);
}

}  // namespace

std::optional<Outcome> as_probtest(PublishedRequest const& request, Parameters& parameters,
                                   ReadingProgress const& progress, std::vector<std::string>& notes) {
  auto const factor = parameters.number("factor", 5, 0, 1e12);
  auto const least = parameters.number("minimum_tolerance", 0, 0, 1e300);
  parameters.reject_unknown();
  auto const files =
      fs::is_directory(request.ensemble) ? tables_in(request.ensemble) : std::vector<fs::path>{};
  auto const is_table = is_probtest_table(request.ensemble);
  if ((is_table || !files.empty()) && !request.variables.empty())
    throw InputError("--variables: tables have their own (all are tested) leave the option out");
  if (is_table || !files.empty()) refuse_options(request, "tables are read as they are");
  auto tables = is_table        ? of_tolerances(request)
                : files.empty() ? of_runs(request, progress, notes)
                                : of_tables(request, files, notes);
  auto const members = tables.members.size();
  if (!tables.tolerances) {
    if (members == 0)
      throw InputError("--ensemble: no member beside the reference (tolerances come from members) name some");
    std::vector<ProbtestTable> all;
    for (auto const& [name, table] : tables.members) all.push_back(table);
    tables.tolerances = probtest_tolerances(tables.reference, all, least);
  }
  if (!request.write.empty()) write_tables(request, tables);
  if (request.tests.empty()) return std::nullopt;
  progress(1, "");

  Outcome outcome;
  outcome.method = "probtest";
  std::size_t failing_runs = 0, failing = 0, tested = 0;
  for (auto const& [run, table] : tables.tests) {
    auto const check = probtest_check(tables.reference, table, *tables.tolerances, factor);
    for (auto const& note : check.notes) notes.push_back(run + ": " + note);
    std::size_t here = 0;
    for (auto const& value : check.values) {
      Finding finding;
      finding.subject = fmt::format("{} {} at time {}, {}", value.variable, value.statistic, value.time, run);
      finding.value = value.difference;
      finding.limit = value.tolerance;
      finding.rejected = value.fails;
      here += value.fails ? 1 : 0;
      outcome.findings.push_back(std::move(finding));
    }
    failing += here;
    tested += check.values.size();
    failing_runs += here > 0 ? 1 : 0;
  }
  std::ranges::stable_sort(outcome.findings, std::greater<>(), [](Finding const& finding) {
    auto const over = *finding.limit > 0 ? *finding.value / *finding.limit : *finding.value > 0 ? 1e300 : 0;
    return std::pair(finding.rejected, over);
  });
  std::string theory = "no false-alarm rate in theory without the number of members";
  outcome.nominal_rate = not_a_number;
  if (members > 0) {
    auto const one = rate_of_factor(factor, members);
    outcome.nominal_rate = std::min(1.0, one * double(tested));
    theory = fmt::format(
        "false alarms in theory at most {:.2g} % ({:.2g} % for each value of a normal "
        "distribution about the reference, {} members)",
        100 * outcome.nominal_rate, 100 * one, members);
  }
  outcome.answer = failing_runs > 0 ? Answer::different : Answer::consistent;
  outcome.statement = fmt::format(
      "probtest's rule {}: {} of {} values are beyond {} times the tolerance, in {} of {} new runs; {}",
      failing_runs > 0 ? "fails" : "passes", failing, tested, factor, failing_runs, tables.tests.size(),
      theory);
  outcome.parameters = parameters.used();
  return outcome;
}

}  // namespace ulpine::verification::consistency
