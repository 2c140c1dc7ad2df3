// SPDX-License-Identifier: Apache-2.0
#include "verification/planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "io/axis.hpp"
#include "io/error.hpp"
#include "io/text.hpp"

namespace ulpine::verification {
namespace {

bool is_vertical_name(std::string const& dimension) {
  constexpr std::array starts = {"z",     "lev",   "height",     "alt",      "depth",
                                 "plev",  "ilev",  "bottom_top", "nvert",    "isobaric",
                                 "pfull", "phalf", "level",      "pressure", "soil_lay"};
  auto const name = io::lower_case(dimension);
  return std::ranges::any_of(starts, [&](char const* start) { return name.starts_with(start); });
}

/// "x", "y", "z" or empty, of each dimension of a field.
std::vector<std::string> axes_of(io::InputFile const& file, io::FieldInfo const& info) {
  auto const coordinates = file.coordinates(info.name);
  std::vector<std::string> axes;
  for (std::size_t d = 0; d < info.dimensions.size(); ++d) {
    auto axis = coordinates[d] ? coordinates[d]->axis : "";
    if (axis.empty()) {
      auto const named = io::axis_of(info.dimensions[d]);
      axis = is_vertical_name(info.dimensions[d]) ? "z" : named == "x" || named == "y" ? named : "";
    }
    axes.push_back(axis);
  }
  return axes;
}

/// A dimension along which both longitudes and latitudes run: cells in no order. Empty where there is none.
std::string unordered_dimension(io::InputFile const& file, io::FieldInfo const& info) {
  std::vector<std::string> x, y;
  for (auto const& place : file.auxiliary_coordinates(info.name)) {
    if (place.rank != 1) continue;
    auto const dimension = file.info(place.name).dimensions.front();
    if (place.axis == "x") x.push_back(dimension);
    if (place.axis == "y") y.push_back(dimension);
  }
  for (auto const& dimension : info.dimensions) {
    auto const customary = dimension == "ncells" || dimension == "ncol" || dimension == "nCells";
    if (customary || (std::ranges::count(x, dimension) > 0 && std::ranges::count(y, dimension) > 0)) {
      return dimension;
    }
  }
  return {};
}

/// The two dimensions of rows and columns, in the order of the file.
std::array<std::size_t, 2> rows_and_columns(io::FieldInfo const& info, std::vector<std::string> const& axes) {
  auto const rank = info.shape.size();
  std::vector<std::size_t> horizontal, extended;
  for (std::size_t d = 0; d < rank; ++d) {
    if (info.shape[d] < 2) continue;
    extended.push_back(d);
    if (axes[d] == "x" || axes[d] == "y") horizontal.push_back(d);
  }
  if (horizontal.size() == 2) return {horizontal[0], horizontal[1]};
  if (rank == 2 || extended.size() < 2) return {rank - 2, rank - 1};
  // A section: its horizontal dimension and the vertical one.
  auto const vertical = std::ranges::find_if(extended, [&](std::size_t d) { return axes[d] == "z"; });
  if (horizontal.size() == 1 && vertical != extended.end()) {
    return {std::min(*vertical, horizontal[0]), std::max(*vertical, horizontal[0])};
  }
  return {extended[extended.size() - 2], extended.back()};
}

struct Chooser {
  io::FieldInfo const& info;
  std::string const& where;

  /// `index` along dimension d, counted from the start.
  std::int64_t place(std::size_t d, std::int64_t index) const {
    auto const extent = info.shape[d];
    auto const place = index < 0 ? extent + index : index;
    if (place < 0 || place >= extent) {
      throw InputError(fmt::format("{}: no index {} along {} (it has {}, counted from 0) choose another",
                                   where, index, info.dimensions[d], extent));
    }
    return place;
  }
  std::size_t dimension(std::string const& name) const {
    auto const found = std::ranges::find(info.dimensions, name);
    if (found == info.dimensions.end()) {
      throw InputError(fmt::format("{}: no dimension '{}' (besides time it has {}) choose one of them", where,
                                   name, fmt::join(info.dimensions, ", ")));
    }
    return static_cast<std::size_t>(found - info.dimensions.begin());
  }
};

}  // namespace

std::optional<std::size_t> vertical_dimension(io::InputFile const& file, std::string const& variable) {
  auto const axes = axes_of(file, file.info(variable));
  auto const found = std::ranges::find(axes, "z");
  if (found == axes.end()) return {};
  return static_cast<std::size_t>(found - axes.begin());
}

Planes planes_of(io::InputFile const& file, std::string const& variable, PlaneChoice const& choice,
                 std::string const& where, std::string const& purpose) {
  auto const info = file.info(variable);
  if (info.shape.size() < 2) {
    throw InputError(fmt::format("{} has {} dimension{} besides time ({} two) choose another variable", where,
                                 info.shape.size(), info.shape.size() == 1 ? "" : "s", purpose));
  }
  if (auto const cells = unordered_dimension(file, info); !cells.empty()) {
    throw InputError(
        fmt::format("{} lies on cells without rows and columns along {} ({} both) interpolate it to "
                    "a regular grid first",
                    where, cells, purpose));
  }
  file.boxes(variable, std::numeric_limits<std::int64_t>::max());  // refuses what a damaged header promises
  auto const axes = axes_of(file, info);
  Chooser const chooser{info, where};
  // Along each dimension one chosen place, or all.
  std::vector<std::optional<std::int64_t>> chosen(info.shape.size());
  for (auto const& [name, index] : choice.at) {
    auto const d = chooser.dimension(name);
    chosen[d] = chooser.place(d, index);
  }
  auto kept = info;  // chosen dimensions are no rows or columns
  for (std::size_t d = 0; d < chosen.size(); ++d) kept.shape[d] = chosen[d] ? 1 : info.shape[d];
  auto const [rows, columns] = rows_and_columns(kept, axes);
  if (chosen[rows] || chosen[columns]) {
    throw InputError(
        fmt::format("{}: too little is left along {}, {} ({} two dimensions) choose along others", where,
                    info.dimensions[rows], info.dimensions[columns], purpose));
  }
  if (choice.level) {
    std::vector<std::size_t> others, vertical;
    for (std::size_t d = 0; d < info.shape.size(); ++d) {
      if (d == rows || d == columns || chosen[d]) continue;
      (axes[d] == "z" ? vertical : others).push_back(d);
    }
    auto const& candidates = vertical.empty() ? others : vertical;
    if (candidates.size() != 1) {
      throw InputError(fmt::format("{} has {} (its dimensions are {}) choose by the name of a dimension",
                                   where,
                                   candidates.empty() ? "no levels" : "several dimensions that may be levels",
                                   fmt::join(info.dimensions, ", ")));
    }
    chosen[candidates[0]] = chooser.place(candidates[0], *choice.level);
  }
  Planes result;
  result.rows = rows;
  result.columns = columns;
  result.row_count = info.shape[rows];
  result.column_count = info.shape[columns];
  result.first = {std::vector<std::int64_t>(info.shape.size(), 0),
                  std::vector<std::int64_t>(info.shape.size(), 1)};
  for (std::size_t d = 0; d < info.shape.size(); ++d) {
    if (d == rows || d == columns) {
      result.first.count[d] = info.shape[d];
    } else if (chosen[d]) {
      result.first.start[d] = *chosen[d];
    } else if (info.shape[d] != 1) {
      result.spread.push_back(d);
      result.extents.push_back(info.shape[d]);
      result.count *= info.shape[d];
      result.along +=
          fmt::format("{}{} of {}", result.along.empty() ? "" : " and ", info.shape[d], info.dimensions[d]);
    }
  }
  return result;
}

io::Box Planes::box(std::int64_t i) const {
  auto box = first;
  for (auto s = spread.size(); s-- > 0; i /= extents[s]) box.start[spread[s]] = i % extents[s];
  return box;
}

}  // namespace ulpine::verification
