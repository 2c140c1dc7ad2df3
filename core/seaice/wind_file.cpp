// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/wind_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "io/calendar.hpp"
#include "io/error.hpp"

namespace ulpine::seaice {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// "YYYY-MM-DD", with or without " hh:mm" or " hh:mm:ss", in s since 1970-01-01.
double date_of(io::CaseFile const& case_file, std::string const& key, std::string const& text,
               io::Calendar calendar) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, end = 0;
  auto const length = static_cast<int>(text.size());
  auto const fits = [&](int fields, int wanted) { return fields == wanted && end == length; };
  auto const* const c = text.c_str();
  bool const read =
      fits(std::sscanf(c, "%d-%d-%d%n", &year, &month, &day, &end), 3) ||
      fits(std::sscanf(c, "%d-%d-%d %d:%d%n", &year, &month, &day, &hour, &minute, &end), 5) ||
      fits(std::sscanf(c, "%d-%d-%d %d:%d:%d%n", &year, &month, &day, &hour, &minute, &second, &end), 6);
  auto const days = read ? io::days_since_1970(calendar, year, month, day) : std::nullopt;
  auto const within = [](int value, int count) { return value >= 0 && value < count; };
  if (!days || !within(hour, 24) || !within(minute, 60) || !within(second, 60)) {
    throw case_file.error(key, "'" + text + "' is no date of the file's calendar (" +
                                   io::calendar_name(calendar) + ") write YYYY-MM-DD hh:mm:ss");
  }
  return static_cast<double>(*days) * 86400 + hour * 3600 + minute * 60 + second;
}

}  // namespace

WindFile::WindFile(io::CaseFile const& case_file, sphere::Rotation const& rotation, double duration)
    : rotation_{rotation}, file_{case_file.file("forcing.wind_file", true)} {
  u_ = open(case_file, "forcing.wind_u_variable", "u10", "northward");
  v_ = open(case_file, "forcing.wind_v_variable", "v10", "eastward");
  if (u_.shape != v_.shape || file_.times(u_.name) != file_.times(v_.name)) {
    throw case_file.error("forcing.wind_v_variable", v_.name + " is not on the grid and at the times of " +
                                                         u_.name +
                                                         " (they differ) name the variable that is");
  }
  read_indices(case_file);
  longitude_ = read_axis(case_file, true);
  latitude_ = read_axis(case_file, false);
  auto const step = longitude_[1] - longitude_[0];
  periodic_ = std::abs(longitude_.back() + step - longitude_.front() - 360) < step / 1000;
  place_in_time(case_file, duration);
}

WindFile::Variable WindFile::open(io::CaseFile const& case_file, char const* key, char const* fallback,
                                  char const* other) const {
  auto const name = case_file.text(key, fallback);
  if (!file_.has(name)) {
    throw case_file.error(key,
                          "no variable '" + name + "' in the file" + choices_hint(name, file_.variables()));
  }
  auto const info = file_.info(name);
  if (info.standard_name.starts_with(other)) {
    throw case_file.error(key, name + " is the other component (its standard_name is " + info.standard_name +
                                   ") swap the variables");
  }
  constexpr char const* units[] = {"m s-1", "m s**-1", "m/s", "m s^-1", "meter second-1", "metre second-1"};
  if (std::find(std::begin(units), std::end(units), info.units) == std::end(units)) {
    throw case_file.error(key, name + " is in '" + info.units +
                                   "' (winds are read in m s-1) convert it, or name another variable");
  }
  if (info.shape.size() < 2) {
    throw case_file.error(key, name +
                                   " has fewer than two dimensions (latitude and longitude are needed) "
                                   "name a variable that has both");
  }
  return {name, info.shape};
}

void WindFile::read_indices(io::CaseFile const& case_file) {
  auto const further = u_.shape.size() - 2;
  auto const given = case_file.numbers("forcing.wind_indices", {}, 0, 1e9);
  if (given.size() != further) {
    auto const info = file_.info(u_.name);
    std::string names;
    for (std::size_t d = 0; d < further; ++d) names += (d == 0 ? "" : ", ") + info.dimensions[d];
    throw case_file.error("forcing.wind_indices",
                          std::to_string(given.size()) + " given (" + u_.name + " has " +
                              std::to_string(further) + " dimensions before latitude that are no time" +
                              (names.empty() ? "" : ": " + names) + ") give one index for each");
  }
  for (std::size_t d = 0; d < further; ++d) {
    auto const index = static_cast<std::int64_t>(given[d]);
    if (static_cast<double>(index) != given[d] || index >= u_.shape[d]) {
      throw case_file.error("forcing.wind_indices[" + std::to_string(d) + "]",
                            io::number_text(given[d]) + " (no index of that dimension) choose 0 to " +
                                std::to_string(u_.shape[d] - 1));
    }
    indices_.push_back(index);
  }
}

std::vector<double> WindFile::read_axis(io::CaseFile const& case_file, bool along_longitude) const {
  char const* const what = along_longitude ? "longitude" : "latitude";
  auto const coordinates = file_.coordinates(u_.name);
  auto const& coordinate = coordinates[coordinates.size() - (along_longitude ? 1 : 2)];
  if (!coordinate || coordinate->rank != 1 || !coordinate->units.starts_with("degree") ||
      coordinate->axis != (along_longitude ? "x" : "y")) {
    throw case_file.error("forcing.wind_u_variable",
                          u_.name + " has no " + what + " along its " +
                              (along_longitude ? "last" : "last but one") +
                              " dimension (a coordinate in degrees is needed) regrid it to longitudes and "
                              "latitudes");
  }
  auto values = file_.read_all(coordinate->name);
  bool const rising = values.size() > 1 && values[1] > values[0];
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (!(rising ? values[k] > values[k - 1] : values[k] < values[k - 1] && !along_longitude)) {
      throw case_file.error("forcing.wind_u_variable",
                            std::string("the ") + what + "s of " + u_.name +
                                (along_longitude ? " do not rise" : " neither rise nor fall throughout") +
                                " (winds are interpolated between neighbours) order them");
    }
  }
  if (values.size() < 2) {
    throw case_file.error("forcing.wind_u_variable",
                          u_.name + " has one " + what + " (winds are interpolated between two) give more");
  }
  return values;
}

void WindFile::place_in_time(io::CaseFile const& case_file, double duration) {
  times_ = file_.times(u_.name);
  if (case_file.has("forcing.wind_time")) {
    auto const count = static_cast<std::int64_t>(times_.size());
    if (count == 0) {
      throw case_file.error("forcing.wind_time",
                            u_.name + " has no times (its wind is steady) leave the key out");
    }
    steady_ = case_file.integer<std::int64_t>("forcing.wind_time", 0, -count, count - 1);
    if (steady_ < 0) steady_ += count;
    times_.clear();
  }
  bool const dated = case_file.has("forcing.wind_start");
  auto const start = case_file.text("forcing.wind_start", "");
  if (times_.empty()) {
    if (dated) {
      throw case_file.error("forcing.wind_start",
                            u_.name +
                                " is steady (it has no times, or forcing.wind_time chose one) leave "
                                "the key out");
    }
    return;
  }
  auto const axis = file_.time_axis(u_.name);
  auto const first = file_.first_time(u_.name);
  if (std::isnan(first)) {
    throw case_file.error("forcing.wind_file",
                          "the times of " + u_.name + " cannot be told (units '" + axis.units +
                              "') give CF units, as hours since a date, or choose one by "
                              "forcing.wind_time");
  }
  auto const begin = dated ? date_of(case_file, "forcing.wind_start", start, axis.known_calendar) : first;
  for (auto& time : times_) time += first - begin;
  if (!std::is_sorted(times_.begin(), times_.end(), std::less_equal<>{})) {
    throw case_file.error("forcing.wind_file", "the times of " + u_.name +
                                                   " do not grow (winds are interpolated between them) "
                                                   "sort them");
  }
  if (times_.front() > 0 || times_.back() < duration) {
    throw case_file.error("forcing.wind_file",
                          u_.name + " does not cover the run (it has " +
                              io::number_text(times_.front() / 3600) + " h to " +
                              io::number_text(times_.back() / 3600) + " h from the start, the run ends at " +
                              io::number_text(duration / 3600) +
                              " h) change forcing.wind_start or time.end, or give a longer file");
  }
}

WindFile::Location WindFile::locate(double time) const {
  if (times_.empty()) return {steady_, 0};
  if (time < times_.front() || time > times_.back()) {
    throw InputError("no wind at " + io::number_text(time) + " s (" + file_.path() + " ends at " +
                     io::number_text(times_.back()) + " s) give a longer file");
  }
  auto const after = std::upper_bound(times_.begin(), times_.end(), time);
  auto const first = after - times_.begin() - 1;
  if (after == times_.end()) return {first, 0};
  return {first, (time - after[-1]) / (*after - after[-1])};
}

WindFile::Bracket WindFile::bracket(std::vector<double> const& values, double at, bool around) {
  auto const count = static_cast<std::int64_t>(values.size());
  bool const rising = values[1] > values[0];
  auto const after =
      rising ? std::upper_bound(values.begin(), values.end(), at)
             : std::upper_bound(values.begin(), values.end(), at, [](double a, double b) { return a > b; });
  auto first = after - values.begin() - 1;
  if (around && (first < 0 || first == count - 1)) {  // between the last and the first again
    auto const step = values.front() + 360 - values.back();
    auto const beyond = first < 0 ? at + 360 - values.back() : at - values.back();
    return {count - 1, 0, std::clamp(beyond / step, 0.0, 1.0)};
  }
  first = std::clamp<std::int64_t>(first, 0, count - 2);
  auto const low = values[static_cast<std::size_t>(first)],
             high = values[static_cast<std::size_t>(first + 1)];
  return {first, first + 1, std::clamp((at - low) / (high - low), 0.0, 1.0)};
}

bool WindFile::covers(sphere::LonLat place) const {
  auto const [south, north] = std::minmax(latitude_.front(), latitude_.back());
  auto const latitude = place.latitude / degree;
  auto const step = std::abs(latitude_[1] - latitude_[0]);
  // A grid of cells ends half a cell or one from the pole.
  bool const up = latitude <= north || (periodic_ && north + step >= 90);
  bool const down = latitude >= south || (periodic_ && south - step <= -90);
  return up && down && (periodic_ || near_axis(place.longitude) <= longitude_.back());
}

double WindFile::near_axis(double longitude) const {
  auto const east = longitude / degree - longitude_.front();
  return longitude_.front() + east - 360 * std::floor(east / 360);
}

void WindFile::read(std::int64_t index, std::vector<sphere::LonLat> const& places, std::vector<double>& u,
                    std::vector<double>& v) const {
  io::Box box{indices_, std::vector<std::int64_t>(indices_.size(), 1)};
  auto const ny = static_cast<std::int64_t>(latitude_.size()),
             nx = static_cast<std::int64_t>(longitude_.size());
  box.start.insert(box.start.end(), {0, 0});
  box.count.insert(box.count.end(), {ny, nx});
  auto const east = file_.read(u_.name, index, box), north = file_.read(v_.name, index, box);
  u.resize(places.size());
  v.resize(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    auto const globe = rotation_.to_globe(places[k]);
    if (!covers(globe)) {
      throw InputError(file_.path() + ": " + u_.name + " does not cover the mesh (it has no wind at " +
                       io::number_text(globe.longitude / degree) + " E, " +
                       io::number_text(globe.latitude / degree) + " N) give a larger grid");
    }
    auto const x = bracket(longitude_, near_axis(globe.longitude), periodic_);
    auto const y = bracket(latitude_, globe.latitude / degree, false);
    // Vectors and not components are interpolated: east and north turn from point to point.
    sphere::Vector wind{};
    for (int corner = 0; corner < 4; ++corner) {
      auto const i = corner % 2 == 0 ? x.first : x.second, j = corner / 2 == 0 ? y.first : y.second;
      auto const weight =
          (corner % 2 == 0 ? 1 - x.weight : x.weight) * (corner / 2 == 0 ? 1 - y.weight : y.weight);
      if (weight == 0) continue;
      auto const at = static_cast<std::size_t>(j * nx + i);
      if (!std::isfinite(east[at]) || !std::isfinite(north[at])) {
        throw InputError(file_.path() + ": " + u_.name + " or " + v_.name + " has no value at index (" +
                         std::to_string(j) + ", " + std::to_string(i) + ") fill it");
      }
      sphere::LonLat const point{longitude_[static_cast<std::size_t>(i)] * degree,
                                 latitude_[static_cast<std::size_t>(j)] * degree};
      auto const to_east = sphere::east(point), to_north = sphere::north(point);
      for (std::size_t d = 0; d < 3; ++d) {
        wind[d] += weight * (east[at] * to_east[d] + north[at] * to_north[d]);
      }
    }
    auto const turned = rotation_.to_mesh(wind);
    u[k] = sphere::dot(turned, sphere::east(places[k]));
    v[k] = sphere::dot(turned, sphere::north(places[k]));
  }
}

}  // namespace ulpine::seaice
