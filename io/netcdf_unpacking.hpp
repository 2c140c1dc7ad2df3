// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "io/absence.hpp"
#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {

/// How the stored values of a variable become its numbers, by CF-1.11 and the NetCDF User's Guide (appendix
/// A, "Attribute Conventions"): absent (absence.hpp) where missing (_FillValue, else the type's default one
/// but for bytes and for small integers that are not prefilled; missing_value; outside of valid_min,
/// valid_max, valid_range), integers as unsigned or signed as `_Unsigned` says, then scale_factor and
/// add_offset. Missing and valid values are packed ones, but for valid ranges in floating point of packed
/// integers. Numbers that an attribute has as a text are read where all of it is numbers.
class Unpacking {
 public:
  explicit Unpacking(NetcdfVariable const& variable);
  /// Why the attributes of a variable do not tell its numbers, "NAME is ... (...) REMEDY": a text that is no
  /// number, not one scale_factor or add_offset, or one that is not finite; empty where they do.
  static std::string fault_of(NetcdfVariable const& variable);
  /// Whether stored values that differ all become one number: a scale_factor of 0. Of constant fields it is
  /// how some tools pack (NCO).
  bool loses(std::span<double const> stored) const;
  /// Unpacks values from read_hyperslab() in place; not for 64-bit integers.
  void apply(std::span<double> values) const;
  /// Unpacks 64-bit integers, given as their bits. `low` (as long as `stored` or empty) gets what the nearest
  /// double lacks of each; 0 where packed.
  void apply(std::span<long long const> stored, std::span<double> values, std::span<double> low) const;
  /// Between neighbouring values of packed integers; 0 of others.
  double packed_step() const;

 private:
  using Number = long double;  ///< holds 64-bit integers and doubles alike
  static_assert(std::numeric_limits<Number>::digits >= 64);

  /// Which stored values are none, in the type that they are read in.
  template <class Stored>
  struct Validity {
    std::vector<Stored> missing;
    Stored least = -std::numeric_limits<Stored>::infinity(), most = std::numeric_limits<Stored>::infinity();
    bool nan_is_missing = false;
    Absence absence_of(Stored value) const;
  };

  void read_range(NetcdfVariable const& variable);
  void read_sign(NetcdfVariable const& variable);
  void read_missing(NetcdfVariable const& variable);
  template <class Stored>
  Stored with_sign(Stored value) const;
  /// Whether all values are numbers within the stored range, and none a missing one or of another sign.
  bool is_plain(std::span<double const> values) const;
  void apply_each(std::span<double> values) const;
  double unpacked(double value) const;

  bool integer_ = false, stored_unsigned_ = false, packed_ = false;
  Number half_ = 0;  ///< from which on a signed integer type has no values
  Number wrap_by_ =
      0;  ///< added to unsigned values that are stored as negative ones, or its negative for the inverse
  Validity<Number> exact_;
  Validity<double> rounded_;
  double least_unpacked_ = -std::numeric_limits<double>::infinity(),
         most_unpacked_ = std::numeric_limits<double>::infinity();
  double factor_ = 1, offset_ = 0;
};

}  // namespace ulpine::io
