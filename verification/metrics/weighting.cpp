// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/weighting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "io/error.hpp"
#include "io/foreign_format.hpp"

namespace ulpine::verification {
namespace {

bool is_file(std::string const& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) || io::format_of(path) == io::ForeignFormat::zarr;
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

}  // namespace

Weighting::Weighting(std::string const& text) {
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
  auto const measures = grid_->cell_measures();
  if (measures.empty()) {
    throw InputError(
        file + ": no areas or volumes of cells (none of the usual names) name the variable as FILE:VARIABLE");
  }
  variable_ = measures.front();
}

std::optional<io::CellMeasure> Weighting::measure(io::InputFile const& file,
                                                  std::string const& variable) const {
  if (kind_ == Kind::found) return file.cell_measure(variable);
  if (kind_ == Kind::none) return {};
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
  auto const places = dimensions_in(file.info(variable), source.info(variable_), grid_ != nullptr);
  if (!places || places->empty()) return {};
  return io::CellMeasure{variable_, *places};
}

void Weighting::read(io::InputFile const& file, io::CellMeasure const& measure, io::Box const& box,
                     std::span<double> weights) const {
  (grid_ ? *grid_ : file).read_weights(measure, box, weights);
}

std::string Weighting::name(io::CellMeasure const& measure) const {
  return grid_ ? grid_->path() + ":" + measure.name : measure.name;
}

void Weighting::refuse_misfit(io::InputFile const& file) const {
  if (variable_.empty()) return;
  throw InputError(
      fmt::format("{}: weights {} fit none of its variables (they have other dimensions) name others",
                  file.path(), name({variable_, {}})));
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
  if (external.empty()) return {};
  return fmt::format(
      "no weights: the file keeps {} in another one (external_variables), which --weights may name",
      external);
}

}  // namespace ulpine::verification
