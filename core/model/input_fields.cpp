// SPDX-License-Identifier: Apache-2.0
#include "core/model/input_fields.hpp"

#include <cmath>
#include <utility>

#include "io/axis.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

constexpr Unit degrees_east[] = {{"degrees_east", 1}, {"", 1},         {"degree_east", 1},
                                 {"degrees_E", 1},    {"degree_E", 1}, {"degreesE", 1},
                                 {"degreeE", 1},      {"degrees", 1},  {"degree", 1}};
constexpr Unit degrees_north[] = {{"degrees_north", 1}, {"", 1},         {"degree_north", 1},
                                  {"degrees_N", 1},     {"degree_N", 1}, {"degreesN", 1},
                                  {"degreeN", 1},       {"degrees", 1},  {"degree", 1}};
constexpr Quantity east = {"longitude", degrees_east, -360, 360, "latitude", "mend the file"};
constexpr Quantity north = {"latitude", degrees_north, -90, 90, "longitude", "mend the file"};

}  // namespace

InputFields::InputFields(io::CaseFile const& case_file, std::string const& file_key, std::string time_key,
                         std::int64_t ny, std::int64_t nx)
    : case_{case_file},
      ny_{ny},
      nx_{nx},
      time_key_{std::move(time_key)},
      file_{case_file.file(file_key, true)} {
  if (case_.has(time_key_)) time_ = case_.integer<std::int64_t>(time_key_, -1);
}

std::vector<bool> InputFields::sea(std::string const& key, std::string const& variable) const {
  auto const data = read(key, variable);
  auto const of_land = data.info.standard_name == "land_binary_mask";
  std::vector<bool> result(data.values.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    auto const value = data.values[k];
    if (value < 0 || value > 1) {
      throw case_.error(key, variable + " is " + io::number_text(value) + at(k) +
                                 " (a mask is 1 on sea and 0 on land) mend the file");
    }
    result[k] = of_land ? value < 0.5 : value > 0.5;
  }
  return result;
}

std::vector<double> InputFields::values(std::string const& key, std::string const& variable,
                                        Quantity const& quantity, std::span<std::uint8_t const> mask) const {
  auto data = read(key, variable);
  if (data.info.standard_name == quantity.other) {
    throw case_.error(key, variable + " is no " + quantity.what + " (its standard_name is " + quantity.other +
                               ") name the right variable");
  }
  auto const divisor = divisor_of(key, variable, data.info.units, quantity);
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    auto& value = data.values[k];
    value /= divisor;
    if (mask[k] == 0) continue;
    if (std::isnan(value)) {
      throw case_.error(key, variable + " has no value" + at(k) +
                                 ", which is sea (missing, or not a number) fill it, or make the cell land");
    }
    if (value < quantity.least || value > quantity.most) {
      throw case_.error(key, variable + " is " + io::number_text(value) + at(k) + " (" + quantity.what +
                                 " lies between " + io::number_text(quantity.least) + " and " +
                                 io::number_text(quantity.most) + ") " + quantity.hint);
    }
  }
  return std::move(data.values);
}

std::string InputFields::at(std::size_t k) const {
  auto const nx = static_cast<std::size_t>(nx_);
  return " at cell (" + std::to_string(k / nx) + ", " + std::to_string(k % nx) + ")";
}

double InputFields::divisor_of(std::string const& key, std::string const& variable, std::string const& units,
                               Quantity const& quantity) const {
  for (auto const& unit : quantity.units) {
    if (units == unit.name) return unit.divisor;
  }
  std::string known;
  for (auto const& unit : quantity.units) {
    if (*unit.name != '\0') known += (known.empty() ? "" : ", ") + std::string(unit.name);
  }
  throw case_.error(key, variable + " is in '" + units + "' (" + quantity.what + " is read in " + known +
                             ") convert it, or name another variable");
}

io::FieldData InputFields::read(std::string const& key, std::string const& variable) const {
  if (!file_.has(variable)) {
    throw case_.error(
        key, "no variable '" + variable + "' in the file" + choices_hint(variable, file_.variables()));
  }
  auto const times = static_cast<std::int64_t>(file_.times(variable).size());
  if (times > 1 && !time_) {
    throw case_.error(key, variable + " has " + std::to_string(times) + " times (none is chosen) set " +
                               time_key_ +
                               " to an index from 0, or -1 for the "
                               "last");
  }
  if (times > 0 && time_ && (*time_ >= times || *time_ < -times)) {
    throw case_.error(time_key_, "out of range (it is " + std::to_string(*time_) + "; " + variable + " has " +
                                     std::to_string(times) + " times) choose between " +
                                     std::to_string(-times) + " and " + std::to_string(times - 1));
  }
  auto data = file_.read(variable, time_.value_or(-1));
  std::vector<std::int64_t> const wanted = {ny_, nx_};
  if (data.info.shape != wanted) {
    std::string shape;
    for (auto const length : data.info.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(length);
    auto const turned = data.info.shape == std::vector<std::int64_t>{nx_, ny_};
    throw case_.error(key, variable + " has " + (shape.empty() ? "one value" : "the shape " + shape) +
                               " (the mesh has " + std::to_string(ny_) + " rows of " + std::to_string(nx_) +
                               " cells) " +
                               (turned ? "swap its two dimensions" : "give a file of the mesh's shape"));
  }
  if (auto const& names = data.info.dimensions;
      io::axis_of(names[0]) == "x" || io::axis_of(names[1]) == "y") {
    throw case_.error(key, variable + " has its dimensions in the order " + names[0] + ", " + names[1] +
                               " (rows come first: y, x) swap them");
  }
  return data;
}

InputFields::Places InputFields::places(std::string const& longitude_key,
                                        std::string const& longitude_fallback,
                                        std::string const& latitude_key, std::string const& latitude_fallback,
                                        std::span<std::uint8_t const> mask) const {
  struct Axis {
    std::string const &key, &fallback;
    Quantity const& quantity;
    std::string name = {};
    bool present = false;
  };
  Axis axes[] = {{longitude_key, longitude_fallback, east}, {latitude_key, latitude_fallback, north}};
  for (auto& axis : axes) {
    auto const named = case_.has(axis.key);
    axis.name = case_.text(axis.key, axis.fallback);
    axis.present = !axis.name.empty() && (named || has(axis.name));
  }
  for (int k = 0; k < 2; ++k) {
    auto const &axis = axes[k], &other = axes[1 - k];
    if (axis.present && !other.present) {
      throw case_.error(other.key, "no " + std::string(other.quantity.what) + " for the " +
                                       axis.quantity.what + " in " + axis.name +
                                       " (both are needed) name its variable, or set " + axis.key +
                                       " = \"\" for neither");
    }
  }
  Places places;
  if (axes[0].present) {
    places.longitude = values(axes[0].key, axes[0].name, east, mask);
    places.latitude = values(axes[1].key, axes[1].name, north, mask);
  }
  return places;
}

}  // namespace ulpine
