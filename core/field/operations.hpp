// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "core/field/raw_field.hpp"
#include "core/field/value_range.hpp"
#include "precision/exact_sum.hpp"

/// Operations on any field, wherever it lives and whatever its type and layout: written once for all cores.
/// Points are named by their dense index. All wait for the device.
namespace ulpine {

/// The value of points outside a core's domain: netCDF's default fill value, the same number in float and
/// double.
inline constexpr double missing_value = 0x1.ep+122;

/// Copies the owned points [first, first + count), counted row-major, to `values`, converted to `type`.
/// Points where `domain` (uint8, the field's axes, stride 0 along those on which it does not depend) is 0 get
/// missing_value; null: all belong to it. Uses a bounded piece of device memory.
void read_values(RawField const& field, std::int64_t first, std::int64_t count, ValueType type, void* values,
                 RawField const* domain = nullptr);
/// Copies `values` to owned points, the reverse of read_values(); halo and padding stay as they are.
void write_values(RawField const& field, std::int64_t first, std::int64_t count, ValueType type,
                  void const* values);

/// Copies the owned points of `source` to `target`, of the same extents and in the same place, converted to
/// its type.
void copy_values(RawField const& source, RawField const& target);

/// A value of a field, as double.
struct FoundValue {
  std::int64_t dense_index = 0;
  double value = 0;
};
/// The first owned value that is NaN, infinite or, where `domain` is not 0, outside `range`, whose ends are
/// rounded to the field's type; empty where there is none, and for masks.
std::optional<FoundValue> first_invalid(RawField const& field, ValueRange const& range = {},
                                        RawField const* domain = nullptr);

/// Uniform noise, see uniform_symmetric (core/exec/random.hpp).
struct Noise {
  std::uint64_t seed = 1;
  std::uint32_t member = 0, key = 0;
  double amplitude = 0;
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};
/// value <- min(max(value + amplitude u, least), most) with u in [-1, 1) from the dense index, rounded once
/// to double (binary128 and float32_pair fields: by their own arithmetic) and once to the field's type;
/// nothing where `domain` is 0.
void add_noise(RawField const& field, Noise const& noise, RawField const* domain = nullptr);

/// The exact sum of field times weights (both as double) over all owned points where `domain` is not 0; the
/// layouts have the same extents (Field::broadcast makes them so).
ExactSum weighted_sum(RawField const& field, RawField const& weights, RawField const* domain = nullptr);

}  // namespace ulpine
