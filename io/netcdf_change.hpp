// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace ulpine::io {

/// Changes values [first, first + values.size()) of a variable, row-major over all its dimensions.
using ValueChange = std::function<void(std::int64_t first, std::span<double> values)>;

/// Has `change` alter all values of a variable of type float or double in a NetCDF file in place, a slab of
/// at most 32 MiB at a time; missing values (_FillValue, missing_value) and NaN stay. InputError where the
/// file cannot be read or has no such variable, or where it is packed or of another type; EnvironmentError
/// where it cannot be written.
void change_variable(std::filesystem::path const& path, std::string const& variable,
                     ValueChange const& change);

}  // namespace ulpine::io
