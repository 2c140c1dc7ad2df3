// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/host.hpp"
#include "core/exec/reduce.hpp"
#include "core/exec/scalar.hpp"

namespace ulpine {

/// A host whose loops run point by point, not in vectors, and compile in a fraction of the time: for policies
/// that the host computes for their bits alone, in source files that are optimised less
/// (ulpine_compile_quickly). A type of its own, since of equal functions of two files a program keeps one,
/// and the other file's may not be a slow one.
struct PlainHost : Host {
  static constexpr bool vectorises = false;
};

/// body(i) for every i in [0, count).
template <class Body>
[[gnu::flatten]] void for_each(PlainHost host, std::int64_t count, Body const& body) {
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int64_t i = 0; i < count; ++i) {
    body(i);
  }
}

template <class Body>
[[gnu::flatten]] void for_each(PlainHost host, Extent2 extent, Body const& body) {
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int32_t iy = 0; iy < extent.ny; ++iy) {
    for (std::int32_t ix = 0; ix < extent.nx; ++ix) {
      body(ix, iy);
    }
  }
}

template <class T>
class HostCopy<T, PlainHost> : public HostCopy<T, Host> {
 public:
  using HostCopy<T, Host>::HostCopy;
};

template <>
class Reducer<PlainHost> : public Reducer<Host> {
 public:
  using Reducer<Host>::Reducer;
};

}  // namespace ulpine
