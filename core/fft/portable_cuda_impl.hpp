// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fft/portable_cuda.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/fft/line_plan.hpp"
#include "core/fft/portable_host.hpp"

/// Definitions of the device's transforms; the launches are those of portable_cuda.cuh, compiled apart.
namespace ulpine::fft {
namespace detail {

inline std::int64_t shared_memory(Cuda cuda) {
  int bytes = 0;
  check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.ordinal),
             "asking for shared memory");
  return bytes;
}

/// A plan's tables on a device.
template <class T, class Format>
class DeviceLines {
 public:
  DeviceLines(Cuda cuda, LineKind kind, std::int32_t points) {
    LinePlan<T, Format> const plan(kind, points);
    table_ = Array<Complex<T>, Cuda>(cuda, static_cast<std::int64_t>(plan.table().size()));
    table_.from_host(plan.table().data());
    forward_ = plan.program(Direction::forward, table_.view().data());
    inverse_ = plan.program(Direction::inverse, table_.view().data());
  }
  LineProgram<T> const& program(Direction direction) const {
    return direction == Direction::forward ? forward_ : inverse_;
  }
  std::int64_t bytes() const { return table_.bytes(); }

 private:
  Array<Complex<T>, Cuda> table_;
  LineProgram<T> forward_, inverse_;
};

template <class T, class Format>
class PortableCuda final : public PlaneTransform<T> {
 public:
  PortableCuda(Cuda cuda, std::int32_t planes, std::int32_t ny, std::int32_t nx, DeviceSchedule schedule,
               PlaneLines lines)
      : cuda_{cuda},
        planes_{planes},
        ny_{ny},
        pairs_{pairs_of(nx, lines)},
        lines_{lines},
        limit_{shared_memory(cuda)},
        rows_(cuda, LineKind::real, lines == PlaneLines::columns ? 1 : nx),
        columns_(cuda, LineKind::complex, lines == PlaneLines::rows ? 1 : ny) {
    if (plane_pairs() > std::numeric_limits<std::int32_t>::max()) {
      throw InputError("no Fourier transform of planes of " + std::to_string(ny) + " x " +
                       std::to_string(nx) +
                       " points on a device (its indices have 32 bits) use --device cpu or smaller planes");
    }
    allow_shared_memory<T, Format>(cuda, limit_);
    if (schedule.shared_bytes > 0) limit_ = std::min(limit_, schedule.shared_bytes);
    auto const bytes = plane_pairs() * static_cast<std::int64_t>(sizeof(Complex<T>));
    auto const fitting = std::max(std::int64_t{1}, schedule.cached_bytes / bytes);
    auto const parts = std::max(std::int64_t{1}, (planes_ + fitting - 1) / fitting);
    at_once_ = lines == PlaneLines::all ? static_cast<std::int32_t>((planes_ + parts - 1) / parts) : planes_;
    std::int64_t scratch = 0;
    for (auto const direction : {Direction::forward, Direction::inverse}) {
      for (auto const& plan : {row_plan(direction, std::max(1, at_once_)), column_plan(direction)}) {
        if (!plan.shared) scratch = std::max(scratch, plan.bytes);
      }
    }
    scratch_ = Array<Complex<T>, Cuda>(cuda, scratch / static_cast<std::int64_t>(sizeof(Complex<T>)));
  }

  void forward(T* planes) override {
    by_parts(planes, [this](std::int32_t count, Complex<T>* part) {
      if (lines_ != PlaneLines::columns) transform_rows(Direction::forward, count, part);
      if (lines_ != PlaneLines::rows) transform_columns(Direction::forward, count, part);
    });
  }
  void inverse(T* planes) override {
    by_parts(planes, [this](std::int32_t count, Complex<T>* part) {
      if (lines_ != PlaneLines::rows) transform_columns(Direction::inverse, count, part);
      if (lines_ != PlaneLines::columns) transform_rows(Direction::inverse, count, part);
    });
  }
  std::int64_t work_bytes() const override { return rows_.bytes() + columns_.bytes() + scratch_.bytes(); }

 private:
  std::int64_t plane_pairs() const { return std::int64_t{ny_} * pairs_; }

  GroupPlan row_plan(Direction direction, std::int32_t count) const {
    return plan_rows(rows_.program(direction), count, ny_, pairs_, cuda_.block, limit_);
  }
  GroupPlan column_plan(Direction direction) const {
    return plan_columns(columns_.program(direction), ny_, pairs_, limit_);
  }

  template <class Transform>
  void by_parts(T* planes, Transform const& transform) {
    auto* const all = reinterpret_cast<Complex<T>*>(planes);
    for (std::int32_t k = 0; k < planes_; k += at_once_) {
      transform(std::min(at_once_, planes_ - k), all + k * plane_pairs());
    }
  }

  void transform_rows(Direction direction, std::int32_t count, Complex<T>* planes) {
    auto const plan = row_plan(direction, count);
    run(rows_.program(direction), plan, plan.layout.groups, planes);
  }
  void transform_columns(Direction direction, std::int32_t count, Complex<T>* planes) {
    auto const plan = column_plan(direction);
    run(columns_.program(direction), plan, plan.layout.groups * static_cast<std::uint32_t>(count), planes);
  }

  void run(LineProgram<T> const& program, GroupPlan const& plan, std::uint32_t groups, Complex<T>* planes) {
    if (program.count == 0) return;
    if (plan.shared) {
      run_groups<T, Format>(cuda_, program, plan.layout, groups, plan.bytes, planes);
      return;
    }
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (std::int32_t step = 0; step < program.count; ++step) {
        run_step<T, Format>(cuda_, program, step, plan.layout, group, scratch_.view().data(), planes);
      }
    }
  }

  Cuda cuda_;
  std::int32_t planes_, ny_, pairs_, at_once_ = 0;
  PlaneLines lines_;
  std::int64_t limit_;
  DeviceLines<T, Format> rows_, columns_;
  Array<Complex<T>, Cuda> scratch_;
};

/// Rows as PortableCuda transforms them, in shared memory alone.
template <class T, class Format>
class PortableRowsInPieces final : public RowsInPieces<T> {
 public:
  PortableRowsInPieces(Cuda cuda, RowsOfLevels const& rows)
      : cuda_{cuda},
        lines_(cuda, LineKind::real, rows.nx),
        all_{nullptr, rows.row / 2, rows.level / 2, rows.levels, rows.rows, Divider(rows.rows), {}} {
    auto const limit = shared_memory(cuda);
    allow_shared_memory<T, Format>(cuda, limit);
    for (auto const direction : {Direction::forward, Direction::inverse}) {
      plan(direction) =
          plan_rows(lines_.program(direction), rows.levels, rows.rows, rows.nx / 2 + 1, cuda.block, limit);
    }
  }
  bool fits() const { return plans_[0].shared && plans_[1].shared; }

  void forward(T* rows, RowPieces<T> const& pieces) override { run(Direction::forward, rows, pieces); }
  void inverse(RowPieces<T> const& pieces, T* rows) override { run(Direction::inverse, rows, pieces); }
  std::int64_t work_bytes() const override { return lines_.bytes(); }

 private:
  GroupPlan& plan(Direction direction) { return plans_[direction == Direction::forward ? 0 : 1]; }
  void run(Direction direction, T* rows, RowPieces<T> const& pieces) {
    auto all = all_;
    all.rows = reinterpret_cast<Complex<T>*>(rows);
    all.pieces = pieces;
    auto const& [layout, shared, bytes] = plan(direction);
    run_groups<T, Format>(cuda_, lines_.program(direction), layout, layout.groups, bytes, all);
  }

  Cuda cuda_;
  DeviceLines<T, Format> lines_;
  RowsAndPieces<T> all_;  ///< without addresses
  GroupPlan plans_[2];
};

}  // namespace detail

template <class T, class Format>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                           std::int32_t nx, DeviceSchedule schedule,
                                                           PlaneLines lines) {
  require_plane(planes, ny, nx);
  take_as_one_plane(planes, nx, lines);
  return std::make_unique<detail::PortableCuda<T, Format>>(cuda, planes, ny, nx, schedule, lines);
}

}  // namespace ulpine::fft

namespace ulpine {

template <class T, class Format>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                           std::int32_t nx, PlaneLines lines) {
  return fft::make_portable_transform<T, Format>(cuda, planes, ny, nx, {}, lines);
}

template <class T, class Format>
std::unique_ptr<RowsInPieces<T>> make_portable_rows_in_pieces(Cuda cuda, RowsOfLevels const& rows) {
  auto made = std::make_unique<fft::detail::PortableRowsInPieces<T, Format>>(cuda, rows);
  return made->fits() ? std::move(made) : nullptr;
}

}  // namespace ulpine
