// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/host_device.hpp"

namespace ulpine {

/// A kernel on columns from so many west and south of the first.
template <class Kernel>
struct Around {
  Kernel kernel;
  std::int32_t west, south;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const { kernel(i - west, j - south); }
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    kernel(i - west, j - south, k);
  }
};
template <class Kernel>
Around(Kernel, std::int32_t, std::int32_t) -> Around<Kernel>;

}  // namespace ulpine
