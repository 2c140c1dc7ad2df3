// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/memory.hpp"

namespace ulpine {

/// A number in the executor's memory, waited for.
template <class T, class Executor>
T value_at(Executor executor, T const* place) {
  T value{};
  detail::to_host(executor, &value, place, sizeof(T));
  return value;
}

}  // namespace ulpine
