// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, ScalarForm<Fp32> const&,
                       Target<ScalarForm<Fp32>> const&, ElementMatrices<ScalarForm<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, TensorScalarForm<Fp32> const&,
                       Target<TensorScalarForm<Fp32>> const&, ElementMatrices<TensorScalarForm<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, SharedMomentum<Fp32> const&,
                       Target<SharedMomentum<Fp32>> const&, ElementMatrices<SharedMomentum<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, FullMomentum<Fp32> const&,
                       Target<FullMomentum<Fp32>> const&, ElementMatrices<FullMomentum<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, PlainDivergence<Fp32> const&,
                       Target<PlainDivergence<Fp32>> const&, ElementMatrices<PlainDivergence<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, CompressibleDivergence<Fp32> const&,
                       Target<CompressibleDivergence<Fp32>> const&,
                       ElementMatrices<CompressibleDivergence<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, PressureDiffusion<Fp32> const&,
                       Target<PressureDiffusion<Fp32>> const&,
                       ElementMatrices<PressureDiffusion<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, ProjectionMatrix<Fp32> const&,
                       Target<ProjectionMatrix<Fp32>> const&, ElementMatrices<ProjectionMatrix<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindScalarForm<Fp32> const&,
                       Target<UpwindScalarForm<Fp32>> const&, ElementMatrices<UpwindScalarForm<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindSharedMomentum<Fp32> const&,
                       Target<UpwindSharedMomentum<Fp32>> const&,
                       ElementMatrices<UpwindSharedMomentum<Fp32>> const&);

}  // namespace ulpine::fem
