// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/linalg/krylov.hpp"
#include "core/linalg/krylov_kernels.hpp"

/// Definitions; include after the executor's launches.
namespace ulpine::linalg {

template <class T, class Executor>
KrylovSolver<T, Executor>::KrylovSolver(Executor executor, std::int64_t size, std::int64_t vectors,
                                        std::int64_t coefficients, std::int64_t products,
                                        Tolerance const& tolerance, Sharing<Executor> const& sharing)
    : executor_{executor},
      size_{size},
      tolerance_{tolerance},
      link_{sharing.link ? sharing.link : std::make_shared<Link<Executor>>(executor, nullptr)},
      reducer_(executor, *link_, products),
      first_{sharing.first},
      owned_{sharing.link ? sharing.owned : size},
      vectors_(executor, vectors * size),
      coefficients_(executor, coefficients),
      history_(executor, std::int64_t{tolerance.iterations} + 1),
      progress_(executor, 1) {}

template <class T, class Executor>
bool KrylovSolver<T, Executor>::is_over() const {
  Progress<Coefficient> progress;
  progress_.to_host(&progress);
  return progress.outcome != Outcome::running;
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::enqueue(Operator& a, Operator* preconditioner, T const* b, T* x,
                                        Guess guess) {
  System const system{&a, preconditioner, b, x, guess};
  begin(system);
  for (std::int32_t n = 0; n < tolerance_.iterations; ++n) {
    auto const looks = tolerance_.check_every > 0 && n % tolerance_.check_every == 0;
    if (looks && is_over()) break;
    iterate(system);
  }
  finish(system);
}

template <class T, class Executor>
SolveReport KrylovSolver<T, Executor>::report() const {
  Progress<Coefficient> progress;
  progress_.to_host(&progress);
  return {progress.outcome, progress.iterations, static_cast<double>(progress.norm),
          static_cast<double>(progress.reference)};
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::history(Coefficient* target) const {
  detail::to_host(executor_, target, history_.view().data(),
                  (std::int64_t{report().iterations} + 1) * static_cast<std::int64_t>(sizeof(Coefficient)));
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::multiply(System const& system, T const* x, T* y) {
  if (system.preconditioner == nullptr || system.preconditioner->reads_ghosts()) {
    system.a->apply(x, y);
  } else {
    system.a->apply_to_owned(x, y);
  }
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::precondition(System const& system, T const* x, T* y) {
  if (system.preconditioner != nullptr) {
    system.preconditioner->apply(x, y);
  } else {
    for_each(executor_, size_, Copy<T>{x, y});
  }
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::residual(System const& system, bool preconditioned, bool at_start, T* y,
                                         T* work) {
  if (at_start && system.guess == Guess::zero) {
    for_each(executor_, size_, Copy<T>{preconditioned ? work : system.b, y});
    return;
  }
  auto* const plain = preconditioned ? work : y;
  multiply(system, system.x, plain);
  for_each(executor_, size_, Remainder<T>{system.b, plain});
  if (preconditioned) precondition(system, plain, y);
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::measure_reference(System const& system, bool preconditioned, T* work,
                                                  Coefficient* result) {
  if (preconditioned) precondition(system, system.b, work);
  auto const* const b = preconditioned ? work : system.b;
  dot(b, b, result);
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::start(Coefficient const* square, Coefficient const* reference_square) {
  for_each(executor_, std::int64_t{1},
           Start<Coefficient>{static_cast<Coefficient>(tolerance_.relative),
                              static_cast<Coefficient>(tolerance_.absolute), square, reference_square,
                              progress(), history_place()});
}

// Conjugate gradients: vectors r, z, p, A p.

namespace cg {
enum Coefficients : std::int64_t { energy, next_energy, square, curvature, length, kept, count };
enum Vectors : std::int64_t { r, z, p, image, vectors };
}  // namespace cg

template <class T, class Executor>
ConjugateGradients<T, Executor>::ConjugateGradients(Executor executor, std::int64_t size,
                                                    Tolerance const& tolerance, Norm norm,
                                                    Sharing<Executor> const& sharing)
    : Base(executor, size, cg::vectors, cg::count, 2, tolerance, sharing), norm_{norm} {}

template <class T, class Executor>
void ConjugateGradients<T, Executor>::measure(Coefficient* energy) {
  auto* const r = this->vector(cg::r);
  auto* const z = this->vector(cg::z);
  auto* const measured = norm_ == Norm::preconditioned ? z : r;
  this->dots({this->product(r, z, energy), this->product(measured, measured, this->coefficient(cg::square))});
}

template <class T, class Executor>
void ConjugateGradients<T, Executor>::begin(System const& system) {
  auto* const r = this->vector(cg::r);
  auto* const z = this->vector(cg::z);
  this->measure_reference(system, norm_ == Norm::preconditioned, z, this->coefficient(cg::length));
  this->residual(system, false, true, r, nullptr);
  // With a guess of 0 the residual is b, and z was computed from b where the norm is preconditioned.
  if (system.guess != Guess::zero || norm_ != Norm::preconditioned) this->precondition(system, r, z);
  for_each(this->executor_, this->size_, Copy<T>{z, this->vector(cg::p)});
  measure(this->coefficient(cg::energy));
  this->start(this->coefficient(cg::square), this->coefficient(cg::length));
}

template <class T, class Executor>
void ConjugateGradients<T, Executor>::iterate(System const& system) {
  using C = typename Base::Coefficient;
  auto* const r = this->vector(cg::r);
  auto* const z = this->vector(cg::z);
  auto* const p = this->vector(cg::p);
  auto* const image = this->vector(cg::image);
  auto* const progress = this->progress();
  auto const number = [&](std::int64_t n) { return this->coefficient(n); };
  auto const run = [&](std::int64_t count, auto const& kernel) { for_each(this->executor_, count, kernel); };
  this->multiply(system, p, image);
  this->dot(p, image, number(cg::curvature));
  run(1, CgLength<C>{number(cg::energy), number(cg::curvature), progress, number(cg::length)});
  run(this->size_, CgDescent<T, C>{progress, number(cg::length), p, image, system.x, r});
  this->precondition(system, r, z);
  measure(number(cg::next_energy));
  run(1, CgTurn<C>{number(cg::square), number(cg::next_energy), progress, number(cg::energy),
                   number(cg::kept), this->history_place()});
  run(this->size_, CgDirection<T, C>{progress, number(cg::kept), z, p});
}

// BiCGStab: vectors r (also s), r at the start, p, v, t, B p, B s.

namespace bicgstab {
enum Vectors : std::int64_t { r, shadow, p, v, t, p_hat, s_hat, vectors };
/// The squares of the residual and of the reference follow the numbers.
inline constexpr std::int64_t numbers = 8, square = numbers, count = numbers + 2;
}  // namespace bicgstab

template <class T, class Executor>
BiCgStab<T, Executor>::BiCgStab(Executor executor, std::int64_t size, Tolerance const& tolerance, Side side,
                                Sharing<Executor> const& sharing)
    : Base(executor, size, bicgstab::vectors, bicgstab::count, 2, tolerance, sharing), side_{side} {
  using C = typename Base::Coefficient;
  static_assert(sizeof(BiCgStabNumbers<C>) == bicgstab::numbers * sizeof(C));
}

template <class T, class Executor>
void BiCgStab<T, Executor>::begin(System const& system) {
  using namespace bicgstab;
  using C = typename Base::Coefficient;
  auto* const residual = this->vector(r);
  auto const left = side_ == Side::left;
  this->measure_reference(system, left, this->vector(t), this->coefficient(square + 1));
  this->residual(system, left, true, residual, this->vector(t));
  for_each(this->executor_, this->size_, Copy<T>{residual, this->vector(shadow)});
  this->dot(residual, residual, this->coefficient(square));
  // Its product with what it begins as is that of the first iteration.
  auto* const n = reinterpret_cast<BiCgStabNumbers<C>*>(this->coefficient(0));
  for_each(this->executor_, std::int64_t{1}, Copy<C>{this->coefficient(square), &n->next_rho});
  this->start(this->coefficient(square), this->coefficient(square + 1));
}

template <class T, class Executor>
void BiCgStab<T, Executor>::multiply_both(System const& system, T const* x, T* preconditioned, T* y) {
  if (side_ == Side::left) {
    this->multiply(system, x, preconditioned);
    this->precondition(system, preconditioned, y);
    for_each(this->executor_, this->size_, Copy<T>{x, preconditioned});
  } else {
    this->precondition(system, x, preconditioned);
    this->multiply(system, preconditioned, y);
  }
}

template <class T, class Executor>
void BiCgStab<T, Executor>::iterate(System const& system) {
  using namespace bicgstab;
  using C = typename Base::Coefficient;
  auto* const n = reinterpret_cast<BiCgStabNumbers<C>*>(this->coefficient(0));
  auto* const progress = this->progress();
  auto const at = [&](std::int64_t k) { return this->vector(k); };
  auto const run = [&](std::int64_t count, auto const& kernel) { for_each(this->executor_, count, kernel); };
  auto const size = this->size_;
  run(1, BiCgStabTurn<C>{progress, n});
  run(size, BiCgStabDirection<T, C>{progress, n, at(r), at(v), at(p)});
  multiply_both(system, at(p), at(p_hat), at(v));
  this->dot(at(shadow), at(v), &n->projected);
  run(1, BiCgStabLength<C>{progress, n});
  run(size, BiCgStabHalf<T, C>{progress, n, at(v), at(r)});
  multiply_both(system, at(r), at(s_hat), at(t));
  this->dots({this->product(at(t), at(r), &n->cross), this->product(at(t), at(t), &n->stretch)});
  run(1, BiCgStabStabiliser<C>{progress, n});
  run(size, BiCgStabDescent<T, C>{progress, n, at(p_hat), at(s_hat), at(t), system.x, at(r)});
  this->dots({this->product(at(r), at(r), this->coefficient(square)),
              this->product(at(shadow), at(r), &n->next_rho)});
  run(1, BiCgStabEnd<C>{this->coefficient(square), progress, n, this->history_place()});
}

// GMRES: restart + 1 basis vectors, then two of work.

namespace gmres {
template <class C>
Hessenberg<C> hessenberg(C* first, std::int32_t restart) {
  auto const columns = std::int64_t{restart};
  auto* const cosine = first + columns * (columns + 1);
  auto* const g = cosine + 2 * columns;
  auto* const sum = g + columns + 1;
  auto* const square = sum + columns + 1;
  auto* const y = square + 1;
  auto* const defect = y + columns;
  return {restart, first, cosine, cosine + columns, g, sum, square, y, defect, defect + columns + 1};
}
inline std::int64_t coefficients(std::int64_t restart) { return restart * (restart + 1) + 6 * restart + 5; }
}  // namespace gmres

template <class T, class Executor>
Gmres<T, Executor>::Gmres(Executor executor, std::int64_t size, Tolerance const& tolerance,
                          std::int32_t restart, Side side, Sharing<Executor> const& sharing)
    : Base(executor, size, std::int64_t{restart} + 3, gmres::coefficients(restart), restart + 1, tolerance,
           sharing),
      restart_{restart},
      side_{side},
      ranks_{sharing.link ? sharing.link->ranks() : nullptr} {
  products_.reserve(static_cast<std::size_t>(restart) + 1);
}

template <class T, class Executor>
void Gmres<T, Executor>::multiply_both(System const& system, T const* x, T* work, T* y) {
  if (side_ == Side::left) {
    this->multiply(system, x, work);
    this->precondition(system, work, y);
  } else {
    this->precondition(system, x, work);
    this->multiply(system, work, y);
  }
}

template <class T, class Executor>
void Gmres<T, Executor>::begin_cycle(System const& system, bool at_start) {
  using C = typename Base::Coefficient;
  auto const h = gmres::hessenberg(this->coefficient(0), restart_);
  auto* const w = this->vector(restart_ + 1);
  this->residual(system, side_ == Side::left, at_start, w, this->vector(restart_ + 2));
  this->dot(w, w, h.square);
  for_each(this->executor_, std::int64_t{1}, GmresBegin<C>{vector_roundoff<T, C>(), this->progress(), h});
  for_each(this->executor_, tiles<Executor>(this->size_),
           Normalised<T, C, tile<Executor>>{this->size_, h.square, w, this->vector(0)});
  column_ = 0;
}

template <class T, class Executor>
void Gmres<T, Executor>::begin(System const& system) {
  auto const h = gmres::hessenberg(this->coefficient(0), restart_);
  this->measure_reference(system, side_ == Side::left, this->vector(restart_ + 2), h.y);
  begin_cycle(system, true);
  this->start(h.square, h.y);
}

template <class T, class Executor>
void Gmres<T, Executor>::iterate(System const& system) {
  using C = typename Base::Coefficient;
  if (column_ == restart_) {
    finish(system);
    begin_cycle(system, false);
  }
  auto const h = gmres::hessenberg(this->coefficient(0), restart_);
  auto* const w = this->vector(restart_ + 1);
  auto* const basis = this->vector(0);
  auto const count = column_ + 1;
  auto const size = this->size_;
  multiply_both(system, this->vector(column_), this->vector(restart_ + 2), w);
  auto const make_orthogonal = [&](C const* again, C* products) {
    products_.clear();
    for (std::int32_t j = 0; j < count; ++j) {
      products_.push_back(this->product(this->vector(j), w, products + j));
    }
    if (again == nullptr) products_.push_back(this->product(w, w, products + count));
    this->dots(products_);
    if (again == nullptr) {
      for_each(this->executor_, std::int64_t{1},
               GmresAgain<C>{column_, vector_roundoff<T, C>(), this->progress(), h});
    }
    for_each(this->executor_, tiles<Executor>(size),
             Orthogonalised<T, C, tile<Executor>>{count, size, again, products, basis, w});
  };
  make_orthogonal(nullptr, &h.r[std::int64_t{column_} * (restart_ + 1)]);
  // A device, and who sends messages as devices do, calls in any case, and kernels find out whether it has to
  // be; a host need not call for nothing.
  bool const calls_blindly = Executor::on_device || (ranks_ != nullptr && ranks_->mixed());
  if (calls_blindly || *h.again != C(0)) make_orthogonal(h.again, h.sum);
  this->dot(w, w, h.square);
  for_each(this->executor_, std::int64_t{1},
           GmresColumn<C>{column_, this->progress(), h, this->history_place()});
  for_each(this->executor_, tiles<Executor>(size),
           Normalised<T, C, tile<Executor>>{size, h.square, w, this->vector(count)});
  ++column_;
}

template <class T, class Executor>
void Gmres<T, Executor>::finish(System const& system) {
  using C = typename Base::Coefficient;
  auto const h = gmres::hessenberg(this->coefficient(0), restart_);
  auto* const progress = this->progress();
  auto const size = this->size_;
  auto const left = side_ == Side::left;
  auto* const gained = left ? system.x : this->vector(restart_ + 1);
  auto* const work = this->vector(restart_ + 2);
  for_each(this->executor_, std::int64_t{1}, GmresTriangle<C>{progress, h});
  for_each(this->executor_, tiles<Executor>(size),
           GmresCorrection<T, C, tile<Executor>>{progress, size, h.y, this->vector(0), left, gained});
  if (!left) {
    this->precondition(system, gained, work);
    for_each(this->executor_, size, Added<T, C>{progress, work, system.x});
  }
}

}  // namespace ulpine::linalg
