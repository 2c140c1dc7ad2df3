// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "precision/double_float.hpp"

namespace ulpine::operations {

template <class T>
struct OtherType;
template <>
struct OtherType<double> {
  using Type = float;
};
template <>
struct OtherType<float> {
  using Type = double;
};
template <>
struct OtherType<DoubleFloat> {
  using Type = double;
};

/// The arguments of one call, loaded together whatever takes them: a in [-3, 3], b and c in [0.2, 1.2],
/// another number of the other type.
template <class T>
struct alignas(32) Operands {
  T a, b, c;
  typename OtherType<T>::Type other;
};

/// One launch of each operation and function on `count` operands in the device's memory, in stream order; the
/// results in `results`.
template <class T>
void call_all(Cuda cuda, std::int64_t count, Operands<T> const* operands, T* results);

}  // namespace ulpine::operations
