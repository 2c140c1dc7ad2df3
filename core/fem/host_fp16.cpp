// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       ScalarForm<RoundedProducts<Binary16>> const&,
                       Target<ScalarForm<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<ScalarForm<RoundedProducts<Binary16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       TensorScalarForm<RoundedProducts<Binary16>> const&,
                       Target<TensorScalarForm<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<TensorScalarForm<RoundedProducts<Binary16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       SharedMomentum<RoundedProducts<Binary16>> const&,
                       Target<SharedMomentum<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<SharedMomentum<RoundedProducts<Binary16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       PlainDivergence<RoundedProducts<Binary16>> const&,
                       Target<PlainDivergence<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<PlainDivergence<RoundedProducts<Binary16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       CompressibleDivergence<RoundedProducts<Binary16>> const&,
                       Target<CompressibleDivergence<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<CompressibleDivergence<RoundedProducts<Binary16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       PressureDiffusion<RoundedProducts<Binary16>> const&,
                       Target<PressureDiffusion<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<PressureDiffusion<RoundedProducts<Binary16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       ProjectionMatrix<RoundedProducts<Binary16>> const&,
                       Target<ProjectionMatrix<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<ProjectionMatrix<RoundedProducts<Binary16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       UpwindScalarForm<RoundedProducts<Binary16>> const&,
                       Target<UpwindScalarForm<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<UpwindScalarForm<RoundedProducts<Binary16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       UpwindSharedMomentum<RoundedProducts<Binary16>> const&,
                       Target<UpwindSharedMomentum<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<UpwindSharedMomentum<RoundedProducts<Binary16>>> const&);

}  // namespace ulpine::fem
