// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/pycect_histories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "io/absence.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/consistency/numpy_sums.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;

/// Numeric variables of a file, coordinates included.
std::vector<std::string> numeric_variables(io::InputFile const& file) {
  auto names = file.variables();
  for (auto const& name : file.places()) {
    if (file.has(name)) names.push_back(name);
  }
  return names;
}

using DimensionLengths = std::map<std::string, std::int64_t>;
DimensionLengths dimension_lengths(io::InputFile const& file) {
  DimensionLengths all;
  for (auto const& name : numeric_variables(file)) {
    auto const info = file.info(name);
    for (std::size_t d = 0; d < info.dimensions.size(); ++d) all[info.dimensions[d]] = info.shape[d];
  }
  return all;
}

std::int64_t length_of(DimensionLengths const& all, std::string const& name) {
  auto const found = all.find(name);
  return found == all.end() ? -1 : found->second;
}

/// The part that a variable belongs to; none where PyCECT does not take it.
std::optional<std::size_t> history_part(io::InputFile const& file, std::string const& name, History history,
                                        DimensionLengths const& all) {
  auto const info = file.info(name);
  if (!file.time_axis(name).exists) return std::nullopt;
  auto const& shape = info.shape;
  if (history == History::mpas) {
    if (file.stored_type(name).name == "int") return std::nullopt;
    if (name == "u" && file.has("uReconstructZonal") && file.has("uReconstructMeridional"))
      return std::nullopt;
    std::size_t part = 0;
    for (auto const* dimension : {"nCells", "nEdges", "nVertices"}) {
      if (std::ranges::count(info.dimensions, dimension) > 0) return part;
      ++part;
    }
    return std::nullopt;
  }
  auto const lev = length_of(all, "lev"), ilev = length_of(all, "ilev");
  if (history == History::cam_columns) {
    auto const columns = length_of(all, "ncol");
    if (shape == std::vector{columns}) return 1;
    return shape == std::vector{lev, columns} ? std::optional<std::size_t>(0) : std::nullopt;
  }
  auto const lat = length_of(all, "lat"), lon = length_of(all, "lon");
  if (shape == std::vector{lat, lon}) return 1;
  auto const deep = shape == std::vector{lev, lat, lon} || shape == std::vector{ilev, lat, lon};
  return deep ? std::optional<std::size_t>(0) : std::nullopt;
}

/// The number that stands for missing values of a variable in its file.
double fill_of(io::InputFile const& file, std::string const& name) {
  std::istringstream lines(file.attributes_of(name));
  std::optional<double> fill;
  for (std::string line; std::getline(lines, line);) {
    for (std::string const key : {"_FillValue: ", "missing_value: "}) {
      if (line.starts_with(key) && !fill) fill = std::stod(line.substr(key.size()));
    }
  }
  return fill.value_or(9.969209968386869e36);
}

/// Weights of the first file, by the part of a variable (MPAS-A) or for all.
struct HistoryWeights {
  std::vector<std::vector<double>> of_part;
};

HistoryWeights history_weights(io::InputFile const& file, History history) {
  HistoryWeights weights;
  switch (history) {
    case History::mpas:
      for (auto const* name : {"areaCell", "dvEdge", "areaTriangle"})
        weights.of_part.push_back(file.read_all(name));
      break;
    case History::cam_columns: {
      auto area = file.read_all("area");
      auto const total = numpy::sum(std::span<double const>(area));
      for (auto& value : area) value /= total;
      weights.of_part.push_back(std::move(area));
      break;
    }
    default:
      weights.of_part.push_back(file.read_all("gw"));
  }
  return weights;
}

[[noreturn]] void stop_at_nan(io::InputFile const& file, std::string const& name) {
  throw InputError(file.path() + ": " + name +
                   ": has a NaN (PyCECT stops there without an answer) find out why, or judge without --as");
}

/// Mean over weighted points; missing ones count as 0, as NumPy's average of masked values has it.
double weighted_mean(std::vector<double> const& values, std::vector<double> const& weights) {
  std::vector<double> products(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    products[i] = std::isnan(values[i]) ? 0 : values[i] * weights[i];
  return numpy::sum(std::span<double const>(products)) / numpy::sum(std::span<double const>(weights));
}

/// Mean over the first dimension with weights, then over the second without; of the second, places without
/// any value are left out.
double mean_of_columns(std::span<double const> values, std::vector<double> const& weights) {
  auto const rows = weights.size(), columns = values.size() / rows;
  std::vector<double> sums(columns);
  std::vector<bool> any(columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      auto const value = values[row * columns + column];
      if (std::isnan(value)) continue;
      sums[column] += value * weights[row];
      any[column] = true;
    }
  }
  auto const total = numpy::sum(std::span<double const>(weights));
  std::vector<double> means;
  for (std::size_t column = 0; column < columns; ++column) {
    if (any[column]) means.push_back(sums[column] / total);
  }
  return means.empty() ? not_a_number : numpy::mean(means);
}

/// The mean of one variable of one file.
double history_mean(io::InputFile const& file, std::string const& name, History history, std::size_t part,
                    std::int64_t time, HistoryWeights const& weights) {
  auto field = file.read(name, time);
  auto& values = field.values;
  for (auto const value : values) {
    if (io::absence_of(value) == io::Absence::nan) stop_at_nan(file, name);
  }
  double mean = 0;
  if (history == History::mpas) {
    auto const& of = weights.of_part[part];
    if (field.info.shape.size() == 1) {
      mean = weighted_mean(values, of);
    } else {
      mean = mean_of_columns(values, of);
    }
  } else {
    auto const& of = weights.of_part.front();
    auto const flat = part == 1;
    if (flat) {
      // PyCECT takes the numbers that stand for missing values of fields without levels for values.
      auto const fill = fill_of(file, name);
      for (auto& value : values) value = std::isnan(value) ? fill : value;
    }
    auto const levels = flat ? 1 : std::size_t(field.info.shape.front());
    auto const points = values.size() / levels;
    std::vector<double> of_levels;
    for (std::size_t k = 0; k < levels; ++k) {
      std::span<double const> const level(values.data() + k * points, points);
      of_levels.push_back(history == History::cam_columns ? weighted_mean({level.begin(), level.end()}, of)
                                                          : mean_of_columns(level, of));
    }
    mean = numpy::mean(of_levels);
  }
  if (!std::isfinite(mean)) stop_at_nan(file, name);
  return mean;
}

}  // namespace

History history_of(fs::path const& path) {
  io::InputFile const file(path);
  auto const all = dimension_lengths(file);
  if (all.contains("nCells") && file.has("areaCell") && file.has("dvEdge") && file.has("areaTriangle"))
    return History::mpas;
  if (all.contains("z_t") && file.has("REGION_MASK")) return History::pop;
  if (!all.contains("lev")) return History::other;
  if (all.contains("ncol")) return file.has("area") ? History::cam_columns : History::other;
  return all.contains("lat") && all.contains("lon") && file.has("gw") ? History::cam_grid : History::other;
}

PycectMeans history_variables(fs::path const& path, History history, std::vector<std::string> const& wanted) {
  io::InputFile const file(path);
  auto const all = dimension_lengths(file);
  std::vector<std::vector<std::string>> parts(history == History::mpas ? 3 : 2);
  std::vector<std::string> names;
  for (auto const& name : numeric_variables(file)) {
    auto const part = history_part(file, name, history, all);
    if (!part) continue;
    names.push_back(name);
    if (wanted.empty() || std::ranges::count(wanted, name) > 0) parts[*part].push_back(name);
  }
  for (auto const& name : wanted) {
    if (std::ranges::count(names, name) == 0)
      throw InputError(path.string() + ": no variable '" + name + "' that PyCECT takes" +
                       choices_hint(name, names));
  }
  PycectMeans means;
  for (auto& part : parts) {
    std::ranges::sort(part);
    means.parts.push_back(part.size());
    means.names.insert(means.names.end(), part.begin(), part.end());
  }
  return means;
}

std::vector<std::vector<double>> history_means(std::vector<fs::path> const& files, History history,
                                               PycectMeans const& variables, std::int64_t time,
                                               ReadingProgress const& progress,
                                               std::vector<std::string>& notes) {
  std::vector<std::vector<double>> means(variables.names.size(), std::vector<double>(files.size()));
  auto const weights = history_weights(io::InputFile(files.front()), history);
  std::map<std::string, std::vector<std::string>> lacking;
  for (std::size_t run = 0; run < files.size(); ++run) {
    progress(double(run) / double(files.size()), files[run].filename().string());
    io::InputFile const file(files[run]);
    std::size_t part = 0, left = variables.parts.front();
    for (std::size_t v = 0; v < variables.names.size(); ++v) {
      while (left == 0) left = variables.parts[++part];
      --left;
      auto const& name = variables.names[v];
      if (!file.has(name)) {
        lacking[name].push_back(files[run].filename().string());
        continue;
      }
      auto const& shape = file.info(name).shape;
      auto const& of = weights.of_part[history == History::mpas ? part : 0];
      auto const place = history == History::mpas || part == 1 ? 0 : 1;
      if (std::size_t(place) >= shape.size() || shape[std::size_t(place)] != std::int64_t(of.size())) {
        throw InputError(files[run].string() + ": " + name +
                         ": is not on the grid of the weights of the first file (its means would be of other "
                         "places) name runs on one grid");
      }
      means[v][run] = history_mean(file, name, history, part, time, weights);
    }
  }
  for (auto const& [name, runs] : lacking) {
    notes.push_back(fmt::format("{}: {} of {} runs have none (PyCECT takes 0 for its mean): {}", name,
                                runs.size(), files.size(), fmt::join(runs, ", ")));
  }
  return means;
}

PycectGrid history_grid(fs::path const& path, History history) {
  io::InputFile const file(path);
  auto const all = dimension_lengths(file);
  PycectGrid grid;
  auto const add = [&](char const* name, char const* from) {
    grid.dimensions.emplace_back(name, std::max<std::int64_t>(1, length_of(all, from)));
  };
  if (history == History::mpas) {
    for (auto const* name : {"nCells", "nEdges", "nVertices", "nVertLevels", "nVertLevelsP1", "nSoilLevels"})
      add(name, name);
    return grid;
  }
  if (history == History::cam_columns) {
    add("ncol", "ncol");
  } else {
    add("nlat", "lat");
    add("nlon", "lon");
  }
  add("nlev", "lev");
  if (!file.has("lev"))
    throw InputError(path.string() + ": has no variable lev (a summary of PyCECT has it) add it");
  grid.lev = file.read_all("lev");
  return grid;
}

}  // namespace ulpine::verification::consistency
