// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/linalg/matrix.hpp"

/// How the rows of a matrix are gathered into those of a coarser one; on the executor, the same numbers on
/// every one.
namespace ulpine::linalg {

/// The aggregate of each row, or -1 for a row without strong neighbours, which smoothing alone solves.
template <class Executor>
struct Aggregates {
  std::int32_t count = 0;
  Array<std::int32_t, Executor> of_row;
};

/// i and j are strong neighbours where entries (i, j) and (j, i) exist and |a_ij| > strength sqrt(|a_ii
/// a_jj|) or |a_ji| is. Roots are the maximal set of rows of which none is a neighbour's neighbour of
/// another, in the order of random priorities that are functions of the row's number (Bell, Dalton and Olson
/// 2012, SIAM J. Sci. Comput. 34, C123-C152). Neighbours of a root join it, others their strongest neighbour
/// that did. Aggregates are numbered as their roots. `matrix` lies in the executor's memory.
template <class T, class Executor>
Aggregates<Executor> aggregated(Executor executor, CsrView<T const> matrix, double strength,
                                std::uint64_t seed);

/// Where the values of a coarser matrix come from.
template <class Executor>
struct Coarsening {
  Aggregates<Executor> aggregates;
  SparsePattern<Executor> prolongation;  ///< P, smoothed: the aggregates met in each row
  SparsePattern<Executor> restriction;   ///< P^T
  SparsePattern<Executor> half;          ///< A P
  SparsePattern<Executor> coarse;        ///< P^T A P
  /// The rows of the entries; of `half` and `coarse` on a device alone, where each entry is a thread's.
  Array<std::int32_t, Executor> prolongation_row, half_row, coarse_row;
  Array<std::int32_t, Executor> restriction_source;  ///< the entry of P that each of P^T mirrors
};
/// `pattern` lies in the executor's memory. InputError where a product has more than 2^31 - 1 entries.
template <class Executor>
Coarsening<Executor> coarsened(Executor executor, CsrPattern pattern, Aggregates<Executor> aggregates);

extern template Aggregates<Host> aggregated(Host, CsrView<float const>, double, std::uint64_t);
extern template Aggregates<Host> aggregated(Host, CsrView<double const>, double, std::uint64_t);
extern template Coarsening<Host> coarsened(Host, CsrPattern, Aggregates<Host>);
#if defined(ULPINE_HAS_CUDA)
extern template Aggregates<Cuda> aggregated(Cuda, CsrView<float const>, double, std::uint64_t);
extern template Aggregates<Cuda> aggregated(Cuda, CsrView<double const>, double, std::uint64_t);
extern template Coarsening<Cuda> coarsened(Cuda, CsrPattern, Aggregates<Cuda>);
#endif

}  // namespace ulpine::linalg
