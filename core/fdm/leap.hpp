// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/executor.hpp"

namespace ulpine::fdm {

/// Asselin's filter (Asselin 1972, Mon. Wea. Rev. 100, 487-490) after a leap from `start` over `now` to
/// `after`: what was now becomes the filtered start of the next.
template <class T>
ULPINE_HD inline void leap(T filter, T after, T& now, T& start) {
  auto const curvature = (after - now) - (now - start);
  start = math::fma(filter, curvature, now);
  now = after;
}

}  // namespace ulpine::fdm
