// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::io {

/// The axis of a dimension ("x", "y", "z" or empty), and how surely it is known: by a name (NameTells), or
/// more where its coordinate says so.
struct AxisOfDimension {
  std::string axis;
  int trust = 0;
};
inline constexpr int said_by_coordinate = 3;

/// The axis of each dimension of a variable (FieldInfo::dimensions), each by itself.
std::vector<AxisOfDimension> axes_of_dimensions(InputFile const& file, FieldInfo const& info);

/// One of the two axes of a GridVariable.
struct GridAxis {
  std::string dimension;
  std::string coordinate;        ///< its variable; empty where there is none
  std::string units;             ///< unit of places; "degrees" where it was in radians
  std::vector<double> places;    ///< rising, in `units`; empty without a coordinate
  double relative_rounding = 0;  ///< rounding of the stored type
  bool falls = false;            ///< whether the file stores them from the largest to the smallest
  bool in_degrees = false;       ///< longitude or latitude, also of a rotated grid
  bool rotated = false;          ///< a rotated grid's own longitude or latitude

  /// Mean distance of two neighbours, m: the shortest decimal within what rounding the places leaves open. 0
  /// where units or places do not tell.
  double spacing() const;
};

/// A variable on rows (along y) and columns (along x), however its file has them: in either order, from north
/// or south, from east or west, with or without a time. Which dimension is which is told by coordinates
/// (axis, standard_name, units), by names (usual_axis), by a shape that fits one way only, or else by
/// latitudes of all points.
class GridVariable {
 public:
  /// Which place along a dimension that is no time, row or column: a number from 0. Nothing refuses the
  /// variable where there are several.
  using Choose =
      std::function<std::optional<std::int64_t>(std::string const& dimension, std::int64_t extent)>;

  /// Whether rows and columns are turned so that their places rise, or run as the file has them, as those of
  /// a mesh do that is stored beside them.
  enum class Turned { as_places_rise, not_at_all };

  /// Dimensions of one place need no choice. `shape` (rows, columns; or zeros) stands in where nothing tells
  /// rows from columns and the two differ, or nothing is turned. InputErrors begin with the variable's name
  /// and name no file: text, less than two dimensions, places that are not monotonic, an order that nothing
  /// tells.
  GridVariable(InputFile const& file, std::string const& name, std::array<std::int64_t, 2> shape = {},
               Choose const& choose = {}, Turned turned = Turned::as_places_rise);

  FieldInfo const& info() const { return info_; }
  std::string const& name() const { return info_.name; }
  std::int64_t ny() const { return info_.shape[rows_]; }
  std::int64_t nx() const { return info_.shape[columns_]; }
  GridAxis const& y() const { return y_; }
  GridAxis const& x() const { return x_; }

  /// Row-major [ny][nx] at a time as InputFile::read() has it, NaN where missing.
  std::vector<double> read(std::int64_t time = -1) const;

 private:
  void find_rows_and_columns(std::array<std::int64_t, 2> shape);
  GridAxis axis_along(std::size_t dimension, bool along_x) const;
  /// Refuses longitudes that are called degrees and run once round a circle of radians.
  void require_degrees(GridAxis const& axis) const;

  InputFile const& file_;
  FieldInfo info_;
  Turned turned_;
  std::size_t rows_ = 0, columns_ = 0;  ///< dimensions of info_
  Box box_;
  GridAxis y_, x_;
};

}  // namespace ulpine::io
