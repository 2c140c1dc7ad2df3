// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/summary_file.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/seal.hpp"

namespace ulpine::verification::consistency {
namespace {

using Json = nlohmann::ordered_json;

constexpr char const* summary_schema = "ulpine.ensemble-summary/1";

/// The numbers of a level, each an array over runs, times and levels.
struct Part {
  char const* name;
  char const* meaning;
  double (*of)(LevelSummary const& level);
  void (*set)(LevelSummary& level, double value);
};
constexpr Part parts[] = {
    {"min", "smallest value", [](LevelSummary const& l) { return l.min; },
     [](LevelSummary& l, double x) { l.min = x; }},
    {"mean", "weighted mean", [](LevelSummary const& l) { return l.mean; },
     [](LevelSummary& l, double x) { l.mean = x; }},
    {"max", "largest value", [](LevelSummary const& l) { return l.max; },
     [](LevelSummary& l, double x) { l.max = x; }},
    {"missing", "number of missing points", [](LevelSummary const& l) { return double(l.missing); },
     [](LevelSummary& l, double x) { l.missing = std::int64_t(x); }},
    {"not_finite", "number of infinite values", [](LevelSummary const& l) { return double(l.not_finite); },
     [](LevelSummary& l, double x) { l.not_finite = std::int64_t(x); }}};

std::vector<RunSummary const*> runs_of(EnsembleSummary const& summary) {
  std::vector<RunSummary const*> runs;
  for (auto const& run : summary.members) runs.push_back(&run);
  if (summary.unperturbed) runs.push_back(&*summary.unperturbed);
  return runs;
}

std::string field_name(std::size_t variable, char const* part) {
  return "v" + std::to_string(variable) + "_" + part;
}

Json header_of(EnsembleSummary const& summary, CommonGrid const& grid, RunList const& sources) {
  Json variables = Json::array(), runs = Json::array(), files = Json::array(), instants = Json::array();
  for (auto const& variable : summary.variables) {
    variables.push_back({{"name", variable.name},
                         {"units", variable.units},
                         {"levels", variable.levels},
                         {"points", variable.points},
                         {"weights", variable.weights}});
  }
  for (auto const* run : runs_of(summary)) runs.push_back(run->name);
  auto const add = [&](RunFiles const& run) {
    for (auto const& path : run.files) {
      auto const content = io::content_of(path);
      files.push_back(path.filename().string() + " (" + std::to_string(content.bytes) + " bytes, " +
                      io::hex(content.hash) + ")");
    }
  };
  for (auto const& run : sources.members) add(run);
  if (sources.unperturbed) add(*sources.unperturbed);
  for (auto const instant : grid.instants) instants.push_back(instant);
  return {{"schema", summary_schema},
          {"variables", variables},
          {"runs", runs},
          {"has_unperturbed", summary.unperturbed.has_value()},
          {"dated", grid.dated},
          {"instants", instants},
          {"sources", files}};
}

}  // namespace

void write_summary(std::filesystem::path const& path, EnsembleSummary const& summary, CommonGrid const& grid,
                   RunList const& sources) {
  auto const runs = runs_of(summary);
  auto const count = std::int64_t(runs.size()), times = std::int64_t(summary.times.size());
  std::vector<io::FieldInfo> fields;
  for (std::size_t v = 0; v < summary.variables.size(); ++v) {
    auto const& variable = summary.variables[v];
    auto const name = "v" + std::to_string(v);
    for (auto const& part : parts) {
      io::FieldInfo info{field_name(v, part.name),
                         "",
                         std::string(part.meaning) + " of " + variable.name,
                         variable.units,
                         {"run", "output", name + "_level"},
                         {count, times, variable.levels},
                         ""};
      if (std::string_view(part.name) == "missing" || std::string_view(part.name) == "not_finite")
        info.units = "1";
      fields.push_back(std::move(info));
    }
    fields.push_back({field_name(v, "total"),
                      "",
                      "weighted mean over all levels of " + variable.name,
                      variable.units,
                      {"run", "output"},
                      {count, times},
                      ""});
  }
  io::OutputFile file(path, "Summary of an ensemble", {}, {}, fields, io::build_provenance(), "",
                      {{"ulpine_summary", header_of(summary, grid, sources).dump()}});
  for (std::size_t v = 0; v < summary.variables.size(); ++v) {
    std::vector<double> values;
    for (auto const& part : parts) {
      values.clear();
      for (auto const* run : runs) {
        for (auto const& time : run->variables[v]) {
          for (auto const& level : time.levels) values.push_back(part.of(level));
        }
      }
      file.write_static(field_name(v, part.name), io::slabs_of(values));
    }
    values.clear();
    for (auto const* run : runs) {
      for (auto const& time : run->variables[v]) values.push_back(time.mean);
    }
    file.write_static(field_name(v, "total"), io::slabs_of(values));
  }
  file.close();
}

bool is_summary(std::filesystem::path const& path) { return std::filesystem::is_regular_file(path); }

StoredSummary read_summary(std::filesystem::path const& path) {
  auto const name = path.string();
  if (io::seal_of(path) != io::Seal::whole) {
    throw InputError(name +
                     ": no whole summary of an ensemble (it has no seal, or was altered) name a folder of "
                     "runs, or write it anew with "
                     "--write-summary");
  }
  io::InputFile const file(path);
  auto const text = file.attribute("ulpine_summary");
  StoredSummary stored;
  try {
    if (text.empty())
      throw InputError(
          name + ": is no summary of an ensemble (it is another output) name what --write-summary wrote");
    auto const header = Json::parse(text);
    if (header.at("schema") != summary_schema) {
      throw InputError(name + ": has schema " + header.at("schema").dump() + " (this program reads " +
                       summary_schema + ") write it anew with --write-summary");
    }
    for (auto const& variable : header.at("variables")) {
      stored.summary.variables.push_back(
          {variable.at("name").get<std::string>(), variable.at("units").get<std::string>(),
           variable.at("levels").get<std::int64_t>(), variable.at("points").get<std::int64_t>(),
           variable.at("weights").get<std::string>()});
    }
    auto const runs = header.at("runs").get<std::vector<std::string>>();
    stored.grid.variables = stored.summary.variables;
    stored.grid.dated = header.at("dated").get<bool>();
    stored.grid.instants = header.at("instants").get<std::vector<double>>();
    stored.sources = header.at("sources").get<std::vector<std::string>>();
    if (stored.grid.instants.empty()) stored.grid.times = {not_a_number};
    for (auto const instant : stored.grid.instants)
      stored.grid.times.push_back(instant - stored.grid.instants.front());
    stored.summary.times = stored.grid.times;
    auto const times = stored.summary.times.size();
    std::vector<RunSummary> all(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) all[r].name = runs[r];
    for (std::size_t v = 0; v < stored.summary.variables.size(); ++v) {
      auto const levels = std::size_t(stored.summary.variables[v].levels);
      for (auto& run : all) run.variables.emplace_back(times).front().levels.resize(levels);
      for (auto& run : all) {
        for (auto& time : run.variables[v]) time.levels.resize(levels);
      }
      auto const values_of = [&](char const* part, std::size_t count) {
        auto values = file.read(field_name(v, part)).values;
        if (values.size() != count)
          throw InputError(name + ": contradicts itself (" + field_name(v, part) +
                           " is of another size than it says) write it anew with --write-summary");
        return values;
      };
      for (auto const& part : parts) {
        auto const values = values_of(part.name, runs.size() * times * levels);
        std::size_t i = 0;
        for (auto& run : all) {
          for (auto& time : run.variables[v]) {
            for (auto& level : time.levels) part.set(level, values[i++]);
          }
        }
      }
      auto const totals = values_of("total", runs.size() * times);
      std::size_t i = 0;
      for (auto& run : all) {
        for (auto& time : run.variables[v]) time.mean = totals[i++];
      }
    }
    if (header.at("has_unperturbed").get<bool>()) {
      stored.summary.unperturbed = std::move(all.back());
      all.pop_back();
    }
    stored.summary.members = std::move(all);
  } catch (nlohmann::json::exception const& problem) {
    throw InputError(name + ": is no summary of an ensemble (" + problem.what() +
                     ") write it anew with --write-summary");
  }
  return stored;
}

}  // namespace ulpine::verification::consistency
