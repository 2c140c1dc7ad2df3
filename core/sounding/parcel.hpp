// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sounding/base_state.hpp"

namespace ulpine {

/// Ascent of a parcel of the air at the ground that is lifted without mixing: as dry air it keeps theta until
/// saturation, then it is pseudo-adiabatic (c_p d ln theta = -L_v / T dq, q saturated, water falls out).
/// Buoyancy is g (theta_v of the parcel / theta_v of the air - 1). Heights in m as in the profile, NaN where
/// there is none.
struct ParcelAscent {
  double lcl;              ///< lifting condensation level: where it becomes saturated
  double lcl_pressure;     ///< Pa
  double lcl_temperature;  ///< K
  double lfc;              ///< level of free convection: lowest height from the LCL on with positive buoyancy
  double el;               ///< equilibrium level: where buoyancy turns negative for the last time, or the top
  double cape;             ///< integral of positive buoyancy from the LCL to `top`, J kg-1
  double cin;              ///< integral of negative buoyancy from the ground to the LFC, J kg-1, not above 0
};

/// By steps of at most `step` m (second order: at 10 m, CAPE to some 0.01 J kg-1) up to `top` m or the
/// profile's top.
ParcelAscent lift_surface_parcel(HydrostaticBase<double> const& base, double top = 20000, double step = 10);

}  // namespace ulpine
