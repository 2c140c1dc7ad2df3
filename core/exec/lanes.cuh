// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "precision/double_float.hpp"

/// Numbers of other lanes of a warp, of `lanes` apart. All lanes in `group` call.
namespace ulpine {
namespace detail {
/// `from_lane` of a number, or of the two floats that it is.
template <class T, class FromLane>
__device__ T from_lane(T x, FromLane const& from_lane) {
  if constexpr (std::is_same_v<T, DoubleFloat>) {
    return DoubleFloat::of(from_lane(x.hi()), from_lane(x.lo()));
  } else {
    return from_lane(x);
  }
}
}  // namespace detail

/// x of the lane whose number differs by `lanes`, a power of two.
template <class T>
__device__ T of_other_lane(unsigned group, T x, int lanes) {
  return detail::from_lane(x, [&](auto part) { return __shfl_xor_sync(group, part, lanes); });
}
/// x of the lane whose number is higher by `lanes`; one's own where there is none.
template <class T>
__device__ T of_higher_lane(unsigned group, T x, int lanes) {
  return detail::from_lane(x, [&](auto part) { return __shfl_down_sync(group, part, lanes); });
}
/// x of the lane whose number is lower by `lanes`; one's own where there is none.
template <class T>
__device__ T of_lower_lane(unsigned group, T x, int lanes) {
  return detail::from_lane(x, [&](auto part) { return __shfl_up_sync(group, part, lanes); });
}

}  // namespace ulpine
