// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/linalg/chebyshev.hpp"
#include "core/linalg/chebyshev_kernels.hpp"
#include "core/linalg/krylov_kernels.hpp"

/// Definitions; include after the executor's launches.
namespace ulpine::linalg {

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
void Chebyshev<T, Executor>::smooth(T const* b, T* x, bool from_zero, std::span<std::int64_t const> rows) {
  auto* const other = residual_.view().data();
  auto const* const steps = numbers_.view().data() + 3;
  // Steps go to and fro between two vectors, so that no row reads what another has written.
  T* now = x;
  for (int k = 0; k < degree_; ++k) {
    auto const count = rows[static_cast<std::size_t>(k)];
    auto* const next = now == x ? other : x;
    ChebyshevStep<T> const step{steps + 2 * k, k == 0, inverse_.view().data(), direction_.view().data(),
                                next};
    if (k == 0 && from_zero) {
      for_each(executor_, count, ChebyshevStart<T>{step, b});
    } else {
      for_each_row(executor_, count, ChebyshevSweep<T>{matrix_.pattern, matrix_.value, now, b, step});
    }
    now = next;
  }
  if (now != x) for_each(executor_, rows.back(), Copy<T>{now, x});
}

}  // namespace ulpine::linalg
