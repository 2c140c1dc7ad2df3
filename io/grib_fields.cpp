// SPDX-License-Identifier: Apache-2.0
#include "io/grib_fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/absence.hpp"
#include "io/calendar.hpp"
#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {
namespace {

/// Keys of ecCodes by which fields of one name, level and time may still differ.
constexpr char const* further_keys[] = {"dataType",
                                        "percentileValue",
                                        "probabilityType",
                                        "scaledValueOfUpperLimit",
                                        "scaledValueOfLowerLimit",
                                        "quantile",
                                        "directionNumber",
                                        "frequencyNumber",
                                        "waveDirectionNumber",
                                        "waveFrequencyNumber",
                                        "aerosolType",
                                        "constituentType",
                                        "scaledValueOfFirstSize",
                                        "scaledValueOfFirstWavelength",
                                        "channelNumber",
                                        "tileIndex",
                                        "tileAttribute",
                                        "lengthOfTimeRange",
                                        "marsStream",
                                        "localNumber"};

/// A number that no measurement has, to mark what a bitmap leaves out: netCDF's own for doubles.
constexpr double marked_missing = 0x1.ep+122;

/// Seconds since 1970-01-01 of a date YYYYMMDD and a time hhmm, in the proleptic Gregorian calendar.
double instant(long date, long time, long second) {
  auto const days =
      days_since_1970(Calendar::proleptic_gregorian, date / 10000, int(date / 100 % 100), int(date % 100));
  if (!days || time < 0 || time > 2400) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(*days * 86400 + time / 100 * 3600 + time % 100 * 60 + second);
}

std::string name_of_parameter(GribMessage const& message) {
  auto name = message.text("shortName");
  if (name.empty() || name == "unknown" || name == "~") {
    auto const part = [&](char const* key) { return std::to_string(message.integer(key).value_or(-1)); };
    name =
        message.integer("edition") == 1
            ? "param" + part("indicatorOfParameter") + "." + part("table2Version")
            : "param" + part("parameterNumber") + "." + part("parameterCategory") + "." + part("discipline");
  }
  std::ranges::replace(name, '/', '_');
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string known_text(GribMessage const& message, char const* key) {
  auto text = message.text(key);
  return text == "unknown" || text == "~" || text.starts_with("Experimental") ? "" : text;
}

void read_times(GribMessage& message, GribField& field) {
  field.reference_time =
      instant(message.integer("dataDate").value_or(-1), message.integer("dataTime").value_or(0),
              message.integer("second").value_or(0));
  // Steps of months and years have no seconds; ecCodes gives the date that they end at.
  message.set_step_unit("s");
  if (auto const step = message.number("endStep")) {
    field.valid_time = field.reference_time + *step;
    return;
  }
  field.valid_time =
      instant(message.integer("validityDate").value_or(-1), message.integer("validityTime").value_or(0), 0);
  if (std::isnan(field.valid_time)) field.valid_time = field.reference_time;
}

void read_resolution(GribMessage const& message, GribField& field) {
  auto const packing = message.text("packingType");
  field.single = packing != "grid_ieee" || message.integer("precision").value_or(1) == 1;
  auto const bits = message.integer("bitsPerValue").value_or(0);
  if (packing == "grid_ieee" || packing.starts_with("spectral") || packing.starts_with("bifourier") ||
      bits == 0) {
    return;
  }
  auto const binary = message.integer("binaryScaleFactor").value_or(0),
             decimal = message.integer("decimalScaleFactor").value_or(0);
  field.step = std::ldexp(1., static_cast<int>(binary)) / std::pow(10., static_cast<double>(decimal));
}

GribGrid grid_of(GribMessage const& message) {
  GribGrid grid;
  grid.type = message.text("gridType");
  if (grid.type == "unstructured_grid") grid.mesh = message.text("uuidOfHGrid");
  auto const points = message.integer("numberOfDataPoints");
  if (!points || *points < 0) throw NetcdfFailure("a message does not tell how many points its grid has");
  grid.points = static_cast<std::size_t>(*points);
  auto const ni = message.integer("Ni"), nj = message.integer("Nj");
  if (ni && nj && *ni > 0 && *nj > 0 && static_cast<std::size_t>(*ni) <= grid.points &&
      static_cast<std::size_t>(*ni) * static_cast<std::size_t>(*nj) == grid.points) {
    grid.ni = static_cast<std::size_t>(*ni);
    grid.nj = static_cast<std::size_t>(*nj);
  }
  grid.turning = message.integer("alternativeRowScanning").value_or(0) != 0;
  grid.columns_first = message.integer("jPointsAreConsecutive").value_or(0) != 0;
  auto const signed_by = [&](char const* key, char const* further_key, bool falls) {
    auto length = message.number(key);
    if (!length) length = message.number(further_key);
    return length.value_or(0) * (falls ? -1 : 1);
  };
  grid.dx = signed_by("DxInMetres", "DiInMetres", message.integer("iScansNegatively").value_or(0) != 0);
  grid.dy = signed_by("DyInMetres", "DjInMetres", message.integer("jScansPositively").value_or(0) == 0);
  if (grid.type == "rotated_ll" && grid.has_rows()) {
    auto const ends = [&](char const* first, char const* last) {
      auto const a = message.number(first), b = message.number(last);
      return a && b ? std::vector{*a, *b} : std::vector<double>{};
    };
    grid.rotated_longitudes = ends("longitudeOfFirstGridPointInDegrees", "longitudeOfLastGridPointInDegrees");
    grid.rotated_latitudes = ends("latitudeOfFirstGridPointInDegrees", "latitudeOfLastGridPointInDegrees");
  }
  return grid;
}

GribField field_of(GribMessage& message) {
  GribField field;
  field.name = name_of_parameter(message);
  field.level_type = message.text("typeOfLevel");
  if (field.level_type.empty() || field.level_type == "unknown") field.level_type = "level";
  field.step_type = message.text("stepType");
  for (auto const* const key : further_keys) {
    if (auto text = message.text(key); !text.empty()) field.further[key] = std::move(text);
  }
  field.long_name = known_text(message, "name");
  field.units = known_text(message, "units");
  field.standard_name = known_text(message, "cfName");
  field.grid = message.text("md5GridSection") + "/" + message.text("gridType");
  field.level = message.number("level").value_or(0);
  field.top = message.number("topLevel").value_or(field.level);
  field.bottom = message.number("bottomLevel").value_or(field.level);
  field.number = message.integer("number").value_or(0);
  read_resolution(message, field);
  read_times(message, field);
  return field;
}

/// Row-major from an order of columns.
std::vector<double> in_rows(std::vector<double> values, GribGrid const& grid) {
  if (!grid.columns_first || !grid.has_rows()) return values;
  std::vector<double> rows(values.size());
  for (std::size_t i = 0; i < grid.ni; ++i) {
    for (std::size_t j = 0; j < grid.nj; ++j) rows[j * grid.ni + i] = values[i * grid.nj + j];
  }
  return rows;
}

/// ecCodes gives values in their order in the file, and places as if all rows ran the same way
/// (findings/eccodes_misplaces_turning_rows.sh).
void let_rows_run_one_way(std::vector<double>& values, GribGrid const& grid) {
  if (!grid.turning || !grid.has_rows()) return;
  auto const length = grid.columns_first ? grid.nj : grid.ni;
  auto const row_at = [&](std::size_t row) {
    return values.begin() + static_cast<std::ptrdiff_t>(row * length);
  };
  for (std::size_t row = 1; row < values.size() / length; row += 2)
    std::reverse(row_at(row), row_at(row + 1));
}

}  // namespace

GribFields fields_of(GribFile const& file) {
  GribFields fields;
  std::string composed;
  for (auto const& place : file.places()) {
    GribMessage message{file.message(place, composed)};
    auto field = field_of(message);
    if (!std::isfinite(field.reference_time) || !std::isfinite(field.valid_time)) {
      throw NetcdfFailure("the field " + field.name + " at byte " + std::to_string(place.offset) +
                          " has a date that is none");
    }
    field.place = place;
    if (!fields.grids.contains(field.grid)) {
      auto grid = grid_of(message);
      grid.example = fields.all.size();
      fields.grids.emplace(field.grid, std::move(grid));
    }
    fields.all.push_back(std::move(field));
  }
  return fields;
}

std::vector<double> values_of(GribFile const& file, GribField const& field, GribGrid const& grid) {
  std::string composed;
  GribMessage message{file.message(field.place, composed)};
  message.set_missing_value(marked_missing);
  auto values = message.numbers("values", grid.points);
  std::ranges::replace(values, marked_missing, absent(Absence::fill));
  let_rows_run_one_way(values, grid);
  return in_rows(std::move(values), grid);
}

std::vector<double> places_of(GribFile const& file, GribField const& field, GribGrid const& grid,
                              char const* key) {
  std::string composed;
  GribMessage const message{file.message(field.place, composed)};
  return in_rows(message.numbers(key, grid.points), grid);
}

}  // namespace ulpine::io
