// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/linalg/chebyshev.hpp"
#include "core/linalg/chebyshev_kernels.hpp"
#include "core/linalg/krylov_kernels.hpp"

/// Definitions; include after the executor's launches.
namespace ulpine::linalg {

/// Launches kernels as they are given.
template <class Executor>
struct Launches {
  Executor executor;
  template <class Kernel>
  void each(std::int64_t count, Kernel const& kernel) const {
    for_each(executor, count, kernel);
  }
  template <class Kernel>
  void rows(std::int64_t count, Kernel const& kernel) const {
    for_each_row(executor, count, kernel);
  }
  /// Whether one launch does what a multigrid cycle has to do from `level` on.
  template <class CoarseLevels>
  bool gives_over(int level, CoarseLevels const& levels) const {
    if constexpr (Executor::on_device) {
      if (levels != nullptr && levels->first() == level) {
        levels->launch();
        return true;
      }
    }
    return false;
  }
};

/// Where a vector stands before `steps` steps to and fro between two places, which end in `end`. So no row of
/// a step reads what another has written.
template <class T>
T* place_before(int steps, T* end, T* other) {
  return steps % 2 == 0 ? end : other;
}

/// Steps `first` and on of a smoother's polynomial from the vector in `x`, to and fro between that place and
/// `other`; the last leaves its result in `y`. rows(k): how many rows, from the first on, step k computes.
template <class Run, class Smoother, class T, class Y, class Rows>
void smooth_on(Run const& run, Smoother& smoother, int first, T const* b, T* x, T* other, Y* y,
               Rows const& rows) {
  for (int k = first; k + 1 < smoother.degree(); ++k) {
    run.rows(rows(k), smoother.sweep(k, b, x, other));
    std::swap(x, other);
  }
  if (first < smoother.degree()) {
    run.rows(rows(smoother.degree() - 1), smoother.sweep(smoother.degree() - 1, b, x, y));
  }
}

template <class T, class Executor>
Chebyshev<T, Executor>::Chebyshev(Executor executor, CsrView<T const> matrix, int degree, double part)
    : executor_{executor},
      matrix_{matrix},
      degree_{degree},
      part_{part},
      inverse_(executor, matrix.pattern.rows),
      residual_(executor, matrix.pattern.rows),
      direction_(executor, matrix.pattern.rows),
      numbers_(executor, 3 + 2 * most_degree) {
  update();
}

template <class T, class Executor>
Chebyshev<T, Executor> Chebyshev<T, Executor>::part(CsrView<T const> matrix,
                                                    std::vector<std::int32_t> const& rows) const {
  Chebyshev part;
  auto const count = static_cast<std::int64_t>(rows.size());
  part.executor_ = executor_;
  part.matrix_ = matrix;
  part.degree_ = degree_;
  part.part_ = part_;
  std::vector<T> whole(static_cast<std::size_t>(size())), some;
  inverse_.to_host(whole.data());
  for (auto const row : rows) some.push_back(whole[static_cast<std::size_t>(row)]);
  part.inverse_ = Array<T, Executor>(executor_, count);
  part.inverse_.from_host(some.data());
  part.residual_ = Array<T, Executor>(executor_, count);
  part.direction_ = Array<T, Executor>(executor_, count);
  part.numbers_ = Array<T, Executor>(executor_, numbers_.size());
  part.numbers_.copy_from(numbers_);
  return part;
}

template <class T, class Executor>
void Chebyshev<T, Executor>::update() {
  auto const rows = size();
  auto* const v = direction_.view().data();
  auto* const w = residual_.view().data();
  auto* const inverse = inverse_.view().data();
  auto* const numbers = numbers_.view().data();
  Reducer<Executor> reducer(executor_);
  struct Slot {
    View<T> place;
    View<T> view() const { return place; }
  } square{{numbers + 1, 1}}, bound{{numbers + 2, 1}};
  for_each(executor_, rows, Diagonal<T, T, Blocks::scalar>{matrix_.pattern, matrix_.value, true, inverse});
  for_each(executor_, rows, RowSize<T>{matrix_.pattern, matrix_.value, inverse, w});
  reducer.max_to(residual_.view(), bound);
  for_each(executor_, rows, RandomStart<T>{v});
  for (int step = 0; step <= power_steps; ++step) {
    if (step > 0) {
      for_each_row(executor_, rows,
                   Product<T, T, Blocks::scalar>{matrix_.pattern, matrix_.value, v, nullptr, w});
      for_each(executor_, rows, DividedByDiagonal<T>{inverse, w, v});
    }
    reducer.dot_to(direction_.view(), direction_.view(), square);
    for_each(executor_, rows, DividedByNorm<T>{numbers + 1, v});
  }
  for_each(executor_, std::int64_t{1}, ChebyshevNumbers<T>{degree_, static_cast<T>(part_), numbers});
}

template <class T, class Executor>
ChebyshevStep<T> Chebyshev<T, Executor>::start(T* y) {
  return {numbers_.view().data() + 3, true, inverse_.view().data(), direction_.view().data(), y};
}

template <class T, class Executor>
template <class Y>
ChebyshevSweep<T, Y> Chebyshev<T, Executor>::sweep(int k, T const* b, T const* x, Y* y) {
  return {matrix_.pattern,
          matrix_.value,
          x,
          b,
          {numbers_.view().data() + 3 + 2 * k, k == 0, inverse_.view().data(), direction_.view().data(), y}};
}

template <class T, class Executor>
void Chebyshev<T, Executor>::apply(T const* x, T* y) {
  Launches<Executor> const run{executor_};
  auto const starts_in_y = place_before(degree_ - 1, y, between()) == y;
  auto *const first = starts_in_y ? y : between(), *const other = starts_in_y ? between() : y;
  run.each(size(), ChebyshevStart<T>{start(first), x});
  smooth_on(run, *this, 1, x, first, other, y, [this](int) { return size(); });
}

template <class T, class Executor>
void Chebyshev<T, Executor>::smooth(T const* b, T* x) {
  Launches<Executor> const run{executor_};
  auto const in_place = degree_ % 2 == 0;
  if (!in_place) run.each(size(), Copy<T>{x, between()});
  smooth_on(run, *this, 0, b, in_place ? x : between(), in_place ? between() : x, x,
            [this](int) { return size(); });
}

}  // namespace ulpine::linalg
