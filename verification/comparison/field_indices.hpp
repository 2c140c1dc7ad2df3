// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/trace_file.hpp"

namespace ulpine::verification {

/// How a model counts the elements of a field, as its trace tells.
struct FieldIndices {
  std::vector<std::int64_t> shape;  ///< extents, slowest axis first; empty: a scalar
  bool fastest_first = false;       ///< as Fortran: the fastest index comes first, and each is counted from 1
  bool complex = false;             ///< a number has two elements: its real and its imaginary part
};

/// Of a field of `count` elements; nothing where the trace does not tell, or what it tells has another number
/// of elements.
std::optional<FieldIndices> indices_of(io::TraceEntry const& field, std::int64_t count);

/// Indices of an element in the model's own order.
std::vector<std::int64_t> indices_at(FieldIndices const& field, std::int64_t element);

/// Elements `first` to `last` as the model's language has them: "(i, j, k) = (1, 1, 2) to (30, 20, 2)" or
/// "[1, 0, 0] to [1, 19, 29]"; one alone where they are the same, with the part of a complex number. Empty of
/// a scalar that is not complex.
std::string indices_text(FieldIndices const& field, std::int64_t first, std::int64_t last);

}  // namespace ulpine::verification
