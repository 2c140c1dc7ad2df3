// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "precision/emulated_number.hpp"

namespace ulpine {

/// Runs kernels of EmulatedPolicy on the host: every point in the format, and with the random bits, that
/// `settings` say.
struct EmulatingHost : Host {
  /// `place` changes with every launch.
  Emulation* settings = nullptr;
};

namespace detail {

template <class Work>
void emulate(EmulatingHost host, std::int64_t point, Work const& work) {
  emulation = *host.settings;
  emulation.point = static_cast<std::uint64_t>(point);
  work();
}

}  // namespace detail

template <class Body>
void for_each(EmulatingHost host, std::int64_t count, Body const& body) {
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int64_t i = 0; i < count; ++i) {
    detail::emulate(host, i, [&] { body(i); });
  }
  ++host.settings->place;
}

template <class Body>
void for_each(EmulatingHost host, Extent2 extent, Body const& body) {
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int32_t iy = 0; iy < extent.ny; ++iy) {
    for (std::int32_t ix = 0; ix < extent.nx; ++ix) {
      detail::emulate(host, static_cast<std::int64_t>(iy) * extent.nx + ix, [&] { body(ix, iy); });
    }
  }
  ++host.settings->place;
}

template <class Body>
void for_each(EmulatingHost host, Extent3 extent, Body const& body) {
  auto const rows = extent.nx == 0 ? 0 : extent.rows();
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int64_t row = 0; row < rows; ++row) {
    auto const iz = static_cast<std::int32_t>(row / extent.ny);
    auto const iy = static_cast<std::int32_t>(row % extent.ny);
    for (std::int32_t ix = 0; ix < extent.nx; ++ix) {
      detail::emulate(host, row * extent.nx + ix, [&] { body(ix, iy, iz); });
    }
  }
  ++host.settings->place;
}

template <class Body>
void for_each(EmulatingHost host, Extent1 extent, Body const& body) {
  for_each(host, extent.n, body);
}

}  // namespace ulpine
