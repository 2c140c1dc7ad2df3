// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "core/fft/plane_transform.hpp"
#include "core/poisson/column_solver.hpp"
#include "core/poisson/phases.hpp"
#include "core/poisson/plane_phases.hpp"
#include "core/poisson/shared_phases.hpp"

namespace ulpine {

template <class T, class Format, class Executor>
std::unique_ptr<PlaneTransform<T>> make_plane_transform(Executor executor, PoissonMethod method,
                                                        std::int32_t planes, std::int32_t ny, std::int32_t nx,
                                                        PlaneLines lines = PlaneLines::all) {
  if (method == PoissonMethod::portable) {
    return make_portable_transform<T, Format>(executor, planes, ny, nx, lines);
  }
  return make_vendor_transform<T>(executor, planes, ny, nx, lines);
}

/// Transforms of rows in pieces; null for a vendor's transform and on the host, where rows are packed.
template <class T, class Format, class Executor>
std::unique_ptr<RowsInPieces<T>> make_rows_in_pieces(Executor executor, PoissonMethod method,
                                                     RowsOfLevels const& rows) {
  if constexpr (Executor::on_device) {
    if (method == PoissonMethod::portable) return make_portable_rows_in_pieces<T, Format>(executor, rows);
  }
  return nullptr;
}

inline Guarantee promise_of(PoissonMethod method) {
  return method == PoissonMethod::portable ? Guarantee::bitwise : Guarantee::run_to_run;
}

/// The column solver is made first: it looks whether the grid is one.
template <class T, class Format, class Executor>
std::unique_ptr<PoissonPhases<T>> make_plane_phases(Executor executor, PoissonGrid const& grid,
                                                    PoissonMethod method) {
  auto columns = make_column_solver<T, Format>(executor, grid);
  return std::make_unique<PlanePhases<T>>(
      grid, std::move(columns), make_plane_transform<T, Format>(executor, method, grid.nz, grid.ny, grid.nx),
      promise_of(method));
}

template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Host host, PoissonGrid const& grid,
                                                      PoissonMethod method) {
  return make_plane_phases<T, Format>(host, grid, method);
}

template <class T, class Format, class Executor>
std::unique_ptr<PoissonPhases<T>> make_shared_phases(Executor executor, PoissonGrid const& grid,
                                                     PoissonMethod method, PoissonShare const& share,
                                                     std::shared_ptr<Link<Executor>> link) {
  return std::make_unique<SharedPlanePhases<T, Executor>>(
      executor, grid, share, std::move(link), promise_of(method),
      [&](std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines) {
        return make_plane_transform<T, Format>(executor, method, planes, ny, nx, lines);
      },
      [&](RowsOfLevels const& rows) { return make_rows_in_pieces<T, Format>(executor, method, rows); },
      [&](Modes modes) {
        return make_column_solver<T, Format>(executor, grid, modes, ColumnPasses::fewest);
      });
}
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Host host, PoissonGrid const& grid,
                                                      PoissonMethod method, PoissonShare const& share,
                                                      std::shared_ptr<Link<Host>> link) {
  return make_shared_phases<T, Format>(host, grid, method, share, std::move(link));
}

}  // namespace ulpine
