// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/instances.hpp"
#include "tests/support/fem/quadrature_forms.hpp"

/// The least traffic and the arithmetic of assembly, counted.
namespace ulpine::fem {

/// Sizes of a mesh; on one without holes entries = 3 nodes + 2 elements + boundary triangles - 2.
struct MeshSizes {
  std::int64_t nodes, elements, entries;
};

/// Numbers of State a node that a form reads, with every optional field given.
template <class F>
inline constexpr int nodal_numbers = 0;
template <class P, Diffusion diffusion, Advection advection, Upwind upwind>
inline constexpr int nodal_numbers<AdvectionDiffusion<P, diffusion, advection, upwind>> =
    3 + 3 + 1 + (diffusion == Diffusion::tensor ? 9 : 1) + 3;  // x, u, c, kappa; sigma, c_ref, S
template <class P>
inline constexpr int nodal_numbers<QuadratureAdvectionDiffusion<P>> =
    nodal_numbers<AdvectionDiffusion<P, Diffusion::tensor, Advection::direct>>;
template <class P, VelocityBlocks blocks, Upwind upwind>
inline constexpr int nodal_numbers<Momentum<P, blocks, upwind>> =
    3 + 3 + 3 + 1 + 9 + Momentum<P, blocks>::absorptions + 3 + 2;  // x, u, u_old, rho, mu, sigma, u_ref, two
template <class P, Divergence kind>
inline constexpr int nodal_numbers<DivergenceMatrix<P, kind>> = kind == Divergence::plain ? 3 : 5;
template <class P>
inline constexpr int nodal_numbers<PressureDiffusion<P>> = 3;
template <class P>
inline constexpr int nodal_numbers<ProjectionMatrix<P>> = 8;

/// Bytes that a matrix's assembly moves at least, whatever the way: connectivity and each input read once,
/// each value written once.
template <class F>
constexpr std::int64_t minimal_bytes(MeshSizes size) {
  constexpr std::int64_t number = sizeof(ValueOf<F>);
  return 16 * size.elements + number * nodal_numbers<F> * size.nodes + number * F::width * size.entries +
         number * sums_of<F> * size.nodes;
}
/// The same with what the row gather reads besides: visits, slots and row starts.
template <class F>
constexpr std::int64_t row_gather_bytes(MeshSizes size) {
  return minimal_bytes<F>(size) + 4 * 4 * size.elements * 2 + 2 * 4 * size.nodes;
}
/// The same with element matrices written and read, and a list of 32-bit places.
template <class F>
constexpr std::int64_t entry_gather_bytes(MeshSizes size) {
  constexpr std::int64_t number = sizeof(typename F::Real);
  return minimal_bytes<F>(size) + 2 * number * (16 * F::width + 4 * sums_of<F>)*size.elements +
         4 * (16 * size.elements + size.entries);
}

}  // namespace ulpine::fem
