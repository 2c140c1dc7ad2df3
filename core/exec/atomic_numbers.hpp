// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "precision/double_float.hpp"

namespace ulpine {

/// Whether executors add numbers of the type atomically (Executor::atomic_add): binary128 and emulated ones
/// they do not.
template <class T>
inline constexpr bool has_atomic_add = std::is_floating_point_v<T> || std::is_same_v<T, DoubleFloat>;

}  // namespace ulpine
