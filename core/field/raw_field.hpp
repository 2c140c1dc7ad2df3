// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/executor.hpp"
#include "core/field/layout.hpp"
#include "precision/value_type.hpp"

namespace ulpine {

/// The values of a field in the memory where they live, without knowing their type at compile time.
struct RawField {
  void* data = nullptr;
  Layout layout;
  ValueType type = ValueType::float64;
  bool on_device = false;
  Cuda cuda{};      ///< whose stream writes the field, where it is on a device
  int threads = 1;  ///< host threads that work on it, where it is not

  std::int64_t count() const { return layout.count(); }
};

/// `count` values one after the other.
inline RawField raw_values(void const* data, std::int64_t count, ValueType type) {
  return {const_cast<void*>(data), Layout::entities(count), type};
}

}  // namespace ulpine
