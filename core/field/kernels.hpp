// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/random.hpp"
#include "core/exec/view.hpp"
#include "core/field/layout.hpp"
#include "precision/double_float.hpp"
#include "precision/host_device.hpp"

/// Kernels of operations.hpp, each over owned points counted from `first`.
namespace ulpine::detail {

/// Which points belong to a core's domain; all where there is no mask.
struct DomainMask {
  std::uint8_t const* mask = nullptr;
  Layout layout;

  ULPINE_HD bool holds(Layout::Point const& point) const {
    return mask == nullptr || mask[layout.memory_index(point)] != 0;
  }
};

template <class From, class To>
struct Pack {
  From const* source;
  Layout layout;
  DomainMask domain;
  std::int64_t first;
  To missing;
  To* target;

  ULPINE_HD void operator()(std::int64_t i) const {
    auto const point = layout.point(first + i);
    target[i] = domain.holds(point) ? converted<To>(source[layout.memory_index(point)]) : missing;
  }
};

template <class From, class To>
struct Unpack {
  From const* source;
  Layout layout;
  std::int64_t first;
  To* target;

  ULPINE_HD void operator()(std::int64_t i) const {
    target[layout.memory_index(first + i)] = converted<To>(source[i]);
  }
};

/// Finds the first of `count` points whose value is NaN, infinite or, in the domain, outside a range, and
/// leaves how many points there are from it on, or what was in `found` where that is more.
template <class T>
struct FindInvalid {
  T const* values;
  Layout layout;
  DomainMask domain;
  T least, most;
  std::int64_t count;
  long long* found;

  ULPINE_HD void operator()(std::int64_t i) const {
    T const x = values[layout.memory_index(i)];
    // An infinity less itself is not a number, as a NaN is; neither equals anything.
    bool const finite = x - x == T(0);
    if (finite && ((x >= least && x <= most) || !domain.holds(layout.point(i)))) return;
    long long const left = count - i;
#if defined(__CUDA_ARCH__)
    atomicMax(found, left);
#else
    auto seen = __atomic_load_n(found, __ATOMIC_RELAXED);
    while (seen < left &&
           !__atomic_compare_exchange_n(found, &seen, left, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
  }
};

/// Wide is the type in which noise is added: double, or the field's own where that holds what a double does
/// not.
template <class T, class Wide>
struct AddNoise {
  T* values;
  Layout layout;
  DomainMask domain;
  std::uint64_t seed;
  std::uint32_t member, key;
  double amplitude;  // bare: noise is drawn in double
  Wide least, most;

  ULPINE_HD void operator()(std::int64_t i) const {
    auto const point = layout.point(i);
    if (!domain.holds(point)) return;
    auto& value = values[layout.memory_index(point)];
    auto const noise = amplitude * uniform_symmetric(seed, member, key, layout.dense_index(point));
    Wide const moved = static_cast<Wide>(value) + static_cast<Wide>(noise);
    value = static_cast<T>(moved < least ? least : most < moved ? most : moved);
  }
};

}  // namespace ulpine::detail
