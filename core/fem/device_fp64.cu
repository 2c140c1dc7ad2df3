// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, ScalarForm<Fp64> const&,
                       Target<ScalarForm<Fp64>> const&, ElementMatrices<ScalarForm<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, TensorScalarForm<Fp64> const&,
                       Target<TensorScalarForm<Fp64>> const&, ElementMatrices<TensorScalarForm<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       TensorScalarFormByParts<Fp64> const&, Target<TensorScalarFormByParts<Fp64>> const&,
                       ElementMatrices<TensorScalarFormByParts<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, SharedMomentum<Fp64> const&,
                       Target<SharedMomentum<Fp64>> const&, ElementMatrices<SharedMomentum<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, DiagonalMomentum<Fp64> const&,
                       Target<DiagonalMomentum<Fp64>> const&, ElementMatrices<DiagonalMomentum<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, FullMomentum<Fp64> const&,
                       Target<FullMomentum<Fp64>> const&, ElementMatrices<FullMomentum<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, PlainDivergence<Fp64> const&,
                       Target<PlainDivergence<Fp64>> const&, ElementMatrices<PlainDivergence<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, CompressibleDivergence<Fp64> const&,
                       Target<CompressibleDivergence<Fp64>> const&,
                       ElementMatrices<CompressibleDivergence<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, PressureDiffusion<Fp64> const&,
                       Target<PressureDiffusion<Fp64>> const&,
                       ElementMatrices<PressureDiffusion<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, ProjectionMatrix<Fp64> const&,
                       Target<ProjectionMatrix<Fp64>> const&, ElementMatrices<ProjectionMatrix<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindScalarForm<Fp64> const&,
                       Target<UpwindScalarForm<Fp64>> const&, ElementMatrices<UpwindScalarForm<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindSharedMomentum<Fp64> const&,
                       Target<UpwindSharedMomentum<Fp64>> const&,
                       ElementMatrices<UpwindSharedMomentum<Fp64>> const&);

}  // namespace ulpine::fem
