// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf.hpp"
#include "io/netcdf_source.hpp"
#include "io/text.hpp"

namespace ulpine::io {

/// "x", "y" or "z" where a coordinate says that it runs along that axis.
std::string axis_of(NetcdfVariable const& coordinate);
/// A text attribute; empty where there is none.
std::string text(NetcdfAttributes const& attributes, std::string const& name);
std::string text(NetcdfVariable const& variable, char const* name);
bool is_coordinate(NetcdfVariable const& variable);
/// Whether units are of times of a calendar.
bool is_time_unit(std::string const& units);
/// The product; the largest number where it is beyond that.
std::uint64_t product(std::vector<std::uint64_t> const& extents);

/// What the variables of a file are to each other: fields, coordinates, times.
struct NetcdfContents {
  using Variable = NetcdfVariable;
  explicit NetcdfContents(std::filesystem::path const& path)
      : source{path}, variables{source.catalogue().variables} {}

  NetcdfSource source;
  std::vector<Variable> const& variables;

  std::string message(Variable const& variable, std::string const& problem) const;

  Variable const* find(std::string const& name) const;
  /// `name` as seen from a variable: in its group, else in those around it.
  Variable const* find_from(Variable const& from, std::string const& name) const;
  Variable const& get(std::string const& name) const;

  std::vector<std::string> fields() const;

  Variable const* coordinate_of(Variable const& variable, std::size_t dimension) const;

  bool runs_in_time(Variable const& variable, std::size_t dimension) const;
  /// One that its name or coordinate calls time, else a first one without end that nothing calls otherwise.
  std::optional<std::size_t> time_dimension(Variable const& variable) const;
  bool has_time(Variable const& variable) const { return time_dimension(variable).has_value(); }
  /// Its dimensions but time.
  std::vector<std::size_t> field_dimensions(Variable const& variable) const;

  std::vector<std::uint64_t> shape(Variable const& variable) const;

  /// Of the file's dimensions, for a part at one time. InputError where there is no such time.
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> hyperslab(Variable const& variable,
                                                                          std::int64_t time,
                                                                          Box const& box) const;

  std::vector<double> values(Variable const& variable, std::vector<std::size_t> const& start,
                             std::vector<std::size_t> const& count) const;
  std::vector<double> values(Variable const& variable) const;

  FieldInfo info(Variable const& variable) const;

  /// The variable that gives the times of a dimension: its coordinate variable, else one along it alone among
  /// `coordinates` that counts from a date (XTIME of WRF).
  Variable const* times_of(Variable const& variable, std::size_t dimension) const;
  /// Dates that are written as text, each a row of characters (`Times` of WRF, `xtime` of MPAS); empty where
  /// there are none, or one is no date.
  std::vector<double> written_dates(Variable const& variable, std::size_t dimension) const;

  TimeAxis time_axis(Variable const& variable) const;

  GridCoordinate describe(Variable const& coordinate) const;

  /// Which of the field's dimensions (but time) those of `part` are; nothing where it has others.
  std::optional<std::vector<std::size_t>> dimensions_in(Variable const& field, Variable const& part) const;
};

}  // namespace ulpine::io
