// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/provenance.hpp"

namespace ulpine::ensembles {

/// What becomes one file, and how its values are looked at.
struct GatherRequest {
  std::vector<std::filesystem::path> files;  ///< NetCDF files of a program, at least one
  std::vector<std::string> variables = {};   ///< those that are wanted; empty: all with numbers
  std::map<std::string, std::array<double, 2>> limits = {};  ///< least and largest value by variable
  /// Instant, s, from which times count; nothing: from the first. Files whose times begin before `begin_s`
  /// after it count anew from there.
  std::optional<double> origin = {};
  double begin_s = 0;
  bool nan_is_missing = false;  ///< undeclared NaN marks points without a value
  std::string title;
  io::Provenance provenance;
  std::string case_text;
};

struct GatheredOutput {
  std::uint64_t hash = 0;  ///< xxHash64 of names, times and values, in double, of all that changes in time
  std::int64_t cells = 0;  ///< values of the largest field at one time
  double length_s = 0;     ///< from the first time to the last; of times without units in the file's numbers
  double begins = 0;       ///< instant of the first time, s
  std::size_t times = 0;
  std::string invalid;  ///< the first value that is NaN, infinite or beyond its limits; empty: none
  std::vector<std::string> notes;  ///< what was left out, and why
};

/// "3, 4": indices, from 0, of a row-major index into a field of that shape.
std::string place_text(std::vector<std::int64_t> const& shape, std::size_t index);

/// Global attribute of the file that says from which instant its times count.
inline constexpr char const* origin_attribute = "program_time_origin";

/// Writes what changes in time in the files of a program, of any conventions, into one CF file at `output`,
/// whose times count from the first. A variable's times come from all files that have it; of a time that is
/// there twice the last file's counts. Fields that lack times which most fields have are left out. Values
/// keep their type if it is float, and become double otherwise. Of what does not change, coordinates, cell
/// measures and fields of the grid are taken from the first file. InputError where a file cannot be read, or
/// there is no field of numbers.
GatheredOutput gather_output(GatherRequest const& request, std::filesystem::path const& output);

}  // namespace ulpine::ensembles
