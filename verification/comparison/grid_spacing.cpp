// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/grid_spacing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "io/axis.hpp"
#include "io/error.hpp"
#include "io/text.hpp"

namespace ulpine::verification {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// Radians that units of an angle have; 0 of others.
double angle_unit(std::string const& units) {
  auto const name = io::lower_case(units);
  return name.starts_with("degree") ? degree : name.starts_with("radian") || name == "rad" ? 1 : 0;
}

/// The difference of two longitudes, radians, the short way round.
double turn(double from, double to) { return std::remainder(to - from, 2 * std::numbers::pi); }

/// Along a great circle, m.
double distance(double longitude_a, double latitude_a, double longitude_b, double latitude_b) {
  auto const square = [](double value) { return value * value; };
  auto const haversine =
      square(std::sin((latitude_b - latitude_a) / 2)) +
      std::cos(latitude_a) * std::cos(latitude_b) * square(std::sin(turn(longitude_a, longitude_b) / 2));
  return 2 * earth_radius * std::asin(std::min(1., std::sqrt(haversine)));
}

struct Intervals {
  double mean = 0, smallest = 0, largest = 0;
  bool uneven() const {
    constexpr double noticed = 0.01;  // beyond what rounding coordinates to float makes
    return largest - smallest > noticed * mean;
  }
};

/// Smallest, largest and mean of the finite lengths; nothing where none is finite.
std::optional<Intervals> intervals_of(std::vector<double> lengths) {
  std::erase_if(lengths, [](double length) { return !std::isfinite(length); });
  if (lengths.empty()) return {};
  auto const [smallest, largest] = std::ranges::minmax_element(lengths);
  double sum = 0;
  for (auto const length : lengths) sum += length;
  auto const mean = sum / static_cast<double>(lengths.size());
  if (!(mean > 0) || !std::isfinite(mean)) return {};
  return Intervals{mean, *smallest, *largest};
}

template <class Length>
std::optional<Intervals> along(std::vector<double> const& points, Length length) {
  std::vector<double> lengths;
  for (std::size_t i = 1; i < points.size(); ++i) lengths.push_back(length(points[i - 1], points[i]));
  return intervals_of(std::move(lengths));
}

/// Variables that may hold one part of the places: auxiliary coordinates along `axis` or with `part` in their
/// name, then `usual` ones.
std::vector<std::string> names_of_places(io::InputFile const& file, io::FieldInfo const& field,
                                         char const* axis, char const* part,
                                         std::vector<char const*> const& usual) {
  std::vector<std::string> names;
  auto const auxiliary = file.auxiliary_coordinates(field.name);
  for (auto const& place : auxiliary) {
    if (place.axis == axis) names.push_back(place.name);
  }
  auto const folder = io::folder_of(field.name);
  auto const add = [&](std::string const& name) {
    for (auto const& path : {folder + name, name}) {
      if (file.has(path)) names.push_back(path);
    }
  };
  for (auto const& word : io::words_of(field.coordinates)) {
    if (io::lower_case(word).find(part) != std::string::npos) add(word);
  }
  for (auto const* name : usual) add(name);
  return names;
}

/// A field's two dimensions, and what its file says of them.
class Grid {
 public:
  Grid(io::InputFile const& file, std::string const& variable, std::size_t rows, std::size_t columns)
      : file_(file), info_(file.info(variable)), dimensions_{rows, columns} {
    auto const all = file.coordinates(variable);
    for (auto const place : {0, 1}) coordinates_[place] = all[dimensions_[place]];
  }

  GridSpacing spacing() const {
    for (std::size_t const place : {0, 1}) require_order(place);
    GridSpacing result;
    in_metres(result);
    if (result.rows == 0 || result.columns == 0) of_degrees(result);
    if (result.rows == 0 && result.columns == 0) of_curves(result);
    take_other(result);
    io::even_out(result.rows, result.columns);
    return result;
  }

 private:
  std::string const& name(std::size_t place) const { return info_.dimensions[dimensions_[place]]; }
  std::int64_t extent(std::size_t place) const { return info_.shape[dimensions_[place]]; }

  /// Refuses a coordinate that goes back, stands still or is missing somewhere: it tells no places.
  void require_order(std::size_t place) const {
    auto const& coordinate = coordinates_[place];
    if (!coordinate || extent(place) < 2) return;
    auto const points = file_.read_all(coordinate->name);
    auto wrong = io::first_out_of_order(points);
    auto const usual = io::usual_axis(name(place));
    auto const along_x = coordinate->axis.empty() ? usual && usual->axis == "x" : coordinate->axis == "x";
    auto const unit = coordinate->units.empty() ? degree : angle_unit(coordinate->units);
    if (wrong && along_x && unit > 0) wrong = io::first_out_of_order(points, 2 * std::numbers::pi / unit);
    if (!wrong) return;
    auto const value = points[*wrong];
    auto const why = std::isfinite(value)
                         ? fmt::format(
                               "its coordinate goes from {:g} to {:g} at index {}, and is not strictly "
                               "monotonic",
                               points[*wrong - 1], value, *wrong)
                         : fmt::format("its coordinate is missing or not finite at index {}", *wrong);
    throw InputError(fmt::format("{}: {}: no places are known along {} ({}) mend the variable {}",
                                 file_.path(), info_.name, name(place), why, coordinate->name));
  }

  /// Mean spacings as the file's own, with a note where an axis is stretched.
  void in_metres(GridSpacing& result) const {
    auto const known = file_.spacings(info_.name);
    result.rows = known[dimensions_[0]];
    result.columns = known[dimensions_[1]];
    for (std::size_t const place : {0, 1}) {
      auto const& coordinate = coordinates_[place];
      if (!coordinate || extent(place) < 2) continue;
      auto const metres = io::metres_of(coordinate->units);
      if (metres == 0) continue;
      auto const intervals = along(file_.read_all(coordinate->name),
                                   [&](double a, double b) { return std::abs(b - a) * metres; });
      if (!intervals) continue;
      auto& spacing = place == 0 ? result.rows : result.columns;
      if (spacing == 0) spacing = intervals->mean;  // of a section's vertical axis
      if (spacing > 0) note_uneven(result, place, *intervals);
    }
  }

  void note_uneven(GridSpacing& result, std::size_t place, Intervals const& intervals) const {
    if (!intervals.uneven()) return;
    result.notes.push_back(
        fmt::format("{} is stretched: its intervals are {:g} to {:g} m, their mean {:g} m was "
                    "taken",
                    name(place), intervals.smallest, intervals.largest, intervals.mean));
  }

  /// Fills the spacing (m) of a grid whose axes are longitude and latitude.
  void of_degrees(GridSpacing& result) const {
    std::vector<double> latitudes;
    std::array<double, 2> units = {0, 0};
    for (std::size_t const place : {0, 1}) {
      auto const& coordinate = coordinates_[place];
      if (!coordinate || (coordinate->axis != "x" && coordinate->axis != "y")) continue;
      units[place] = angle_unit(coordinate->units);
      if (units[place] == 0 || coordinate->axis != "y") continue;
      latitudes = file_.read_all(coordinate->name);
      for (auto& latitude : latitudes) latitude *= units[place];
    }
    if (latitudes.empty()) return;
    auto const [south, north] = std::ranges::minmax(latitudes);
    auto const middle = (south + north) / 2;
    auto const nearest = south <= 0 && north >= 0 ? 0 : std::min(std::abs(south), std::abs(north));
    for (std::size_t const place : {0, 1}) {
      if (units[place] == 0 || extent(place) < 2) continue;
      auto const of_latitude = coordinates_[place]->axis == "y";
      auto const scale = earth_radius * (of_latitude ? 1 : std::cos(middle));
      auto const points = file_.read_all(coordinates_[place]->name);
      auto const intervals = along(points, [&](double a, double b) {
        auto const angle = of_latitude ? (b - a) * units[place] : turn(a * units[place], b * units[place]);
        return std::abs(angle) * scale;
      });
      if (!intervals) continue;
      (place == 0 ? result.rows : result.columns) = intervals->mean;
      result.notes.push_back(
          fmt::format("{} is in degrees: {:.6g} m on a sphere of {:.1f} km", name(place), intervals->mean,
                      earth_radius / 1000) +
          (of_latitude ? ""
                       : fmt::format(" at the middle latitude {:.4g}, from {:.6g} to {:.6g} m over the rows",
                                     middle / degree,
                                     intervals->mean / std::cos(middle) *
                                         std::max(0., std::cos(std::max(std::abs(south), std::abs(north)))),
                                     intervals->mean / std::cos(middle) * std::cos(nearest))));
      note_uneven(result, place, *intervals);
    }
  }

  /// The first of the variables that has values at all points, and radians of its unit.
  std::optional<std::pair<std::string, double>> places(std::vector<std::string> const& names) const {
    for (auto const& name : names) {
      auto const found = file_.info(name);
      auto const unit = found.units.empty() ? degree : angle_unit(found.units);
      if (found.dimensions == std::vector{this->name(0), this->name(1)} && unit > 0) return {{name, unit}};
    }
    return {};
  }

  /// Fills the spacing from two-dimensional longitudes and latitudes, along the middle row and column.
  void of_curves(GridSpacing& result) const {
    auto const longitude = places(names_of_longitudes(file_, info_));
    auto const latitude = places(names_of_latitudes(file_, info_));
    if (!longitude || !latitude) return;
    for (std::size_t const place : {0, 1}) {
      io::Box line{{extent(0) / 2, extent(1) / 2}, {1, 1}};
      line.start[place] = 0;
      line.count[place] = extent(place);
      std::vector<double> x(static_cast<std::size_t>(extent(place))), y(x.size());
      file_.read(longitude->first, -1, line, x);
      file_.read(latitude->first, -1, line, y);
      std::vector<double> lengths;
      for (std::size_t i = 1; i < x.size(); ++i) {
        lengths.push_back(distance(x[i - 1] * longitude->second, y[i - 1] * latitude->second,
                                   x[i] * longitude->second, y[i] * latitude->second));
      }
      auto const intervals = intervals_of(std::move(lengths));
      if (!intervals) continue;
      (place == 0 ? result.rows : result.columns) = intervals->mean;
      result.notes.push_back(
          fmt::format("{}: {:.6g} m, the mean of the distances along the middle of the grid by {} "
                      "and {}",
                      name(place), intervals->mean, longitude->first, latitude->first));
      note_uneven(result, place, *intervals);
    }
  }

  void take_other(GridSpacing& result) const {
    auto const known = std::max(result.rows, result.columns);
    for (std::size_t const place : {0, 1}) {
      auto& spacing = place == 0 ? result.rows : result.columns;
      if (spacing > 0 || known == 0) continue;
      spacing = known;
      if (extent(place) > 1) {
        result.notes.push_back(
            fmt::format("the file has no spacing in metres along {}: that of the other axis, {:g} m, "
                        "was taken",
                        name(place), known));
      }
    }
  }

  io::InputFile const& file_;
  io::FieldInfo info_;
  std::array<std::size_t, 2> dimensions_;
  std::array<std::optional<io::GridCoordinate>, 2> coordinates_;
};

}  // namespace

std::vector<std::string> names_of_longitudes(io::InputFile const& file, io::FieldInfo const& field) {
  return names_of_places(file, field, "x", "lon",
                         {"lon", "longitude", "nav_lon", "XLONG", "TLON", "TLONG", "geolon", "lon_rho",
                          "Longitude", "LONGITUDE", "LON"});
}

std::vector<std::string> names_of_latitudes(io::InputFile const& file, io::FieldInfo const& field) {
  return names_of_places(
      file, field, "y", "lat",
      {"lat", "latitude", "nav_lat", "XLAT", "TLAT", "geolat", "lat_rho", "Latitude", "LATITUDE", "LAT"});
}

GridSpacing grid_spacing(io::InputFile const& file, std::string const& variable, std::size_t rows,
                         std::size_t columns) {
  return Grid(file, variable, rows, columns).spacing();
}

}  // namespace ulpine::verification
