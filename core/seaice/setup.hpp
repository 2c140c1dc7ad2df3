// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/mesh/quad_mesh.hpp"
#include "core/seaice/rheology.hpp"
#include "core/seaice/transport.hpp"

namespace ulpine::seaice {

/// How element matrices are kept.
enum class MapsKind {
  automatic,   ///< shared where the mesh allows, else stored
  constant,    ///< one set shared by all cells: only on a mesh of equal parallelograms
  precomputed  ///< stored for each cell
};

/// How a device takes sub-steps that nobody watches, where their kernels are built for more than one way. The
/// bits are the same.
enum class SubstepMethod {
  automatic,  ///< as the mesh's size and the device suggest
  one_pass,   ///< two kernels a sub-step
  strips,     ///< several sub-steps a pass through memory
  resident    ///< all in one launch with the state on chip; strips where it does not fit
};

/// How contributions that meet in one place are summed in deterministic assembly: each an order that the mesh
/// fixes, and so the same bits everywhere, but each its own.
enum class SumOrder {
  gather,       ///< a node or cell takes its contributions one after the other
  rowwise,      ///< cells give theirs row by row: rows of one parity at once, each from left to right
  checkerboard  ///< cells give theirs in four passes, every second one along x and y at once
};

struct Parameters {
  int cg = 1, dg = 3;  ///< order of the velocity, 1 or 2; unknowns of the tracers a cell, 1, 3 or 6
  MapsKind maps = MapsKind::automatic;
  SumOrder sum_order = SumOrder::gather;
  double dt = 120;     ///< model step, s
  int substeps = 100;  ///< mEVP sub-steps a model step
  double alpha = 1500, beta = 1500;
  double coriolis = constants::coriolis;  ///< s-1
  std::string rheology = names_of(Rheologies{}).front();
  int runge_kutta = 2;  ///< order of the advection in time: 1, 2 or 3
  LimiterKind limiter = LimiterKind::exact;
  SubstepMethod substep_method = SubstepMethod::automatic;  ///< for tests and benchmarks
  int sharers = 1;    ///< models that use the device side by side: how SubstepMethod::automatic chooses
  Wind<double> wind;  ///< its centre at time 0
  double wind_speed_x = 0, wind_speed_y = 0;  ///< drift of the cyclone's centre, m s-1
};

/// All that a run starts from.
struct Setup {
  QuadMesh mesh;
  Parameters parameters = {};
  std::vector<double> ocean_u = {}, ocean_v = {};  ///< m s-1 at the cG nodes; empty: still
  /// dG coefficients [mode][cell] at the start, zero on land; empty: no ice.
  std::vector<double> height = {}, concentration = {};
  std::vector<double> longitude = {}, latitude = {};  ///< degrees at cell centres; empty where unknown
  std::string attribution = {};                       ///< of the input data; may be empty
  bool coefficients = false;                          ///< write the dG coefficients too
  bool convergence = false;                           ///< write the residuals of the mEVP iteration
};

}  // namespace ulpine::seaice
