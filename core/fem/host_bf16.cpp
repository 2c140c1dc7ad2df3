// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       ScalarForm<RoundedProducts<Bfloat16>> const&,
                       Target<ScalarForm<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<ScalarForm<RoundedProducts<Bfloat16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       SharedMomentum<RoundedProducts<Bfloat16>> const&,
                       Target<SharedMomentum<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<SharedMomentum<RoundedProducts<Bfloat16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       PlainDivergence<RoundedProducts<Bfloat16>> const&,
                       Target<PlainDivergence<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<PlainDivergence<RoundedProducts<Bfloat16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       CompressibleDivergence<RoundedProducts<Bfloat16>> const&,
                       Target<CompressibleDivergence<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<CompressibleDivergence<RoundedProducts<Bfloat16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       PressureDiffusion<RoundedProducts<Bfloat16>> const&,
                       Target<PressureDiffusion<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<PressureDiffusion<RoundedProducts<Bfloat16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       ProjectionMatrix<RoundedProducts<Bfloat16>> const&,
                       Target<ProjectionMatrix<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<ProjectionMatrix<RoundedProducts<Bfloat16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       UpwindScalarForm<RoundedProducts<Bfloat16>> const&,
                       Target<UpwindScalarForm<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<UpwindScalarForm<RoundedProducts<Bfloat16>>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       UpwindSharedMomentum<RoundedProducts<Bfloat16>> const&,
                       Target<UpwindSharedMomentum<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<UpwindSharedMomentum<RoundedProducts<Bfloat16>>> const&);

}  // namespace ulpine::fem
