// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/fft/plane_transform.hpp"
#include "core/poisson/column_solver.hpp"
#include "core/poisson/phases.hpp"

namespace ulpine {

/// Phases of a solution by transforms of whole planes.
template <class T>
class PlanePhases final : public PoissonPhases<T> {
 public:
  PlanePhases(PoissonGrid const& grid, std::unique_ptr<ColumnSolver<T>> columns,
              std::unique_ptr<PlaneTransform<T>> transform, Guarantee guarantee)
      : columns_{std::move(columns)}, transform_{std::move(transform)}, guarantee_{guarantee} {
    auto const bytes = static_cast<double>(sizeof(T));
    auto const real = bytes * static_cast<double>(grid.cells());
    auto const complex = bytes * static_cast<double>(grid.plane()) * grid.nz;
    minimal_bytes_ = {real + complex, 2 * complex, complex + real};
  }

  void forward(T* planes) override { transform_->forward(planes); }
  void tridiagonal(T* planes) override { columns_->solve(planes); }
  void inverse(T* planes) override { transform_->inverse(planes); }
  Guarantee guarantee() const override { return guarantee_; }
  std::array<double, 3> minimal_bytes() const override { return minimal_bytes_; }
  std::int64_t work_bytes() const override { return columns_->work_bytes() + transform_->work_bytes(); }

 private:
  std::unique_ptr<ColumnSolver<T>> columns_;
  std::unique_ptr<PlaneTransform<T>> transform_;
  Guarantee guarantee_;
  std::array<double, 3> minimal_bytes_{};
};

}  // namespace ulpine
