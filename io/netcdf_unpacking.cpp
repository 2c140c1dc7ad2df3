// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_unpacking.hpp"

#include <netcdf.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/text.hpp"

namespace ulpine::io {
namespace {

/// Bits of an integer type; 0 of others.
int bits_of(std::int32_t type) {
  switch (type) {
    case NC_BYTE:
    case NC_UBYTE:
      return 8;
    case NC_SHORT:
    case NC_USHORT:
      return 16;
    case NC_INT:
    case NC_UINT:
      return 32;
    case NC_INT64:
    case NC_UINT64:
      return 64;
    default:
      return 0;
  }
}

bool is_unsigned(std::int32_t type) {
  return type == NC_UBYTE || type == NC_USHORT || type == NC_UINT || type == NC_UINT64;
}

/// The value that netCDF fills variables of this type with; none for bytes, all of whose values may be meant.
std::optional<long double> default_fill(std::int32_t type) {
  switch (type) {
    case NC_SHORT:
      return NC_FILL_SHORT;
    case NC_USHORT:
      return NC_FILL_USHORT;
    case NC_INT:
      return NC_FILL_INT;
    case NC_UINT:
      return NC_FILL_UINT;
    case NC_INT64:
      return NC_FILL_INT64;
    case NC_UINT64:
      return NC_FILL_UINT64;
    case NC_FLOAT:
      return NC_FILL_FLOAT;
    case NC_DOUBLE:
      return NC_FILL_DOUBLE;
    default:
      return {};
  }
}

NetcdfAttribute const* attribute(NetcdfVariable const& variable, char const* name) {
  auto const found = variable.attributes.find(name);
  return found == variable.attributes.end() ? nullptr : &found->second;
}

/// The numbers of a text, with blanks or commas between them; nothing where it has anything else.
std::optional<std::vector<long double>> numbers_in(std::string text) {
  std::ranges::replace(text, ',', ' ');
  std::ranges::replace(text, '\0', ' ');
  std::vector<long double> all;
  for (auto const& word : words_of(text)) {
    auto const* const begin = word.data() + (word.starts_with('+') ? 1 : 0);
    auto const* const end = word.data() + word.size();
    double value = 0;
    auto const [stop, failed] = std::from_chars(begin, end, value);
    if (failed != std::errc{} || stop != end) return {};
    all.push_back(value);
  }
  return all;
}

/// The numbers of an attribute; none where it is absent or a text that is no numbers.
std::vector<long double> numbers(NetcdfVariable const& variable, char const* name) {
  auto const* found = attribute(variable, name);
  if (found == nullptr) return {};
  return std::visit(
      [](auto const& content) -> std::vector<long double> {
        if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::string>) {
          return numbers_in(content).value_or(std::vector<long double>{});
        } else {
          return {content.begin(), content.end()};
        }
      },
      *found);
}

/// Whether its numbers are in floating point; of a text, whether they have a decimal point or an exponent.
bool is_floating(NetcdfAttribute const& attribute) {
  if (auto const* text = std::get_if<std::string>(&attribute)) {
    return text->find_first_of(".eE") != std::string::npos;
  }
  return std::holds_alternative<std::vector<double>>(attribute);
}

}  // namespace

Unpacking::Unpacking(NetcdfVariable const& variable) {
  if (!variable.numeric()) return;
  auto const bits = bits_of(variable.type);
  integer_ = bits > 0;
  stored_unsigned_ = is_unsigned(variable.type);
  half_ = integer_ ? std::ldexp(Number{1}, bits - 1) : 0;
  auto const scale = numbers(variable, "scale_factor"), offset = numbers(variable, "add_offset");
  if (!scale.empty()) factor_ = static_cast<double>(scale[0]);
  if (!offset.empty()) offset_ = static_cast<double>(offset[0]);
  packed_ = !scale.empty() || !offset.empty();
  read_range(variable);
  if (integer_) read_sign(variable);
  read_missing(variable);
  for (auto const value : exact_.missing) rounded_.missing.push_back(static_cast<double>(value));
  rounded_.nan_is_missing =
      std::ranges::any_of(exact_.missing, [](Number value) { return std::isnan(value); });
  rounded_.least = static_cast<double>(exact_.least);
  rounded_.most = static_cast<double>(exact_.most);
}

std::string Unpacking::fault_of(NetcdfVariable const& variable) {
  if (!variable.numeric()) return {};
  for (std::string const name : {"scale_factor", "add_offset", "valid_min", "valid_max", "valid_range",
                                 "missing_value", "_FillValue"}) {
    auto const* found = attribute(variable, name.c_str());
    auto const* text = found == nullptr ? nullptr : std::get_if<std::string>(found);
    if (text == nullptr || numbers_in(*text)) continue;
    return name + " is the text '" + one_line(text->substr(0, 40)) +
           "' (its values cannot be told without the number) write it as a number, or delete it";
  }
  for (std::string const name : {"scale_factor", "add_offset"}) {
    auto const values = numbers(variable, name.c_str());
    if (attribute(variable, name.c_str()) == nullptr || (values.size() == 1 && std::isfinite(values[0]))) {
      continue;
    }
    return name +
           (values.size() == 1 ? " is " + number_text(static_cast<double>(values[0]))
                               : " has " + std::to_string(values.size()) + " numbers") +
           " (values are unpacked by one finite number) mend it, or delete it";
  }
  return {};
}

void Unpacking::read_range(NetcdfVariable const& variable) {
  auto const set = [&](char const* name, std::size_t index, std::size_t length, Number& stored,
                       double& unpacked) {
    auto const values = numbers(variable, name);
    if (values.size() != length || std::isnan(values[index])) return;
    auto const floating = is_floating(*attribute(variable, name));
    if (integer_ && packed_ && floating) {
      unpacked = static_cast<double>(values[index]);
    } else {
      stored = variable.type == NC_FLOAT ? static_cast<float>(values[index]) : values[index];
    }
  };
  set("valid_min", 0, 1, exact_.least, least_unpacked_);
  set("valid_max", 0, 1, exact_.most, most_unpacked_);
  set("valid_range", 0, 2, exact_.least, least_unpacked_);
  set("valid_range", 1, 2, exact_.most, most_unpacked_);
}

void Unpacking::read_sign(NetcdfVariable const& variable) {
  auto const [least, most] = std::pair{exact_.least, exact_.most};
  // Files without unsigned types also say so by a valid range that a signed one does not have.
  auto const by_range = std::isfinite(most) && (most >= half_ || (most < 0 && least > most));
  auto meant_unsigned = stored_unsigned_ || by_range;
  auto const* found = attribute(variable, "_Unsigned");
  auto const* text = found == nullptr ? nullptr : std::get_if<std::string>(found);
  if (text != nullptr && !text->empty()) meant_unsigned = text->front() == 't' || text->front() == 'T';
  if (meant_unsigned == stored_unsigned_) return;
  wrap_by_ = meant_unsigned ? 2 * half_ : -2 * half_;
  if (std::isfinite(least)) exact_.least = with_sign(least);
  if (std::isfinite(most)) exact_.most = with_sign(most);
}

void Unpacking::read_missing(NetcdfVariable const& variable) {
  auto& missing = exact_.missing;
  missing = numbers(variable, "_FillValue");
  // Where nothing is prefilled netCDF-C still fills what a variable lacks of the records of others. Of floats
  // and 64-bit integers nobody else writes that number; what of small integers was never written is marked as
  // such.
  auto const told_by_value = variable.prefilled || variable.type == NC_FLOAT || variable.type == NC_DOUBLE ||
                             variable.type == NC_INT64 || variable.type == NC_UINT64;
  if (missing.empty() && told_by_value) {
    if (auto const fill = default_fill(variable.type)) missing.push_back(*fill);
  }
  for (auto const value : numbers(variable, "missing_value")) missing.push_back(value);
  for (auto& value : missing) {
    // The attribute may have been written in double: 1e20 is then not the float 1e20 of the data.
    if (variable.type == NC_FLOAT) value = static_cast<float>(value);
    if (integer_) value = with_sign(value);
  }
}

bool Unpacking::loses(std::span<double const> stored) const {
  if (!packed_ || factor_ != 0) return false;
  std::optional<double> first;
  return std::ranges::any_of(stored, [&](double value) {
    if (std::isnan(value)) return false;
    if (wrap_by_ != 0) value = with_sign(value);
    if (rounded_.absence_of(value) != Absence::none) return false;
    if (!first) first = value;
    return value != *first;
  });
}

double Unpacking::packed_step() const { return integer_ && packed_ ? std::abs(factor_) : 0; }

template <class Stored>
Absence Unpacking::Validity<Stored>::absence_of(Stored value) const {
  if (std::isnan(value)) return nan_is_missing ? Absence::fill : Absence::nan;
  if (std::find(missing.begin(), missing.end(), value) != missing.end()) return Absence::fill;
  return value < least || value > most ? Absence::out_of_range : Absence::none;
}

template <class Stored>
Stored Unpacking::with_sign(Stored value) const {
  auto const wraps = wrap_by_ > 0 ? value < 0 : wrap_by_ < 0 && value >= static_cast<Stored>(half_);
  return wraps ? value + static_cast<Stored>(wrap_by_) : value;
}

double Unpacking::unpacked(double value) const {
  auto const result = value * factor_ + offset_;
  return result < least_unpacked_ || result > most_unpacked_ ? absent(Absence::out_of_range) : result;
}

bool Unpacking::is_plain(std::span<double const> values) const {
  if (wrap_by_ != 0) return false;
  // Sums of comparisons, of which compilers make instructions for several values.
  auto const least = rounded_.least, most = rounded_.most;
  std::int64_t inside = 0, equal = 0;
  for (auto const value : values) inside += value >= least && value <= most ? 1 : 0;
  for (auto const missing : rounded_.missing) {
    for (auto const value : values) equal += value == missing ? 1 : 0;
  }
  return equal == 0 && inside == std::int64_t(values.size());
}

void Unpacking::apply(std::span<double> values) const {
  constexpr std::size_t block = 256;
  while (!values.empty()) {
    auto const some = values.first(std::min(block, values.size()));
    values = values.subspan(some.size());
    if (!is_plain(some)) {
      apply_each(some);
    } else if (packed_) {
      for (auto& value : some) value = unpacked(value);
    }
  }
}

void Unpacking::apply_each(std::span<double> values) const {
  for (auto& value : values) {
    if (std::isnan(value) && !rounded_.nan_is_missing) continue;  // what was never written is absent already
    if (wrap_by_ != 0) value = with_sign(value);
    auto const absence = rounded_.absence_of(value);
    if (absence != Absence::none) {
      value = absent(absence);
    } else if (packed_) {
      value = unpacked(value);
    }
  }
}

void Unpacking::apply(std::span<long long const> stored, std::span<double> values,
                      std::span<double> low) const {
  for (std::size_t i = 0; i < stored.size(); ++i) {
    auto const number =
        with_sign(stored_unsigned_ ? static_cast<Number>(static_cast<unsigned long long>(stored[i]))
                                   : static_cast<Number>(stored[i]));
    auto const value = static_cast<double>(number);
    auto const absence = exact_.absence_of(number);
    auto const holds = absence == Absence::none;
    values[i] = !holds ? absent(absence) : packed_ ? unpacked(value) : value;
    if (!low.empty()) low[i] = holds && !packed_ ? static_cast<double>(number - value) : 0;
  }
}

}  // namespace ulpine::io
