// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/field/value_range.hpp"

/// Ranges of the atmosphere's fields in every model here: several times what was ever measured, with room for
/// overshoots of advection and for idealised air, and far below the values of a run that blows up.
namespace ulpine::physics {

inline constexpr ValueRange wind_range{-500, 500};                ///< m s-1, of a component
inline constexpr ValueRange theta_range{1, 1e4};                  ///< K, up to the mesopause
inline constexpr ValueRange theta_departure_range{-1e4, 1e4};     ///< K, from a base state
inline constexpr ValueRange pressure_departure_range{-1e5, 1e5};  ///< Pa, from a base state
inline constexpr ValueRange water_range{-0.1, 1};                 ///< per mass of air, any phase
inline constexpr ValueRange water_density_range{-1, 1};           ///< kg m-3, of water that a step makes
inline constexpr ValueRange rain_range{-1, 1e5};             ///< kg m-2 that have fallen, a hundred metres
inline constexpr ValueRange eddy_energy_range{-1e3, 2.5e5};  ///< m2 s-2, of sub-grid eddies

}  // namespace ulpine::physics
