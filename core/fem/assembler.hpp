// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/executor.hpp"
#include "core/fem/upwind.hpp"
#include "core/mesh/connectivity.hpp"
#include "precision/policy.hpp"

namespace ulpine::fem {

/// The matrices of a step, assembled in some policy: the part of a model that a policy changes. All memory is
/// the executor's, all fields nodal of type T (vectors 3 a node), all matrices on the mesh's pattern; what is
/// filled is overwritten. Forms: advection_diffusion.hpp, momentum.hpp, pressure.hpp.
template <class T>
class Assembler {
 public:
  virtual ~Assembler() = default;

  /// Arguments for the matrix of a scalar c that is advected, diffused and relaxed to a reference.
  struct Scalar {
    T const *velocity, *value, *diffusivity, *absorption, *reference;
    double implicit;  ///< dt times the implicitness, s
    T *matrix, *right;
    Upwinding<double> upwinding = {};
  };
  virtual void scalar(Scalar const& of) = 0;

  struct Momentum {
    T const *velocity, *old_velocity, *density, *viscosity, *absorption, *target, *buoyancy, *pressure;
    double implicit, gravity;
    T *matrix, *right, *mass;  ///< with the lumped mass on its diagonal; 3 a node; the lumped mass, kg
    Upwinding<double> upwinding = {};  ///< none, or streamline_upwind
  };
  virtual void momentum(Momentum const& of) = 0;

  /// C_P by parts, with the density between the time levels; 3 an entry.
  virtual void divergence(T const* density, T const* old_density, T implicitness, T* matrix) = 0;
  /// P, and the right-hand side for a density that is that of the pressure.
  struct Projection {
    T const *compressibility, *pressure, *old_density, *density;
    double step, implicitness;
    T *matrix, *right;
  };
  virtual void projection(Projection const& of) = 0;

  /// int N_i d_d N_j, 3 an entry: minus the transpose of C by parts.
  virtual void gradient(T* matrix) = 0;
  /// Fills the matrix K of the pressure's diffusion.
  virtual void pressure_diffusion(T* matrix) = 0;
};

/// Makes an assembler; `mesh` and `position` (m, 3 a node) are the executor's memory and outlive it.
template <class T, class Executor>
using AssemblerMaker = std::unique_ptr<Assembler<T>>(Executor, Assembly, TetraConnectivity const& mesh,
                                                     T const* position);

/// The assembler in policy P.
template <class P, class Executor>
std::unique_ptr<Assembler<typename P::State>> make_assembler(Executor executor, Assembly assembly,
                                                             TetraConnectivity const& mesh,
                                                             typename P::State const* position);

}  // namespace ulpine::fem
