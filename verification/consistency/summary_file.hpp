// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verification/consistency/data.hpp"
#include "verification/consistency/places.hpp"
#include "verification/consistency/reading.hpp"

// Summary files: what consistency tests need of an ensemble but its points, small enough to be kept beside a
// model's source. NetCDF-4 with the seal of Ulpine's outputs; schema "ulpine.ensemble-summary/2"
// (docs/explanation/consistency.md).

namespace ulpine::verification::consistency {

/// An ensemble's summary with what is needed to read new runs on its grid.
struct StoredSummary {
  EnsembleSummary summary;
  CommonGrid grid;
  GridPlaces places;                 ///< coordinates of the variables
  std::vector<std::string> sources;  ///< "name (bytes, xxHash64)" of every file it was made of
};

/// EnvironmentError where the disk is full. Reads the sources once more, for their hashes. InputError.
void write_summary(std::filesystem::path const& path, EnsembleSummary const& summary, CommonGrid const& grid,
                   RunList const& sources);
/// Whether `path` is to be read by read_summary(): a file.
bool is_summary(std::filesystem::path const& path);
/// InputError for another schema, an altered file or a foreign one.
StoredSummary read_summary(std::filesystem::path const& path);

/// Brings the grid of new runs to the times of a stored ensemble, which they must have all. InputError, with
/// the summary's name and a reason, where they are not on its grid: other variables, units, shapes, order of
/// dimensions, places, calendars, times or weights.
void hold_to_summary(StoredSummary const& stored, std::filesystem::path const& summary, RunList const& tests,
                     CommonGrid& grid);

}  // namespace ulpine::verification::consistency
