// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "verification/files/feature_series.hpp"

// Files as lkf_tools 2.0 writes and reads them: FOLDER/lkf_NAME_001.npy for the first window, and
// FOLDER/tracked_pairs/lkf_tracked_pairs_NAME_001_to_NAME_002.npy for the first two.

namespace ulpine::verification {

/// The bytes of a .npy file of row-major float64 values, or of pairs of int64.
std::string npy_of(std::span<double const> values, std::vector<std::int64_t> const& shape);
std::string npy_of(std::span<std::int64_t const> values, std::vector<std::int64_t> const& shape);

/// Row-major tables of so many columns each.
struct NpyTables {
  std::vector<std::vector<double>> values;
  std::int64_t columns = 0;
};

/// A list of tables as lkf_tools saves one. A single table has a dimension of one before it, where its
/// readers expect it; several are an array of objects, in numpy's pickled form (protocol 3), of any length
/// each; none are an array of length 0.
std::string npy_of(NpyTables const& tables);

/// Row, column, longitude and latitude (degrees) and divergence, shear and vorticity (day-1; of the window's
/// last record) of each feature's cells, as far as they are known.
NpyTables lkf_tools_tables(FeatureWindow const& window, FeatureGrid const& grid,
                           DeformationRates const& rates);

/// Pairs of features of two windows, one a line; empty: an array of 2 x 0 float64, as lkf_tools has it.
std::string lkf_tools_pairs(std::span<lkf::Track const> tracks);

/// What lkf_tools calls a data set: the file's name up to its first dot.
std::string lkf_tools_name(std::filesystem::path const& file);

}  // namespace ulpine::verification
