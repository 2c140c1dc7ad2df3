// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/exec/host.hpp"
#include "core/fem/kernels.hpp"
#include "core/fem/patch.hpp"

namespace ulpine::fem {

/// Each thread a share of consecutive rows.
template <class F>
void run_elements(Host host, ElementLoop<F> const& loop) {
  auto const threads = static_cast<std::int64_t>(host.threads);
  for_each(host, threads, [&](std::int64_t t) {
    auto const nodes = static_cast<std::int64_t>(loop.mesh.nodes);
    auto const first = static_cast<std::int32_t>(nodes * t / threads),
               last = static_cast<std::int32_t>(nodes * (t + 1) / threads);
    if (first < last) loop(first, last);
  });
}

/// Blocks one after another, their threads too: what a device does, in memory that stands for its shared one.
/// The reference and policies that round operands, which cost compilation, go element by element: the same
/// bits.
template <class F>
void run_patches(Host host, PatchGather<F> const& gather) {
  constexpr int threads_of_a_block = 8;
  if constexpr (std::is_trivially_default_constructible_v<typename F::Real> &&
                std::is_same_v<typename F::Policy::Multiplicand, Exact>) {
    auto const teams = static_cast<std::int64_t>(host.threads);
    for_each(host, teams, [&](std::int64_t team) {
      auto const layout = gather.layout();
      auto const memory = std::make_unique<unsigned char[]>(static_cast<std::size_t>(layout.bytes));
      auto const room = gather.room(memory.get(), layout);
      auto const phase = [&](auto const& work) {
        for (int t = 0; t < threads_of_a_block; ++t) work(t);
      };
      for (auto patch = static_cast<std::int32_t>(team); patch < gather.patches.count;
           patch += static_cast<std::int32_t>(teams)) {
        PatchElement element[threads_of_a_block];
        phase([&](int t) { element[t] = gather.stage(room, patch, t, threads_of_a_block); });
        phase([&](int t) { gather.integrate(room, element[t], patch, t, threads_of_a_block); });
        phase([&](int t) { gather.gather(room, patch, t, threads_of_a_block); });
      }
    });
  } else {
    run_elements(host, ElementLoop<F>{gather.form, gather.mesh, gather.target});
  }
}

}  // namespace ulpine::fem
