// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verification/files/features_of_file.hpp"
#include "verification/files/record_files.hpp"

namespace ulpine::verification {

/// The grid of a series of deformation fields.
struct FeatureGrid {
  std::int64_t rows = 0, columns = 0;
  /// Of the drift: by lkf_tools' rules up to one more than the deformation's, which no feature gets to.
  std::int64_t drift_rows = 0, drift_columns = 0;
  std::optional<lkf::Spacing> spacing_km;
  std::vector<double> longitude, latitude;  ///< degrees, rows x columns; empty where not known
  std::vector<std::string> notes;           ///< assumptions that were made, for people
};

/// Rates of deformation, day-1, rows x columns.
struct DeformationRates {
  std::vector<double> total;  ///< NaN where no features are looked for, at least in two rows at each edge
  std::vector<double> divergence, shear, vorticity;  ///< empty where the file has a deformation alone
};

/// Velocities in cells per second, drift_rows x drift_columns, NaN where there is none.
struct CellVelocity {
  std::vector<double> along_rows, along_columns;
};

/// A series of deformation and drift. One record is in memory at a time.
class FeatureRecords {
 public:
  virtual ~FeatureRecords() = default;
  FeatureGrid const& grid() const { return grid_; }
  RecordFiles const& files() const { return files_; }
  virtual DeformationRates rates(std::int64_t record) = 0;
  virtual CellVelocity velocity(std::int64_t record) = 0;

 protected:
  explicit FeatureRecords(RecordFiles files) : files_{std::move(files)} {}
  RecordFiles files_;
  FeatureGrid grid_;
};

/// Of `options`: the variable and its plane. `drift` are the variables of velocity (m s-1) along x and along
/// y, on the points of the deformation or on the nodes around them, one more each way. InputError as of
/// features_of(), where grids differ, and where with `drift` no grid spacing is known.
std::unique_ptr<FeatureRecords> records_of_field(std::vector<std::filesystem::path> const& files,
                                                 FeatureOptions const& options,
                                                 std::optional<std::array<std::string, 2>> const& drift);

/// The variables that lkf_tools' `process_dataset` reads, by their names there: U, V (m s-1, along the first
/// and the second dimension), A (ice concentration), ULON, ULAT, DXU, DYV (m). Deformation is that of
/// lkf::deformation(), looked at where there is ice, in lkf_tools' part of the Arctic and on the smallest
/// part of the grid that holds it. By lkf_tools' rules places and distances are those one point before along
/// each dimension, as there: it leaves out the outermost points of velocities and not those of places.
std::unique_ptr<FeatureRecords> records_of_dataset(std::vector<std::filesystem::path> const& files,
                                                   lkf::Rules rules);

}  // namespace ulpine::verification
