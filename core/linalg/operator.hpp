// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/linalg/kernels.hpp"

namespace ulpine::linalg {

/// What solvers multiply by: a matrix or a preconditioner. Vectors lie in the executor's memory.
template <class T, class Executor>
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  /// Of its vectors.
  virtual std::int64_t size() const = 0;
  /// y = A x; x and y do not overlap. In stream order on a device; neither allocates nor waits.
  virtual void apply(T const* x, T* y) = 0;
};

/// A square matrix in compressed rows; views what it is given. Vectors and arithmetic are of T, the matrix of
/// M: the same, or float with vectors of double.
template <class M, class T, class Executor, Blocks blocks = Blocks::scalar>
class MatrixOperator final : public LinearOperator<T, Executor> {
 public:
  MatrixOperator(Executor executor, CsrView<M const> matrix) : executor_{executor}, matrix_{matrix} {}

  std::int64_t size() const override { return std::int64_t{components_of(blocks)} * matrix_.pattern.rows; }
  void apply(T const* x, T* y) override;
  /// y = b - A x; y may be b.
  void residual(T const* b, T const* x, T* y);

 private:
  Executor executor_;
  CsrView<M const> matrix_;
};

/// Preconditioner: the reciprocal of the matrix's diagonal (1 where that is 0).
template <class M, class T, class Executor, Blocks blocks = Blocks::scalar>
class Jacobi final : public LinearOperator<T, Executor> {
 public:
  Jacobi(Executor executor, CsrView<M const> matrix);
  /// Takes the diagonal anew from the matrix's values as they are now.
  void update();

  std::int64_t size() const override { return inverse_.size(); }
  void apply(T const* x, T* y) override;

 private:
  Executor executor_;
  CsrView<M const> matrix_;
  Array<T, Executor> inverse_;
};

}  // namespace ulpine::linalg
