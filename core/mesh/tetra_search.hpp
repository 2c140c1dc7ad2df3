// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/view.hpp"
#include "core/mesh/tetra_search_kernels.hpp"

namespace ulpine {

/// Where points lie in a mesh, in the executor's memory.
template <class Executor>
struct Located {
  Array<std::int32_t, Executor> element;  ///< of lowest number of those that hold the point
  Array<std::int32_t, Executor> node;     ///< of that element, (point, 4)
  Array<double, Executor> weight;         ///< barycentric coordinates, not negative, (point, 4)
  Array<double, Executor> distance;       ///< m: 0 for a point in the mesh, else how far off that place is
};

/// Finds the tetrahedra of a mesh that hold points; the same bits on every executor, for any number of
/// threads. A point at a node has weights of exactly 1 and 0. A point outside the mesh, as beside a curved
/// side, gets the nearest of the places that clipping negative barycentric coordinates gives.
template <class Executor>
class TetraSearch {
 public:
  /// `position` (node, 3) and `element` (element, 4; at least one, oriented as a TetraMesh's) are in host
  /// memory and copied. InputError where the lists of bins pass 32 bits.
  TetraSearch(Executor executor, View<double const> position, View<std::int32_t const> element);

  /// `point` (point, 3), finite, in host memory. Waits for the device.
  Located<Executor> locate(View<double const> point) const;

 private:
  Executor executor_;
  detail::Bins<double> bins_;
  Array<double, Executor> position_;
  Array<std::int32_t, Executor> element_, start_, list_;
};

namespace detail {

/// Bins as large as a mean element's box, no more of them than elements.
Bins<double> bins_for(View<double const> position, View<std::int32_t const> element);

}  // namespace detail

extern template class TetraSearch<Host>;
#if defined(ULPINE_HAS_CUDA)
extern template class TetraSearch<Cuda>;
#endif

}  // namespace ulpine
