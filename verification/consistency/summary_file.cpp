// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/summary_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/own_files.hpp"
#include "io/seal.hpp"
#include "verification/comparison/matching.hpp"

namespace ulpine::verification::consistency {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t values_of_a_coordinate = std::int64_t{1} << 21;  // of a coordinate held at once
constexpr char const* summary_schema = "ulpine.ensemble-summary/2";

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

std::string coordinate_field(std::size_t number, char const* part) {
  return "c" + std::to_string(number) + "_" + part;
}

/// Instants of dates count from 1970 whatever the files' times count from.
Json header_of(io::TimeAxis const& axis) {
  auto const dated = scale_of(axis).calendar != io::Calendar::unknown;
  return {{"units", dated ? "seconds since 1970-01-01 00:00:00" : axis.units},
          {"unit", dated ? 1 : axis.unit},
          {"calendar", axis.calendar},
          {"has_coordinate", axis.has_coordinate}};
}

io::TimeAxis axis_of(Json const& header, std::vector<double> const& instants) {
  io::TimeAxis axis;
  axis.units = header.at("units").get<std::string>();
  axis.unit = header.at("unit").get<double>();
  axis.calendar = header.at("calendar").get<std::string>();
  axis.known_calendar = io::parse_calendar(axis.calendar);
  axis.has_coordinate = header.at("has_coordinate").get<bool>();
  axis.dated = axis.units == "seconds since 1970-01-01 00:00:00";
  axis.epoch = axis.dated ? 0 : not_a_number;
  axis.exists = !instants.empty();
  if (!instants.empty()) axis.stored = {axis.unit > 0 ? instants.front() / axis.unit : instants.front()};
  return axis;
}

Json header_of(GridPlaces const& places) {
  Json coordinates = Json::array(), variables = Json::array();
  for (auto const& kept : places.coordinates) {
    auto const& coordinate = kept.description;
    coordinates.push_back({{"name", coordinate.name},
                           {"axis", coordinate.axis},
                           {"units", coordinate.units},
                           {"rank", coordinate.rank},
                           {"rounding", coordinate.relative_rounding},
                           {"step", coordinate.step},
                           {"shape", kept.shape}});
  }
  for (auto const& of : places.variables) {
    Json along = Json::array();
    for (auto const& coordinate : of.along) along.push_back(coordinate ? Json(*coordinate) : Json(nullptr));
    variables.push_back(
        {{"dimensions", of.dimensions}, {"axes", of.axes}, {"along", along}, {"auxiliary", of.auxiliary}});
  }
  return {{"coordinates", coordinates}, {"variables", variables}};
}

/// Without the coordinates' values.
GridPlaces places_in(Json const& header) {
  GridPlaces places;
  for (auto const& coordinate : header.at("coordinates")) {
    KeptCoordinate kept;
    kept.description.name = coordinate.at("name").get<std::string>();
    kept.description.axis = coordinate.at("axis").get<std::string>();
    kept.description.units = coordinate.at("units").get<std::string>();
    kept.description.rank = coordinate.at("rank").get<std::int64_t>();
    kept.description.relative_rounding = coordinate.at("rounding").get<double>();
    kept.description.step = coordinate.at("step").get<double>();
    kept.shape = coordinate.at("shape").get<std::vector<std::int64_t>>();
    places.coordinates.push_back(std::move(kept));
  }
  for (auto const& variable : header.at("variables")) {
    VariablePlaces of;
    of.dimensions = variable.at("dimensions").get<std::vector<std::string>>();
    of.axes = variable.at("axes").get<std::vector<std::string>>();
    for (auto const& coordinate : variable.at("along")) {
      of.along.push_back(coordinate.is_null() ? std::nullopt : std::optional(coordinate.get<std::size_t>()));
    }
    of.auxiliary = variable.at("auxiliary").get<std::vector<std::size_t>>();
    places.variables.push_back(std::move(of));
  }
  return places;
}

Json header_of(EnsembleSummary const& summary, CommonGrid const& grid, GridPlaces const& places,
               RunList const& sources) {
  Json variables = Json::array(), runs = Json::array(), files = Json::array(), instants = Json::array();
  for (auto const& variable : summary.variables) {
    variables.push_back({{"name", variable.name},
                         {"units", variable.units},
                         {"levels", variable.levels},
                         {"points", variable.points},
                         {"weights", variable.weights},
                         {"type", variable.type.name},
                         {"rounding", variable.type.relative_rounding},
                         {"step", variable.type.step}});
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
          {"times", header_of(grid.axis)},
          {"instants", instants},
          {"places", header_of(places)},
          {"sources", files}};
}

}  // namespace

void write_summary(std::filesystem::path const& path, EnsembleSummary const& summary, CommonGrid const& grid,
                   RunList const& sources) {
  auto const runs = runs_of(summary);
  auto const places = places_of(sources.members.front().files, summary.variables, values_of_a_coordinate);
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
  for (std::size_t c = 0; c < places.coordinates.size(); ++c) {
    auto const& [coordinate, shape, values, smallest, mean, largest] = places.coordinates[c];
    if (values.empty()) continue;
    fields.push_back({coordinate_field(c, "values"),
                      "",
                      "values of coordinate " + coordinate.name,
                      coordinate.units,
                      {coordinate_field(c, "place")},
                      {std::int64_t(values.size())},
                      ""});
    fields.push_back({coordinate_field(c, "range"),
                      "",
                      "smallest, mean and largest value of coordinate " + coordinate.name,
                      coordinate.units,
                      {"number_of_range"},
                      {3},
                      ""});
  }
  io::BegunFile begun(path);
  io::OutputFile file(begun.begun(), "Summary of an ensemble", {}, {}, fields, io::build_provenance(), "",
                      {{"ulpine_summary", header_of(summary, grid, places, sources).dump()}});
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
  for (std::size_t c = 0; c < places.coordinates.size(); ++c) {
    auto const& kept = places.coordinates[c];
    if (kept.values.empty()) continue;
    file.write_static(coordinate_field(c, "values"), io::slabs_of(kept.values));
    std::vector<double> const range = {kept.smallest, kept.mean, kept.largest};
    file.write_static(coordinate_field(c, "range"), io::slabs_of(range));
  }
  file.close();
  begun.place();
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
          {variable.at("name").get<std::string>(),
           variable.at("units").get<std::string>(),
           variable.at("levels").get<std::int64_t>(),
           variable.at("points").get<std::int64_t>(),
           variable.at("weights").get<std::string>(),
           {variable.at("type").get<std::string>(), variable.at("rounding").get<double>(),
            variable.at("step").get<double>()}});
    }
    auto const runs = header.at("runs").get<std::vector<std::string>>();
    stored.grid.variables = stored.summary.variables;
    stored.grid.instants = header.at("instants").get<std::vector<double>>();
    stored.grid.axis = axis_of(header.at("times"), stored.grid.instants);
    stored.places = places_in(header.at("places"));
    stored.sources = header.at("sources").get<std::vector<std::string>>();
    if (stored.grid.instants.empty()) stored.grid.times = {not_a_number};
    for (auto const instant : stored.grid.instants)
      stored.grid.times.push_back(instant - stored.grid.instants.front());
    stored.summary.times = stored.grid.times;
    stored.summary.scale = scale_of(stored.grid.axis);
    if (!stored.grid.instants.empty()) stored.summary.scale.first = stored.grid.instants.front();
    for (std::size_t c = 0; c < stored.places.coordinates.size(); ++c) {
      auto& kept = stored.places.coordinates[c];
      if (kept.size() == 0) continue;
      kept.values = file.read(coordinate_field(c, "values")).values;
      auto const range = file.read(coordinate_field(c, "range")).values;
      kept.smallest = range.at(0);
      kept.mean = range.at(1);
      kept.largest = range.at(2);
    }
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

void hold_to_summary(StoredSummary const& stored, std::filesystem::path const& summary, RunList const& tests,
                     CommonGrid& grid) {
  auto const& kept = stored.grid;
  auto const same =
      std::ranges::equal(grid.variables, kept.variables, [](VariableInfo const& a, VariableInfo const& b) {
        return a.name == b.name && a.units == b.units && a.levels == b.levels && a.points == b.points;
      });
  if (!same) {
    throw InputError(summary.string() +
                     ": is of other variables, units, levels or points than the new runs (they are "
                     "tested as they were summarised) "
                     "write a summary of what they share with --variables");
  }
  for (std::size_t v = 0; v < grid.variables.size(); ++v) {
    auto const &there = kept.variables[v].weights, &here = grid.variables[v].weights;
    if (there == here) continue;
    auto const told = [](std::string const& weights) { return weights.empty() ? "nothing" : weights; };
    throw InputError(summary.string() + ": weights " + grid.variables[v].name + " by " + told(there) +
                     " (the new runs are weighted by " + told(here) +
                     ") name the same by --weights, or write the summary anew");
  }
  auto const& run = tests.members.front();
  auto const found = places_of(run.files, grid.variables, values_of_a_coordinate);
  for (std::size_t v = 0; v < grid.variables.size(); ++v) {
    auto const problem = difference_of_places(stored.places, found, v);
    if (!problem.empty()) {
      throw InputError(run.files.front().string() + ": " + grid.variables[v].name + ": " + problem +
                       " (held against " + summary.string() +
                       ") test runs on its grid, or write a summary of runs on theirs");
    }
  }
  if (auto const misfit = misfit_of_times(kept.axis, grid.axis); !misfit.empty()) {
    throw InputError(run.files.front().string() + ": " + misfit + " (held against " + summary.string() +
                     ") give both the same calendar and units of time");
  }
  std::vector<double> instants;
  for (auto const& [wanted, there] : match_times(kept.instants, grid.instants))
    instants.push_back(grid.instants[there]);
  if (instants.size() < kept.instants.size()) {
    throw InputError(run.files.front().string() +
                     fmt::format(": has {} of the {} times of ", instants.size(), kept.instants.size()) +
                     summary.string() +
                     " (new runs are tested at all of them) write a summary of the times that they share");
  }
  grid.instants = std::move(instants);
  grid.times = kept.times;
}

}  // namespace ulpine::verification::consistency
