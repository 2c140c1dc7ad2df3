// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"
#include "tests/support/fem/quadrature_forms.hpp"

/// Forms that no model takes: tests and benchmarks compare them with those of policy.cpp.in and policy.cu.in.
namespace ulpine::fem {

template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       TensorScalarFormByParts<Fp64> const&, Target<TensorScalarFormByParts<Fp64>> const&,
                       ElementMatrices<TensorScalarFormByParts<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, DiagonalMomentum<Fp64> const&,
                       Target<DiagonalMomentum<Fp64>> const&, ElementMatrices<DiagonalMomentum<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       QuadratureAdvectionDiffusion<Fp64> const&,
                       Target<QuadratureAdvectionDiffusion<Fp64>> const&,
                       ElementMatrices<QuadratureAdvectionDiffusion<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       QuadraturePressureDiffusion<Fp64> const&,
                       Target<QuadraturePressureDiffusion<Fp64>> const&,
                       ElementMatrices<QuadraturePressureDiffusion<Fp64>> const&);

}  // namespace ulpine::fem
