// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
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

/// A number that no other object of the process has or had; a copy gets another, and so does its target.
class OperatorNumber {
 public:
  OperatorNumber() = default;
  OperatorNumber(OperatorNumber const&) {}
  OperatorNumber& operator=(OperatorNumber const&) {
    value_ = next();
    return *this;
  }
  ~OperatorNumber() = default;
  std::uint64_t value() const { return value_; }

 private:
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  std::uint64_t value_ = next();
};

/// An operator that solvers multiply by: a matrix or a preconditioner. Vectors lie in the executor's memory.
template <class T, class Executor>
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  /// Tells operators apart, also those that come later at the same address or that were moved.
  std::uint64_t number() const { return number_.value(); }
  /// Length of its vectors.
  virtual std::int64_t size() const = 0;
  /// y = A x; x and y do not overlap. In stream order on a device; neither allocates nor waits.
  virtual void apply(T const* x, T* y) = 0;
  /// Whether it makes anything of ghosts of x.
  virtual bool reads_ghosts() const { return true; }
  /// apply() for callers who make nothing of ghosts of y, which may come out as anything.
  virtual void apply_to_owned(T const* x, T* y) { apply(x, y); }
  /// y = this operator's of A x, through `work`.
  virtual void apply_to_product(LinearOperator& a, T const* x, T* work, T* y) {
    if (reads_ghosts()) {
      a.apply(x, work);
    } else {
      a.apply_to_owned(x, work);
    }
    apply(work, y);
  }

 private:
  OperatorNumber number_;
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
  /// y = d (A x), by numbers; a factor of 0 counts as 1.
  void scaled(T const* d, T const* x, T* y);

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
  /// In one pass over the rows of a matrix.
  void apply_to_product(LinearOperator<T, Executor>& a, T const* x, T* work, T* y) override;

 private:
  Executor executor_;
  CsrView<M const> matrix_;
  ListExchange<Executor>* ghosts_;
  Array<T, Executor> inverse_;
};

}  // namespace ulpine::linalg
