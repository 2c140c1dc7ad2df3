// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/mesh/quad_mesh.hpp"
#include "core/mesh/sphere.hpp"
#include "core/seaice/block.hpp"
#include "core/seaice/rheology.hpp"
#include "core/seaice/wind_file.hpp"

namespace ulpine::seaice {

/// How far a dG polynomial is taken to leave its mean when it is limited.
enum class LimiterKind {
  exact,   ///< the largest value of the polynomial on the cell
  nextsim  ///< as neXtSIM-DG's code of 2024, for agreement with its numbers: four times that for three
           ///< unknowns a cell, the largest of the nine Gauss points for six
};

/// Wind over the domain, of a cyclone with its centre at one time. On the plane Mehlmann et al. 2021: v_a =
/// -s R (x - c), s = rate exp(-r / reach), R the rotation by the inflow angle.
template <class Real>
struct Wind {
  enum class Kind { calm, uniform, cyclone };

  Kind kind = Kind::calm;
  Real u = 0, v = 0;                    ///< of uniform wind, m s-1
  Real centre_x = 0, centre_y = 0;      ///< of the cyclone on the plane, m
  Real rate = 0;                        ///< rotation rate of the cyclone at its centre, s-1
  Real reach = 1;                       ///< e-folding radius, m
  Real inflow_cos = 1, inflow_sin = 0;  ///< of the inflow angle
};

/// How element matrices are kept.
enum class MapsKind {
  automatic,    ///< shared where the mesh allows, else stored
  constant,     ///< one set shared by all cells: only on a mesh of equal parallelograms
  precomputed,  ///< stored for each cell
  on_the_fly    ///< of the sub-cycle made where they are needed, of the shapes of the cells
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
  /// Order of the velocity, 1 or 2; unknowns of the tracers a cell, 1, 3 or 6. On the sphere cG1-dG3,
  /// cG2-dG6.
  int cg = 1, dg = 3;
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
  /// On the sphere: the centre at time 0 and where it heads, unit vectors in the mesh's coordinates at right
  /// angles, and its angular speed along that great circle, s-1.
  sphere::Vector wind_centre = {1, 0, 0}, wind_heading = {0, 1, 0};
  double wind_turning = 0;

  sphere::Vector wind_centre_at(double time) const {
    double const angle = wind_turning * time, c = math::cos(angle), s = math::sin(angle);
    auto const &at = wind_centre, &to = wind_heading;
    return {c * at[0] + s * to[0], c * at[1] + s * to[1], c * at[2] + s * to[2]};
  }
};

/// All that a run starts from.
struct Setup {
  QuadMesh mesh;
  Parameters parameters = {};
  std::vector<double> ocean_u = {}, ocean_v = {};  ///< m s-1 at the cG nodes; empty: still
  /// dG coefficients [mode][cell] at the start, zero on land; empty: no ice.
  std::vector<double> height = {}, concentration = {};
  std::vector<double> longitude = {}, latitude = {};  ///< degrees at cell centres; empty where unknown
  std::vector<double> node_longitude = {}, node_latitude = {};  ///< the same at the cG nodes of a sphere
  std::vector<double> east_angle =
      {};  ///< from the mesh's x axis to the east at the nodes of a sphere, degrees
  std::shared_ptr<WindFile const> wind_file = {};  ///< in the place of the parameters' wind; may be null
  std::string attribution = {};                    ///< of the input data; may be empty
  bool coefficients = false;                       ///< write the dG coefficients too
  bool convergence = false;                        ///< write the residuals of the mEVP iteration
  /// This rank's block where there are several ranks: all of the above is of that block and its margin then.
  /// Null: all of it is of the whole mesh.
  std::shared_ptr<Block const> block = {};

  bool equal_cells() const { return block ? block->equal_cells : mesh.uniform(); }
};

}  // namespace ulpine::seaice
