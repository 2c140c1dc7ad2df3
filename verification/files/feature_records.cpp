// SPDX-License-Identifier: Apache-2.0
#include "verification/files/feature_records.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "io/error.hpp"
#include "io/grid_variable.hpp"
#include "io/units.hpp"
#include "verification/comparison/grid_spacing.hpp"

namespace ulpine::verification {
namespace {

/// The first of the variables that has a value in degrees at each point of the plane; empty where none has.
std::vector<double> degrees_of(io::InputFile const& file, std::vector<std::string> const& names,
                               std::vector<std::string> const& dimensions) {
  for (auto const& name : names) {
    auto const found = file.info(name);
    if (found.dimensions != dimensions || io::divisor_of(io::longitudes(), found.units) != 1) continue;
    return file.read(name).values;
  }
  return {};
}

/// Whether the coordinate of a dimension falls.
bool falls(io::InputFile const& file, std::string const& variable, std::size_t dimension) {
  auto const coordinate = file.coordinates(variable)[dimension];
  if (!coordinate) return false;
  auto const values = file.read_all(coordinate->name);
  return values.size() > 1 && values[1] < values[0];
}

/// A deformation that files hold, and velocities beside it.
class FieldRecords final : public FeatureRecords {
 public:
  FieldRecords(std::vector<std::filesystem::path> const& files, FeatureOptions const& options,
               std::optional<std::array<std::string, 2>> const& drift)
      : FeatureRecords{RecordFiles{files, options.variable}}, options_{options}, drift_{drift} {
    auto const& file = files_.at(0).file;
    auto const where = where_of(file, options.variable);
    auto const planes = one_plane_of(file, options.variable, options.planes, where);
    auto const info = file.info(options.variable);
    require_rate(info.units, where);
    auto const spacing = grid_spacing(file, options.variable, planes.rows, planes.columns);
    grid_.rows = grid_.drift_rows = planes.row_count;
    grid_.columns = grid_.drift_columns = planes.column_count;
    grid_.notes = spacing.notes;
    if (spacing.known()) grid_.spacing_km = {spacing.rows * 1e-3, spacing.columns * 1e-3};
    std::vector const dimensions{info.dimensions[planes.rows], info.dimensions[planes.columns]};
    grid_.longitude = degrees_of(file, names_of_longitudes(file, info), dimensions);
    grid_.latitude = degrees_of(file, names_of_latitudes(file, info), dimensions);
    if (!drift_) return;
    if (!spacing.known()) {
      throw InputError(where +
                       ": no grid spacing is known (features drift by cells) write the coordinates of rows "
                       "and columns into the file, with their units");
    }
    auto const axes = io::axes_of_dimensions(file, info);
    transposed_ = axes[planes.rows].axis == "x";
    per_m_ = {(falls(file, options.variable, planes.rows) ? -1 : 1) / spacing.rows,
              (falls(file, options.variable, planes.columns) ? -1 : 1) / spacing.columns};
  }

  DeformationRates rates(std::int64_t record) override {
    auto const place = files_.at(record);
    auto const where = where_of(place.file, options_.variable);
    auto const planes = one_plane_of(place.file, options_.variable, options_.planes, where);
    require_shape(planes, grid_.rows, grid_.columns, where);
    return {rates_of(place.file.read(options_.variable, place.time, planes.box(0)), grid_.rows, grid_.columns,
                     place.file.info(options_.variable).units, where),
            {},
            {},
            {}};
  }

  CellVelocity velocity(std::int64_t record) override {
    auto const place = files_.at(record);
    auto along_x = component(place, (*drift_)[0]), along_y = component(place, (*drift_)[1]);
    if (!transposed_) std::swap(along_x, along_y);
    for (auto& value : along_x) value *= per_m_[0];
    for (auto& value : along_y) value *= per_m_[1];
    return {std::move(along_x), std::move(along_y)};
  }

 private:
  static std::string where_of(io::InputFile const& file, std::string const& variable) {
    return file.path() + ": " + variable;
  }
  static void require_shape(Planes const& planes, std::int64_t rows, std::int64_t columns,
                            std::string const& where) {
    if (planes.row_count == rows && planes.column_count == columns) return;
    throw InputError(
        fmt::format("{} has {} x {} values (the series began with {} x {}) give files of one grid", where,
                    planes.row_count, planes.column_count, rows, columns));
  }

  /// m s-1 at the points of the deformation; at the middle of four nodes their mean.
  std::vector<double> component(RecordFiles::Place const& place, std::string const& variable) const {
    auto const& file = place.file;
    auto const where = where_of(file, variable);
    auto const planes = one_plane_of(file, variable, options_.planes, where);
    auto const units = file.info(variable).units;
    auto const divisor = io::divisor_of(io::speeds(), units);
    if (!divisor) {
      throw InputError(where + (units.empty() ? " has no units" : ": its units are '" + units + "'") +
                       " (a drift is a speed) write m s-1 into the file, or choose other variables");
    }
    auto const of_nodes = planes.row_count == grid_.rows + 1 && planes.column_count == grid_.columns + 1;
    if (!of_nodes) require_shape(planes, grid_.rows, grid_.columns, where);
    auto values = file.read(variable, place.time, planes.box(0));
    for (auto& value : values) value /= *divisor;
    if (!of_nodes) return values;
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(grid_.rows * grid_.columns));
    for (std::int64_t i = 0; i < grid_.rows; ++i) {
      auto const* const row = values.data() + i * planes.column_count;
      auto const* const next = row + planes.column_count;
      for (std::int64_t j = 0; j < grid_.columns; ++j) {
        result.push_back((row[j] + row[j + 1] + next[j] + next[j + 1]) / 4);
      }
    }
    return result;
  }

  FeatureOptions options_;
  std::optional<std::array<std::string, 2>> drift_;
  bool transposed_ = false;               ///< rows run along x
  std::array<double, 2> per_m_ = {0, 0};  ///< cells a metre along rows and columns, negative where they fall
};

}  // namespace

std::unique_ptr<FeatureRecords> records_of_field(std::vector<std::filesystem::path> const& files,
                                                 FeatureOptions const& options,
                                                 std::optional<std::array<std::string, 2>> const& drift) {
  return std::make_unique<FieldRecords>(files, options, drift);
}

}  // namespace ulpine::verification
