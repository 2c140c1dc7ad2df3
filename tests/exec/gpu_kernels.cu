// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_kernels.hpp"

#include "core/exec/cuda.cuh"

namespace exec_test {

void visit(ulpine::Cuda cuda, ulpine::View<int> visits) {
  ulpine::for_each(cuda, ulpine::Extent1{visits.size()}, Visit{visits});
}

void visit(ulpine::Cuda cuda, ulpine::Extent2 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, Visit{visits, extent.nx});
}

void visit(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, Visit{visits, extent.nx, extent.ny});
}

void visit_in_parts(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, VisitInParts<2>{{visits, extent.nx, extent.ny}});
  ulpine::for_each(cuda, extent, VisitInParts<4>{{visits, extent.nx, extent.ny}});
}

void visit_climbing(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, VisitClimbing{{visits, extent.nx, extent.ny}});
}

void logistic(ulpine::Cuda cuda, double a, ulpine::View<double> x) {
  ulpine::for_each(cuda, x.size(), Logistic{a, x});
}

void relax(ulpine::Cuda cuda, Relax const& relax) { ulpine::for_each(cuda, relax.x.size(), relax); }

template <class T>
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Smooth<T> const& smooth) {
  ulpine::for_each(cuda, extent, smooth);
}
template <class T>
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Advance<T> const& advance) {
  ulpine::for_each(cuda, extent, advance);
}
template void launch(ulpine::Cuda, ulpine::Extent3, Smooth<double> const&);
template void launch(ulpine::Cuda, ulpine::Extent3, Smooth<float> const&);
template void launch(ulpine::Cuda, ulpine::Extent3, Advance<double> const&);
template void launch(ulpine::Cuda, ulpine::Extent3, Advance<float> const&);

}  // namespace exec_test
