// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "io/axis.hpp"
#include "io/error.hpp"
#include "io/grid_variable.hpp"
#include "verification/comparison/grid_spacing.hpp"

namespace ulpine::verification {
namespace {

using io::AxisOfDimension;
using io::said_by_coordinate;

/// The two dimensions that longitudes and latitudes of all points span, in the order of the field.
std::optional<std::array<std::size_t, 2>> spanned_by_places(io::InputFile const& file,
                                                            io::FieldInfo const& info) {
  std::array<std::vector<std::vector<std::string>>, 2> spans;
  for (std::size_t const part : {0, 1}) {
    for (auto const& name : part == 0 ? names_of_longitudes(file, info) : names_of_latitudes(file, info)) {
      if (auto dimensions = file.info(name).dimensions; dimensions.size() == 2) {
        spans[part].push_back(std::move(dimensions));
      }
    }
  }
  for (auto const& span : spans[0]) {
    auto const first = std::ranges::find(info.dimensions, span[0]);
    auto const second = std::ranges::find(info.dimensions, span[1]);
    if (first == info.dimensions.end() || second == info.dimensions.end() || first == second) continue;
    if (std::ranges::find(spans[1], span) == spans[1].end()) continue;
    auto const a = static_cast<std::size_t>(first - info.dimensions.begin()),
               b = static_cast<std::size_t>(second - info.dimensions.begin());
    return {{std::min(a, b), std::max(a, b)}};
  }
  return {};
}

/// A dimension that counts cells in no order, as the file says: a mesh's, or one along which both longitudes
/// and latitudes run. Empty where there is none.
std::string unordered_dimension(io::InputFile const& file, io::FieldInfo const& info) {
  if (auto const cells = file.cells_dimensions(info.name); !cells.empty()) return cells.front();
  std::vector<std::string> x, y;
  for (auto const& place : file.auxiliary_coordinates(info.name)) {
    if (place.rank != 1) continue;
    auto const dimension = file.info(place.name).dimensions.front();
    if (place.axis == "x") x.push_back(dimension);
    if (place.axis == "y") y.push_back(dimension);
  }
  for (auto const& dimension : info.dimensions) {
    if (std::ranges::count(x, dimension) > 0 && std::ranges::count(y, dimension) > 0) return dimension;
  }
  return {};
}

/// Which of a field's dimensions make rows and columns: those that are open (not chosen), by their axes.
class Finder {
 public:
  Finder(io::FieldInfo const& info, std::vector<AxisOfDimension> axes, std::vector<bool> open)
      : info_(info), axes_{std::move(axes)}, open_{std::move(open)} {
    forget_lists();
    for (auto const* axis : {"x", "y", "z"}) keep_surest(axis);
  }

  void span(std::array<std::size_t, 2> const& spanned) {
    auto const [a, b] = spanned;
    auto const known = [&](std::size_t d) { return axes_[d].axis == "x" || axes_[d].axis == "y"; };
    if (known(a) && known(b) && axes_[a].axis != axes_[b].axis) return;
    axes_[a] = {"y", said_by_coordinate};
    axes_[b] = {"x", said_by_coordinate};
    for (auto const* axis : {"x", "y"}) keep_surest(axis);
  }

  std::vector<AxisOfDimension> const& axes() const { return axes_; }

  /// In the order of the file; nothing where places along two dimensions are not known, or along more.
  std::optional<std::array<std::size_t, 2>> rows_and_columns() const {
    auto const x = along("x", true), y = along("y", true), z = along("z", true);
    if (x.size() > 1 || y.size() > 1) return {};
    if (x.size() == 1 && y.size() == 1) return in_order(x[0], y[0]);
    auto const single_x = along("x", false), single_y = along("y", false);
    if (x.empty() && y.empty()) {
      if (!single_x.empty() && !single_y.empty() && z.size() <= 1) return in_order(single_x[0], single_y[0]);
      auto const& line = single_x.empty() ? single_y : single_x;
      return z.size() == 1 && !line.empty() ? in_order(z[0], line[0]) : std::nullopt;
    }
    auto const horizontal = x.empty() ? y[0] : x[0];
    // A section, or a single row or column.
    if (!z.empty()) return z.size() == 1 ? in_order(z[0], horizontal) : std::nullopt;
    auto const& across = x.empty() ? single_x : single_y;
    if (!across.empty()) return in_order(across[0], horizontal);
    auto const levels = along("z", false);
    return levels.empty() ? std::nullopt : in_order(levels[0], horizontal);
  }

  /// Open dimensions of more than one point that no place is known along.
  std::vector<std::size_t> placeless() const { return along("", true); }

 private:
  static std::optional<std::array<std::size_t, 2>> in_order(std::size_t a, std::size_t b) {
    return {{std::min(a, b), std::max(a, b)}};
  }
  std::vector<std::size_t> along(std::string const& axis, bool extended) const {
    std::vector<std::size_t> found;
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      if (open_[d] && axes_[d].axis == axis && (info_.shape[d] > 1) == extended) found.push_back(d);
    }
    return found;
  }
  /// A column without rows is one of a list.
  void forget_lists() {
    auto const all = axes_;
    for (auto& axis : axes_) {
      auto const other = axis.axis == "x" ? "y" : "x";
      auto const in_pairs = axis.trust == static_cast<int>(io::NameTells::in_pairs);
      auto const is_other = [&](AxisOfDimension const& one) { return one.axis == other; };
      if (in_pairs && std::ranges::none_of(all, is_other)) axis = {};
    }
  }
  /// Where several dimensions lie along one axis, only those known with the most certainty are kept.
  void keep_surest(std::string const& axis) {
    int most = 0;
    auto const candidates = along(axis, true);
    for (auto const d : candidates) most = std::max(most, axes_[d].trust);
    for (auto const d : candidates) {
      if (axes_[d].trust < most) axes_[d] = {};
    }
  }

  io::FieldInfo const& info_;
  std::vector<AxisOfDimension> axes_;
  std::vector<bool> open_;
};

/// The name by which a choice can name a dimension: NAME:N of the Nth of one name.
std::string name_of(io::FieldInfo const& info, std::size_t d) {
  auto const& name = info.dimensions[d];
  if (std::ranges::count(info.dimensions, name) == 1) return name;
  auto const end = info.dimensions.begin() + static_cast<std::ptrdiff_t>(d) + 1;
  return fmt::format("{}:{}", name, std::count(info.dimensions.begin(), end, name));
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
    std::vector<std::string> names;
    for (std::size_t d = 0; d < info.dimensions.size(); ++d) names.push_back(name_of(info, d));
    auto const found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    if (auto const times = std::ranges::count(info.dimensions, name); times > 1) {
      throw InputError(
          fmt::format("{}: '{}' is the name of {} dimensions (it does not say which) write {}:1 "
                      "for the first of them, {}:2 for the second",
                      where, name, times, name, name));
    }
    throw InputError(fmt::format("{}: no dimension '{}' (besides time it has {}) choose one of them", where,
                                 name, fmt::join(names, ", ")));
  }
};

/// Why a field has no rows and columns that are known.
InputError no_rows_and_columns(io::FieldInfo const& info, Finder const& finder, std::vector<bool> const& open,
                               std::string const& where, std::string const& purpose) {
  auto const names = [&](std::vector<std::size_t> const& dimensions) {
    std::vector<std::string> result;
    for (auto const d : dimensions) result.push_back(name_of(info, d));
    return result;
  };
  auto const placeless = finder.placeless();
  for (auto const d : placeless) {
    if (io::is_usual_of_cells(info.dimensions[d])) {
      return InputError(
          fmt::format("{} lies on cells without rows and columns along {} ({} both) interpolate it to "
                      "a regular grid first, or name rows and columns by --plane",
                      where, info.dimensions[d], purpose));
    }
  }
  // The last two are an example of what can be written.
  std::vector<std::size_t> left;
  for (auto const extended : {true, false}) {
    for (auto d = open.size(); d-- > 0 && left.size() < 2;) {
      if (open[d] && (info.shape[d] > 1) == extended) left.push_back(d);
    }
  }
  std::ranges::sort(left);
  if (left.size() < 2) {
    return InputError(fmt::format("{}: too little is left along {} ({} two dimensions) choose along others",
                                  where, fmt::join(names(left), ", "), purpose));
  }
  auto const example = fmt::format("{}", fmt::join(names(left), ","));
  if (placeless.empty()) {
    return InputError(
        fmt::format("{}: which dimensions are rows and columns is not clear (it has {}, and {} one along x "
                    "and one along y, or one of them and the vertical) name two, as by --plane {}",
                    where, fmt::join(info.dimensions, ", "), purpose, example));
  }
  return InputError(fmt::format(
      "{}: no place is known along {} ({} rows and columns, and neither a coordinate nor the name "
      "tells that it is one of x, y or the vertical) name rows and columns, as by --plane {}",
      where, fmt::join(names(placeless), ", "), purpose, example));
}

/// The two dimensions that were named.
std::array<std::size_t, 2> named_plane(Chooser const& chooser, std::array<std::string, 2> const& names,
                                       std::vector<bool> const& open) {
  auto const a = chooser.dimension(names[0]), b = chooser.dimension(names[1]);
  if (a == b) {
    throw InputError(
        fmt::format("{}: --plane names {} twice (one dimension is not rows and columns both) "
                    "name two",
                    chooser.where, names[0]));
  }
  for (auto const d : {a, b}) {
    if (!open[d]) {
      throw InputError(
          fmt::format("{}: --at chooses one place along {} (--plane wants all of them) leave one "
                      "of the two out",
                      chooser.where, name_of(chooser.info, d)));
    }
  }
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

std::optional<std::size_t> vertical_dimension(io::InputFile const& file, std::string const& variable) {
  auto const axes = io::axes_of_dimensions(file, file.info(variable));
  auto const found = std::ranges::find(axes, "z", &AxisOfDimension::axis);
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
  if (auto const cells = choice.plane ? "" : unordered_dimension(file, info); !cells.empty()) {
    throw InputError(
        fmt::format("{} lies on cells without rows and columns along {} ({} both) interpolate it to "
                    "a regular grid first",
                    where, cells, purpose));
  }
  file.boxes(variable, std::numeric_limits<std::int64_t>::max());  // refuses what a damaged header promises
  Chooser const chooser{info, where};
  // Along each dimension one chosen place, or all.
  std::vector<std::optional<std::int64_t>> chosen(info.shape.size());
  std::vector<bool> open(info.shape.size(), true);  // chosen dimensions are no rows or columns
  for (auto const& [name, index] : choice.at) {
    auto const d = chooser.dimension(name);
    chosen[d] = chooser.place(d, index);
    open[d] = false;
  }
  Finder finder{info, io::axes_of_dimensions(file, info), open};
  if (auto const spanned = spanned_by_places(file, info)) finder.span(*spanned);
  auto const found =
      choice.plane ? std::optional(named_plane(chooser, *choice.plane, open)) : finder.rows_and_columns();
  if (!found) throw no_rows_and_columns(info, finder, open, where, purpose);
  auto const [rows, columns] = *found;
  if (choice.level) {
    std::vector<std::size_t> others, vertical;
    for (std::size_t d = 0; d < info.shape.size(); ++d) {
      if (d == rows || d == columns || chosen[d]) continue;
      (finder.axes()[d].axis == "z" ? vertical : others).push_back(d);
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
