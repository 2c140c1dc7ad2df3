// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "tests/support/fem/quadrature_forms.hpp"

namespace ulpine::fem {

template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadratureAdvectionDiffusion<Fp64> const&,
                       Target<QuadratureAdvectionDiffusion<Fp64>> const&,
                       ElementMatrices<QuadratureAdvectionDiffusion<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadraturePressureDiffusion<Fp64> const&,
                       Target<QuadraturePressureDiffusion<Fp64>> const&,
                       ElementMatrices<QuadraturePressureDiffusion<Fp64>> const&);

}  // namespace ulpine::fem
