// SPDX-License-Identifier: Apache-2.0
#include "core/fem/assembly_impl.hpp"
#include "core/fem/instances.hpp"

namespace ulpine::fem {

template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindScalarForm<Fp64> const&,
                       Target<UpwindScalarForm<Fp64>> const&, ElementMatrices<UpwindScalarForm<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindSharedMomentum<Fp64> const&,
                       Target<UpwindSharedMomentum<Fp64>> const&,
                       ElementMatrices<UpwindSharedMomentum<Fp64>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindScalarForm<Fp32> const&,
                       Target<UpwindScalarForm<Fp32>> const&, ElementMatrices<UpwindScalarForm<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindSharedMomentum<Fp32> const&,
                       Target<UpwindSharedMomentum<Fp32>> const&,
                       ElementMatrices<UpwindSharedMomentum<Fp32>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindScalarForm<Mixed> const&,
                       Target<UpwindScalarForm<Mixed>> const&,
                       ElementMatrices<UpwindScalarForm<Mixed>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&, UpwindSharedMomentum<Mixed> const&,
                       Target<UpwindSharedMomentum<Mixed>> const&,
                       ElementMatrices<UpwindSharedMomentum<Mixed>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       UpwindScalarForm<RoundedProducts<Tf32>> const&,
                       Target<UpwindScalarForm<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<UpwindScalarForm<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       UpwindSharedMomentum<RoundedProducts<Tf32>> const&,
                       Target<UpwindSharedMomentum<RoundedProducts<Tf32>>> const&,
                       ElementMatrices<UpwindSharedMomentum<RoundedProducts<Tf32>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       UpwindScalarForm<RoundedProducts<Bfloat16>> const&,
                       Target<UpwindScalarForm<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<UpwindScalarForm<RoundedProducts<Bfloat16>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       UpwindSharedMomentum<RoundedProducts<Bfloat16>> const&,
                       Target<UpwindSharedMomentum<RoundedProducts<Bfloat16>>> const&,
                       ElementMatrices<UpwindSharedMomentum<RoundedProducts<Bfloat16>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       UpwindScalarForm<RoundedProducts<Binary16>> const&,
                       Target<UpwindScalarForm<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<UpwindScalarForm<RoundedProducts<Binary16>>> const&);
template void assemble(Cuda, Plan<Cuda> const&, TetraConnectivity const&,
                       UpwindSharedMomentum<RoundedProducts<Binary16>> const&,
                       Target<UpwindSharedMomentum<RoundedProducts<Binary16>>> const&,
                       ElementMatrices<UpwindSharedMomentum<RoundedProducts<Binary16>>> const&);

}  // namespace ulpine::fem
