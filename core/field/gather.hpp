// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/raw_field.hpp"
#include "core/ranks/ranks.hpp"

/// Fields of which each rank owns a part, by the dense indices of the whole. Fields of which every rank owns
/// all are rank 0's. Collective; null for `ranks` is one alone.
namespace ulpine {

/// Values of dense indices [first, first + count) at rank 0, as read_values() gives them; others' `values`
/// are not touched.
void gather_values(Ranks* ranks, RawField const& field, std::int64_t first, std::int64_t count,
                   ValueType type, void* values, RawField const* domain = nullptr);
/// Writes `values`, all of which every rank has, to the points that a rank owns. Not collective.
void scatter_values(RawField const& field, std::int64_t first, std::int64_t count, ValueType type,
                    void const* values);

/// Whether what this rank owns counts: of values that all ranks have, rank 0's do.
inline bool counts(Ranks const* ranks, Layout const& layout) {
  return !several(ranks) || !layout.whole() || ranks->rank() == 0;
}

}  // namespace ulpine
