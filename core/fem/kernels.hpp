// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/fem/form.hpp"
#include "core/linalg/kernels.hpp"

/// The ways of assembly as kernels. Those that say "the common order" sum every entry from zero in ascending
/// order of the elements, and so give the same bits as each other.
namespace ulpine::fem {

/// One row a call: its elements are integrated anew at each visit. The common order.
template <ElementForm F>
struct RowGather {
  using Real = typename F::Real;
  using Value = ValueOf<F>;
  static constexpr int kept = 32;  ///< entries of a row whose sums are kept locally

  F form;
  TetraConnectivity mesh;
  Target<F> target;

  ULPINE_HD void operator()(std::int64_t at) const {
    auto const r = static_cast<std::int32_t>(at);
    auto const begin = mesh.pattern.start[r], length = mesh.pattern.start[r + 1] - begin;
    auto* const row = target.value + F::width * static_cast<std::int64_t>(begin);
    if (F::width == 1 && length <= kept) {
      Value local[kept];
      gather(r, length, local);
      for (int k = 0; k < length; ++k) {
        row[k] = local[k];
      }
    } else {
      gather(r, length, row);
    }
  }

 private:
  ULPINE_HD void gather(std::int32_t r, std::int32_t length, Value* row) const {
    for (int k = 0; k < F::width * length; ++k) {
      row[k] = Value(0);
    }
    Value total[sums_room<F>];
    for (int k = 0; k < sums_of<F>; ++k) {
      total[k] = Value(0);
    }
    auto const own = form.node(r);
    for (auto v = mesh.visit_start[r]; v < mesh.visit_start[r + 1]; ++v) {
      auto const visit = mesh.visit[v];
      auto const slots = mesh.slot[v];
      auto const element = form.element(nodes_of(mesh.element, visit.element()));
      int const i = visit.local();
      auto const shared = form.row(element, own, i);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        Real entry[F::width];
        form.entry(element, shared, i, j, entry);
        auto* const place = row + F::width * static_cast<int>((slots >> (8 * j)) & 255U);
        for (int k = 0; k < F::width; ++k) {
          place[k] += static_cast<Value>(entry[k]);
        }
      }
      Real sum[sums_room<F>];
      form.sums(element, own, shared, i, sum);
      for (int k = 0; k < sums_of<F>; ++k) {
        total[k] += static_cast<Value>(sum[k]);
      }
    }
    for (int k = 0; k < sums_of<F>; ++k) {
      if (auto* const place = target.sum(r, k)) *place = total[k];
    }
  }
};

/// Adds an element's matrix: add(place, value). `positions` are the 16 places of its entries.
template <class F, class Add>
ULPINE_HD inline void scatter_rows(F const& form, Target<F> const& target, std::int32_t const* node,
                                   std::int32_t const* position, typename F::Element const& element,
                                   std::int32_t first, std::int32_t last, Add const& add) {
  using Value = ValueOf<F>;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    if (node[i] < first || node[i] >= last) {
      continue;
    }
    auto const own = node_of(form, element, node, i);
    auto const shared = form.row(element, own, i);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      typename F::Real entry[F::width];
      form.entry(element, shared, i, j, entry);
      auto* const place = target.value + F::width * static_cast<std::int64_t>(position[4 * i + j]);
      for (int k = 0; k < F::width; ++k) {
        add(place[k], static_cast<Value>(entry[k]));
      }
    }
    typename F::Real sum[sums_room<F>];
    form.sums(element, own, shared, i, sum);
    for (int k = 0; k < sums_of<F>; ++k) {
      if (auto* const place = target.sum(node[i], k)) add(*place, static_cast<Value>(sum[k]));
    }
  }
}

/// One element a call, added to a target that is zero before, at stored positions: in order of arrival.
template <ElementForm F, class Executor>
struct AtomicScatter {
  static constexpr bool scatters = true;
  F form;
  TetraConnectivity mesh;
  Target<F> target;

  ULPINE_HD void operator()(std::int64_t at) const {
    auto const e = static_cast<std::int32_t>(at);
    auto const* const node = nodes_of(mesh.element, e);
    scatter_rows(form, target, node, mesh.position + 16 * at, form.element(node), 0, mesh.nodes,
                 [](ValueOf<F>& place, ValueOf<F> value) { Executor::atomic_add(place, value); });
  }
};

/// Rows [first, last) of the host, element by element: the elements that touch these rows lie between the
/// first visit's and the last visit's. The common order, each element computed once for a thread.
template <ElementForm F>
struct ElementLoop {
  F form;
  TetraConnectivity mesh;
  Target<F> target;

  void operator()(std::int32_t first, std::int32_t last) const {
    if constexpr (F::width == 1) {
      run_flattened(first, last);
    } else {
      run(first, last);
    }
  }

 private:
  /// With calls left in it the compiler would not make the choices by constants. Only where an entry is one
  /// number: blocks gain little and take minutes to compile.
  [[gnu::flatten]] void run_flattened(std::int32_t first, std::int32_t last) const { run(first, last); }

  void run(std::int32_t first, std::int32_t last) const {
    using Value = ValueOf<F>;
    auto const begin = F::width * static_cast<std::int64_t>(mesh.pattern.start[first]),
               end = F::width * static_cast<std::int64_t>(mesh.pattern.start[last]);
    std::fill(target.value + begin, target.value + end, Value(0));
    std::int32_t from = mesh.elements, to = 0;
    for (auto r = first; r < last; ++r) {
      for (int k = 0; k < sums_of<F>; ++k) {
        if (auto* const place = target.sum(r, k)) *place = Value(0);
      }
      from = std::min(from, mesh.visit[mesh.visit_start[r]].element());
      to = std::max(to, mesh.visit[mesh.visit_start[r + 1] - 1].element() + 1);
    }
    for (auto e = from; e < to; ++e) {
      auto const* const node = nodes_of(mesh.element, e);
      bool touches = false;
      for (int k = 0; k < 4; ++k) {
        touches = touches || (node[k] >= first && node[k] < last);
      }
      if (touches) {
        scatter_rows(form, target, node, mesh.position + 16 * static_cast<std::int64_t>(e),
                     form.element(node), first, last, [](Value& place, Value value) { place += value; });
      }
    }
  }
};

/// Element matrices in memory and their sums, in the order of the way.
template <class F>
struct ElementMatrices {
  typename F::Real *entry = nullptr, *sum = nullptr;
};

}  // namespace ulpine::fem
