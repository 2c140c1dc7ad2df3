// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
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
/// Whether units are of times that are dates, readable or not.
bool is_time_unit(std::string const& units);
/// Values of a variable; more is a damaged header.
inline constexpr std::uint64_t largest_field = std::uint64_t{1} << 36;
/// The product; the largest number where it is beyond that.
std::uint64_t product(std::vector<std::uint64_t> const& extents);

/// The roles of a file's variables for each other: fields, coordinates, times.
struct NetcdfContents {
  using Variable = NetcdfVariable;
  /// Role of a variable: a field of values, or a place that says where values are.
  enum class Role { field, place };

  explicit NetcdfContents(std::filesystem::path const& path);

  NetcdfSource source;
  std::vector<Variable> const& variables;
  /// Role of each variable, in the order of `variables`: coordinates, bounds, auxiliary coordinates and grid
  /// mappings are places.
  std::vector<Role> roles;

  std::string message(Variable const& variable, std::string const& problem) const;

  Variable const* find(std::string const& name) const;
  /// `name` as seen from a variable: in its group, else in those around it.
  Variable const* find_from(Variable const& from, std::string const& name) const;
  Variable const& get(std::string const& name) const;

  std::vector<std::string> fields() const;

  Variable const* coordinate_of(Variable const& variable, std::size_t dimension) const;

  /// Whether a coordinate or a variable of dates says that the dimension is time.
  bool is_said_to_be_time(Variable const& variable, std::size_t dimension) const;
  /// Whether it has exactly a usual name of time, and no coordinate says otherwise.
  bool is_named_as_time(Variable const& variable, std::size_t dimension) const;
  /// One that is said to be time, else one that is named so.
  std::optional<std::size_t> time_dimension(Variable const& variable) const;
  bool has_time(Variable const& variable) const { return time_dimension(variable).has_value(); }
  /// The dimensions of a variable but time.
  std::vector<std::size_t> field_dimensions(Variable const& variable) const;

  std::vector<std::uint64_t> shape(Variable const& variable) const;

  /// Start and count along the dimensions of the file for a box at one time. InputError where there is none.
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
  /// Dates along a dimension that are written as text, each a row of characters (`Times` of WRF, `xtime` of
  /// MPAS); null where there are none.
  Variable const* dates_along(Variable const& variable, std::size_t dimension) const;
  /// The written dates as numbers; empty where there are none, or one is no date.
  std::vector<double> written_dates(Variable const& variable, std::size_t dimension) const;

  TimeAxis time_axis(Variable const& variable) const;
  /// As InputFile::instants().
  std::vector<double> instants(Variable const& variable) const;
  /// The variable that has the units of this one's numbers: of bounds without any the one they belong to.
  Variable const& carrier_of_units(Variable const& variable) const;
  /// Whether its values are the names of the places along the dimension that has its name.
  bool labels_dimension(Variable const& variable) const;

  GridCoordinate describe(Variable const& coordinate) const;

  /// Which of the field's dimensions (but time) those of `part` are; nothing where it has others.
  std::optional<std::vector<std::size_t>> dimensions_in(Variable const& field, Variable const& part) const;

 private:
  std::vector<Role> find_roles() const;

  /// The values of a time coordinate, which all variables along it ask for.
  std::vector<double> const& time_values(Variable const& time) const;

  std::unordered_map<std::string, std::size_t> index_;  ///< index of a variable by its name
  mutable std::mutex times_mutex_;
  mutable std::map<Variable const*, std::vector<double>> times_;  ///< by their coordinates
};

}  // namespace ulpine::io
