// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/pycect_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/error.hpp"
#include "io/netcdf_magic.hpp"
#include "io/plain_netcdf.hpp"
#include "io/provenance.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;
using PlainVariable = io::PlainNetcdf::Variable;

[[noreturn]] void contradiction(fs::path const& path, std::string const& variable) {
  throw InputError(
      path.string() + ": contradicts itself (" + variable +
      " is of another size than its variables ask for, or has missing values) write it anew with "
      "PyCECT or --write-summary");
}

/// All values of a variable, `count` of them.
std::vector<double> numbers(io::InputFile const& file, std::string const& variable, std::size_t count) {
  if (!file.has(variable)) contradiction(file.path(), variable);
  auto values = file.read_all(variable);
  auto const whole = std::ranges::none_of(values, [](double x) { return x != x; });
  if (values.size() != count || !whole) contradiction(file.path(), variable);
  return values;
}

std::vector<std::vector<double>> rows_in(std::vector<double> const& values, std::size_t columns) {
  std::vector<std::vector<double>> rows;
  for (auto first = values.begin(); first != values.end(); first += std::ptrdiff_t(columns))
    rows.emplace_back(first, first + std::ptrdiff_t(columns));
  return rows;
}

std::size_t count_of(io::InputFile const& file, std::string const& variable) {
  if (!file.has_values(variable)) contradiction(file.path(), variable);
  auto const shape = file.info(variable).shape;
  return shape.empty() ? 0 : std::size_t(shape.front());
}

std::vector<double> joined(std::vector<std::vector<double>> const& rows) {
  std::vector<double> values;
  for (auto const& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

}  // namespace

PycectFile pycect_file(fs::path const& path) {
  if (!fs::is_regular_file(path) || !io::has_netcdf_magic(path)) return PycectFile::none;
  io::InputFile const file(path);
  if (file.has("loadings_gm") && file.has("sigma_scores_gm"))
    return file.has_values("varCell") ? PycectFile::mpas_summary : PycectFile::cam_summary;
  if (file.has("ens_stddev3d") || file.has("ens_stddev2d")) return PycectFile::pop_summary;
  if (file.has("std_gm") && file.has("scores") && file.has("gm")) return PycectFile::results;
  return PycectFile::none;
}

std::vector<std::string> character_rows(io::InputFile const& file, std::string const& variable) {
  if (!file.has_values(variable)) contradiction(file.path(), variable);
  auto const shape = file.info(variable).shape;
  if (shape.size() != 2) contradiction(file.path(), variable);
  std::vector<std::string> rows;
  if (shape[0] == 0) return rows;
  auto const codes = file.read_all(variable);
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    std::string text;
    for (std::int64_t i = 0; i < shape[1]; ++i) {
      auto const code = codes[std::size_t(row * shape[1] + i)];
      if (!(code > 0)) break;
      text += char(code);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    rows.push_back(std::move(text));
  }
  return rows;
}

PycectEnsemble read_pycect_summary(fs::path const& path) {
  io::InputFile const file(path);
  PycectEnsemble ensemble;
  ensemble.model = file.has_values("varCell") ? PycectModel::mpas : PycectModel::cam;
  ensemble.names = character_rows(file, "vars");
  auto const v = ensemble.names.size();
  if (ensemble.model == PycectModel::mpas) {
    ensemble.parts = {count_of(file, "varCell"), count_of(file, "varEdge"), count_of(file, "varVertex")};
  } else {
    ensemble.parts = {count_of(file, "var3d"), count_of(file, "var2d")};
  }
  std::size_t all = 0;
  for (auto const part : ensemble.parts) all += part;
  if (v == 0 || all != v || !file.has("global_mean")) contradiction(path, "vars");
  auto const shape = file.info("global_mean").shape;
  if (shape.size() != 2 || shape[0] != std::int64_t(v) || shape[1] < 1) contradiction(path, "global_mean");
  auto const members = std::size_t(shape[1]);
  ensemble.means = rows_in(numbers(file, "global_mean", v * members), members);
  ensemble.standard = rows_in(numbers(file, "standardized_gm", v * members), members);
  ensemble.mean = numbers(file, "mu_gm", v);
  ensemble.deviation = numbers(file, "sigma_gm", v);
  ensemble.loadings = rows_in(numbers(file, "loadings_gm", v * v), v);
  ensemble.score_deviation = numbers(file, "sigma_scores_gm", v);
  return ensemble;
}

PycectTests read_pycect_results(fs::path const& path, std::size_t variables) {
  io::InputFile const file(path);
  auto const shape = file.info("gm").shape;
  if (shape.size() != 2 || shape[1] < 1) contradiction(path, "gm");
  if (shape[0] != std::int64_t(variables)) {
    throw InputError(
        fmt::format("{}: has means of {} variables (the summary has {}) name the summary that they "
                    "were made with",
                    path.string(), shape[0], variables));
  }
  auto const runs = std::size_t(shape[1]);
  PycectTests tests;
  tests.means = rows_in(numbers(file, "gm", variables * runs), runs);
  for (std::size_t run = 0; run < runs; ++run) tests.runs.push_back(fmt::format("run {}", run + 1));
  return tests;
}

std::string padded_rows(std::vector<std::string> const& rows, std::size_t width) {
  std::string text;
  for (auto const& row : rows) text += row + std::string(width - row.size(), ' ');
  return text;
}

void write_pycect_summary(fs::path const& path, PycectEnsemble const& ensemble, PycectGrid const& grid) {
  using enum PlainVariable::Type;
  auto const mpas = ensemble.model == PycectModel::mpas;
  auto const v = std::int64_t(ensemble.names.size());
  std::size_t width = 0;
  for (auto const& name : ensemble.names) width = std::max(width, name.size());
  std::vector<std::pair<std::string, std::string>> const parts =
      mpas ? std::vector<std::pair<std::string, std::string>>{{"varCell", "nvarsCell"},
                                                              {"varEdge", "nvarsEdge"},
                                                              {"varVertex", "nvarsVertex"}}
           : std::vector<std::pair<std::string, std::string>>{{"var3d", "nvars3d"}, {"var2d", "nvars2d"}};
  auto dimensions = grid.dimensions;
  dimensions.insert(dimensions.end(), {{"ens_size", std::int64_t(ensemble.means.front().size())},
                                       {"nvars", v},
                                       {"str_size", std::int64_t(width)}});
  std::vector<PlainVariable> variables = {{"vars", character, {"nvars", "str_size"}}};
  if (!mpas) variables.push_back({"lev", float64, {"nlev"}});
  for (std::size_t part = 0; part < parts.size(); ++part) {
    auto const& [name, dimension] = parts[part];
    dimensions.emplace_back(dimension, std::int64_t(ensemble.parts[part]));
    variables.push_back({name, character, {dimension, "str_size"}});
  }
  variables.insert(variables.end(), {{"global_mean", float64, {"nvars", "ens_size"}},
                                     {"standardized_gm", float64, {"nvars", "ens_size"}},
                                     {"loadings_gm", float64, {"nvars", "nvars"}},
                                     {"mu_gm", float64, {"nvars"}},
                                     {"sigma_gm", float64, {"nvars"}},
                                     {"sigma_scores_gm", float64, {"nvars"}}});
  io::BegunFile begun(path);
  io::PlainNetcdf file(
      begun.begun(), dimensions, variables,
      {{"title", mpas ? "MPAS verification ensemble summary file" : "CAM verification ensemble summary file"},
       {std::string(pycect_signature.text), "written by Ulpine"}});
  file.put("vars", padded_rows(ensemble.names, width));
  auto next = ensemble.names.begin();
  for (std::size_t part = 0; part < parts.size(); ++part) {
    auto const end = next + std::ptrdiff_t(ensemble.parts[part]);
    file.put(parts[part].first, padded_rows({next, end}, width));
    next = end;
  }
  if (!mpas) file.put("lev", grid.lev);
  file.put("global_mean", joined(ensemble.means));
  file.put("standardized_gm", joined(ensemble.standard));
  file.put("loadings_gm", joined(ensemble.loadings));
  file.put("mu_gm", ensemble.mean);
  file.put("sigma_gm", ensemble.deviation);
  file.put("sigma_scores_gm", ensemble.score_deviation);
  file.close();
  begun.place();
}

}  // namespace ulpine::verification::consistency
