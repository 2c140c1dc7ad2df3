// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"

namespace ulpine {

/// A kernel whose points write to shared targets (by atomic_add) says so: `static constexpr bool scatters =
/// true`. Its host loop is then not vectorised.
template <class Body>
concept Scattering = requires {
  requires Body::scatters;
};

template <class T>
void Host::atomic_add(T& target, T value) {
  std::atomic_ref<T> const shared(target);
  if constexpr (std::is_arithmetic_v<T>) {
    shared.fetch_add(value, std::memory_order_relaxed);
  } else {
    auto seen = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(seen, seen + value, std::memory_order_relaxed)) {
    }
  }
}

namespace detail {
/// body(i) for every i in [first, end), by a copy that no write of the kernel can alias.
template <class Body>
[[gnu::noinline]] void call_each(Body const& body, std::int64_t first, std::int64_t end) {
  auto const kernel = body;
  for (auto i = first; i < end; ++i) {
    kernel(i);
  }
}
}  // namespace detail

/// body(i) for every i in [0, count). One thread opens no parallel region, which would take as long as some
/// hundred points do.
template <class Body>
void for_each(Host host, std::int64_t count, Body const& body) {
  if (host.threads <= 1) return detail::call_each(body, 0, count);
#pragma omp parallel for schedule(static) num_threads(host.threads)
  for (int thread = 0; thread < host.threads; ++thread) {
    detail::call_each(body, count * thread / host.threads, count * (thread + 1) / host.threads);
  }
}

/// body(ix, iy) for every point of the lattice; rows are shared among threads, a row is vectorised: hence
/// `flatten`, since a call that is left in the loop forbids that.
template <class Body>
[[gnu::flatten]] void for_each(Host host, Extent2 extent, Body const& body) {
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int32_t iy = 0; iy < extent.ny; ++iy) {
    if constexpr (Scattering<Body>) {
      for (std::int32_t ix = 0; ix < extent.nx; ++ix) {
        body(ix, iy);
      }
    } else {
#pragma omp simd
      for (std::int32_t ix = 0; ix < extent.nx; ++ix) {
        body(ix, iy);
      }
    }
  }
}

/// Calls body(ix, iy, iz) for every point. Each row has a copy of the kernel that no write of the kernel can
/// alias: what is constant along a row is then computed once.
template <class Body>
[[gnu::flatten]] void for_each(Host host, Extent3 extent, Body const& body) {
  auto const rows = extent.nx == 0 ? 0 : extent.rows();
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int64_t row = 0; row < rows; ++row) {
    auto const iz = static_cast<std::int32_t>(row / extent.ny);
    auto const iy = static_cast<std::int32_t>(row % extent.ny);
    if constexpr (Scattering<Body>) {
      for (std::int32_t ix = 0; ix < extent.nx; ++ix) {
        body(ix, iy, iz);
      }
    } else {
      auto const kernel = body;
#pragma omp simd
      for (std::int32_t ix = 0; ix < extent.nx; ++ix) {
        kernel(ix, iy, iz);
      }
    }
  }
}

/// body(i) for every i in [0, extent.n).
template <class Body>
void for_each(Host host, Extent1 extent, Body const& body) {
  for_each(host, extent.n, body);
}

}  // namespace ulpine
