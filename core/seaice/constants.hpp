// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Sea-ice symbols: H mean ice height (m), A concentration (1), v = (u, v) velocity (m s-1), sigma stress (N
/// m-1), epsilon strain rate (s-1), P ice strength (N m-1), Delta effective strain rate (s-1), zeta and eta
/// viscosities (N s m-1), alpha and beta the pseudo-time parameters of the mEVP iteration (Kimmritz et al.
/// 2016). Values: Mehlmann et al. 2021 (JAMES 13), the benchmark of Mehlmann and Korn 2021; Hibler 1979.
namespace ulpine::seaice::constants {

inline constexpr double ice_density = 900;           ///< kg m-3
inline constexpr double air_density = 1.3;           ///< kg m-3
inline constexpr double water_density = 1026;        ///< kg m-3
inline constexpr double air_drag = 1.2e-3;           ///< C_a, 1
inline constexpr double water_drag = 5.5e-3;         ///< C_o, 1
inline constexpr double strength = 27500;            ///< P*, N m-2
inline constexpr double strength_decay = 20;         ///< C, 1
inline constexpr double least_delta = 2e-9;          ///< Delta_min, s-1
inline constexpr double coriolis = 1.46e-4;          ///< f_c, s-1
inline constexpr double least_concentration = 1e-4;  ///< floor of nodal A in the momentum equation
inline constexpr double least_height = 1e-4;         ///< floor of nodal H in the momentum equation, m

}  // namespace ulpine::seaice::constants
