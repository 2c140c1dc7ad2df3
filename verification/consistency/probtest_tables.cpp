// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/probtest_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "io/error.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;
constexpr auto per_time = probtest_statistics.size();

/// The fields of one line of CSV; quoted ones may hold commas and doubled quotes.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    auto const c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::string csv_field(std::string const& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (auto const c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::optional<double> csv_number(std::string const& text) {
  if (text.empty() || text == "nan" || text == "NaN" || text == "NA") return not_a_number;
  double value = 0;
  auto const* begin = text.data() + (text.front() == '+' ? 1 : 0);
  auto const [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A number as Python writes it.
std::string python_text(double value) {
  if (std::isnan(value)) return "";
  auto text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

using TablePlace = std::tuple<std::string, std::string, double>;
TablePlace table_place(ProbtestTable::Row const& row) { return {row.file_id, row.variable, row.height}; }
using TableName = std::pair<std::string, std::string>;
TableName table_name(ProbtestTable::Row const& row) { return {row.file_id, row.variable}; }

std::map<TablePlace, ProbtestTable::Row const*> by_place(ProbtestTable const& table) {
  std::map<TablePlace, ProbtestTable::Row const*> rows;
  for (auto const& row : table.rows) rows.emplace(table_place(row), &row);
  return rows;
}

double relative_difference(double reference, double other) {
  return std::abs((reference - other) / (1 + std::abs(reference)));
}

/// The larger of two, one of which may not be there.
double larger(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b); }

/// Largest differences over levels, by variable.
using LargestByName = std::map<TableName, std::vector<double>>;
void raise(LargestByName& largest, TableName const& name, std::vector<double> const& differences) {
  auto [entry, is_new] = largest.try_emplace(name, differences);
  if (is_new) return;
  for (std::size_t i = 0; i < differences.size(); ++i)
    entry->second[i] = larger(entry->second[i], differences[i]);
}

}  // namespace

bool is_probtest_table(fs::path const& path) {
  if (!fs::is_regular_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string start(6, ' ');
  return bool(file.read(start.data(), std::streamsize(start.size()))) && start == "time,,";
}

ProbtestTable read_probtest_table(fs::path const& path) {
  auto const refuse = [&](std::size_t line, std::string const& why) -> InputError {
    return InputError(
        fmt::format("{}: line {}: {} (a table of probtest's stats or tolerance has it) write it anew "
                    "with probtest or --write-summary",
                    path.string(), line, why));
  };
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError(path.string() + ": cannot be read (a table of probtest is looked for) check it");
  std::vector<std::vector<std::string>> heads;
  ProbtestTable table;
  std::vector<std::size_t> column_of;  // of each column, its place in a row's values
  std::set<TablePlace> seen;
  std::size_t indices = 0, number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    auto const fields = csv_fields(line);
    if (number <= 3) {
      heads.push_back(fields);
      if (number < 3) continue;
      if (heads[0][0] != "time") throw refuse(1, "does not begin with time");
      if (heads[1][0] != "statistic") throw refuse(2, "does not begin with statistic");
      if (fields.size() < 3 || fields[0] != "file_ID" || fields[1] != "variable")
        throw refuse(3, "does not begin with file_ID,variable");
      table.has_heights = fields[2] == "height";
      indices = table.has_heights ? 3 : 2;
      std::set<std::int64_t> times;
      for (auto i = indices; i < heads[0].size(); ++i) {
        auto const time = csv_number(heads[0][i]);
        if (!time || std::isnan(*time)) throw refuse(1, "has '" + heads[0][i] + "' for a time");
        times.insert(std::int64_t(*time));
      }
      table.times.assign(times.begin(), times.end());
      if (heads[1].size() != heads[0].size()) throw refuse(2, "has not as many columns as line 1");
      for (auto i = indices; i < heads[1].size(); ++i) {
        auto const statistic = std::ranges::find(probtest_statistics, heads[1][i]);
        if (statistic == probtest_statistics.end())
          throw refuse(2, "has '" + heads[1][i] + "', which is none of max, mean and min");
        auto const time = std::int64_t(*csv_number(heads[0][i]));
        auto const place = std::size_t(std::ranges::lower_bound(table.times, time) - table.times.begin());
        column_of.push_back(place * per_time + std::size_t(statistic - probtest_statistics.begin()));
      }
      continue;
    }
    if (line.empty() || line == "\r") continue;
    if (fields.size() != heads[0].size())
      throw refuse(number, fmt::format("has {} columns, the headings {}", fields.size(), heads[0].size()));
    ProbtestTable::Row row{fields[0], fields[1], 0,
                           std::vector<double>(table.times.size() * per_time, not_a_number)};
    for (auto i = table.has_heights ? std::size_t(2) : indices; i < fields.size(); ++i) {
      auto const value = csv_number(fields[i]);
      if (!value) throw refuse(number, "has '" + fields[i] + "', which is no number");
      (i < indices ? row.height : row.values[column_of[i - indices]]) = *value;
    }
    if (!seen.insert(table_place(row)).second) throw refuse(number, "stands there twice");
    table.rows.push_back(std::move(row));
  }
  if (number < 3) throw refuse(number + 1, "is missing");
  return table;
}

std::string to_csv(ProbtestTable const& table) {
  // Statistics are written as probtest's own commands write them.
  static constexpr std::array<std::size_t, per_time> as_stats = {1, 0, 2}, as_tolerance = {0, 1, 2};
  auto const& order = table.has_heights ? as_stats : as_tolerance;
  std::string const blank = table.has_heights ? ",," : ",";
  std::string times = "time" + blank, statistics = "statistic" + blank,
              names = table.has_heights ? "file_ID,variable,height" : "file_ID,variable";
  for (auto const time : table.times) {
    for (auto const s : order) {
      times += fmt::format(",{}", time);
      statistics += std::string(",") + probtest_statistics[s];
      names += ',';
    }
  }
  auto text = times + "\n" + statistics + "\n" + names + "\n";
  for (auto const& row : table.rows) {
    text += csv_field(row.file_id) + "," + csv_field(row.variable);
    if (table.has_heights) text += "," + python_text(row.height);
    for (std::size_t t = 0; t < table.times.size(); ++t) {
      for (auto const s : order) text += "," + python_text(row.values[t * per_time + s]);
    }
    text += '\n';
  }
  return text;
}

ProbtestTable probtest_statistics_of(EnsembleSummary const& ensemble, RunSummary const& run,
                                     std::vector<std::vector<double>> const& heights,
                                     std::string const& file_id) {
  ProbtestTable table;
  for (std::size_t t = 0; t < ensemble.times.size(); ++t) table.times.push_back(std::int64_t(t));
  for (std::size_t v = 0; v < ensemble.variables.size(); ++v) {
    auto const levels = std::size_t(ensemble.variables[v].levels);
    for (std::size_t k = 0; k < levels; ++k) {
      auto const height = levels == 1 ? -1 : heights[v].size() > k ? heights[v][k] : double(k);
      ProbtestTable::Row row{file_id, ensemble.variables[v].name, height, {}};
      for (auto const& time : run.variables[v]) {
        auto const& level = time.levels[k];
        row.values.insert(row.values.end(), {level.max, level.mean, level.min});
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

ProbtestTable probtest_tolerances(ProbtestTable const& reference, std::vector<ProbtestTable> const& members,
                                  double least) {
  LargestByName largest;
  for (auto const& member : members) {
    if (member.times != reference.times) {
      throw InputError(
          fmt::format("a member has {} times, the reference {} (tolerances are of each time) name "
                      "statistics of the same times",
                      member.times.size(), reference.times.size()));
    }
    auto const rows = by_place(member);
    for (auto const& row : reference.rows) {
      auto const found = rows.find(table_place(row));
      std::vector<double> differences(row.values.size(), not_a_number);
      for (std::size_t i = 0; found != rows.end() && i < differences.size(); ++i)
        differences[i] = relative_difference(row.values[i], found->second->values[i]);
      raise(largest, table_name(row), differences);
    }
  }
  ProbtestTable table;
  table.has_heights = false;
  table.times = reference.times;
  for (auto& [name, values] : largest) {
    for (std::size_t s = 0; s < per_time; ++s) {
      auto so_far = not_a_number;
      for (auto i = s; i < values.size(); i += per_time) {
        if (values[i] < least) values[i] = least;
        if (std::isnan(values[i])) continue;
        values[i] = so_far = larger(so_far, values[i]);
      }
    }
    table.rows.push_back({name.first, name.second, 0, std::move(values)});
  }
  return table;
}

ProbtestCheck probtest_check(ProbtestTable const& reference, ProbtestTable const& current,
                             ProbtestTable const& tolerances, double factor) {
  ProbtestCheck check;
  auto const there = by_place(reference), here = by_place(current);
  std::set<std::string> only_there, only_here;
  LargestByName largest;
  auto const times = std::min(reference.times.size(), current.times.size());
  for (auto const& [place, row] : there) {
    auto const found = here.find(place);
    if (found == here.end()) {
      only_there.insert(row->variable);
      continue;
    }
    std::vector<double> differences;
    for (std::size_t i = 0; i < times * per_time; ++i) {
      auto const a = row->values[i], b = found->second->values[i];
      differences.push_back(std::isnan(a) != std::isnan(b) ? std::numeric_limits<double>::infinity()
                                                           : relative_difference(a, b));
    }
    raise(largest, table_name(*row), differences);
  }
  for (auto const& [place, row] : here) {
    if (!there.contains(place)) only_here.insert(row->variable);
  }
  if (largest.empty())
    throw InputError(
        "--test: shares no variable with the reference (nothing is compared) name tables of like runs");
  auto const note = [&](std::set<std::string> const& names, char const* why) {
    if (!names.empty())
      check.notes.push_back(fmt::format("not tested, as in probtest: {}: {}", why, fmt::join(names, ", ")));
  };
  note(only_there, "missing in the new run, or some of their levels are");
  note(only_here, "missing in the reference, or some of their levels are");
  if (reference.times.size() != current.times.size()) {
    check.notes.push_back(
        fmt::format("{} times of the reference and {} of the new run: the first {} are tested",
                    reference.times.size(), current.times.size(), times));
  }
  std::map<TableName, ProbtestTable::Row const*> limits;
  for (auto const& row : tolerances.rows) limits.emplace(table_name(row), &row);
  std::set<std::string> without;
  std::size_t untested = 0;
  for (auto const& [name, differences] : largest) {
    auto const found = limits.find(name);
    if (found == limits.end()) {
      without.insert(name.second);
      continue;
    }
    for (std::size_t i = 0; i < differences.size(); ++i) {
      auto const time = reference.times[i / per_time];
      auto const place = std::ranges::find(tolerances.times, time);
      auto const tolerance =
          place == tolerances.times.end()
              ? not_a_number
              : factor *
                    found->second
                        ->values[std::size_t(place - tolerances.times.begin()) * per_time + i % per_time];
      if (std::isnan(tolerance) || std::isnan(differences[i])) {
        ++untested;
        continue;
      }
      constexpr double threshold = 1e-15;  // of probtest
      check.values.push_back({name.first, name.second, probtest_statistics[i % per_time], time,
                              differences[i], tolerance, differences[i] - tolerance > threshold});
    }
  }
  note(without, "they have no tolerance");
  if (untested > 0)
    check.notes.push_back(
        fmt::format("not tested, as in probtest: {} values without number or tolerance", untested));
  return check;
}

}  // namespace ulpine::verification::consistency
