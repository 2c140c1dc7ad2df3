// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/fft/plane_transform.hpp"
#include "core/fft/row_pieces.hpp"
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

  Modes modes_of_rank() const { return {modes.begin(rank), modes.size(rank), true}; }
  std::int32_t rows_of_rank() const { return rows.size(rank); }

  /// Distribution in which each rank has whole rows.
  Distribution row_parts() const {
    return of_all(
        [&](int r) {
          return box(range(rows, r), {0, values()});
        },
        std::int64_t{values()} * rows.size(rank), values());
  }
  /// Distribution in which each rank has whole columns of wavenumbers.
  Distribution mode_parts() const {
    auto const level = 2 * modes.size(rank);
    return of_all(
        [&](int r) {
          return box({0, rows.extent}, {2 * modes.begin(r), 2 * modes.begin(r + 1)});
        },
        level, std::int64_t{level} * levels);
  }
  /// Blocks of whole columns of points, as planes of real values or, with `padding`, of wavenumbers, of which
  /// the blocks farthest along x have some more.
  Distribution blocks(PoissonShare const& share, bool padding) const {
    auto const &along_x = share.blocks.along_x(), &along_y = share.blocks.along_y();
    return of_all(
        [&](int r) {
          auto x = range(along_x, r % along_x.parts);
          if (padding && x.end == along_x.extent) x.end = values();
          return box(range(along_y, r / along_x.parts), x);
        },
        share.plane, share.row);
  }

  /// Number of values in a row of wavenumbers.
  std::int32_t values() const { return 2 * modes.extent; }

  int rank, ranks;
  Cut rows, modes;
  std::int32_t levels;

 private:
  static IndexRange range(Cut const& cut, int part) { return {cut.begin(part), cut.begin(part + 1)}; }
  /// Rows are slowest in messages, and where whole columns are: so what comes from a rank is dense there.
  IndexBox box(IndexRange y, IndexRange x) const { return {y, {0, levels}, x}; }
  template <class Box>
  Distribution of_all(Box const& box, std::int64_t level, std::int64_t row) const {
    Distribution all{{}, row, level};
    for (int r = 0; r < ranks; ++r) all.boxes.push_back(box(r));
    return all;
  }
};

/// Makes no transform of rows in pieces: rows are packed.
inline constexpr auto no_pieces = [](RowsOfLevels const&) { return nullptr; };

/// PlanePhases on planes that ranks share in blocks: rows are transformed where whole rows are, and what
/// follows where all rows of some wavenumbers are.
template <class T, class Executor>
class SharedPlanePhases final : public PoissonPhases<T> {
 public:
  using Transform = std::unique_ptr<PlaneTransform<T>>;
  using Pieces = std::unique_ptr<RowsInPieces<T>>;
  /// `transform(planes, ny, nx, lines)` makes a transform, `pieces(rows)` that of rows in pieces, or null,
  /// `solver(modes)` the solver of some columns.
  template <class MakeTransform, class MakePieces, class MakeSolver>
  SharedPlanePhases(Executor executor, PoissonGrid const& grid, PoissonShare const& share,
                    std::shared_ptr<Link<Executor>> const& link, Guarantee guarantee,
                    MakeTransform const& transform, MakePieces const& pieces, MakeSolver const& solver)
      : executor_{executor}, guarantee_{guarantee} {
    PlaneShares const shares(grid, *link);
    auto const rows = shares.rows_of_rank(), values = shares.values();
    auto const modes = shares.modes_of_rank();
    auto const blocks = shares.blocks(share, true), columns = shares.mode_parts();
    bool const in_place =
        share.blocks.along_x().parts == 1 && share.row == values && share.plane % values == 0;
    if (!in_place) {
      row_part_ = Array<T, Executor>(executor, std::int64_t{grid.nz} * rows * values);
      points_to_rows_.emplace(executor, link, shares.blocks(share, false), shares.row_parts(), buffers_);
      moved_ += points_to_rows_->leaving() + points_to_rows_->coming();
    }
    mode_part_ = Array<T, Executor>(executor, std::int64_t{grid.nz} * grid.ny * 2 * modes.count);
    rows_to_modes_.emplace(executor, link, in_place ? blocks : shares.row_parts(), columns, buffers_);
    moved_ += rows_to_modes_->leaving() + rows_to_modes_->coming();
    modes_to_blocks_.emplace(executor, link, columns, blocks, buffers_);
    if (rows > 0 && in_place && shares.ranks <= RowPieces<T>::most && rows_to_modes_->can_be_packed()) {
      pieces_ = pieces(RowsOfLevels{grid.nz, rows, grid.nx, values, share.plane});
      for (int r = 0; r <= shares.ranks; ++r) places_.begin[r] = shares.modes.begin(r);
    }
    if (rows > 0 && !pieces_) {
      auto const from_level_to_level = in_place ? share.plane / values : rows;
      auto const all = (grid.nz - 1) * from_level_to_level + rows;
      rows_ = transform(1, static_cast<std::int32_t>(all), grid.nx, PlaneLines::rows);
    }
    if (modes.count > 0) {
      columns_ = transform(grid.nz, grid.ny, modes.count, PlaneLines::columns_of_rows_together);
      solver_ = solver(modes);
    }
    points_ = std::int64_t{share.blocks.nx()} * share.blocks.ny() * grid.nz;
  }

  void forward(T* planes) override {
    rows_to_modes_->there(executor_, forward_rows(planes), mode_part(), packing());
    forward_columns(planes);
  }
  void begin_forward(T* planes) override {
    rows_to_modes_->begin_there(forward_rows(planes), mode_part(), packing());
  }
  void end_forward(T* planes) override {
    rows_to_modes_->end_there(mode_part());
    forward_columns(planes);
  }
  void tridiagonal(T* planes) override {
    take_back(planes);
    if (solver_) solver_->solve(mode_part());
    hand_out(planes);
  }
  void inverse(T* planes) override {
    inverse_columns(planes);
    rows_to_modes_->back(executor_, mode_part(), row_part(planes), packing());
    inverse_rows(planes);
  }
  void begin_inverse(T* planes) override {
    inverse_columns(planes);
    rows_to_modes_->begin_back(mode_part(), row_part(planes), packing());
  }
  void end_inverse(T* planes) override {
    rows_to_modes_->end_back(row_part(planes), packing());
    inverse_rows(planes);
  }
  void show(bool between_phases) override { shown_ = between_phases; }
  Guarantee guarantee() const override { return guarantee_; }
  std::array<double, 3> minimal_bytes() const override {
    auto const bytes = static_cast<double>(sizeof(T));
    auto const points = bytes * static_cast<double>(points_),
               modes = bytes * static_cast<double>(mode_part_.size()),
               moved = (pieces_ ? 1 : 2) * bytes * static_cast<double>(moved_);
    return {points + modes + moved, 2 * modes, modes + points + moved};
  }
  std::int64_t work_bytes() const override {
    return row_part_.bytes() + mode_part_.bytes() + buffers_->sent.bytes() + buffers_->received.bytes() +
           (rows_ ? rows_->work_bytes() : 0) + (pieces_ ? pieces_->work_bytes() : 0) +
           (columns_ ? columns_->work_bytes() : 0) + (solver_ ? solver_->work_bytes() : 0);
  }

 private:
  /// Whole rows are transformed where they are.
  T* row_part(T* planes) { return points_to_rows_ ? row_part_.view().data() : planes; }
  T* mode_part() { return mode_part_.view().data(); }
  Packing packing() const { return pieces_ ? Packing::by_caller : Packing::own; }
  T* forward_rows(T* planes) {
    auto* const rows = row_part(planes);
    if (points_to_rows_) points_to_rows_->there(executor_, planes, rows);
    if (rows_) rows_->forward(rows);
    if (pieces_) {
      rows_to_modes_->places_there(mode_part(), [this](int r, T* first) { places_.first[r] = first; });
      pieces_->forward(rows, places_);
    }
    return rows;
  }
  void forward_columns(T* planes) {
    if (columns_) columns_->forward(mode_part());
    hand_out(planes);
  }
  void inverse_columns(T* planes) {
    take_back(planes);
    if (columns_) columns_->inverse(mode_part());
  }
  void inverse_rows(T* planes) {
    auto* const rows = row_part(planes);
    if (rows_) rows_->inverse(rows);
    if (pieces_) {
      rows_to_modes_->places_back(mode_part(), [this](int r, T* first) { places_.first[r] = first; });
      pieces_->inverse(places_, rows);
    }
    if (points_to_rows_) points_to_rows_->back(executor_, rows, planes);
  }
  void hand_out(T* planes) {
    if (shown_) modes_to_blocks_->there(executor_, mode_part(), planes);
  }
  /// As whoever looked has left them.
  void take_back(T* planes) {
    if (shown_) modes_to_blocks_->back(executor_, planes, mode_part());
  }

  Executor executor_;
  Guarantee guarantee_;
  std::int64_t points_ = 0, moved_ = 0;  ///< values of this rank's, and those that it sends and gets
  Array<T, Executor> row_part_, mode_part_;
  std::shared_ptr<MessageBuffers<Executor>> buffers_ = std::make_shared<MessageBuffers<Executor>>();
  std::optional<Redistribution<T, Executor>> points_to_rows_, rows_to_modes_, modes_to_blocks_;
  Transform rows_, columns_;
  Pieces pieces_;        ///< in place of rows_, where they are offered and rows are transformed in place
  RowPieces<T> places_;  ///< of the redistribution that is under way
  std::unique_ptr<ColumnSolver<T>> solver_;
  bool shown_ = false;
};

}  // namespace ulpine
