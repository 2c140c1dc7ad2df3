// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/linalg/chebyshev_impl.hpp"
#include "core/linalg/multigrid_impl.hpp"
#include "core/linalg/rows_host.hpp"

namespace ulpine::linalg {

template Aggregates<Host> aggregated(Host, CsrView<float const>, double, std::uint64_t);
template Aggregates<Host> aggregated(Host, CsrView<double const>, double, std::uint64_t);
template Coarsening<Host> coarsened(Host, CsrPattern, Aggregates<Host>);
template class Chebyshev<float, Host>;
template class Chebyshev<double, Host>;
template class Chebyshev<float128, Host>;
template class Multigrid<float, Host>;
template class Multigrid<double, Host>;
template class Multigrid<float128, Host>;
template void Multigrid<float, Host>::apply_to(float const*, float*);
template void Multigrid<float, Host>::apply_to(double const*, double*);
template void Multigrid<double, Host>::apply_to(double const*, double*);
template void Multigrid<float128, Host>::apply_to(float128 const*, float128*);

}  // namespace ulpine::linalg
