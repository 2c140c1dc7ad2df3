// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/executor.hpp"
#include "core/poisson/grid.hpp"
#include "precision/formats.hpp"

namespace ulpine {

/// Solves the columns of a Poisson equation in Fourier space (columns.hpp), in place: nz planes of ny rows of
/// 2 (nx / 2 + 1) values, as PlaneTransform leaves them, or of Modes. Scales by 1 / (nx ny). The same bits on
/// the host, for any number of threads, and on a device; each column for itself, so also where planes hold
/// only some of the wavenumbers along x.
template <class T>
class ColumnSolver {
 public:
  virtual ~ColumnSolver() = default;
  /// Solves in place, in stream order on a device; neither allocates nor waits.
  virtual void solve(T* planes) = 0;
  /// Size of the memory used besides the planes.
  virtual std::int64_t work_bytes() const = 0;
};

/// How a device goes over memory: once where a column fits into a multiprocessor's shared memory.
enum class ColumnPasses { fewest, two };

/// Operands of the sweeps' products are rounded to `Format` (float only, but for Exact). T: float, double,
/// DoubleFloat and, on the host alone, float128. Planes hold `modes`, at least one. InputError as
/// check_poisson_grid.
template <class T, class Format>
std::unique_ptr<ColumnSolver<T>> make_column_solver(Host host, PoissonGrid const& grid, Modes modes,
                                                    ColumnPasses passes);
template <class T, class Format>
std::unique_ptr<ColumnSolver<T>> make_column_solver(Cuda cuda, PoissonGrid const& grid, Modes modes,
                                                    ColumnPasses passes);
/// A solver of the columns of all wavenumbers.
template <class T, class Format, class Executor>
std::unique_ptr<ColumnSolver<T>> make_column_solver(Executor executor, PoissonGrid const& grid,
                                                    ColumnPasses passes = ColumnPasses::fewest) {
  return make_column_solver<T, Format>(executor, grid, all_modes(grid), passes);
}

}  // namespace ulpine
