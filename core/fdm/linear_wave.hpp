// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fdm/base_state.hpp"

namespace ulpine::fdm {

/// w (m s-1) of the linear steady wave over a periodic row of ground, at the faces of w, (z_w, x): what waves
/// over low ground come to. `wind`: U, m s-1, the same at all heights and not 0; the air is dry.
///
/// A ground h_k e^(ikx) forces w = i U k h_k at height 0, and of compressible air with q = p' / rho_0
///
///   dw/dz = (g / c_s^2) w + (i k / U) (1 - U^2 / c_s^2) q
///   dq/dz = (N^2 / g) q + (i / (k U)) (N^2 - k^2 U^2) w
///
/// (p' by -rho_0 U u, theta' by what w lifts), integrated downward (Runge and Kutta, fourth order) from the
/// lid, where the wave is one whose energy rises in air that goes on as it is there, or one that decays.
std::vector<double> linear_wave(Heights const& heights, BaseState const& base, double wind);

}  // namespace ulpine::fdm
