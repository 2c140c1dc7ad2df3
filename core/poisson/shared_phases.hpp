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

/// Who transforms which levels, and solves which rows of wavenumbers: as evenly as may be, some rank none
/// where there are few.
struct PlaneShares {
  template <class Executor>
  PlaneShares(PoissonGrid const& grid, Link<Executor> const& link)
      : rank{link.ranks()->rank()},
        ranks{link.ranks()->size()},
        levels{grid.nz, ranks},
        rows{grid.ny, ranks},
        values{2 * grid.modes_x()} {}

  ModeRows rows_of(int r) const { return {rows.begin(r), rows.size(r)}; }

  /// Whole planes, of some levels each.
  Distribution slabs() const {
    return of_all(
        [&](int r) {
          return IndexBox{range(levels, r), {0, rows.extent}, {0, values}};
        },
        std::int64_t{values} * rows.extent, values);
  }
  /// Whole columns of wavenumbers.
  Distribution columns() const {
    return of_all(
        [&](int r) {
          return IndexBox{{0, levels.extent}, range(rows, r), {0, values}};
        },
        std::int64_t{values} * rows.size(rank), values);
  }
  /// Blocks of whole columns of points, as planes of real values or, with `padding`, of wavenumbers, of which
  /// the blocks farthest along x have some more.
  Distribution blocks(PoissonShare const& share, bool padding) const {
    auto const &along_x = share.blocks.along_x(), &along_y = share.blocks.along_y();
    return of_all(
        [&](int r) {
          auto x = range(along_x, r % along_x.parts);
          if (padding && x.end == along_x.extent) x.end = values;
          return IndexBox{{0, levels.extent}, range(along_y, r / along_x.parts), x};
        },
        share.plane, share.row);
  }

  int rank, ranks;
  Cut levels, rows;
  std::int32_t values;  ///< of a row of wavenumbers

 private:
  static IndexRange range(Cut const& cut, int part) { return {cut.begin(part), cut.begin(part + 1)}; }
  template <class Box>
  Distribution of_all(Box const& box, std::int64_t plane, std::int64_t row) const {
    Distribution all{{}, plane, row};
    for (int r = 0; r < ranks; ++r) all.boxes.push_back(box(r));
    return all;
  }
};

/// PlanePhases on planes that ranks share in blocks: each phase on what a rank has all of.
template <class T, class Executor>
class SharedPlanePhases final : public PoissonPhases<T> {
 public:
  /// The solver and the transform of this rank's share; null where that is empty.
  SharedPlanePhases(Executor executor, PoissonGrid const& grid, PoissonShare const& share,
                    PlaneShares const& shares, std::shared_ptr<Link<Executor>> link,
                    std::unique_ptr<ColumnSolver<T>> columns, std::unique_ptr<PlaneTransform<T>> transform,
                    Guarantee guarantee)
      : executor_{executor},
        columns_{std::move(columns)},
        transform_{std::move(transform)},
        guarantee_{guarantee},
        slab_(executor, std::int64_t{shares.levels.size(shares.rank)} * grid.plane()),
        column_(executor, std::int64_t{grid.nz} * shares.rows.size(shares.rank) * shares.values),
        buffers_{std::make_shared<MessageBuffers<Executor>>()},
        points_to_planes_(executor, link, shares.blocks(share, false), shares.slabs(), buffers_),
        planes_to_columns_(executor, link, shares.slabs(), shares.columns(), buffers_),
        columns_to_blocks_(executor, link, shares.columns(), shares.blocks(share, true), buffers_) {
    auto const bytes = static_cast<double>(sizeof(T));
    auto const real = bytes * share.blocks.nx() * share.blocks.ny() * grid.nz;
    auto const complex = bytes * static_cast<double>(slab_.size());
    auto const moved = 2 * bytes *
                       static_cast<double>(points_to_planes_.leaving() + points_to_planes_.coming() +
                                           planes_to_columns_.leaving() + planes_to_columns_.coming());
    minimal_bytes_ = {real + complex + moved, 2 * bytes * static_cast<double>(column_.size()),
                      complex + real + moved};
  }

  void forward(T* planes) override {
    points_to_planes_.there(executor_, planes, slab());
    if (transform_) transform_->forward(slab());
    planes_to_columns_.there(executor_, slab(), column());
    hand_out(planes);
  }
  void tridiagonal(T* planes) override {
    take_back(planes);
    if (columns_) columns_->solve(column());
    hand_out(planes);
  }
  void inverse(T* planes) override {
    take_back(planes);
    planes_to_columns_.back(executor_, column(), slab());
    if (transform_) transform_->inverse(slab());
    points_to_planes_.back(executor_, slab(), planes);
  }
  void show(bool between_phases) override { shown_ = between_phases; }
  Guarantee guarantee() const override { return guarantee_; }
  std::array<double, 3> minimal_bytes() const override { return minimal_bytes_; }
  std::int64_t work_bytes() const override {
    return slab_.bytes() + column_.bytes() + buffers_->sent.bytes() + buffers_->received.bytes() +
           (columns_ ? columns_->work_bytes() : 0) + (transform_ ? transform_->work_bytes() : 0);
  }

 private:
  T* slab() { return slab_.view().data(); }
  T* column() { return column_.view().data(); }
  void hand_out(T* planes) {
    if (shown_) columns_to_blocks_.there(executor_, column(), planes);
  }
  /// As whoever looked has left them.
  void take_back(T* planes) {
    if (shown_) columns_to_blocks_.back(executor_, planes, column());
  }

  Executor executor_;
  std::unique_ptr<ColumnSolver<T>> columns_;
  std::unique_ptr<PlaneTransform<T>> transform_;
  Guarantee guarantee_;
  Array<T, Executor> slab_, column_;
  std::shared_ptr<MessageBuffers<Executor>> buffers_;
  Redistribution<T, Executor> points_to_planes_, planes_to_columns_, columns_to_blocks_;
  std::array<double, 3> minimal_bytes_{};
  bool shown_ = false;
};

}  // namespace ulpine
