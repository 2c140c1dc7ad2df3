// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "core/linalg/operator.hpp"
#include "core/ranks/rank_reducer.hpp"

/// Krylov solvers of one source for host and device. Every inner product is the exact sum, rounded once, and
/// every other operation is elementwise: the same bits for any number of threads, and on host and device.
/// Coefficients stay on the device, so that nothing waits for the host between iterations; a system that has
/// converged stays as it is. Of several ranks' shares (Sharing) the inner products are over all; the bits are
/// those of one rank.
namespace ulpine::linalg {

/// The residual that is measured and reported, as PETSc names them.
enum class Norm {
  preconditioned,   ///< ||B (b - A x)||, relative to ||B b||: PETSc's default for left preconditioning
  unpreconditioned  ///< ||b - A x||, relative to ||b||
};

enum class Guess {
  given,  ///< by x
  zero    ///< x holds 0, of which no residual has to be computed
};

enum class Side {
  left,  ///< B A x = B b; measures the preconditioned residual
  right  ///< A B y = b, x = B y; measures the unpreconditioned one
};

struct Tolerance {
  double relative = 1e-7;  ///< of the right-hand side in the same norm
  double absolute = 0;
  std::int32_t iterations = 1000;  ///< at most
  /// After how many iterations the host looks whether it is over; 0: never, all iterations are given at once.
  std::int32_t check_every = 16;
};

enum class Outcome : std::int32_t {
  running,       ///< not converged within the iterations
  converged,     ///< reached the tolerance
  not_definite,  ///< a step's curvature or preconditioned energy is not positive: no such matrix for CG
  breakdown,     ///< a divisor became 0
  not_finite     ///< a NaN or infinity among the values
};

/// Report of a solve; require_converged (failure.hpp) throws where it failed.
struct SolveReport {
  Outcome outcome = Outcome::running;
  std::int32_t iterations = 0;
  double residual = 0;   ///< the last, in the solver's norm
  double reference = 0;  ///< what the relative tolerance is relative to
};

/// Coefficients are doubles for float vectors too.
template <class T>
struct CoefficientOf {
  using type = T;
};
template <>
struct CoefficientOf<float> {
  using type = double;
};

/// Where an iteration stands, in the executor's memory.
template <class C>
struct Progress {
  Outcome outcome;
  std::int32_t iterations, columns;
  C norm, target, reference;
};

/// Base of the solvers: what they share, and the loop over their iterations.
template <class T, class Executor>
class KrylovSolver {
 public:
  using Coefficient = typename CoefficientOf<T>::type;
  using Operator = LinearOperator<T, Executor>;

  virtual ~KrylovSolver() = default;

  /// Solves A x = b from the guess in x with `preconditioner` B near A^-1 (null: none). Neither allocates
  /// nor, where tolerance.check_every is 0, waits for a device. The vectors have the operators' size.
  void enqueue(Operator& a, Operator* preconditioner, T const* b, T* x, Guess guess = Guess::given);
  /// Waits for the end of what was enqueued.
  SolveReport report() const;
  SolveReport solve(Operator& a, Operator* preconditioner, T const* b, T* x, Guess guess = Guess::given) {
    enqueue(a, preconditioner, b, x, guess);
    return report();
  }
  /// The norms of the residual at the start and after each iteration: report().iterations + 1 values.
  void history(Coefficient* target) const;
  Tolerance const& tolerance() const { return tolerance_; }

 protected:
  /// Coefficients and progress have one copy on each rank, of the same bits. `products`: how many inner
  /// products are taken at once.
  KrylovSolver(Executor executor, std::int64_t size, std::int64_t vectors, std::int64_t coefficients,
               std::int64_t products, Tolerance const& tolerance, Sharing<Executor> const& sharing);

  /// The system of the running solve.
  struct System {
    Operator* a;
    Operator* preconditioner;
    T const* b;
    T* x;
    Guess guess;
  };
  virtual void begin(System const& system) = 0;
  virtual void iterate(System const& system) = 0;
  /// Leaves the solution so far in x.
  virtual void finish(System const&) {}

  T* vector(std::int64_t n) { return vectors_.view().data() + n * size_; }
  Coefficient* coefficient(std::int64_t n) { return coefficients_.view().data() + n; }
  Progress<Coefficient>* progress() { return progress_.view().data(); }
  Coefficient* history_place() { return history_.view().data(); }
  /// An inner product over what is owned.
  using Product = InnerProduct<T, Coefficient>;
  Product product(T const* x, T const* y, Coefficient* result) const {
    return {{x + first_, owned_}, {y + first_, owned_}, result};
  }
  void dot(T const* x, T const* y, Coefficient* result) { dots({product(x, y, result)}); }
  /// At most as many as the constructor was told of, for one message between ranks.
  void dots(std::initializer_list<Product> products) {
    dots(std::span<Product const>(products.begin(), products.size()));
  }
  void dots(std::span<Product const> products) { reducer_.dots_to(products); }
  /// y = A x, of which only the preconditioner reads ghosts.
  void multiply(System const& system, T const* x, T* y);
  /// y = B x, or x where there is none.
  void precondition(System const& system, T const* x, T* y);
  /// y = b - A x, or B times that; through `work`. At the start, of x = 0, that is b, or B b, which
  /// measure_reference() has left in `work`.
  void residual(System const& system, bool preconditioned, bool at_start, T* y, T* work);
  /// The square of the norm that tolerances are relative to; leaves B b in `work` where it is that of B b.
  void measure_reference(System const& system, bool preconditioned, T* work, Coefficient* result);
  void start(Coefficient const* square, Coefficient const* reference_square);

  Executor executor_;
  std::int64_t size_;
  Tolerance tolerance_;

 private:
  bool is_over() const;

  std::shared_ptr<Link<Executor>> link_;
  RankReducer<Executor> reducer_;
  std::int64_t first_, owned_;  ///< of inner products
  Array<T, Executor> vectors_;
  Array<Coefficient, Executor> coefficients_, history_;
  Array<Progress<Coefficient>, Executor> progress_;
};

/// Conjugate gradients (Hestenes and Stiefel 1952) for symmetric positive (semi-)definite A and B.
template <class T, class Executor>
class ConjugateGradients final : public KrylovSolver<T, Executor> {
 public:
  ConjugateGradients(Executor executor, std::int64_t size, Tolerance const& tolerance,
                     Norm norm = Norm::preconditioned, Sharing<Executor> const& sharing = {});

 private:
  using Base = KrylovSolver<T, Executor>;
  using System = typename Base::System;
  using Coefficient = typename Base::Coefficient;
  void begin(System const& system) override;
  void iterate(System const& system) override;
  /// (r, z) into `energy`, and the square of the residual's norm.
  void measure(Coefficient* energy);

  Norm norm_;
};

/// Stabilised biconjugate gradients (van der Vorst 1992).
template <class T, class Executor>
class BiCgStab final : public KrylovSolver<T, Executor> {
 public:
  BiCgStab(Executor executor, std::int64_t size, Tolerance const& tolerance, Side side = Side::left,
           Sharing<Executor> const& sharing = {});

 private:
  using Base = KrylovSolver<T, Executor>;
  using System = typename Base::System;
  void begin(System const& system) override;
  void iterate(System const& system) override;
  /// y = B A x, or y = A B x with B x left in `preconditioned`.
  void multiply_both(System const& system, T const* x, T* preconditioned, T* y);

  Side side_;
};

/// Restarted generalised minimal residuals (Saad and Schultz 1986). New directions are made orthogonal by
/// classical Gram-Schmidt, a second time where the basis would be less than half the digits orthogonal.
template <class T, class Executor>
class Gmres final : public KrylovSolver<T, Executor> {
 public:
  Gmres(Executor executor, std::int64_t size, Tolerance const& tolerance, std::int32_t restart = 30,
        Side side = Side::left, Sharing<Executor> const& sharing = {});

 private:
  using Base = KrylovSolver<T, Executor>;
  using System = typename Base::System;
  void begin(System const& system) override;
  void iterate(System const& system) override;
  void finish(System const& system) override;
  void begin_cycle(System const& system, bool at_start);
  void multiply_both(System const& system, T const* x, T* work, T* y);

  std::int32_t restart_, column_ = 0;
  Side side_;
  Ranks const* ranks_;
  std::vector<typename Base::Product> products_;
};

}  // namespace ulpine::linalg
