// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/fem/kernels.hpp"
#include "core/fem/plan.hpp"
#include "core/fem/visits.hpp"
#include "precision/policy.hpp"

namespace ulpine::fem {

/// Numbers of ElementMatrices for a mesh of so many elements: entries and sums.
template <class F>
constexpr std::int64_t stored_entries(std::int64_t elements) {
  return 16 * F::width * groups_of(elements) * elements_together;
}
template <class F>
constexpr std::int64_t stored_sums(std::int64_t elements) {
  return 4 * sums_of<F> * groups_of(elements) * elements_together;
}

/// Whether assembly is built for a way: of those that no model takes, a device has none where operands are
/// rounded.
template <class Executor, ElementForm F>
constexpr bool way_is_built(Way way) {
  bool const taken = way == Way::atomic || way == Way::patches || way == Way::visits;
  return taken || !Executor::on_device || std::is_same_v<typename F::Policy::Multiplicand, Exact>;
}

/// Fills `target` the way of the plan. `mesh`, `form` and `target` are the executor's memory; `store` is used
/// by ways that store elements and has the sizes above. Nothing is allocated. Way::elements is the host's
/// alone (std::logic_error on a device); `quad` cannot add atomically: there the atomic ways are
/// Way::elements. InputError where a device's shared memory does not hold a patch. Instantiated for the forms
/// of the model with every policy, and for those that are compared with the policies that they are compared
/// in, in policy.cpp.in, policy.cu.in and compared_* (std::logic_error where way_is_built() says no);
/// for another include assembly_impl.hpp. On the host Way::patches and Way::visits are Way::elements in
/// `quad` and where operands are rounded. Those by quadrature: fp64, not the divergence.
template <class Executor, ElementForm F>
void assemble(Executor executor, Plan<Executor> const& plan, TetraConnectivity const& mesh, F const& form,
              Target<F> const& target, ElementMatrices<F> const& store = {});

}  // namespace ulpine::fem
