// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "verification/consistency/pycect.hpp"
#include "verification/consistency/pycect_summary.hpp"
#include "verification/consistency/reading.hpp"

// History files of CAM and MPAS-A as PyCECT averages them: with its weights, in the order of NumPy's sums,
// and with what it does to missing values.

namespace ulpine::verification::consistency {

/// Whose history a file is, by its dimensions and weights.
enum class History {
  other,        ///< none that PyCECT reads
  cam_columns,  ///< CAM on columns (`lev`, `ncol`), weighted by `area`
  cam_grid,     ///< CAM on a grid (`lev`, `lat`, `lon`), weighted by `gw`
  mpas,         ///< MPAS-A, weighted by `areaCell`, `dvEdge` and `areaTriangle`
  pop           ///< POP (`z_t`, `REGION_MASK`), which has no means
};
/// InputError where the file cannot be read.
History history_of(std::filesystem::path const& path);

/// The variables that PyCECT takes of a history of CAM or MPAS-A, part by part in the order of their names,
/// or those of them in `wanted` where it is not empty; InputError for one that is not among them. `means`
/// stays empty.
PycectMeans history_variables(std::filesystem::path const& path, History history,
                              std::vector<std::string> const& wanted);

/// Their global means at time index `time` (negative: from the end) in each file. Weights are those of the
/// first. A variable that a file lacks has the mean 0, and a note tells it. InputError where a value is NaN
/// or a time is missing: there PyCECT stops.
std::vector<std::vector<double>> history_means(std::vector<std::filesystem::path> const& files,
                                               History history, PycectMeans const& variables,
                                               std::int64_t time, ReadingProgress const& progress,
                                               std::vector<std::string>& notes);

/// What a summary keeps of the grid; dimensions that no variable has count 1. InputError.
PycectGrid history_grid(std::filesystem::path const& path, History history);

}  // namespace ulpine::verification::consistency
