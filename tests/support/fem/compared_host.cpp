// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"
#include "tests/support/fem/quadrature_forms.hpp"

/// Forms that no model takes: tests and benchmarks compare them with those of policy.cpp.in and policy.cu.in.
namespace ulpine::fem {

template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, ScalarFormByParts<Fp64> const&,
                       Target<ScalarFormByParts<Fp64>> const&,
                       ElementMatrices<ScalarFormByParts<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, TensorScalarForm<Fp64> const&,
                       Target<TensorScalarForm<Fp64>> const&, ElementMatrices<TensorScalarForm<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       TensorScalarFormByParts<Fp64> const&, Target<TensorScalarFormByParts<Fp64>> const&,
                       ElementMatrices<TensorScalarFormByParts<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, DiagonalMomentum<Fp64> const&,
                       Target<DiagonalMomentum<Fp64>> const&, ElementMatrices<DiagonalMomentum<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, FullMomentum<Fp64> const&,
                       Target<FullMomentum<Fp64>> const&, ElementMatrices<FullMomentum<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, TensorScalarForm<Fp32> const&,
                       Target<TensorScalarForm<Fp32>> const&, ElementMatrices<TensorScalarForm<Fp32>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, TensorScalarForm<Mixed> const&,
                       Target<TensorScalarForm<Mixed>> const&,
                       ElementMatrices<TensorScalarForm<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, DiagonalMomentum<Mixed> const&,
                       Target<DiagonalMomentum<Mixed>> const&,
                       ElementMatrices<DiagonalMomentum<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&, FullMomentum<Mixed> const&,
                       Target<FullMomentum<Mixed>> const&, ElementMatrices<FullMomentum<Mixed>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       TensorScalarForm<Fp16Products> const&, Target<TensorScalarForm<Fp16Products>> const&,
                       ElementMatrices<TensorScalarForm<Fp16Products>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadratureAdvectionDiffusion<Fp64> const&,
                       Target<QuadratureAdvectionDiffusion<Fp64>> const&,
                       ElementMatrices<QuadratureAdvectionDiffusion<Fp64>> const&);
template void assemble(Host, Plan<Host> const&, TetraConnectivity const&,
                       QuadraturePressureDiffusion<Fp64> const&,
                       Target<QuadraturePressureDiffusion<Fp64>> const&,
                       ElementMatrices<QuadraturePressureDiffusion<Fp64>> const&);

}  // namespace ulpine::fem
