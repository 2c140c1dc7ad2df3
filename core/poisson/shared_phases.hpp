// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
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

  /// Whole rows.
  Distribution row_parts(IndexRange of_levels) const {
    return of_all(
        [&](int r) {
          return IndexBox{of_levels, range(rows, r), {0, values()}};
        },
        std::int64_t{values()} * rows.size(rank), values());
  }
  /// Whole columns of wavenumbers.
  Distribution mode_parts(IndexRange of_levels) const {
    auto const row = 2 * modes.size(rank);
    return of_all(
        [&](int r) {
          return IndexBox{of_levels, {0, rows.extent}, {2 * modes.begin(r), 2 * modes.begin(r + 1)}};
        },
        std::int64_t{row} * rows.extent, row);
  }
  /// Blocks of whole columns of points, as planes of real values or, with `padding`, of wavenumbers, of which
  /// the blocks farthest along x have some more.
  Distribution blocks(PoissonShare const& share, bool padding, IndexRange of_levels) const {
    auto const &along_x = share.blocks.along_x(), &along_y = share.blocks.along_y();
    return of_all(
        [&](int r) {
          auto x = range(along_x, r % along_x.parts);
          if (padding && x.end == along_x.extent) x.end = values();
          return IndexBox{of_levels, range(along_y, r / along_x.parts), x};
        },
        share.plane, share.row);
  }

  IndexRange all_levels() const { return {0, levels}; }
  /// Of a row of wavenumbers.
  std::int32_t values() const { return 2 * modes.extent; }
  /// In which levels are sent: all ranks find the same.
  std::vector<IndexRange> level_parts(PoissonShare const& share, std::int64_t value_bytes) const {
    auto const message = value_bytes * levels * rows.extent * values() / (std::int64_t{ranks} * ranks);
    auto const most = std::min<std::int64_t>(4, levels);
    Cut const cut{levels, static_cast<int>(std::clamp(message / share.least_message, std::int64_t{1}, most))};
    std::vector<IndexRange> all;
    for (int part = 0; part < cut.parts; ++part) all.push_back(range(cut, part));
    return all;
  }

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
                    std::shared_ptr<Link<Executor>> const& link, Guarantee guarantee,
                    MakeTransform const& transform, MakeSolver const& solver)
      : executor_{executor}, guarantee_{guarantee} {
    PlaneShares const shares(grid, *link);
    auto const rows = shares.rows_of_rank(), values = shares.values();
    auto const modes = shares.modes_of_rank();
    bool const in_place =
        share.blocks.along_x().parts == 1 && share.row == values && share.plane % values == 0;
    row_plane_ = in_place ? share.plane : std::int64_t{rows} * values;
    mode_plane_ = std::int64_t{grid.ny} * 2 * modes.count;
    modes_ = Array<T, Executor>(executor, grid.nz * mode_plane_);
    auto const buffers = std::make_shared<MessageBuffers<Executor>>();
    buffers_.push_back(buffers);
    if (!in_place) {
      rows_ = Array<T, Executor>(executor, grid.nz * row_plane_);
      points_to_rows_.emplace(executor, link, shares.blocks(share, false, shares.all_levels()),
                              shares.row_parts(shares.all_levels()), buffers);
      moved_ += points_to_rows_->leaving() + points_to_rows_->coming();
    }
    for (auto const levels : shares.level_parts(share, sizeof(T))) {
      auto const own = buffers_.emplace_back(std::make_shared<MessageBuffers<Executor>>());
      Part part{levels,
                {},
                {},
                {executor, link, in_place ? shares.blocks(share, true, levels) : shares.row_parts(levels),
                 shares.mode_parts(levels), own}};
      auto const all_rows = (levels.size() - 1) * (row_plane_ / values) + rows;
      if (rows > 0) {
        part.rows = transform(1, static_cast<std::int32_t>(all_rows), grid.nx, PlaneLines::rows);
      }
      if (modes.count > 0) {
        part.columns = transform(levels.size(), grid.ny, modes.count, PlaneLines::columns);
      }
      moved_ += part.rows_to_modes.leaving() + part.rows_to_modes.coming();
      parts_.push_back(std::move(part));
    }
    modes_to_blocks_.emplace(executor, link, shares.mode_parts(shares.all_levels()),
                             shares.blocks(share, true, shares.all_levels()), buffers);
    if (modes.count > 0) solver_ = solver(modes);
    points_ = std::int64_t{share.blocks.nx()} * share.blocks.ny() * grid.nz;
  }

  void forward(T* planes) override {
    if (points_to_rows_) points_to_rows_->there(executor_, planes, rows_.view().data());
    for (auto& part : parts_) {
      if (part.rows) part.rows->forward(rows_of(part, planes));
      part.rows_to_modes.begin_there(executor_, rows_of(part, planes), modes_of(part));
    }
    for (auto& part : parts_) {
      part.rows_to_modes.end_there(executor_, modes_of(part));
      if (part.columns) part.columns->forward(modes_of(part));
    }
    hand_out(planes);
  }
  void tridiagonal(T* planes) override {
    take_back(planes);
    if (solver_) solver_->solve(modes_.view().data());
    hand_out(planes);
  }
  void inverse(T* planes) override {
    take_back(planes);
    for (auto& part : parts_) {
      if (part.columns) part.columns->inverse(modes_of(part));
      part.rows_to_modes.begin_back(executor_, modes_of(part), rows_of(part, planes));
    }
    for (auto& part : parts_) {
      part.rows_to_modes.end_back(executor_, rows_of(part, planes));
      if (part.rows) part.rows->inverse(rows_of(part, planes));
    }
    if (points_to_rows_) points_to_rows_->back(executor_, rows_.view().data(), planes);
  }
  void show(bool between_phases) override { shown_ = between_phases; }
  Guarantee guarantee() const override { return guarantee_; }
  std::array<double, 3> minimal_bytes() const override {
    auto const bytes = static_cast<double>(sizeof(T));
    auto const points = bytes * static_cast<double>(points_),
               modes = bytes * static_cast<double>(modes_.size()),
               moved = 2 * bytes * static_cast<double>(moved_);
    return {points + modes + moved, 2 * modes, modes + points + moved};
  }
  std::int64_t work_bytes() const override {
    auto sum = rows_.bytes() + modes_.bytes() + (solver_ ? solver_->work_bytes() : 0);
    for (auto const& buffers : buffers_) sum += buffers->sent.bytes() + buffers->received.bytes();
    for (auto const& part : parts_) {
      sum += (part.rows ? part.rows->work_bytes() : 0) + (part.columns ? part.columns->work_bytes() : 0);
    }
    return sum;
  }

 private:
  /// Some levels.
  struct Part {
    IndexRange levels;
    Transform rows, columns;
    Redistribution<T, Executor> rows_to_modes;
  };

  T* rows_of(Part const& part, T* planes) {
    return (points_to_rows_ ? rows_.view().data() : planes) + part.levels.begin * row_plane_;
  }
  T* modes_of(Part const& part) { return modes_.view().data() + part.levels.begin * mode_plane_; }
  void hand_out(T* planes) {
    if (shown_) modes_to_blocks_->there(executor_, modes_.view().data(), planes);
  }
  /// As whoever looked has left them.
  void take_back(T* planes) {
    if (shown_) modes_to_blocks_->back(executor_, planes, modes_.view().data());
  }

  Executor executor_;
  Guarantee guarantee_;
  std::int64_t points_ = 0, moved_ = 0;  ///< values of this rank's, and those that it sends and gets
  std::int64_t row_plane_ = 0, mode_plane_ = 0;
  Array<T, Executor> rows_, modes_;
  std::vector<std::shared_ptr<MessageBuffers<Executor>>> buffers_;
  std::optional<Redistribution<T, Executor>> points_to_rows_, modes_to_blocks_;
  std::vector<Part> parts_;
  std::unique_ptr<ColumnSolver<T>> solver_;
  bool shown_ = false;
};

}  // namespace ulpine
