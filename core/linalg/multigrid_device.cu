// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/chebyshev_impl.hpp"
#include "core/linalg/multigrid_impl.hpp"
#include "core/linalg/rows.cuh"

namespace ulpine::linalg {

template Aggregates<Cuda> aggregated(Cuda, CsrView<float const>, double, std::uint64_t);
template Aggregates<Cuda> aggregated(Cuda, CsrView<double const>, double, std::uint64_t);
template Coarsening<Cuda> coarsened(Cuda, CsrPattern, Aggregates<Cuda>);
template class Chebyshev<float, Cuda>;
template class Chebyshev<double, Cuda>;
template class Multigrid<float, Cuda>;
template class Multigrid<double, Cuda>;
template void Multigrid<float, Cuda>::apply_to(float const*, float*);
template void Multigrid<float, Cuda>::apply_to(double const*, double*);
template void Multigrid<double, Cuda>::apply_to(double const*, double*);

}  // namespace ulpine::linalg
