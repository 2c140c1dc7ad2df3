// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/fft/plane_transform.hpp"
#include "core/poisson/column_solver.hpp"
#include "core/poisson/phases.hpp"
#include "core/ranks/redistribution.hpp"

namespace ulpine {

/// Who transforms which rows, and who which wavenumbers along x, of which it solves the columns, too: as
/// evenly as may be, some rank none where there are few. Where blocks have whole rows, these are their own.
struct PlaneShares {
  template <class Executor>
  PlaneShares(PoissonGrid const& grid, Link<Executor> const& link)
      : rank{link.ranks()->rank()},
        ranks{link.ranks()->size()},
        rows{grid.ny, ranks},
        modes{grid.modes_x(), ranks},
        levels{grid.nz} {}

  Modes modes_of_rank() const { return {modes.begin(rank), modes.size(rank)}; }
  std::int32_t rows_of_rank() const { return rows.size(rank); }

  /// Whole rows, of all levels.
  Distribution row_parts() const {
    return of_all(
        [&](int r) {
          return IndexBox{{0, levels}, range(rows, r), {0, values()}};
        },
        std::int64_t{values()} * rows.size(rank), values());
  }
  /// Whole columns of wavenumbers.
  Distribution mode_parts() const {
    auto const row = 2 * modes.size(rank);
    return of_all(
        [&](int r) {
          return IndexBox{{0, levels}, {0, rows.extent}, {2 * modes.begin(r), 2 * modes.begin(r + 1)}};
        },
        std::int64_t{row} * rows.extent, row);
  }
  /// Blocks of whole columns of points, as planes of real values or, with `padding`, of wavenumbers, of which
  /// the blocks farthest along x have some more.
  Distribution blocks(PoissonShare const& share, bool padding) const {
    auto const &along_x = share.blocks.along_x(), &along_y = share.blocks.along_y();
    return of_all(
        [&](int r) {
          auto x = range(along_x, r % along_x.parts);
          if (padding && x.end == along_x.extent) x.end = values();
          return IndexBox{{0, levels}, range(along_y, r / along_x.parts), x};
        },
        share.plane, share.row);
  }

  /// Of a row of wavenumbers.
  std::int32_t values() const { return 2 * modes.extent; }

  int rank, ranks;
  Cut rows, modes;
  std::int32_t levels;

 private:
  static IndexRange range(Cut const& cut, int part) { return {cut.begin(part), cut.begin(part + 1)}; }
  template <class Box>
  Distribution of_all(Box const& box, std::int64_t plane, std::int64_t row) const {
    Distribution all{{}, plane, row};
    for (int r = 0; r < ranks; ++r) all.boxes.push_back(box(r));
    return all;
  }
};

/// PlanePhases on planes that ranks share in blocks: rows are transformed where whole rows are, and what
/// follows where all rows of some wavenumbers are.
template <class T, class Executor>
class SharedPlanePhases final : public PoissonPhases<T> {
 public:
  using Transform = std::unique_ptr<PlaneTransform<T>>;
  /// `transform(planes, ny, nx, lines)` makes a transform, `solver(modes)` the solver of some columns.
  template <class MakeTransform, class MakeSolver>
  SharedPlanePhases(Executor executor, PoissonGrid const& grid, PoissonShare const& share,
                    std::shared_ptr<Link<Executor>> link, Guarantee guarantee, MakeTransform const& transform,
                    MakeSolver const& solver)
      : SharedPlanePhases(executor, PlaneShares(grid, *link), grid, share, link, guarantee) {
    if (row_parts_.size() > 0) {
      rows_ = transform(grid.nz, shares_.rows_of_rank(), grid.nx, PlaneLines::rows);
    }
    if (mode_parts_.size() > 0) {
      columns_ = transform(grid.nz, grid.ny, shares_.modes_of_rank().count, PlaneLines::columns);
      solver_ = solver(shares_.modes_of_rank());
    }
  }

  void forward(T* planes) override {
    points_to_rows_.there(executor_, planes, row_part());
    if (rows_) rows_->forward(row_part());
    rows_to_modes_.there(executor_, row_part(), mode_part());
    if (columns_) columns_->forward(mode_part());
    hand_out(planes);
  }
  void tridiagonal(T* planes) override {
    take_back(planes);
    if (solver_) solver_->solve(mode_part());
    hand_out(planes);
  }
  void inverse(T* planes) override {
    take_back(planes);
    if (columns_) columns_->inverse(mode_part());
    rows_to_modes_.back(executor_, mode_part(), row_part());
    if (rows_) rows_->inverse(row_part());
    points_to_rows_.back(executor_, row_part(), planes);
  }
  void show(bool between_phases) override { shown_ = between_phases; }
  Guarantee guarantee() const override { return guarantee_; }
  std::array<double, 3> minimal_bytes() const override {
    auto const bytes = static_cast<double>(sizeof(T));
    auto const modes = bytes * static_cast<double>(mode_parts_.size());
    auto const moved = 2 * bytes *
                       static_cast<double>(points_to_rows_.leaving() + points_to_rows_.coming() +
                                           rows_to_modes_.leaving() + rows_to_modes_.coming());
    return {points_ + modes + moved, 2 * modes, modes + points_ + moved};
  }
  std::int64_t work_bytes() const override {
    return row_parts_.bytes() + mode_parts_.bytes() + buffers_->sent.bytes() + buffers_->received.bytes() +
           (rows_ ? rows_->work_bytes() : 0) + (columns_ ? columns_->work_bytes() : 0) +
           (solver_ ? solver_->work_bytes() : 0);
  }

 private:
  SharedPlanePhases(Executor executor, PlaneShares const& shares, PoissonGrid const& grid,
                    PoissonShare const& share, std::shared_ptr<Link<Executor>> const& link,
                    Guarantee guarantee)
      : executor_{executor},
        shares_{shares},
        guarantee_{guarantee},
        points_{static_cast<double>(sizeof(T)) * share.blocks.nx() * share.blocks.ny() * grid.nz},
        row_parts_(executor, std::int64_t{grid.nz} * shares.rows_of_rank() * shares.values()),
        mode_parts_(executor, std::int64_t{grid.nz} * grid.ny * 2 * shares.modes_of_rank().count),
        points_to_rows_(executor, link, shares.blocks(share, false), shares.row_parts(), buffers_),
        rows_to_modes_(executor, link, shares.row_parts(), shares.mode_parts(), buffers_),
        modes_to_blocks_(executor, link, shares.mode_parts(), shares.blocks(share, true), buffers_) {}

  T* row_part() { return row_parts_.view().data(); }
  T* mode_part() { return mode_parts_.view().data(); }
  void hand_out(T* planes) {
    if (shown_) modes_to_blocks_.there(executor_, mode_part(), planes);
  }
  /// As whoever looked has left them.
  void take_back(T* planes) {
    if (shown_) modes_to_blocks_.back(executor_, planes, mode_part());
  }

  Executor executor_;
  PlaneShares shares_;
  Guarantee guarantee_;
  double points_;  ///< bytes
  Array<T, Executor> row_parts_, mode_parts_;
  std::shared_ptr<MessageBuffers<Executor>> buffers_ = std::make_shared<MessageBuffers<Executor>>();
  Redistribution<T, Executor> points_to_rows_, rows_to_modes_, modes_to_blocks_;
  Transform rows_, columns_;
  std::unique_ptr<ColumnSolver<T>> solver_;
  bool shown_ = false;
};

}  // namespace ulpine
