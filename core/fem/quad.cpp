// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, ScalarForm<Quad> const&,
                       Target<ScalarForm<Quad>> const&, ElementMatrices<ScalarForm<Quad>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, SharedMomentum<Quad> const&,
                       Target<SharedMomentum<Quad>> const&, ElementMatrices<SharedMomentum<Quad>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, PlainDivergence<Quad> const&,
                       Target<PlainDivergence<Quad>> const&, ElementMatrices<PlainDivergence<Quad>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, CompressibleDivergence<Quad> const&,
                       Target<CompressibleDivergence<Quad>> const&,
                       ElementMatrices<CompressibleDivergence<Quad>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, PressureDiffusion<Quad> const&,
                       Target<PressureDiffusion<Quad>> const&,
                       ElementMatrices<PressureDiffusion<Quad>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, ProjectionMatrix<Quad> const&,
                       Target<ProjectionMatrix<Quad>> const&, ElementMatrices<ProjectionMatrix<Quad>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, UpwindScalarForm<Quad> const&,
                       Target<UpwindScalarForm<Quad>> const&, ElementMatrices<UpwindScalarForm<Quad>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, UpwindSharedMomentum<Quad> const&,
                       Target<UpwindSharedMomentum<Quad>> const&,
                       ElementMatrices<UpwindSharedMomentum<Quad>> const&);

}  // namespace ulpine::fem
