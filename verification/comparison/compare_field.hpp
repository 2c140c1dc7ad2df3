// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/comparison/compare.hpp"
#include "verification/comparison/matching.hpp"

namespace ulpine::verification {

/// Bytes of a value as it is compared.
inline constexpr std::int64_t value_bytes = sizeof(double);

/// Compares one variable of two files, or the speed of a vector's `components`, at the times that both have:
/// the whole field, then its levels where `how` asks for them. A `refusal`, where it is not empty, is why the
/// variable cannot be compared. Both files have the components, which lie on one grid.
std::vector<VariableComparison> compare_field(io::InputFile const& reference, io::InputFile const& test,
                                              ComparisonOptions const& how,
                                              std::vector<std::string> const& components,
                                              std::string const& refusal, CommonTimes const& common);

/// The comparison of a variable that cannot be compared, for that reason.
VariableComparison refused(VariableComparison variable, std::string const& reason);

}  // namespace ulpine::verification
