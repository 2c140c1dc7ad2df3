// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/quadrature_forms.hpp"

namespace ulpine::fem {

template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadratureAdvectionDiffusion<Fp64> const&,
                       Target<QuadratureAdvectionDiffusion<Fp64>> const&,
                       ElementMatrices<QuadratureAdvectionDiffusion<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, QuadratureDivergence<Fp64> const&,
                       Target<QuadratureDivergence<Fp64>> const&,
                       ElementMatrices<QuadratureDivergence<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadraturePressureDiffusion<Fp64> const&,
                       Target<QuadraturePressureDiffusion<Fp64>> const&,
                       ElementMatrices<QuadraturePressureDiffusion<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadratureAdvectionDiffusion<Fp32> const&,
                       Target<QuadratureAdvectionDiffusion<Fp32>> const&,
                       ElementMatrices<QuadratureAdvectionDiffusion<Fp32>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, QuadratureDivergence<Fp32> const&,
                       Target<QuadratureDivergence<Fp32>> const&,
                       ElementMatrices<QuadratureDivergence<Fp32>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadraturePressureDiffusion<Fp32> const&,
                       Target<QuadraturePressureDiffusion<Fp32>> const&,
                       ElementMatrices<QuadraturePressureDiffusion<Fp32>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadratureAdvectionDiffusion<Mixed> const&,
                       Target<QuadratureAdvectionDiffusion<Mixed>> const&,
                       ElementMatrices<QuadratureAdvectionDiffusion<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, QuadratureDivergence<Mixed> const&,
                       Target<QuadratureDivergence<Mixed>> const&,
                       ElementMatrices<QuadratureDivergence<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadraturePressureDiffusion<Mixed> const&,
                       Target<QuadraturePressureDiffusion<Mixed>> const&,
                       ElementMatrices<QuadraturePressureDiffusion<Mixed>> const&);

}  // namespace ulpine::fem
