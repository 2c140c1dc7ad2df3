// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/linalg/operator.hpp"

/// Definitions; include after the executor's launches (rows_host.hpp or rows.cuh).
namespace ulpine::linalg {

/// y = d x; a factor of 0 counts as 1.
template <class T>
struct Scaled {
  T const *factor, *x;
  T* y;
  ULPINE_HD void operator()(std::int64_t i) const {
    auto const d = factor[i];
    y[i] = (d == T(0) ? T(1) : d) * x[i];
  }
};

template <class M, class T, class Executor, Blocks blocks>
void MatrixOperator<M, T, Executor, blocks>::apply_to_owned(T const* x, T* y) {
  for_each_row(executor_, matrix_.pattern.rows,
               Product<M, T, blocks>{matrix_.pattern, matrix_.value, x, nullptr, y});
}
template <class M, class T, class Executor, Blocks blocks>
void MatrixOperator<M, T, Executor, blocks>::apply(T const* x, T* y) {
  apply_to_owned(x, y);
  if (ghosts_ != nullptr) (*ghosts_)(y, components_of(blocks));
}
template <class M, class T, class Executor, Blocks blocks>
void MatrixOperator<M, T, Executor, blocks>::residual(T const* b, T const* x, T* y) {
  for_each_row(executor_, matrix_.pattern.rows,
               Product<M, T, blocks>{matrix_.pattern, matrix_.value, x, b, y, Onto::residual});
  if (ghosts_ != nullptr) (*ghosts_)(y, components_of(blocks));
}

template <class M, class T, class Executor, Blocks blocks>
Jacobi<M, T, Executor, blocks>::Jacobi(Executor executor, CsrView<M const> matrix,
                                       ListExchange<Executor>* ghosts)
    : executor_{executor},
      matrix_{matrix},
      ghosts_{ghosts},
      inverse_(executor, std::int64_t{components_of(blocks)} * matrix.pattern.rows) {
  update();
}
template <class M, class T, class Executor, Blocks blocks>
void Jacobi<M, T, Executor, blocks>::update() {
  for_each(executor_, std::int64_t{matrix_.pattern.rows},
           Diagonal<M, T, blocks>{matrix_.pattern, matrix_.value, true, inverse_.view().data()});
  if (ghosts_ != nullptr) (*ghosts_)(inverse_.view().data(), components_of(blocks));
}
template <class M, class T, class Executor, Blocks blocks>
void Jacobi<M, T, Executor, blocks>::apply(T const* x, T* y) {
  for_each(executor_, inverse_.size(), Scaled<T>{inverse_.view().data(), x, y});
}

}  // namespace ulpine::linalg
