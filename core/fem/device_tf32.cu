// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       ScalarForm<RoundedProducts<Tf32>> const&,
                       Target<ScalarForm<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<ScalarForm<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       TensorScalarForm<RoundedProducts<Tf32>> const&,
                       Target<TensorScalarForm<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<TensorScalarForm<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       SharedMomentum<RoundedProducts<Tf32>> const&,
                       Target<SharedMomentum<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<SharedMomentum<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       FullMomentum<RoundedProducts<Tf32>> const&,
                       Target<FullMomentum<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<FullMomentum<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       PlainDivergence<RoundedProducts<Tf32>> const&,
                       Target<PlainDivergence<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<PlainDivergence<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       CompressibleDivergence<RoundedProducts<Tf32>> const&,
                       Target<CompressibleDivergence<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<CompressibleDivergence<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       PressureDiffusion<RoundedProducts<Tf32>> const&,
                       Target<PressureDiffusion<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<PressureDiffusion<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       ProjectionMatrix<RoundedProducts<Tf32>> const&,
                       Target<ProjectionMatrix<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<ProjectionMatrix<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       UpwindScalarForm<RoundedProducts<Tf32>> const&,
                       Target<UpwindScalarForm<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<UpwindScalarForm<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       UpwindSharedMomentum<RoundedProducts<Tf32>> const&,
                       Target<UpwindSharedMomentum<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<UpwindSharedMomentum<RoundedProducts<Tf32>>> const&);

}  // namespace ulpine::fem
