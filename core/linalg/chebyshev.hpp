// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/exec/reduce.hpp"
#include "core/linalg/chebyshev_kernels.hpp"
#include "core/linalg/operator.hpp"

namespace ulpine::linalg {

/// Preconditioner and smoother: a Chebyshev polynomial in D^-1 A, D the diagonal, which is least over the
/// eigenvalues from a part of the largest one on (Saad 2003, algorithm 12.1). The largest is at most
/// Gershgorin's bound; taken is the lesser of that and 1.1 times the estimate of `power_steps` steps of the
/// power method from random numbers that are functions of the row.
template <class T, class Executor>
class Chebyshev final : public LinearOperator<T, Executor> {
 public:
  static constexpr int most_degree = 16, power_steps = 15;

  Chebyshev() = default;
  /// A polynomial of `degree` multiplications by D^-1, at most most_degree; eigenvalues below `part` of the
  /// largest are left to others (a coarser matrix).
  Chebyshev(Executor executor, CsrView<T const> matrix, int degree, double part);
  /// The part of it for some rows, by their numbers in this one: `matrix` is theirs. It is not for update().
  Chebyshev part(CsrView<T const> matrix, std::vector<std::int32_t> const& rows) const;
  /// Takes diagonal and eigenvalue anew from the matrix's values as they are now.
  void update();

  std::int64_t size() const override { return inverse_.size(); }
  void apply(T const* x, T* y) override;
  /// Improves x as a solution of A x = b.
  void smooth(T const* b, T* x);

  int degree() const { return degree_; }
  /// Step 0 of the polynomial from x = 0, to y.
  ChebyshevStep<T> start(T* y);
  /// Step k of the polynomial from x, to y, which is not x.
  template <class Y>
  ChebyshevSweep<T, Y> sweep(int k, T const* b, T const* x, Y* y);
  /// A vector of its size for what lies between steps.
  T* between() { return residual_.view().data(); }

  T const* inverse_diagonal() const { return inverse_.view().data(); }
  /// The largest eigenvalue, in the executor's memory.
  T const* largest_eigenvalue() const { return numbers_.view().data(); }

 private:
  Executor executor_{};
  CsrView<T const> matrix_;
  int degree_ = 0;
  double part_ = 0;
  Array<T, Executor> inverse_, residual_, direction_, numbers_;
};

}  // namespace ulpine::linalg
