// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/arithmetic.hpp"

namespace ulpine::linalg {

/// r / ||r|| in float.
template <class Wide, class Narrow>
struct Narrowed {
  Wide const *square, *r;
  Narrow* right;
  ULPINE_HD void operator()(std::int64_t i) const { right[i] = Narrow(r[i] / math::sqrt(*square)); }
};

/// x <- x + ||r|| d.
template <class Wide, class Narrow>
struct Refined {
  Wide const* square;
  Narrow const* change;
  Wide* x;
  ULPINE_HD void operator()(std::int64_t i) const {
    x[i] = math::fma(math::sqrt(*square), Wide(change[i]), x[i]);
  }
};

}  // namespace ulpine::linalg
