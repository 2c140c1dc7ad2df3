// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, ScalarForm<Mixed> const&,
                       Target<ScalarForm<Mixed>> const&, ElementMatrices<ScalarForm<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, TensorScalarForm<Mixed> const&,
                       Target<TensorScalarForm<Mixed>> const&,
                       ElementMatrices<TensorScalarForm<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, SharedMomentum<Mixed> const&,
                       Target<SharedMomentum<Mixed>> const&, ElementMatrices<SharedMomentum<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, DiagonalMomentum<Mixed> const&,
                       Target<DiagonalMomentum<Mixed>> const&,
                       ElementMatrices<DiagonalMomentum<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, FullMomentum<Mixed> const&,
                       Target<FullMomentum<Mixed>> const&, ElementMatrices<FullMomentum<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, PlainDivergence<Mixed> const&,
                       Target<PlainDivergence<Mixed>> const&, ElementMatrices<PlainDivergence<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       CompressibleDivergence<Mixed> const&, Target<CompressibleDivergence<Mixed>> const&,
                       ElementMatrices<CompressibleDivergence<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, PressureDiffusion<Mixed> const&,
                       Target<PressureDiffusion<Mixed>> const&,
                       ElementMatrices<PressureDiffusion<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, ProjectionMatrix<Mixed> const&,
                       Target<ProjectionMatrix<Mixed>> const&,
                       ElementMatrices<ProjectionMatrix<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, UpwindScalarForm<Mixed> const&,
                       Target<UpwindScalarForm<Mixed>> const&,
                       ElementMatrices<UpwindScalarForm<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, UpwindSharedMomentum<Mixed> const&,
                       Target<UpwindSharedMomentum<Mixed>> const&,
                       ElementMatrices<UpwindSharedMomentum<Mixed>> const&);

}  // namespace ulpine::fem
