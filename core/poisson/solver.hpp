// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/poisson/grid.hpp"
#include "core/poisson/phases.hpp"

namespace ulpine {

/// Seconds that the parts of a PoissonSolver's call took.
struct PoissonSeconds {
  double forward = 0;      ///< the right-hand side's way to the device, and its transform
  double tridiagonal = 0;  ///< the columns
  double inverse = 0;      ///< the transform back, and the pressure's way to the host
  double total = 0;
};

/// Solves L p = d (grid.hpp) for host arrays of double, on the host or on a GPU, in double or float.
///
///   ulpine::PoissonSolver solver(grid, "cuda:0", "fp32");
///   solver.solve(rhs, pressure);
///
/// On a GPU levels travel in slabs through page-locked memory: while one is copied, the host converts the
/// next and the device transforms the one before.
class PoissonSolver {
 public:
  /// device: "cpu", "cuda" or "cuda:N"; precision: "fp64" or "fp32"; threads: of the host, which on a GPU
  /// convert. InputError where one of them or the grid is none, EnvironmentError without the device, the
  /// threads or the memory.
  explicit PoissonSolver(PoissonGrid const& grid, std::string const& device = "cpu",
                         std::string const& precision = "fp64", PoissonMethod method = PoissonMethod::vendor,
                         int threads = 1);
  PoissonSolver(PoissonSolver&&) noexcept;
  PoissonSolver& operator=(PoissonSolver&&) noexcept;
  ~PoissonSolver();

  /// rhs, pressure: (nz, ny, nx); they may be the same. Where L is singular, the mean of rhs (weighted with
  /// dz) is left out, and the pressure has none. InputError where a value of rhs is not finite in the
  /// precision; pressure is then as it was.
  void solve(double const* rhs, double* pressure);

  /// The times of the last call.
  PoissonSeconds seconds() const;
  /// The mean of rhs that the last call left out.
  double removed_mean() const;
  /// Bytes taken of the device's memory (the host's on the host), planes included.
  std::int64_t work_bytes() const;

  /// The implementation for one device in one precision.
  class Backend;

 private:
  std::unique_ptr<Backend> backend_;
};

}  // namespace ulpine
