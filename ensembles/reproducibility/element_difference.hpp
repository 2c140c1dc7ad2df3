// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "precision/value_type.hpp"

namespace ulpine::ensembles {

/// The first element in which two copies of a field differ, and the number of such elements.
struct ElementDifference {
  std::int64_t element = -1;   ///< the first that differs, by its row-major index; -1: none does
  std::int64_t differing = 0;  ///< elements that differ
  double reference = 0, value = 0;
  std::string reference_bits, value_bits;  ///< hexadecimal, most significant first
};

/// Adds to `result` the values of `type` of two copies of a field from element `first` on; both have the same
/// number of bytes. All NaN count as one value, as they do in hashes.
void add_differences(ElementDifference& result, ValueType type, std::int64_t first,
                     std::span<std::byte const> reference, std::span<std::byte const> values);

/// "element 137: 0.5 (0x...) against 0.25 (0x...); 1 element differs".
std::string describe(ElementDifference const& difference);

}  // namespace ulpine::ensembles
