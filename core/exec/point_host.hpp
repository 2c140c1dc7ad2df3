// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"

namespace ulpine {

/// A host that does something about each point of a kernel: it has for_each(host, count, body) of its own, by
/// which the points of all lattices are run, numbered along x, then y, then z.
template <class Executor>
concept PointHost = std::derived_from<Executor, Host> && Executor::by_points;

template <PointHost Executor, class Body>
void for_each(Executor host, Extent2 extent, Body const& body) {
  for_each(host, extent.size(), [&](std::int64_t point) {
    body(static_cast<std::int32_t>(point % extent.nx), static_cast<std::int32_t>(point / extent.nx));
  });
}

template <PointHost Executor, class Body>
void for_each(Executor host, Extent3 extent, Body const& body) {
  for_each(host, extent.size(), [&](std::int64_t point) {
    auto const row = point / extent.nx;
    body(static_cast<std::int32_t>(point % extent.nx), static_cast<std::int32_t>(row % extent.ny),
         static_cast<std::int32_t>(row / extent.ny));
  });
}

template <PointHost Executor, class Body>
void for_each(Executor host, Extent1 extent, Body const& body) {
  for_each(host, extent.n, body);
}

}  // namespace ulpine
