// SPDX-License-Identifier: Apache-2.0
#include "core/model/input_fields.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "io/error.hpp"
#include "io/standard_name.hpp"
#include "io/text.hpp"

namespace ulpine {
namespace {

/// Values may lie this far beyond their range, as interpolation and decimals leave them; in the core's unit.
constexpr double rounding = 1e-5;

constexpr char const *name_of_longitude[] = {"longitude"}, *name_of_latitude[] = {"latitude"};
Quantity east() { return {"longitude", io::longitudes(), -360, 360, name_of_longitude, "mend the file"}; }
Quantity north() { return {"latitude", io::latitudes(), -90, 90, name_of_latitude, "mend the file"}; }

/// Whether a word of flag_meanings tells land from sea: 1 sea, 0 land; nothing of other words.
std::optional<bool> is_sea(std::string const& meaning) {
  auto const word = io::lower_case(meaning);
  for (auto const* sea : {"sea", "ocean", "water", "open_water", "not_land", "wet"}) {
    if (word == sea || word.starts_with("sea_")) return true;
  }
  for (auto const* land : {"land", "not_sea", "not_ocean", "dry"}) {
    if (word == land) return false;
  }
  return {};
}

}  // namespace

InputFields::InputFields(io::KeyReader const& keys, std::string const& file_key, std::string time_key,
                         std::int64_t ny, std::int64_t nx, io::GridVariable::Turned turned)
    : keys_{keys},
      case_{keys.case_file()},
      ny_{ny},
      nx_{nx},
      turned_{turned},
      time_key_{std::move(time_key)},
      file_{keys.file(file_key.c_str(), true)} {
  auto const* const time = time_key_.c_str();
  if (keys_.has(time)) time_ = keys_.integer<std::int64_t>(time, -1);
}

std::vector<bool> InputFields::sea(std::string const& key, std::string const& variable) const {
  auto const data = read(key, variable);
  auto const attributes = file_.attributes_of(variable);
  auto const meanings = io::words_of(io::attribute_in(attributes, "flag_meanings"));
  if (!meanings.empty())
    return sea_of_flags(key, data, io::attribute_in(attributes, "flag_values"), meanings);
  auto const& standard_name = data.info.standard_name;
  auto const name = io::lower_case(variable.substr(io::folder_of(variable).size()));
  if (standard_name.empty() && (name == "land_mask" || name == "landmask" ||
                                io::lower_case(data.info.long_name).starts_with("land mask"))) {
    throw case_.error(key, variable +
                               " is called a land mask (whether 1 is land there is not said) give it the "
                               "standard_name land_binary_mask where 1 is land, or sea_binary_mask");
  }
  auto const of_area = standard_name == "sea_area_fraction" || standard_name == "land_area_fraction";
  auto const of_land = standard_name.starts_with("land_");
  auto const divisor = of_area ? divisor_of(key, data.info, "share of a cell's area", io::fractions()) : 1;
  std::vector<bool> result(data.values.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    auto const value = data.values[k] / divisor;
    auto const binary = std::abs(value) <= rounding || std::abs(value - 1) <= rounding;
    if (value < -rounding || value > 1 + rounding || !(of_area || binary || std::isnan(value))) {
      throw case_.error(key, variable + " is " + io::number_text(data.values[k]) + at(k) +
                                 " (a mask is 1 on sea and 0 on land, or has a standard_name of an area "
                                 "fraction) name a mask, or mend the file");
    }
    result[k] = of_land ? value < 0.5 : value > 0.5;
  }
  return result;
}

std::vector<bool> InputFields::sea_of_flags(std::string const& key, io::FieldData const& mask,
                                            std::string flag_values,
                                            std::vector<std::string> const& meanings) const {
  std::ranges::replace(flag_values, ',', ' ');
  std::map<double, bool> sea_where;
  std::size_t count = 0;
  for (auto const& word : io::words_of(flag_values)) {
    if (count < meanings.size()) {
      if (auto const sea = is_sea(meanings[count])) sea_where[std::strtod(word.c_str(), nullptr)] = *sea;
    }
    ++count;
  }
  auto const refused = [&](std::string const& why) {
    return case_.error(key, mask.info.name + " " + why +
                                " (its flag_meanings are read as land, or as sea, ocean or water, one "
                                "for each of its flag_values) mend them, or name another mask");
  };
  if (count != meanings.size()) {
    throw refused("has " + std::to_string(count) + " flag_values and " + std::to_string(meanings.size()) +
                  " flag_meanings");
  }
  std::vector<bool> result(mask.values.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    if (std::isnan(mask.values[k])) continue;
    auto const found = sea_where.find(mask.values[k]);
    if (found == sea_where.end()) {
      throw refused("is " + io::number_text(mask.values[k]) + at(k) + ", of which no flag tells land or sea");
    }
    result[k] = found->second;
  }
  return result;
}

io::FieldData InputFields::read(std::string const& key, std::string const& variable,
                                Quantity const& quantity) const {
  auto data = read(key, variable);
  if (!io::may_mean(data.info.standard_name, quantity.names)) {
    throw case_.error(key, variable + " is no " + quantity.what + " (its standard_name is " +
                               data.info.standard_name + ") name the right variable");
  }
  auto const divisor = divisor_of(key, data.info, quantity.what, quantity.units);
  for (auto& value : data.values) value /= divisor;
  return data;
}

void InputFields::check(std::string const& key, io::FieldData& field, Quantity const& quantity,
                        std::span<std::uint8_t const> mask) const {
  auto& values = field.values;
  auto const& variable = field.info.name;
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto& value = values[k];
    if (mask[k] == 0) continue;
    if (std::isnan(value)) {
      std::int64_t others = 0;
      for (std::size_t n = k + 1; n < values.size(); ++n) {
        others += mask[n] != 0 && std::isnan(values[n]) ? 1 : 0;
      }
      throw case_.error(key, variable + " has no value" + at(k) + ", which is sea" +
                                 (others == 0 ? "" : ", nor at " + std::to_string(others) + " more") +
                                 " (missing, or not a number) " + quantity.missing_hint);
    }
    if (value < quantity.least - rounding || value > quantity.most + rounding) {
      throw case_.error(key, variable + " is " + io::number_text(value) + at(k) + " (" + quantity.what +
                                 " lies between " + io::number_text(quantity.least) + " and " +
                                 io::number_text(quantity.most) + ") " + quantity.hint);
    }
    value = std::clamp(value, quantity.least, quantity.most);
  }
}

std::vector<double> InputFields::values(std::string const& key, std::string const& variable,
                                        Quantity const& quantity, std::span<std::uint8_t const> mask) const {
  auto field = read(key, variable, quantity);
  check(key, field, quantity, mask);
  return std::move(field.values);
}

std::string InputFields::at(std::size_t k) const {
  auto const nx = static_cast<std::size_t>(nx_);
  return " at cell (" + std::to_string(k / nx) + ", " + std::to_string(k % nx) + ")";
}

double InputFields::divisor_of(std::string const& key, io::FieldInfo const& info, char const* what,
                               std::span<io::UnitSpelling const> units) const {
  if (auto const divisor = io::divisor_of(units, info.units)) return *divisor;
  throw case_.error(key, info.name + " is in '" + info.units + "' (" + what + " is read in " +
                             io::spellings_of(units) + ") convert it, or name another variable");
}

io::FieldData InputFields::read(std::string const& key, std::string const& variable) const {
  // The first coefficient of a discontinuous field is the cell's mean (neXtSIM-DG's restarts).
  auto const mean_of = [](std::string const& dimension, std::int64_t) {
    return dimension == "dg_comp" ? std::optional<std::int64_t>(0) : std::nullopt;
  };
  auto const field = [&] {
    try {
      return io::GridVariable(file_, variable, {ny_, nx_}, mean_of, turned_);
    } catch (InputError const& error) {
      throw case_.error(key, error.what());
    }
  }();
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
  if (field.ny() != ny_ || field.nx() != nx_) {
    throw case_.error(key, variable + " has " + std::to_string(field.ny()) + " rows (" + field.y().dimension +
                               ") of " + std::to_string(field.nx()) + " (" + field.x().dimension +
                               ") (the mesh has " + std::to_string(ny_) + " rows of " + std::to_string(nx_) +
                               " cells) give a file of the mesh's shape");
  }
  return {field.info(), field.read(time_.value_or(-1))};
}

InputFields::Places InputFields::places(std::string const& longitude_key, std::string const& latitude_key,
                                        std::span<std::uint8_t const> mask) const {
  struct Axis {
    std::string const& key;
    Quantity quantity;
    std::string name = {};
    bool present = false;
  };
  Axis axes[] = {{longitude_key, east()}, {latitude_key, north()}};
  for (auto& axis : axes) {
    auto const named = keys_.has(axis.key.c_str());
    axis.name = keys_.text(axis.key.c_str());
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
    places.longitude = values(axes[0].key, axes[0].name, axes[0].quantity, mask);
    places.latitude = values(axes[1].key, axes[1].name, axes[1].quantity, mask);
  }
  return places;
}

}  // namespace ulpine
