// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/exec/device_loop.hpp"
#include "core/exec/products.hpp"
#include "core/linalg/operator.hpp"
#include "core/ranks/rank_reducer.hpp"
#include "precision/double_float.hpp"

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
  /// After how many iterations the host looks whether a device has ended; 0: never, all iterations are given
  /// at once. Where a system is solved again a device may look itself, after each.
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

template <class C>
struct Start;
template <class C, int kept>
struct ConjugateResidualNumbers;

/// Base of the solvers: what they share, and the loop over their iterations.
template <class T, class Executor>
class KrylovSolver {
 public:
  using Coefficient = typename CoefficientOf<T>::type;
  using Operator = LinearOperator<T, Executor>;

  virtual ~KrylovSolver() = default;

  /// Solves A x = b from the guess in x with `preconditioner` B near A^-1 (null: none). The vectors have the
  /// operators' size. Where tolerance.check_every is 0 it neither allocates nor waits for a device. Else the
  /// second solve in a row of the same operators (which may have other values) with the same vectors records
  /// its launches, so that from then on a device repeats them without the host (DeviceLoop).
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
    std::uint64_t number_of_a, number_of_preconditioner;  ///< LinearOperator::number()
    bool operator==(System const&) const = default;
  };
  virtual void begin(System const& system) = 0;
  virtual void iterate(System const& system) = 0;
  /// Leaves the solution so far in x.
  virtual void finish(System const&) {}
  /// Whether every iteration makes the same launches.
  virtual bool repeats() const { return true; }

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
  void dots(std::span<Product const> products);
  /// body(i) for every index of a vector, then the products, of which it may have written factors, and then
  /// after(0), which finds them: on a device one launch.
  template <std::size_t count, class Body, class After>
  void run(Body const& body, std::array<Product, count> const& products, After const& after);
  /// y = A x, of which only the preconditioner reads ghosts.
  void multiply(System const& system, T const* x, T* y);
  /// y = B x, or x where there is none.
  void precondition(System const& system, T const* x, T* y);
  /// y = B A x, or A x where there is no B; through `work`.
  void multiply_and_precondition(System const& system, T const* x, T* work, T* y);
  /// y = b - A x, or B times that; through `work`. At the start, of x = 0, that is b, or B b, which
  /// reference() has left in `work`.
  void residual(System const& system, bool preconditioned, bool at_start, T* y, T* work);
  /// The vector in whose norm tolerances are relative: b, or B b, which it leaves in `work`.
  T const* reference(System const& system, bool preconditioned, T* work);
  /// What begins the solve, called for index 0 once the squares of both norms are there.
  Start<Coefficient> starting(Coefficient const* square, Coefficient const* reference_square);

  Executor executor_;
  std::int64_t size_;
  Tolerance tolerance_;

 private:
  /// Whether launches end with inner products. That adds up in doubles, which vectors of two floats are to do
  /// without: theirs are reductions of their own.
  static constexpr bool ends_with_products = Executor::on_device && !std::is_same_v<T, DoubleFloat>;
  /// Inner products, so many in a launch.
  template <std::size_t at_once>
  void launch_dots(std::span<Product const> products);
  /// Whether the device has been given the solve as one.
  bool looped(System const& system);
  bool is_over() const;

  std::shared_ptr<Link<Executor>> link_;
  RankReducer<Executor> reducer_;
  std::int64_t first_, owned_;  ///< of inner products
  Array<T, Executor> vectors_;
  Array<Coefficient, Executor> coefficients_, history_;
  Array<Progress<Coefficient>, Executor> progress_;
  ProductScratch scratch_;
  std::optional<System> last_;        ///< the system of the last solve
  std::unique_ptr<DeviceLoop> loop_;  ///< its launches
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
  using Product = typename Base::Product;
  void begin(System const& system) override;
  void iterate(System const& system) override;
  /// (r, z) into `energy`, and the square of the residual's norm.
  std::array<Product, 2> measured(Coefficient* energy);

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
  /// y = B A x, or y = A B x, through `work`; returns x, or B x: the solution's part of y.
  T const* multiply_both(System const& system, T const* x, T* work, T* y);

  Side side_;
};

/// Generalised conjugate residuals (Eisenstat, Elman and Schultz 1983, doi:10.1137/0720023) that are made
/// conjugate to the last `kept` directions alone, preconditioned on the right: for matrices whose symmetric
/// part is definite. One product with A and one with B an iteration; the residual b - A x never grows.
template <class T, class Executor>
class ConjugateResiduals final : public KrylovSolver<T, Executor> {
 public:
  static constexpr int kept = 2;
  ConjugateResiduals(Executor executor, std::int64_t size, Tolerance const& tolerance,
                     Norm norm = Norm::preconditioned, Sharing<Executor> const& sharing = {});

 private:
  using Base = KrylovSolver<T, Executor>;
  using System = typename Base::System;
  using Product = typename Base::Product;
  using Numbers = ConjugateResidualNumbers<typename Base::Coefficient, kept>;
  void begin(System const& system) override;
  void iterate(System const& system) override;
  Numbers* numbers();
  /// The square of the residual's norm.
  Product square();

  Norm norm_;
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
  bool repeats() const override { return false; }
  void begin_cycle(System const& system, bool at_start);
  void multiply_both(System const& system, T const* x, T* work, T* y);

  std::int32_t restart_, column_ = 0;
  Side side_;
  Ranks const* ranks_;
  std::vector<typename Base::Product> products_;
};

}  // namespace ulpine::linalg
