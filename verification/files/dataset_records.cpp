// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/error.hpp"
#include "io/units.hpp"
#include "verification/files/feature_records.hpp"
#include "verification/lkf/deformation.hpp"

namespace ulpine::verification {
namespace {

constexpr auto missing = std::numeric_limits<double>::quiet_NaN();

double mean_of_known(std::vector<double> const& values) {
  double sum = 0, count = 0;
  for (auto const value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return sum / count;
}

/// Velocities, ice and places as lkf_tools' process_dataset reads them. All arrays of the file have
/// all_rows x all_columns values; deformation is known at all but the outermost of these.
class DatasetRecords final : public FeatureRecords {
 public:
  DatasetRecords(std::vector<std::filesystem::path> const& files, lkf::Rules rules)
      : FeatureRecords{RecordFiles{files, "U"}}, rules_{rules} {
    auto const& file = files_.at(0).file;
    auto const info = file.info("U");
    if (info.shape.size() != 2 || info.shape[0] < 3 || info.shape[1] < 3) {
      throw InputError(file.path() +
                       ": U is no map (lkf_tools wants time and two dimensions of at least three points) "
                       "give a file of its form");
    }
    all_rows_ = info.shape[0];
    all_columns_ = info.shape[1];
    auto longitude = read(file, "ULON", -1), latitude = read(file, "ULAT", -1);
    dx_ = read(file, "DXU", -1);
    dy_ = read(file, "DYV", -1);
    grid_.spacing_km = {mean_of_known(dx_) * 1e-3, mean_of_known(dy_) * 1e-3};
    if (!(grid_.spacing_km->smaller() > 0) || !std::isfinite(grid_.spacing_km->mean())) {
      throw InputError(file.path() +
                       ": DXU and DYV are no distances (they want to be positive) write them in m");
    }
    arctic_.resize(longitude.size());
    for (std::size_t p = 0; p < longitude.size(); ++p) {
      auto& east = longitude[p];
      auto& north = latitude[p];
      if (!(east <= most_degrees)) east = missing;
      if (!(north <= most_degrees)) north = missing;
      if (east >= 180) east -= 360;
      arctic_[p] = !std::isnan(east) && lkf::inside_arctic_domain(north, east);
    }
    crop(file);
    grid_.longitude = part_of(longitude, place_shift(), grid_.rows, grid_.columns);
    grid_.latitude = part_of(latitude, place_shift(), grid_.rows, grid_.columns);
  }

  DeformationRates rates(std::int64_t record) override {
    auto const place = files_.at(record);
    auto const u = read(place.file, "U", place.time), v = read(place.file, "V", place.time),
               ice = read(place.file, "A", place.time);
    auto const all = lkf::deformation(u, v, dx_, dy_, all_rows_, all_columns_);
    DeformationRates result;
    auto const cut = [&](std::vector<double> const& rate) {
      std::vector<double> part;
      for (std::int64_t i = 0; i < grid_.rows; ++i) {
        auto const begin = rate.begin() + (i + first_row_) * all.columns + first_column_;
        part.insert(part.end(), begin, begin + grid_.columns);
      }
      return part;
    };
    result.total = cut(all.total);
    result.divergence = cut(all.divergence);
    result.shear = cut(all.shear);
    result.vorticity = cut(all.vorticity);
    lkf::mask_open_water(result.total, part_of(ice, 1, grid_.rows, grid_.columns));
    for (std::int64_t i = 0; i < grid_.rows; ++i) {
      for (std::int64_t j = 0; j < grid_.columns; ++j) {
        if (!arctic_[point(i, j, 1)]) result.total[i * grid_.columns + j] = missing;
      }
    }
    result.total =
        rates_of(std::move(result.total), grid_.rows, grid_.columns, "day-1", place.file.path() + ": U, V");
    return result;
  }

  CellVelocity velocity(std::int64_t record) override {
    auto const place = files_.at(record);
    auto const u = read(place.file, "U", place.time), v = read(place.file, "V", place.time);
    auto const size = static_cast<std::size_t>(grid_.drift_rows * grid_.drift_columns);
    CellVelocity result{std::vector(size, missing), std::vector(size, missing)};
    for (std::int64_t i = 0; i < grid_.rows; ++i) {
      for (std::int64_t j = 0; j < grid_.columns; ++j) {
        auto const p = point(i, j, 1), q = point(i, j, place_shift());
        if (!arctic_[p]) continue;
        result.along_rows[i * grid_.drift_columns + j] = u[p] / dx_[q];
        result.along_columns[i * grid_.drift_columns + j] = v[p] / dy_[q];
      }
    }
    return result;
  }

 private:
  static constexpr double most_degrees = 1e30;  // lkf_tools' mark of places that are missing

  /// A map of the file; velocities in m s-1, distances in m.
  std::vector<double> read(io::InputFile const& file, std::string const& name, std::int64_t time) const {
    auto const where = file.path() + ": " + name;
    if (!file.has(name)) {
      throw InputError(where +
                       " is not there (lkf_tools' process_dataset reads U, V, A, ULON, ULAT, DXU and DYV) "
                       "rename or compute it, or name a deformation by --variable instead of --as");
    }
    auto const info = file.info(name);
    if (info.shape != std::vector{all_rows_, all_columns_}) {
      throw InputError(fmt::format("{} has another shape than U ({} x {}) give files of one grid", where,
                                   all_rows_, all_columns_));
    }
    auto values = file.read(name, time).values;
    auto const is_speed = name == "U" || name == "V";
    if (!is_speed && name != "DXU" && name != "DYV") return values;
    auto const divisor = is_speed && info.units.empty()
                             ? std::optional(1.)
                             : io::divisor_of(is_speed ? io::speeds() : io::lengths(), info.units);
    if (!divisor) {
      throw InputError(where + ": its units are '" + info.units + "' (lkf_tools wants " +
                       (is_speed ? "m s-1" : "m") + ") give it in these");
    }
    for (auto& value : values) value /= *divisor;
    return values;
  }

  /// The smallest part of the deformation's grid with all of the Arctic domain, and a point around it.
  void crop(io::InputFile const& file) {
    auto low_row = all_rows_, low_column = all_columns_, high_row = std::int64_t{-1}, high_column = high_row;
    for (std::int64_t i = 0; i < all_rows_ - 2; ++i) {
      for (std::int64_t j = 0; j < all_columns_ - 2; ++j) {
        if (!arctic_[(i + 1) * all_columns_ + j + 1]) continue;
        low_row = std::min(low_row, i);
        high_row = std::max(high_row, i);
        low_column = std::min(low_column, j);
        high_column = std::max(high_column, j);
      }
    }
    if (high_row < 0) {
      throw InputError(file.path() +
                       ": no point lies in the Arctic (process_dataset looks north of 70 degrees, and of 80 "
                       "between 120 degrees west and 100 east) name a deformation by --variable");
    }
    first_row_ = std::max<std::int64_t>(0, low_row - 1);
    first_column_ = std::max<std::int64_t>(0, low_column - 1);
    grid_.rows = std::min(high_row + 2, all_rows_ - 2) - first_row_;
    grid_.columns = std::min(high_column + 2, all_columns_ - 2) - first_column_;
    auto const quirk = rules_ == lkf::Rules::lkf_tools;
    grid_.drift_rows = quirk ? high_row + 2 - first_row_ : grid_.rows;
    grid_.drift_columns = quirk ? high_column + 2 - first_column_ : grid_.columns;
  }

  std::int64_t place_shift() const { return rules_ == lkf::Rules::lkf_tools ? 0 : 1; }
  std::size_t point(std::int64_t row, std::int64_t column, std::int64_t shift) const {
    return static_cast<std::size_t>((first_row_ + row + shift) * all_columns_ + first_column_ + column +
                                    shift);
  }
  std::vector<double> part_of(std::vector<double> const& all, std::int64_t shift, std::int64_t rows,
                              std::int64_t columns) const {
    std::vector<double> part;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) part.push_back(all[point(i, j, shift)]);
    }
    return part;
  }

  lkf::Rules rules_;
  std::int64_t all_rows_ = 0, all_columns_ = 0;
  std::int64_t first_row_ = 0, first_column_ = 0;  ///< of the part, on the grid of the deformation
  std::vector<double> dx_, dy_;                    ///< m, of the whole grid
  std::vector<std::uint8_t> arctic_;
};

}  // namespace

std::unique_ptr<FeatureRecords> records_of_dataset(std::vector<std::filesystem::path> const& files,
                                                   lkf::Rules rules) {
  return std::make_unique<DatasetRecords>(files, rules);
}

}  // namespace ulpine::verification
