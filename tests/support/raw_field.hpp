// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/field/raw_field.hpp"

namespace ulpine::test {

/// The values of a vector as a field that `threads` host threads work on.
template <class T>
RawField raw(std::vector<T> const& values, int threads = 1) {
  auto field = raw_values(values.data(), static_cast<std::int64_t>(values.size()), value_type_of<T>);
  field.threads = threads;
  return field;
}

}  // namespace ulpine::test
