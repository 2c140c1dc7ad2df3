// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Files that are parts of one data set: its times, tiles, ranks' parts or variables, each in a file of its
// own. They are named together by a pattern or by their folder.

namespace ulpine::io {

/// Whether a name comes before another where numbers in them count as such: "run-9.nc" before "run-10.nc".
bool naturally_before(std::string_view a, std::string_view b);

/// Whether `path` names a set: it is a folder, or a pattern of the shell (*, ?, [...], {...}) and no file.
bool names_set(std::filesystem::path const& path);

/// Whether `path` is a pattern that some file fits.
bool fits_files(std::filesystem::path const& path);

/// The NetCDF files of the set that `path` names, by their natural order, those that are none left out. Of a
/// folder: the parts of the run whose own it is, else its files, else those in the folders in it; hidden ones
/// are left out. Empty where `path` names no set. InputError where it names one without files.
std::vector<std::filesystem::path> files_of_set(std::filesystem::path const& path);

/// The files in a folder that InputFile reads, by their names or contents (holds_fields()), in the order of
/// their names; hidden ones are left out.
std::vector<std::filesystem::path> netcdf_files(std::filesystem::path const& folder);

/// A number in a file's name, by which parts of one output are told apart.
struct NumberInName {
  int number = 0;
  std::size_t first = 0, last = 0;  ///< its digits in the name, the last one excluded
};
/// The number N of a tile in a name (".tileN.", "_tileN_"); nothing where there is none.
std::optional<NumberInName> tile_in_name(std::filesystem::path const& path);
/// The number of the rank at the end of a name: "out.nc.0003", "out_0003.nc", "wrfout_d01_..._0003".
std::optional<NumberInName> rank_in_name(std::filesystem::path const& path);
/// A pattern for all files that differ from `path` in these numbers alone; those of `path` itself where both
/// are false or its name has none.
std::string pattern_of_parts(std::filesystem::path const& path, bool tiles, bool ranks);

/// The earlier parts of a run that went on from restarts in one folder, from the first: `output-1.nc`,
/// `output-2.nc`, ... beside `output`, as far as they are there. None where `output` has another name than
/// `output.nc`; it need not exist.
std::vector<std::filesystem::path> parts_before(std::filesystem::path const& output);

/// The output of the run whose own folder this is, all its parts in the order of their times; empty where the
/// folder has no `output.nc` beside a `run.json` or `restart.nc`.
std::vector<std::filesystem::path> output_of_run(std::filesystem::path const& folder);

}  // namespace ulpine::io
