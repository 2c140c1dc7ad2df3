// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/linalg/kernels.hpp"
#include "core/ranks/list_exchange.hpp"

/// Where several ranks share a system, each has the rows that it owns and ghosts beside them (PointsOfRank).
/// Vectors have right ghosts before and after every operation, but where an operator says otherwise: what is
/// elementwise keeps them so, and after sums over rows, which ghosts lack, they are exchanged. Rows that are
/// owned are whole, and their columns ascend as on one rank, so that they have its bits.
namespace ulpine::linalg {

/// How a system is shared; what is null is of one alone. Outlives what is made with it.
template <class Executor>
struct Sharing {
  std::shared_ptr<Link<Executor>> link = {};
  ListExchange<Executor>* ghosts = nullptr;  ///< of rows
  std::int64_t first = 0, owned = 0;         ///< numbers of a vector
  PointsOfRank const* points = nullptr;      ///< the rows
};

/// An operator that solvers multiply by: a matrix or a preconditioner. Vectors lie in the executor's memory.
template <class T, class Executor>
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  /// Length of its vectors.
  virtual std::int64_t size() const = 0;
  /// y = A x; x and y do not overlap. In stream order on a device; neither allocates nor waits.
  virtual void apply(T const* x, T* y) = 0;
  /// Whether it makes anything of ghosts of x.
  virtual bool reads_ghosts() const { return true; }
  /// apply() for callers who make nothing of ghosts of y, which may come out as anything.
  virtual void apply_to_owned(T const* x, T* y) { apply(x, y); }
};

/// A square matrix in compressed rows; views what it is given. Vectors and arithmetic are of T, the matrix of
/// M: the same, or float with vectors of double.
template <class M, class T, class Executor, Blocks blocks = Blocks::scalar>
class MatrixOperator final : public LinearOperator<T, Executor> {
 public:
  MatrixOperator(Executor executor, CsrView<M const> matrix, ListExchange<Executor>* ghosts = nullptr)
      : executor_{executor}, matrix_{matrix}, ghosts_{ghosts} {}

  std::int64_t size() const override { return std::int64_t{components_of(blocks)} * matrix_.pattern.rows; }
  void apply(T const* x, T* y) override;
  void apply_to_owned(T const* x, T* y) override;
  /// y = b - A x; y may be b.
  void residual(T const* b, T const* x, T* y);

 private:
  Executor executor_;
  CsrView<M const> matrix_;
  ListExchange<Executor>* ghosts_;
};

/// Preconditioner: the reciprocal of the matrix's diagonal (1 where that is 0).
template <class M, class T, class Executor, Blocks blocks = Blocks::scalar>
class Jacobi final : public LinearOperator<T, Executor> {
 public:
  Jacobi(Executor executor, CsrView<M const> matrix, ListExchange<Executor>* ghosts = nullptr);
  /// Takes the diagonal anew from the matrix's values as they are now.
  void update();

  std::int64_t size() const override { return inverse_.size(); }
  void apply(T const* x, T* y) override;

 private:
  Executor executor_;
  CsrView<M const> matrix_;
  ListExchange<Executor>* ghosts_;
  Array<T, Executor> inverse_;
};

}  // namespace ulpine::linalg
