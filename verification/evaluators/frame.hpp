// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::verification {

/// The description and the grid of a field, which do not change in time.
struct FieldGrid {
  std::string name, long_name, units;
  std::vector<std::string> dimensions;  ///< without time, slowest first
  std::vector<std::int64_t> shape;
  std::vector<double> spacing;                   ///< m, along each dimension; 0: unknown or not horizontal
  std::vector<std::vector<double>> coordinates;  ///< along each dimension; empty: none
  std::vector<std::string> axis_units;           ///< units of coordinates; "1" where there is none
  std::vector<double> weights;                   ///< cell measures, of the field's size; empty: none
  std::string weight_units;                      ///< "m2", "m3"
  /// Length of the first dimension, where that runs along the vertical: as its coordinate says, or, where
  /// nothing is said, in fields of three dimensions and more. 0 where it does not, or has one level.
  std::int64_t levels = 0;
  std::vector<bool> aside;    ///< levels that are not judged by themselves; empty: none
  std::vector<bool> outside;  ///< true where it is outside the domain (land); empty: nowhere

  std::size_t size() const { return static_cast<std::size_t>(io::values_in(shape)); }
};

/// Levels of a field: the length of its first dimension, where that runs along the vertical as
/// FieldGrid::levels says; 0 where it does not. `first` is the coordinate of that dimension.
std::int64_t levels_of(std::vector<std::string> const& dimensions, std::vector<std::int64_t> const& shape,
                       std::optional<io::GridCoordinate> const& first);

/// Distances between rows and between columns of the last two dimensions, m; where one of them is known it
/// stands for both; 0 and 0 where none is. `grid` has two dimensions at least.
std::array<double, 2> spacing_of_rows_and_columns(FieldGrid const& grid);

/// The fields, grids and times that the output files of a study share, taken from the reference's.
struct FrameLayout {
  std::vector<std::string> fields;                ///< that change in time
  std::vector<std::vector<std::string>> vectors;  ///< components whose speed is a field too
  std::map<std::string, FieldGrid> grids;         ///< grids of fields and speeds
  std::vector<double> times;                      ///< s since the first output
  /// Values of fields that do not change, by name, where a field that does has the same dimensions.
  std::map<std::string, std::vector<double>> constants;
  std::int64_t frame_bytes = 0;  ///< memory for one time

  /// Cell measures of a field; empty: none.
  std::span<double const> weights_of(std::string const& field) const;
};
/// Points are outside where a static field along the last dimensions of a field says so: one of CF standard
/// name land_binary_mask or sea_binary_mask, or one called `mask` (0: outside). InputError where nothing
/// changes in time.
FrameLayout read_layout(std::filesystem::path const& output);

/// All fields of a file at one time, row-major, speeds included; NaN where missing.
using Frame = std::map<std::string, std::vector<double>>;
Frame read_frame(io::InputFile const& file, FrameLayout const& layout, std::int64_t time);

}  // namespace ulpine::verification
