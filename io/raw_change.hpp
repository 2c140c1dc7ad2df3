// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "io/netcdf_change.hpp"
#include "precision/value_type.hpp"

namespace ulpine::io {

/// Numbers one after the other in a file without any format, as programs write restarts.
struct RawValues {
  ValueType type = ValueType::float64;  ///< float32 or float64
  bool big_endian = false;
  std::int64_t first_byte = 0;  ///< bytes before the first number
  std::int64_t count = 0;       ///< 0: as many as there are up to the end
};

/// How many numbers these are in the file. InputError where it is too short or, without a count, does not end
/// with a whole number.
std::int64_t raw_count(std::filesystem::path const& path, RawValues const& values);

/// Has `change` alter the numbers of such a file in place, a slab of at most 32 MiB at a time; NaN stays.
/// InputError where the file is too short or, without a count, does not end with a whole number;
/// EnvironmentError where it cannot be written.
void change_raw(std::filesystem::path const& path, RawValues const& values, ValueChange const& change);

}  // namespace ulpine::io
