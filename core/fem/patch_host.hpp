// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/exec/host.hpp"
#include "core/fem/kernels.hpp"
#include "core/fem/patch.hpp"
#include "core/fem/visits.hpp"

namespace ulpine::fem {

/// Each thread a share of consecutive rows.
template <class Executor, class F>
void run_elements(Executor host, ElementLoop<F> const& loop) {
  auto const threads = static_cast<std::int64_t>(host.threads);
  for_each(host, threads, [&](std::int64_t t) {
    auto const nodes = static_cast<std::int64_t>(loop.mesh.nodes);
    auto const first = static_cast<std::int32_t>(nodes * t / threads),
               last = static_cast<std::int32_t>(nodes * (t + 1) / threads);
    if (first < last) loop(first, last);
  });
}

/// Whether the host runs the ways of blocks. The reference and policies that round operands, which cost
/// compilation, go element by element: the same bits.
template <class F>
inline constexpr bool host_runs_blocks = std::is_trivially_default_constructible_v<typename F::Real>&&
    std::is_same_v<typename F::Policy::Multiplicand, Exact>;

/// The patches in shares of the threads, one after another, in memory that stands for a device's shared one:
/// work(room, patch).
template <class Executor, class Gather, class Work>
void for_each_patch(Executor host, Gather const& gather, Work const& work) {
  auto const teams = static_cast<std::int64_t>(host.threads);
  for_each(host, teams, [&](std::int64_t team) {
    auto const layout = gather.layout();
    auto const memory = std::make_unique<unsigned char[]>(static_cast<std::size_t>(layout.bytes));
    auto const room = gather.room(memory.get(), layout);
    for (auto patch = static_cast<std::int32_t>(team); patch < gather.rows.patches.count;
         patch += static_cast<std::int32_t>(teams)) {
      work(room, patch);
    }
  });
}

/// Threads of a block one after another: what a device does.
inline constexpr int threads_of_a_block = 8;
template <class Work>
void for_each_thread(Work const& work) {
  for (int t = 0; t < threads_of_a_block; ++t) work(t);
}

template <class Executor, class F>
void run_patches(Executor host, PatchGather<F> const& gather) {
  if constexpr (host_runs_blocks<F>) {
    constexpr int n = threads_of_a_block;
    for_each_patch(host, gather, [&](auto const& room, std::int32_t patch) {
      PatchElement element[n];
      for_each_thread([&](int t) { element[t] = gather.stage(room, patch, t, n); });
      for_each_thread([&](int t) { gather.integrate(room, element[t], patch, t, n); });
      for_each_thread([&](int t) { gather.gather(room, patch, t, n); });
    });
  } else {
    run_elements(host, ElementLoop<F>{gather.form, gather.rows.mesh, gather.rows.target});
  }
}

template <class Executor, class F>
void run_visits(Executor host, VisitStore<F> const& store, VisitGather<F> const& gather) {
  if constexpr (host_runs_blocks<F>) {
    for_each(host, store.groups(), [&](std::int64_t at) {
      auto const group = static_cast<std::int32_t>(at);
      typename F::Real room[elements_together * VisitStore<F>::stride];
      typename F::Element element[elements_together];
      for (int lane = 0; lane < elements_together; ++lane) {
        element[lane] = store.form.element(store.nodes(group, lane));
      }
      for (int i = 0; i < 4; ++i) {
        for (int lane = 0; lane < elements_together; ++lane) {
          store.integrate(element[lane], store.nodes(group, lane), i, room, lane);
        }
        for (int lane = 0; lane < elements_together; ++lane) store.write(group, i, room, lane);
      }
    });
    constexpr int n = threads_of_a_block;
    for_each_patch(host, gather, [&](auto const& room, std::int32_t patch) {
      for_each_thread([&](int t) { gather.stage(room, patch, t, n); });
      for_each_thread([&](int t) { gather.gather(room, patch, t, n); });
    });
  } else {
    run_elements(host, ElementLoop<F>{store.form, gather.rows.mesh, gather.rows.target});
  }
}

}  // namespace ulpine::fem
