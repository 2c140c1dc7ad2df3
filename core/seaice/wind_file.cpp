// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/wind_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "core/seaice/keys.hpp"
#include "io/calendar.hpp"
#include "io/error.hpp"
#include "io/plausible.hpp"
#include "io/standard_name.hpp"
#include "io/units.hpp"

namespace ulpine::seaice {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double pole = 90;  // degrees
constexpr char const *names_of_eastward[] = {"eastward_wind", "x_wind", "zonal_wind"},
                     *names_of_northward[] = {"northward_wind", "y_wind", "meridional_wind"};
/// How far winds at one pole may lie apart, as a share of the strongest beside it: rounding, packing and
/// spectral truncation leave less, a row of one number twice its speed.
constexpr double one_wind = 0.05;

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

/// InputError for times of the variable `name` that are not finite, or so far from all dates that they are no
/// times.
void require_dates(io::CaseFile const& case_file, std::string const& name, io::TimeAxis const& axis) {
  constexpr double last = 0x1p53;  // s: beyond, doubles do not tell seconds apart
  for (auto const time : axis.stored) {
    if (std::abs(time * (axis.unit > 0 ? axis.unit : 1)) < last) continue;
    throw case_file.error("forcing.wind_file",
                          "the times of " + name + " have " + io::number_text(time) + " (" + axis.units +
                              ": no date is so far away, but a fill value is) mend the coordinate");
  }
}

/// InputError where rising times (s from the start) leave out a part of a run of `duration` (s), over which
/// winds would be made up.
void require_no_hole(io::CaseFile const& case_file, std::string const& name, std::vector<double> const& times,
                     double duration) {
  constexpr double widest = 100;  // times the steps beside it
  auto const step = [&](std::size_t n) { return times[n + 1] - times[n]; };
  // The last step may be long, as where a short one begins the file.
  for (std::size_t n = 0; n + 2 < times.size(); ++n) {
    auto const beside = std::max(n > 0 ? step(n - 1) : 0, step(n + 1));
    if (times[n] >= duration || times[n + 1] <= 0 || step(n) <= widest * beside) continue;
    throw case_file.error("forcing.wind_file",
                          name + " has no wind for " + io::number_text(step(n) / 3600) +
                              " h after its time " + std::to_string(n) + " (other times are " +
                              io::number_text(beside / 3600) +
                              " h apart, and the run needs it) mend the coordinate, or fill the hole");
  }
}

struct IndexError : InputError {
  IndexError(std::string of, std::string const& problem) : InputError(problem), key{std::move(of)} {}
  std::string key;
};

/// `forcing.wind_indices` along a variable's dimensions that are no time, latitude or longitude, in their
/// order: one for each, or one for each that has several places.
class Indices {
 public:
  Indices(io::CaseFile const& case_file, io::InputFile const& file, std::string const& name)
      : case_{case_file}, name_{name}, given_{reader_of(case_file).numbers(key_, {})} {
    all_ = file.has(name) && given_.size() + 2 == file.info(name).shape.size();
  }

  std::optional<std::int64_t> choose(std::string const& dimension, std::int64_t extent) {
    if (extent == 1 && !all_) return {};
    if (used_ == given_.size()) {
      throw IndexError(key_, std::to_string(given_.size()) + " given (" + name_ + " has " +
                                 std::to_string(extent) + " places along " + dimension +
                                 ", which is no time, latitude or longitude) give one index for each such "
                                 "dimension");
    }
    auto const index = static_cast<std::int64_t>(given_[used_]);
    if (static_cast<double>(index) != given_[used_] || index >= extent) {
      throw IndexError(std::string(key_) + "[" + std::to_string(used_) + "]",
                       io::number_text(given_[used_]) + " (no index of " + dimension + ") choose 0 to " +
                           std::to_string(extent - 1));
    }
    ++used_;
    return index;
  }

  void require_all_used() const {
    if (used_ == given_.size()) return;
    throw case_.error(key_,
                      std::to_string(given_.size()) + " given (" + name_ + " has " + std::to_string(used_) +
                          " dimensions of several places that are no time, latitude or longitude) leave "
                          "out the rest");
  }

 private:
  static constexpr char const* key_ = "forcing.wind_indices";
  io::CaseFile const& case_;
  std::string name_;
  std::vector<double> given_;
  bool all_ = false;
  std::size_t used_ = 0;
};

}  // namespace

WindFile::WindFile(io::CaseFile const& case_file, sphere::Rotation const& rotation, double duration)
    : rotation_{rotation},
      file_{reader_of(case_file).file("forcing.wind_file", true)},
      u_{open(case_file, "forcing.wind_u_variable", "northward", names_of_eastward)},
      v_{open(case_file, "forcing.wind_v_variable", "eastward", names_of_northward)} {
  auto const &u = u_.variable, &v = v_.variable;
  if (u.name() == v.name()) {
    throw case_file.error("forcing.wind_v_variable",
                          v.name() +
                              " is the eastward wind too (forcing.wind_u_variable names it) name the "
                              "variable of the northward wind");
  }
  if (!reader_of(case_file).has("forcing.wind_time")) {
    require_dates(case_file, u.name(), file_.time_axis(u.name()));
  }
  if (u.y().places != v.y().places || u.x().places != v.x().places ||
      file_.times(u.name()) != file_.times(v.name())) {
    throw case_file.error("forcing.wind_v_variable", v.name() + " is not on the grid and at the times of " +
                                                         u.name() +
                                                         " (they differ) name the variable that is");
  }
  find_axes(case_file);
  place_in_time(case_file, duration);
}

WindFile::Component WindFile::open(io::CaseFile const& case_file, char const* key, char const* other,
                                   std::span<char const* const> names) {
  auto const name = reader_of(case_file).text(key);
  Indices indices(case_file, file_, name);
  auto variable = [&] {
    try {
      return io::GridVariable(file_, name, {}, [&](std::string const& dimension, std::int64_t extent) {
        return indices.choose(dimension, extent);
      });
    } catch (IndexError const& error) {
      throw case_file.error(error.key, error.what());
    } catch (InputError const& error) {
      throw case_file.error(key, error.what());
    }
  }();
  indices.require_all_used();
  auto const& info = variable.info();
  if (info.standard_name.starts_with(other)) {
    throw case_file.error(key, name + " is the other component (its standard_name is " + info.standard_name +
                                   ") swap the variables");
  }
  if (info.standard_name.starts_with("grid_")) {
    throw case_file.error(key, name + " runs along the axes of a rotated grid (its standard_name is " +
                                   info.standard_name +
                                   "; eastward and northward wind are needed) regrid and turn it first");
  }
  if (!io::may_mean(info.standard_name, names)) {
    throw case_file.error(key, name + " is no " + names[0] + " (its standard_name is " + info.standard_name +
                                   ") name the variable that is");
  }
  auto const divisor = io::divisor_of(io::speeds(), info.units);
  if (!divisor) {
    throw case_file.error(
        key, name + " is in '" + info.units +
                 "' (winds are read in m s-1, cm s-1, km h-1, mph and knots) convert it, or name "
                 "another variable");
  }
  return {std::move(variable), *divisor};
}

void WindFile::require_degrees(io::CaseFile const& case_file, io::GridAxis const& axis,
                               char const* what) const {
  auto const& name = u_.variable.name();
  if (!axis.in_degrees || axis.rotated || axis.places.empty()) {
    throw case_file.error("forcing.wind_u_variable", name + " has no " + what + " along " + axis.dimension +
                                                         " (a coordinate in degrees" +
                                                         (axis.rotated ? " that is no rotated grid's" : "") +
                                                         " is needed) regrid it to longitudes and latitudes");
  }
  if (axis.places.size() < 2) {
    throw case_file.error("forcing.wind_u_variable",
                          name + " has one " + what + " (winds are interpolated between two) give more");
  }
}

void WindFile::require_one_turn(io::CaseFile const& case_file, double step) const {
  auto const& name = u_.variable.name();
  auto const refuse = [&](io::GridAxis const& axis, char const* why) {
    return case_file.error("forcing.wind_u_variable", name + " has " + axis.coordinate + " from " +
                                                          io::number_text(axis.places.front()) + " to " +
                                                          io::number_text(axis.places.back()) + " (" + why +
                                                          ") mend the coordinate");
  };
  // Grids of ocean models have a column or two again at their ends.
  constexpr double columns_again = 2.5;
  if (longitude_.back() - longitude_.front() > 360 + columns_again * std::abs(step)) {
    throw refuse(u_.variable.x(), "longitudes go round the globe once at the most");
  }
  // Axes of stretched grids change by little from step to step; over a hole, winds would be made up.
  constexpr double widest = 3;
  for (auto const* axis : {&u_.variable.x(), &u_.variable.y()}) {
    auto const& places = axis->places;
    for (std::size_t n = 2; n < places.size(); ++n) {
      auto const before = places[n - 1] - places[n - 2], after = places[n] - places[n - 1];
      if (std::max(before, after) > widest * std::min(before, after)) {
        throw refuse(*axis, ("with a hole beside " + io::number_text(places[n - 1])).c_str());
      }
    }
  }
  constexpr double rounding = 1e-3;  // degrees
  if (latitude_.front() < -pole - rounding || latitude_.back() > pole + rounding) {
    throw refuse(u_.variable.y(), "latitudes lie between -90 and 90 degrees");
  }
}

void WindFile::find_axes(io::CaseFile const& case_file) {
  auto const &x = u_.variable.x(), &y = u_.variable.y();
  require_degrees(case_file, x, "longitude");
  require_degrees(case_file, y, "latitude");
  longitude_ = x.places;
  latitude_ = y.places;
  constexpr double rounding = 1e-3;  // of steps: axes are often floats
  auto const step = longitude_[1] - longitude_[0];
  require_one_turn(case_file, step);
  // The first longitude again at the end is no further one.
  while (longitude_.size() > 2 && longitude_.back() - longitude_.front() > 360 - rounding * step) {
    longitude_.pop_back();
  }
  periodic_ = std::abs(longitude_.back() + step - longitude_.front() - 360) < step * rounding;
  // Beyond the outermost row of a grid of cells lies the pole, half a cell away or one.
  auto const south = latitude_.front(), north = latitude_.back();
  auto const to_second = latitude_[1] - south, to_last = north - latitude_[latitude_.size() - 2];
  adds_south_ = periodic_ && south > -pole + rounding * to_second && south - to_second <= -pole;
  adds_north_ = periodic_ && north < pole - rounding * to_last && north + to_last >= pole;
  if (adds_south_) latitude_.insert(latitude_.begin(), -pole);
  if (adds_north_) latitude_.push_back(pole);
}

void WindFile::place_in_time(io::CaseFile const& case_file, double duration) {
  auto const keys = reader_of(case_file);
  times_ = file_.times(u_.variable.name());
  if (keys.has("forcing.wind_time")) {
    auto const count = static_cast<std::int64_t>(times_.size());
    if (count == 0) {
      throw case_file.error("forcing.wind_time",
                            u_.variable.name() + " has no times (its wind is steady) leave the key out");
    }
    steady_ = keys.integer<std::int64_t>("forcing.wind_time", 0, -count, count - 1);
    if (steady_ < 0) steady_ += count;
    times_.clear();
  }
  bool const dated = keys.has("forcing.wind_start");
  auto const start = keys.text("forcing.wind_start", "");
  if (times_.empty()) {
    if (dated) {
      throw case_file.error("forcing.wind_start",
                            u_.variable.name() +
                                " is steady (it has no times, or forcing.wind_time chose one) leave "
                                "the key out");
    }
    return;
  }
  auto const axis = file_.time_axis(u_.variable.name());
  auto const first = file_.first_time(u_.variable.name());
  if (std::isnan(first)) {
    throw case_file.error("forcing.wind_file",
                          "the times of " + u_.variable.name() + " cannot be told (units '" + axis.units +
                              "') give CF units, as hours since a date, or choose one by "
                              "forcing.wind_time");
  }
  auto const begin = dated ? date_of(case_file, "forcing.wind_start", start, axis.known_calendar) : first;
  for (auto& time : times_) time += first - begin;
  if (!std::is_sorted(times_.begin(), times_.end(), std::less_equal<>{})) {
    throw case_file.error("forcing.wind_file", "the times of " + u_.variable.name() +
                                                   " do not grow (winds are interpolated between them) "
                                                   "sort them");
  }
  require_no_hole(case_file, u_.variable.name(), times_, duration);
  if (times_.front() > 0 || times_.back() < duration) {
    throw case_file.error("forcing.wind_file",
                          u_.variable.name() + " does not cover the run (it has " +
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
  auto first = std::upper_bound(values.begin(), values.end(), at) - values.begin() - 1;
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
  // A row at a pole may be rounded to either side of it.
  constexpr double rounding = 1e-4;  // degrees
  auto const latitude = place.latitude / degree;
  return latitude <= latitude_.back() + rounding && latitude >= latitude_.front() - rounding &&
         (periodic_ || near_axis(place.longitude) <= longitude_.back());
}

void WindFile::refuse(Component const& component, double value, std::int64_t index, std::size_t row,
                      std::size_t column) const {
  auto const &x = component.variable.x(), &y = component.variable.y();
  auto const in_file = [](io::GridAxis const& axis, std::size_t at) {
    return axis.dimension + " " + std::to_string(axis.falls ? axis.places.size() - 1 - at : at);
  };
  auto place = "at " + in_file(y, row) + ", " + in_file(x, column) + " (" + io::number_text(y.places[row]) +
               " N, " + io::number_text(x.places[column]) + " E)";
  if (!file_.times(component.variable.name()).empty()) place += ", time " + std::to_string(index);
  throw InputError(file_.path() + ": " +
                   io::implausible_text(component.variable.name(), value, place, io::plausible_winds));
}

WindFile::Winds WindFile::winds(std::int64_t index) const {
  auto const nx = longitude_.size(), stored_nx = static_cast<std::size_t>(u_.variable.nx()),
             stored_ny = static_cast<std::size_t>(u_.variable.ny());
  auto const on_grid = [&](Component const& component) {
    auto const stored = component.variable.read(index);
    std::vector<double> values(nx * latitude_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t j = 0; j < stored_ny; ++j) {
      for (std::size_t i = 0; i < nx; ++i) {
        auto const value = stored[j * stored_nx + i] / component.divisor;
        if (!io::is_plausible(value, io::plausible_winds)) refuse(component, value, index, j, i);
        values[(j + (adds_south_ ? 1 : 0)) * nx + i] = value;
      }
    }
    return values;
  };
  Winds result{on_grid(u_), on_grid(v_)};
  auto const last = latitude_.size() - 1;
  constexpr double rounding = 1e-3;  // of steps
  if (periodic_ && latitude_[0] < -pole + rounding * (latitude_[1] - latitude_[0])) mend_pole(result, 0, 1);
  if (periodic_ && latitude_[last] > pole - rounding * (latitude_[last] - latitude_[last - 1])) {
    mend_pole(result, last, last - 1);
  }
  return result;
}

void WindFile::mend_pole(Winds& winds, std::size_t row, std::size_t beside) const {
  auto const nx = longitude_.size();
  // On the plane that touches the pole, with axes along the meridians of 0 and 90 degrees: north points to
  // the one pole and away from the other.
  auto const inward = row > beside ? -1.0 : 1.0;
  auto const sine = [&](std::size_t i) { return std::sin(longitude_[i] * degree); };
  auto const cosine = [&](std::size_t i) { return std::cos(longitude_[i] * degree); };
  auto const along_0 = [&](std::size_t at, std::size_t i) {
    return -winds.east[at] * sine(i) + inward * winds.north[at] * cosine(i);
  };
  auto const along_90 = [&](std::size_t at, std::size_t i) {
    return winds.east[at] * cosine(i) + inward * winds.north[at] * sine(i);
  };
  struct Mean {
    double along_0 = 0, along_90 = 0;
  };
  auto const mean_of = [&](std::size_t j) {
    Mean mean;
    for (std::size_t i = 0; i < nx; ++i) {
      mean.along_0 += along_0(j * nx + i, i) / static_cast<double>(nx);
      mean.along_90 += along_90(j * nx + i, i) / static_cast<double>(nx);
    }
    return mean;
  };
  auto const own = mean_of(row), other = mean_of(beside);
  double strongest = std::hypot(own.along_0, own.along_90), farthest = 0;
  bool one_number = true;
  for (std::size_t i = 0; i < nx; ++i) {
    auto const at = row * nx + i, near = beside * nx + i;
    strongest = std::max(strongest, std::hypot(winds.east[near], winds.north[near]));
    farthest = std::max(farthest, std::hypot(along_0(at, i) - own.along_0, along_90(at, i) - own.along_90));
    one_number =
        one_number && winds.east[at] == winds.east[row * nx] && winds.north[at] == winds.north[row * nx];
  }
  // Not so where a value is missing, which leaves no mean.
  auto const is_one_wind = std::isfinite(own.along_0 + own.along_90) && farthest <= one_wind * strongest;
  if (is_one_wind && !one_number) return;
  for (std::size_t i = 0; i < nx; ++i) {
    winds.east[row * nx + i] = -other.along_0 * sine(i) + other.along_90 * cosine(i);
    winds.north[row * nx + i] = inward * (other.along_0 * cosine(i) + other.along_90 * sine(i));
  }
}

double WindFile::near_axis(double longitude) const {
  auto const east = longitude / degree - longitude_.front();
  return longitude_.front() + east - 360 * std::floor(east / 360);
}

void WindFile::read(std::int64_t index, std::vector<sphere::LonLat> const& places, std::vector<double>& u,
                    std::vector<double>& v) const {
  auto const nx = static_cast<std::int64_t>(longitude_.size());
  auto const [east, north] = winds(index);
  u.resize(places.size());
  v.resize(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    auto const globe = rotation_.to_globe(places[k]);
    if (!covers(globe)) {
      throw InputError(file_.path() + ": " + u_.variable.name() +
                       " does not cover the mesh (it has no wind at " +
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
        throw InputError(file_.path() + ": " + u_.variable.name() + " or " + v_.variable.name() +
                         " has no value at " + io::number_text(longitude_[static_cast<std::size_t>(i)]) +
                         " E, " + io::number_text(latitude_[static_cast<std::size_t>(j)]) +
                         " N (missing, or not a number) fill it");
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
