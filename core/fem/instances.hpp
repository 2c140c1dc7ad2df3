// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/advection_diffusion.hpp"
#include "core/fem/momentum.hpp"
#include "core/fem/pressure.hpp"

/// The forms that the library holds code for.
namespace ulpine::fem {

template <class P>
using ScalarForm = AdvectionDiffusion<P, Diffusion::isotropic, Advection::direct>;
template <class P>
using ScalarFormByParts = AdvectionDiffusion<P, Diffusion::isotropic, Advection::by_parts>;
template <class P>
using TensorScalarForm = AdvectionDiffusion<P, Diffusion::tensor, Advection::direct>;
template <class P>
using TensorScalarFormByParts = AdvectionDiffusion<P, Diffusion::tensor, Advection::by_parts>;
template <class P>
using UpwindScalarForm = AdvectionDiffusion<P, Diffusion::isotropic, Advection::direct, Upwind::along_flow>;
template <class P>
using UpwindTensorScalarForm =
    AdvectionDiffusion<P, Diffusion::tensor, Advection::direct, Upwind::along_flow>;
template <class P>
using SharedMomentum = Momentum<P, VelocityBlocks::shared>;
template <class P>
using UpwindSharedMomentum = Momentum<P, VelocityBlocks::shared, Upwind::along_flow>;
template <class P>
using DiagonalMomentum = Momentum<P, VelocityBlocks::diagonal>;
template <class P>
using FullMomentum = Momentum<P, VelocityBlocks::full>;
template <class P>
using PlainDivergence = DivergenceMatrix<P, Divergence::plain>;
template <class P>
using CompressibleDivergence = DivergenceMatrix<P, Divergence::compressible>;

}  // namespace ulpine::fem
