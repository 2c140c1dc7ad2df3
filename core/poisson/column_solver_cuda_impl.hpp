// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/memory.hpp"
#include "core/poisson/column_solver.hpp"
#include "core/poisson/column_tables.hpp"
#include "core/poisson/columns_cuda.hpp"

namespace ulpine {

/// Solves columns by the launches of columns_cuda.hpp.
template <class T, class Format>
class DeviceColumns final : public ColumnSolver<T> {
 public:
  DeviceColumns(Cuda cuda, PoissonGrid const& grid, Modes modes, ColumnPasses passes)
      : cuda_{cuda},
        tables_(cuda, grid, modes),
        once_{passes == ColumnPasses::fewest &&
              detail::prepare_columns_in_shared_memory<T, Format>(cuda, grid.nz)},
        losses_(cuda, once_ ? 0 : tables_.view().columns() * grid.nz) {}

  void solve(T* planes) override {
    if (once_) {
      detail::solve_columns_in_shared_memory<T, Format>(cuda_, tables_.view(), planes);
    } else {
      detail::solve_columns_in_two_passes<T, Format>(cuda_, tables_.view(), planes, losses_.view().data());
    }
  }
  std::int64_t work_bytes() const override { return tables_.bytes() + losses_.bytes(); }

 private:
  Cuda cuda_;
  ColumnTableArrays<T, Cuda> tables_;
  bool once_;
  Array<T, Cuda> losses_;
};

template <class T, class Format>
std::unique_ptr<ColumnSolver<T>> make_column_solver(Cuda cuda, PoissonGrid const& grid, Modes modes,
                                                    ColumnPasses passes) {
  return std::make_unique<DeviceColumns<T, Format>>(cuda, grid, modes, passes);
}

}  // namespace ulpine
