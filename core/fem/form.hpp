// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/fem/tetrahedron.hpp"
#include "core/mesh/connectivity.hpp"

/// Matrices as element integrals: what assembly asks of one, and what it fills.
namespace ulpine::fem {

/// A matrix (and the sums that go with it) as its element integrals. Assembly calls, for an element e and
/// each of its local nodes i, which is the mesh's node n:
///
///     Element  element(nodes of e)               what all four rows share; a struct of nothing but Reals
///     Node     node(n)                           what belongs to the row whatever the element
///     Node     node(element, i)                  the same from the element's numbers; for forms that keep it
///     Row      row(element, node, i)             what the entries of a row share
///     void     entry(element, row, i, j, out)    the `width` values of entry (i, j)
///     void     sums(element, node, row, i, out)  the `right` values of the right-hand side, then the `mass`
///                                                values of a lumped mass
///
///     void     fields(form, visit)               static: visit(pointer, numbers a node) of each field at
///                                                nodes, all of State
///
/// With pointers to the same numbers in another order of the nodes a form is the same.
/// No result depends on who calls in which order: every way of assembly adds the same numbers.
template <class F>
concept ElementForm = requires(F const form, typename F::Element const element, typename F::Node const node,
                               typename F::Row const row, typename F::Real (&out)[F::width],
                               typename F::Real (&sums)[F::right + F::mass == 0 ? 1 : F::right + F::mass]) {
  typename F::Policy;
  { form.element(static_cast<std::int32_t const*>(nullptr)) } -> std::same_as<typename F::Element>;
  { form.node(std::int32_t{}) } -> std::same_as<typename F::Node>;
  { form.row(element, node, int{}) } -> std::same_as<typename F::Row>;
  form.entry(element, row, int{}, int{}, out);
  form.sums(element, node, row, int{}, sums);
};

/// The type of global matrices and right-hand sides: `State`, so that a policy narrows element integrals
/// only.
template <class F>
using ValueOf = typename F::Policy::State;

/// Nodal numbers for row i of an element, from the element's own where the form keeps them there.
template <class F>
ULPINE_HD inline typename F::Node node_of(F const& form, typename F::Element const& element,
                                          std::int32_t const* node, int i) {
  if constexpr (requires { form.node(element, i); }) {
    return form.node(element, i);
  } else {
    return form.node(node[i]);
  }
}

/// Number of sums at a node.
template <class F>
inline constexpr int sums_of = F::right + F::mass;
/// As sums_of, but at least one, for arrays.
template <class F>
inline constexpr int sums_room = sums_of<F> == 0 ? 1 : sums_of<F>;

/// Where a matrix goes: value[width * entry + k]; right[F::right * node + k]; mass[F::mass * node + k], which
/// may be null. All is overwritten.
template <class F>
struct Target {
  ValueOf<F>*value = nullptr, *right = nullptr, *mass = nullptr;

  ULPINE_HD ValueOf<F>* sum(std::int32_t node, int k) const {
    if (k < F::right) {
      return right == nullptr ? nullptr : right + (static_cast<std::int64_t>(F::right) * node + k);
    }
    return mass == nullptr ? nullptr : mass + (static_cast<std::int64_t>(F::mass) * node + (k - F::right));
  }
};

/// A form without right-hand side leaves its rows' sums alone.
struct Nothing {};

/// The n-th of the nodes of element e.
ULPINE_HD inline std::int32_t const* nodes_of(std::int32_t const* element, std::int32_t e) {
  return element + 4 * static_cast<std::int64_t>(e);
}

}  // namespace ulpine::fem
