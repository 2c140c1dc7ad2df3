// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/atomic_numbers.hpp"
#include "core/fem/assembly.hpp"

#if defined(__CUDACC__)
#include "core/fem/patch.cuh"
#else
#include "core/fem/patch_host.hpp"
#endif

namespace ulpine::fem {

/// The target to zero, a number a call.
template <class Value>
struct Clearer {
  Value* value;
  ULPINE_HD void operator()(std::int64_t i) const { value[i] = Value(0); }
};

template <class Executor, ElementForm F>
void clear(Executor executor, std::int32_t nodes, std::int64_t entries, Target<F> const& target) {
  using Value = ValueOf<F>;
  for_each(executor, F::width * entries, Clearer<Value>{target.value});
  if (target.right != nullptr && F::right > 0) {
    for_each(executor, F::right * static_cast<std::int64_t>(nodes), Clearer<Value>{target.right});
  }
  if (target.mass != nullptr && F::mass > 0) {
    for_each(executor, F::mass * static_cast<std::int64_t>(nodes), Clearer<Value>{target.mass});
  }
}

template <class Executor, ElementForm F>
void assemble(Executor executor, Plan<Executor> const& plan, TetraConnectivity const& mesh, F const& form,
              Target<F> const& target, ElementMatrices<F> const& store) {
  auto way = plan.way();
  if constexpr (!has_atomic_add<ValueOf<F>>) {
    if (way == Way::atomic) way = Way::elements;
  }
  if (!way_is_built<Executor, F>(way)) refuse_way_of_rounded();
  if (way == Way::atomic) clear(executor, mesh.nodes, plan.entries(), target);
  switch (way) {
    case Way::rows:
      if constexpr (way_is_built<Executor, F>(Way::rows)) {
        for_each(executor, mesh.nodes, RowGather<F>{form, mesh, target});
      }
      break;
    case Way::elements:
      run_elements(executor, ElementLoop<F>{form, mesh, target});
      break;
    case Way::patches:
      run_patches(executor, PatchGather<F>{form, {mesh, target, plan.patches()}});
      break;
    case Way::visits:
      run_visits(executor, VisitStore<F>{form, mesh.element, mesh.elements, store},
                 VisitGather<F>{{mesh, target, plan.patches()}, store});
      break;
    case Way::atomic:
      if constexpr (has_atomic_add<ValueOf<F>>) {
        for_each(executor, std::int64_t{mesh.elements}, AtomicScatter<F, Executor>{form, mesh, target});
      }
      break;
  }
}

}  // namespace ulpine::fem
