// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fdm/base_state.hpp"

/// Impedance of a radiative lid (lid.hpp): its ratio of p' to w for each wavenumber.
namespace ulpine::fdm {

/// N (s-1) and rho_0 (kg m-3) at the lid.
struct AirAtLid {
  double frequency, density;
};
/// N from the uppermost four levels, or all where there are fewer; levels are flat at the lid.
AirAtLid air_at_lid(Heights heights, BaseState const& base);
/// Z = N rho_0 / |k| (Pa per m s-1) of all wavenumbers of a transformed plane, (y, x), |k| being that of
/// differences between neighbours: 2 sin(k dx / 2) / dx along an axis. 0 for the mean.
std::vector<double> lid_impedance(Heights const& heights, AirAtLid const& air);

}  // namespace ulpine::fdm
