// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf.hpp"
#include "io/own_files.hpp"
#include "verification/consistency/pycect.hpp"

// The files of PyCECT: summaries of ensembles of CAM and MPAS-A (pyEnsSum.py, pyEnsSumMPAS.py), and the
// results that pyCECT.py saves (--saveResults).

namespace ulpine::verification::consistency {

/// By which a summary of PyCECT's that Ulpine wrote is known as its own.
inline constexpr io::FileSignature pycect_signature{io::FileSignature::Place::hdf5, "ulpine_pycect_summary",
                                                    "summary for PyCECT"};

/// What a NetCDF file is to PyCECT, by its variables.
enum class PycectFile { none, cam_summary, mpas_summary, pop_summary, results };
PycectFile pycect_file(std::filesystem::path const& path);

/// Rows of characters of a variable, without the blanks and zeros at their ends. InputError.
std::vector<std::string> character_rows(io::InputFile const& file, std::string const& variable);

/// InputError where the file contradicts itself.
PycectEnsemble read_pycect_summary(std::filesystem::path const& path);

/// The means of the runs in a file of results, which are in the order of the summary's variables.
/// InputError where there are others than `variables`.
PycectTests read_pycect_results(std::filesystem::path const& path, std::size_t variables);

/// Dimensions and values of the ensemble's files that PyCECT keeps in its summary.
struct PycectGrid {
  std::vector<std::pair<std::string, std::int64_t>> dimensions;  ///< "ncol" or "nlat", "nlon"; "nCells", ...
  std::vector<double> lev;                                       ///< of CAM alone
};

/// Writes a summary that pyCECT.py judges with. EnvironmentError where the disk is full.
void write_pycect_summary(std::filesystem::path const& path, PycectEnsemble const& ensemble,
                          PycectGrid const& grid);

/// Rows of `width` characters, filled up with blanks.
std::string padded_rows(std::vector<std::string> const& rows, std::size_t width);

}  // namespace ulpine::verification::consistency
