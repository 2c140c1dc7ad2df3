// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// A field read from any NetCDF file.
struct FieldData {
  FieldInfo info;
  std::vector<double>
      values;  ///< row-major; _FillValue and missing_value as NaN, scale_factor/add_offset applied
};

/// Reads any model's NetCDF file (groups included as "group/name"). InputError where missing, truncated, not
/// NetCDF, or Ulpine's own and altered since. Files with a whole seal of Ulpine's are read here, all others
/// by a child process, so that a damaged one takes nothing down with it. Values that a float or double
/// variable never got (the default fill value) count as missing too.
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
  /// The variable's first time in seconds since 1970-01-01; NaN without decodable time (CF units, standard
  /// calendar).
  double first_time(std::string const& variable) const;
  /// The variable at time index `time` (negative: from the end; ignored without time axis). InputError where
  /// there is none.
  FieldData read(std::string const& variable, std::int64_t time = -1) const;
  /// Cell measures to weight `variable` with: its `cell_measures` area variable or `cell_area` of the same
  /// shape; else empty.
  std::vector<double> weights(std::string const& variable) const;
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
