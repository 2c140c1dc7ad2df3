// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/exec/clock.hpp"
#include "core/exec/executor.hpp"
#include "core/exec/observe.hpp"
#include "core/mesh/quad_mesh.hpp"
#include "core/seaice/transport.hpp"
#include "precision/policy.hpp"

namespace ulpine::seaice {

/// How element matrices are kept.
enum class MapsKind {
  automatic,   ///< shared where the mesh allows, else stored
  constant,    ///< one set shared by all cells: only on a mesh of equal parallelograms
  precomputed  ///< stored for each cell
};

struct Parameters {
  int cg = 1, dg = 3;
  MapsKind maps = MapsKind::automatic;
  double dt = 120;     ///< model step, s
  int substeps = 100;  ///< mEVP sub-steps a model step
  double alpha = 1500, beta = 1500;
  double coriolis = constants::coriolis;  ///< s-1
  int runge_kutta = 2;                    ///< order of the advection in time: 1, 2 or 3
  LimiterKind limiter = LimiterKind::exact;
  Wind<double> wind;                          ///< its centre at time 0
  double wind_speed_x = 0, wind_speed_y = 0;  ///< drift of the cyclone's centre, m s-1
  double const* ocean_u = nullptr;            ///< at the cG nodes, m s-1
  double const* ocean_v = nullptr;
};

/// The arrays of a solver that others may see, in this order.
enum class FieldId {
  u,
  v,
  h,
  a,
  stress_xx,
  stress_yy,
  stress_xy,
  strain_xx,
  strain_yy,
  strain_xy,  // the state
  shear,
  node_h,
  node_a,
  u0,
  v0,
  wind_x,
  wind_y,
  force_x,
  force_y,
  dg_u,
  dg_v,  // follow from it
  count
};

struct FieldLayout {
  char const* name;
  int components;       ///< planes: modes of a dG field, 1 at nodes
  bool at_nodes;        ///< else per cell
  int bytes_per_value;  ///< 4, 8 or 16
  bool prognostic;      ///< belongs to the state of a restart
  std::int64_t values;  ///< components times nodes or cells, without halo
};

/// A sea-ice model of one policy, assembly and place; hides them behind arrays of double. See the
/// specification in docs/seaice.md for the order of the stages.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Takes model step number `step` (from 1), from (step - 1) dt to step dt.
  virtual void advance(std::int64_t step) = 0;

  virtual FieldLayout layout(FieldId field) const = 0;
  /// Dense values, component by component, then row by row, without halo; `read` and `write` convert, the
  /// others copy bits.
  virtual void read(FieldId field, double* values) const = 0;
  virtual void write(FieldId field, double const* values) = 0;
  virtual void read_bits(FieldId field, std::byte* values) const = 0;
  virtual void write_bits(FieldId field, std::byte const* values) = 0;

  virtual void observe(StageObserver* observer) = 0;
  virtual void plant(PlantedFault const& fault) = 0;
  virtual std::uint64_t state_hash() const = 0;
  virtual std::int64_t memory_bytes() const = 0;
  /// What each stage has cost so far.
  virtual std::vector<StageTime> times() = 0;
  /// Runs one named stage alone on the present fields: for tests against reference intermediates and for
  /// benchmarks. False where this solver has no such stage.
  virtual bool run_stage(char const* stage) = 0;
};

/// Builds the solver of `policy` (a name) and `assembly` on `mesh`; nullptr where there is none of that name
/// or order. The caller owns it.
Solver* make_solver(Host host, char const* policy, Assembly assembly, QuadMesh const& mesh,
                    Parameters const& parameters);
Solver* make_solver(Cuda cuda, char const* policy, Assembly assembly, QuadMesh const& mesh,
                    Parameters const& parameters);

}  // namespace ulpine::seaice
