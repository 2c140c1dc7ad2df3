// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/weighting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "io/error.hpp"
#include "io/file_set.hpp"
#include "io/foreign_format.hpp"
#include "io/text.hpp"

namespace ulpine::verification {
namespace {

bool is_file(std::string const& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) || io::fits_files(path) ||
         io::format_of(path) == io::ForeignFormat::zarr;
}

/// Which dimensions of `field` those of `measure` are; nothing where that cannot be told.
std::optional<std::vector<std::size_t>> dimensions_in(io::FieldInfo const& field,
                                                      io::FieldInfo const& measure, bool by_length) {
  std::vector<std::size_t> places;
  for (std::size_t m = 0; m < measure.shape.size(); ++m) {
    std::vector<std::size_t> named, as_long;
    for (std::size_t d = 0; d < field.shape.size(); ++d) {
      if (field.shape[d] != measure.shape[m] || std::ranges::count(places, d) > 0) continue;
      as_long.push_back(d);
      if (field.dimensions[d] == measure.dimensions[m]) named.push_back(d);
    }
    if (named.empty() && by_length && as_long.size() == 1) named = as_long;
    if (named.empty()) return {};
    places.push_back(named.front());
  }
  return places;
}

constexpr char const* grid_id = "uuidOfHGrid";

/// Lengths of an edge and of what crosses it between two centres of cells, whose product is twice the area
/// that belongs to the edge: of MPAS and of ICON.
constexpr std::array<std::array<char const*, 2>, 2> lengths_of_edges = {
    {{"dvEdge", "dcEdge"}, {"edge_length", "dual_edge_length"}}};

/// Dimensions of meshes whose areas models keep in another file: of MPAS, of ICON, of CAM and E3SM.
constexpr std::array<std::string_view, 5> dimensions_of_meshes = {"nCells", "nEdges", "nVertices", "ncells",
                                                                  "ncol"};

/// Areas around the corners of cells, which have the dimensions of those of cells, and a coordinate that
/// tells that a variable lies there: of POP and of CICE.
constexpr std::array<std::array<char const*, 3>, 2> areas_of_corners = {
    {{"TAREA", "UAREA", "ULAT"}, {"tarea", "uarea", "ULAT"}}};

/// The area of the corners where `variable` lies on them and the file has it, else that of cells.
std::string at_the_places_of(io::InputFile const& file, std::string const& variable,
                             std::string const& area) {
  auto const places = io::words_of(io::attribute_in(file.attributes_of(variable), "coordinates"));
  for (auto const& [cells, corners, coordinate] : areas_of_corners) {
    if (area != cells || !file.has(corners) || std::ranges::count(places, coordinate) == 0) continue;
    if (file.info(corners).dimensions == file.info(cells).dimensions) return corners;
  }
  return area;
}

/// The measures that a file of the grid offers, each by the names of its factors.
std::vector<std::vector<std::string>> measures_of_grid(io::InputFile const& grid) {
  std::vector<std::vector<std::string>> measures;
  for (auto const& name : grid.cell_measures()) measures.push_back({name});
  for (auto const& [along, across] : lengths_of_edges) {
    if (grid.has(along) && grid.has(across)) measures.push_back({along, across});
  }
  return measures;
}

}  // namespace

std::string FieldMeasure::name() const {
  std::string text;
  for (auto const& factor : factors) text += (text.empty() ? "" : "*") + factor.name;
  if (thickness) text += (text.empty() ? "thickness(" : "*thickness(") + thickness->source + ")";
  return text;
}

bool FieldMeasure::customary() const {
  return std::ranges::any_of(factors, [](io::CellMeasure const& factor) { return factor.customary; });
}

/// Measures by file and variable.
struct Weighting::Known {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::optional<FieldMeasure>> measures;
};

Weighting::Weighting() : known_{std::make_shared<Known>()} {}

Weighting::Weighting(std::string const& text) : Weighting() {
  if (text == "none") {
    kind_ = Kind::none;
    return;
  }
  auto const colon = text.rfind(':');
  auto const file = is_file(text) || colon == std::string::npos ? text : text.substr(0, colon);
  if (!is_file(file)) {
    auto const looks_like_file = colon != std::string::npos || text.ends_with(".nc");
    if (looks_like_file || text.empty()) {
      throw InputError(
          fmt::format("weights '{}': no such file (they are none, VARIABLE, FILE or FILE:VARIABLE) "
                      "check the path",
                      text));
    }
    kind_ = Kind::of_field;
    variable_ = text;
    return;
  }
  kind_ = Kind::of_grid;
  grid_ = std::make_shared<io::InputFile const>(file);
  if (file.size() < text.size()) {
    variable_ = text.substr(file.size() + 1);
    if (!grid_->has(variable_)) {
      throw InputError(fmt::format("{}: no variable '{}'{}", file, variable_,
                                   choices_hint(variable_, grid_->variables())));
    }
    return;
  }
  if (measures_of_grid(*grid_).empty()) {
    throw InputError(
        file + ": no areas or volumes of cells (none of the usual names) name the variable as FILE:VARIABLE");
  }
}

std::optional<FieldMeasure> Weighting::measure(io::InputFile const& file, std::string const& variable) const {
  auto const key = std::pair(file.path(), variable);
  {
    std::lock_guard const lock{known_->mutex};
    if (auto const known = known_->measures.find(key); known != known_->measures.end()) return known->second;
  }
  auto found = find(file, variable);
  std::lock_guard const lock{known_->mutex};
  return known_->measures.emplace(key, std::move(found)).first->second;
}

std::optional<FieldMeasure> Weighting::find(io::InputFile const& file, std::string const& variable) const {
  if (kind_ == Kind::none) return {};
  FieldMeasure measure;
  measure.factors = factors_of(file, variable);
  if (variable_.empty()) {
    auto thickness = level_thickness(file, variable);
    auto const is_in_factors = thickness && std::ranges::any_of(measure.factors, [&](auto const& factor) {
                                 return std::ranges::count(factor.dimensions, thickness->dimension) > 0;
                               });
    if (thickness && !is_in_factors) measure.thickness = std::move(thickness);
  }
  if (measure.factors.empty() && !measure.thickness) return {};
  return measure;
}

std::vector<io::CellMeasure> Weighting::factors_of(io::InputFile const& file,
                                                   std::string const& variable) const {
  if (kind_ == Kind::of_field && !file.has(variable_)) {
    throw InputError(fmt::format("{}: no variable '{}' for weights{}", file.path(), variable_,
                                 choices_hint(variable_, file.variables())));
  }
  auto const& source = grid_ ? *grid_ : file;
  if (grid_) {
    auto const own = file.attribute(grid_id), other = grid_->attribute(grid_id);
    if (!own.empty() && !other.empty() && own != other) {
      throw InputError(fmt::format("{}: is of another grid than {} ({} differs) name the file of its grid",
                                   grid_->path(), file.path(), grid_id));
    }
  }
  std::vector<std::vector<std::string>> measures;
  if (!variable_.empty()) {
    measures = {{variable_}};
  } else if (grid_) {
    measures = measures_of_grid(*grid_);
  } else if (auto measure = file.cell_measure(variable)) {
    measure->name = at_the_places_of(file, variable, measure->name);
    return {*measure};
  } else {
    for (auto const& lengths : lengths_of_edges) measures.emplace_back(lengths.begin(), lengths.end());
  }
  auto const field = file.info(variable);
  for (auto const by_length : {false, true}) {
    if (by_length && !grid_) break;
    for (auto const& names : measures) {
      std::vector<io::CellMeasure> factors;
      for (auto const& name : names) {
        if (!source.has(name)) break;
        auto const places = dimensions_in(field, source.info(name), by_length);
        if (!places || places->empty()) break;
        factors.push_back({name, *places, names.size() > 1});
      }
      if (factors.size() == names.size()) return factors;
    }
  }
  return {};
}

void Weighting::read(io::InputFile const& file, FieldMeasure const& measure, io::Box const& box,
                     std::span<double> weights) const {
  std::ranges::fill(weights, 1.0);
  std::vector<double> more(measure.factors.size() > 1 ? weights.size() : 0);
  for (std::size_t i = 0; i < measure.factors.size(); ++i) {
    auto const into = i == 0 ? weights : std::span<double>{more};
    (grid_ ? *grid_ : file).read_weights(measure.factors[i], box, into);
    for (std::size_t j = 0; i > 0 && j < weights.size(); ++j) weights[j] *= more[j];
  }
  if (!measure.thickness) return;
  auto const d = measure.thickness->dimension;
  std::size_t inner = 1;
  for (auto further = d + 1; further < box.count.size(); ++further) inner *= std::size_t(box.count[further]);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto const level = box.start[d] + std::int64_t(i / inner) % box.count[d];
    weights[i] *= measure.thickness->values[std::size_t(level)];
  }
}

std::string Weighting::name(FieldMeasure const& measure) const {
  return grid_ && !measure.factors.empty() ? grid_->path() + ":" + measure.name() : measure.name();
}

void Weighting::refuse_misfit(io::InputFile const& file) const {
  if (variable_.empty() && !grid_) return;
  auto const tried = !variable_.empty() ? variable_ : measures_of_grid(*grid_).front().front();
  throw InputError(
      fmt::format("{}: weights {} fit none of its variables (they have other dimensions) name others",
                  file.path(), name({.factors = {{tried, {}}}})));
}

std::string Weighting::hint(io::InputFile const& file) const {
  if (kind_ != Kind::found) return {};
  if (!file.attribute(grid_id).empty()) {
    return fmt::format(
        "no weights: {} says that the grid, with the areas of its cells, is in another file, which "
        "--weights may name",
        grid_id);
  }
  auto const external = file.attribute("external_variables");
  if (!external.empty()) {
    return fmt::format(
        "no weights: the file keeps {} in another one (external_variables), which --weights may name",
        external);
  }
  for (auto const& name : file.variables()) {
    for (auto const& dimension : file.info(name).dimensions) {
      if (std::ranges::find(dimensions_of_meshes, dimension) == dimensions_of_meshes.end()) continue;
      return fmt::format("no weights: {} lies on a mesh ({}); --weights may name the file that has its areas",
                         name, dimension);
    }
  }
  return {};
}

}  // namespace ulpine::verification
