// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/calendar.hpp"
#include "io/provenance.hpp"

namespace ulpine::io {

/// A coordinate variable (same name as its dimension).
struct Coordinate {
  std::string name, standard_name, long_name, units;
  std::string axis;  ///< "X", "Y", "Z" or empty
  std::vector<double> values;
};

/// What a field is. `dimensions` are without time, slowest first, e.g. {"y", "x"} with shape {ny, nx}.
struct FieldInfo {
  std::string name, standard_name, long_name, units;
  std::vector<std::string> dimensions;
  std::vector<std::int64_t> shape;
  std::string coordinates;        ///< auxiliary coordinates, e.g. "lon lat"; may be empty
  std::string cell_methods = {};  ///< e.g. "area: mean"; may be empty
  std::int64_t size() const;
};

/// Writes CF-1.11 NetCDF-4, compressed. The file grows under its final name with whole records only: a record
/// is held in memory until finish_time() writes and syncs it, so that the file is readable after a kill
/// between records. All that fails is an EnvironmentError that names the file. Objects on several threads are
/// safe beside each other. A kill within that sync can cost the whole file (HDF5 keeps no journal); restart
/// files, renamed into place, are safe.
class OutputFile {
 public:
  /// Defines the file anew: coordinates, time-dependent and static fields, provenance and the case text as
  /// attributes. Fields whose dimension has no coordinate get a plain dimension. `attributes` are further
  /// global text attributes (or replace written ones); times are counted from `epoch` ("YYYY-MM-DD hh:mm:ss",
  /// calendar standard). Fields of the dimensions of a static field `cell_area` name it as their cell
  /// measure.
  OutputFile(std::filesystem::path const& path, std::string const& title,
             std::vector<Coordinate> const& coordinates, std::vector<FieldInfo> const& fields,
             std::vector<FieldInfo> const& static_fields, Provenance const& provenance,
             std::string const& case_text,
             std::vector<std::pair<std::string, std::string>> const& attributes = {},
             std::string const& epoch = "2000-01-01 00:00:00");
  OutputFile(OutputFile&&) noexcept;
  ~OutputFile();
  void write_static(std::string const& field, std::span<double const> values);
  /// Starts the record of `seconds` since the start; write() fills its fields; finish_time() makes it valid.
  /// Times grow; the last time given again replaces its record. A field that a record does not get is missing
  /// (_FillValue) there; NaN is written as NaN.
  void begin_time(double seconds);
  void write(std::string const& field, std::span<double const> values);
  void finish_time();
  /// Closes and seals (seal.hpp), so that errors of the last write are thrown here rather than lost and the
  /// file is known as whole. What is not closed so, as after a kill, is readable and has no seal.
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// Part of a field: where it begins and how far it reaches along each of the field's dimensions.
struct Box {
  std::vector<std::int64_t> start, count;
  std::int64_t size() const;
};

/// The times of a variable as its file gives them.
struct TimeAxis {
  std::vector<double> stored;  ///< as written, or the index where there is no time coordinate; empty: no axis
  std::string units;           ///< as written; empty without time coordinate
  std::string calendar;  ///< as CF prefers it, or as written where unknown; `standard` where none is given
  Calendar known_calendar = Calendar::standard;
  bool has_coordinate = false;
  double unit = 0;   ///< s; 0 where unknown (months, years, anything else)
  double epoch = 0;  ///< what times count from, s since 1970-01-01 of the calendar; NaN where unknown
};

/// What gives a grid its place: a coordinate variable, or an auxiliary one of more dimensions.
struct GridCoordinate {
  std::string name;  ///< of the variable
  std::string axis;  ///< "x", "y" or "z" as axis, standard_name, units or `positive` tell, else empty
  std::string units;
  std::int64_t rank = 1;
  double relative_rounding = 0;  ///< of the stored type: 2^-23 of float, 2^-52 of double, 0 of integers
  double step = 0;               ///< between neighbouring values of packed integers; 0 of others
};

/// Areas or volumes of cells, to weight a field with.
struct CellMeasure {
  std::string name;                     ///< of the variable
  std::vector<std::size_t> dimensions;  ///< which of the field's dimensions it has
};

/// A field read from any NetCDF file.
struct FieldData {
  FieldInfo info;
  std::vector<double> values;  ///< row-major, unpacked, NaN where missing (Unpacking)
};

/// Reads any model's NetCDF file (groups included as "group/name"). InputError where missing, truncated, not
/// NetCDF, or Ulpine's own and altered since. Files with a whole seal of Ulpine's are read here, all others
/// by a child process, so that a damaged one takes nothing down with it.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path const& path);
  InputFile(InputFile&&) noexcept;
  ~InputFile();
  /// Numeric variables that are no coordinates (nor bounds, auxiliary coordinates or grid mappings), in the
  /// order of the file, groups after the root.
  std::vector<std::string> variables() const;
  bool has(std::string const& variable) const;
  /// The variable's times in seconds since its first (decoded from CF units where given, else the raw
  /// differences), empty where it has no time axis. A time axis is a first dimension that is unlimited or
  /// named or described as time.
  std::vector<double> times(std::string const& variable) const;
  /// The variable's first time in seconds since 1970-01-01, counted in its own calendar; NaN without
  /// decodable time (CF units, a calendar of CF).
  double first_time(std::string const& variable) const;
  TimeAxis time_axis(std::string const& variable) const;
  FieldInfo info(std::string const& variable) const;
  /// The variable at time index `time` (negative: from the end; ignored without time axis). InputError where
  /// there is none.
  FieldData read(std::string const& variable, std::int64_t time = -1) const;
  /// Parts that make up the variable at one time, in the order of the file and of at most `most_values` each:
  /// whole chunks where they are not larger, so that none is unpacked twice.
  std::vector<Box> boxes(std::string const& variable, std::int64_t most_values) const;
  /// As read(), of one part, row-major. `low` (empty or as long as `values`) gets what the nearest double
  /// lacks of 64-bit integers.
  void read(std::string const& variable, std::int64_t time, Box const& box, std::span<double> values,
            std::span<double> low = {}) const;
  /// Of 64-bit integers, which double rounds beyond 2^53.
  bool wide_integer(std::string const& variable) const;
  /// The first of the variables of its `cell_measures` (volume, area), `cell_volume` and `cell_area` that has
  /// no dimensions but the field's and no time.
  std::optional<CellMeasure> cell_measure(std::string const& variable) const;
  /// Of a part of a field; the same along dimensions that the measure does not have.
  void read_weights(CellMeasure const& measure, Box const& box, std::span<double> weights) const;
  /// Of the whole of `variable`; empty where it has no cell measure.
  std::vector<double> weights(std::string const& variable) const;
  /// The coordinate variable of each dimension but time; nothing where there is none of numbers, or of
  /// numbers of ensemble members alone.
  std::vector<std::optional<GridCoordinate>> coordinates(std::string const& variable) const;
  /// Auxiliary coordinates of places: numbers along some of its dimensions but time.
  std::vector<GridCoordinate> auxiliary_coordinates(std::string const& variable) const;
  /// Mean spacing in metres along each dimension of `variable`, as in FieldInfo::dimensions ({dy, dx} of a
  /// field of y and x): 0 where unknown or not horizontal. Two that differ by less than 1/1000, as rounded
  /// coordinates do, are both given as their mean.
  std::vector<double> spacings(std::string const& variable) const;
  /// Mean of the spacings() that are known; 0 where none is.
  double spacing(std::string const& variable) const;
  std::string attribute(std::string const& name) const;  ///< global text attribute, empty where absent
  std::string const& path() const;                       ///< as opened, for messages

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace ulpine::io
