// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
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
      progress_(executor, 1),
      scratch_(executor) {}

template <class T, class Executor>
bool KrylovSolver<T, Executor>::is_over() const {
  Progress<Coefficient> progress;
  progress_.to_host(&progress);
  return progress.outcome != Outcome::running;
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::enqueue(Operator& a, Operator* preconditioner, T const* b, T* x,
                                        Guess guess) {
  System const system{
      &a, preconditioner, b, x, guess, a.number(), preconditioner == nullptr ? 0 : preconditioner->number()};
  if (looped(system)) return;
  begin(system);
  // It costs the host nothing to look at its own memory.
  auto const check_every = Executor::on_device ? tolerance_.check_every : std::min(tolerance_.check_every, 1);
  for (std::int32_t n = 0; n < tolerance_.iterations; ++n) {
    auto const looks = check_every > 0 && n % check_every == 0;
    if (looks && is_over()) break;
    iterate(system);
  }
  finish(system);
}

template <class T, class Executor>
bool KrylovSolver<T, Executor>::looped(System const& system) {
  if constexpr (Executor::on_device) {
    if (tolerance_.check_every == 0 || tolerance_.iterations == 0 || link_->several() || !repeats())
      return false;
    auto const again = last_ == system;
    if (!again) loop_.reset();
    last_ = system;
    if (again && !loop_) {
      auto* const state = progress();
      LoopCondition const condition{reinterpret_cast<std::int32_t const*>(&state->outcome),
                                    &state->iterations, tolerance_.iterations};
      loop_ = DeviceLoop::record(
          executor_, [&] { begin(system); }, [&] { iterate(system); }, condition, [&] { finish(system); });
    }
    if (loop_) loop_->launch();
  }
  return loop_ != nullptr;
}

template <class T, class Executor>
void KrylovSolver<T, Executor>::dots(std::span<Product const> products) {
  if constexpr (ends_with_products) {
    if (!link_->several() && owned_ <= most_product_terms) {
      return launch_dots<most_products_at_once>(products);
    }
  }
  reducer_.dots_to(products);
}

template <class T, class Executor>
template <std::size_t at_once>
void KrylovSolver<T, Executor>::launch_dots(std::span<Product const> products) {
  for (; products.size() >= at_once; products = products.subspan(at_once)) {
    std::array<Product, at_once> some;
    std::copy_n(products.begin(), at_once, some.begin());
    for_each_with_products(executor_, scratch_, first_ + owned_, NoWork{}, some, first_, NoWork{});
  }
  if constexpr (at_once > 1) launch_dots<at_once - 1>(products);
}

template <class T, class Executor>
template <std::size_t count, class Body, class After>
void KrylovSolver<T, Executor>::run(Body const& body, std::array<Product, count> const& products,
                                    After const& after) {
  if constexpr (ends_with_products) {
    if (!link_->several() && size_ <= most_product_terms) {
      return for_each_with_products(executor_, scratch_, size_, body, products, first_, after);
    }
  }
  if constexpr (!std::is_same_v<Body, NoWork>) for_each(executor_, size_, body);
  dots(products);
  for_each(executor_, std::int64_t{1}, after);
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
void KrylovSolver<T, Executor>::multiply_and_precondition(System const& system, T const* x, T* work, T* y) {
  if (system.preconditioner != nullptr) {
    system.preconditioner->apply_to_product(*system.a, x, work, y);
  } else {
    system.a->apply(x, y);
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
T const* KrylovSolver<T, Executor>::reference(System const& system, bool preconditioned, T* work) {
  if (!preconditioned) return system.b;
  precondition(system, system.b, work);
  return work;
}

template <class T, class Executor>
auto KrylovSolver<T, Executor>::starting(Coefficient const* square, Coefficient const* reference_square)
    -> Start<Coefficient> {
  return {static_cast<Coefficient>(tolerance_.relative),
          static_cast<Coefficient>(tolerance_.absolute),
          square,
          reference_square,
          progress(),
          history_place()};
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
auto ConjugateGradients<T, Executor>::measured(Coefficient* energy) -> std::array<Product, 2> {
  auto* const r = this->vector(cg::r);
  auto* const z = this->vector(cg::z);
  auto* const of_norm = norm_ == Norm::preconditioned ? z : r;
  return {this->product(r, z, energy), this->product(of_norm, of_norm, this->coefficient(cg::square))};
}

template <class T, class Executor>
void ConjugateGradients<T, Executor>::begin(System const& system) {
  auto* const r = this->vector(cg::r);
  auto* const z = this->vector(cg::z);
  auto const number = [&](std::int64_t n) { return this->coefficient(n); };
  auto const* const b = this->reference(system, norm_ == Norm::preconditioned, z);
  this->run(NoWork{}, std::array{this->product(b, b, number(cg::length))}, NoWork{});
  this->residual(system, false, true, r, nullptr);
  // With a guess of 0 the residual is b, and z was computed from b where the norm is preconditioned.
  if (system.guess != Guess::zero || norm_ != Norm::preconditioned) this->precondition(system, r, z);
  this->run(Copy<T>{z, this->vector(cg::p)}, measured(number(cg::energy)),
            this->starting(number(cg::square), number(cg::length)));
}

template <class T, class Executor>
void ConjugateGradients<T, Executor>::iterate(System const& system) {
  using C = Coefficient;
  auto* const r = this->vector(cg::r);
  auto* const z = this->vector(cg::z);
  auto* const p = this->vector(cg::p);
  auto* const image = this->vector(cg::image);
  auto* const progress = this->progress();
  auto const number = [&](std::int64_t n) { return this->coefficient(n); };
  this->multiply(system, p, image);
  this->run(NoWork{}, std::array{this->product(p, image, number(cg::curvature))},
            CgLength<C>{number(cg::energy), number(cg::curvature), progress, number(cg::length)});
  for_each(this->executor_, this->size_,
           CgDescent<T, C>{progress, number(cg::length), p, image, system.x, r});
  this->precondition(system, r, z);
  this->run(NoWork{}, measured(number(cg::next_energy)),
            CgTurn<C>{number(cg::square), number(cg::next_energy), progress, number(cg::energy),
                      number(cg::kept), this->history_place()});
  for_each(this->executor_, this->size_, CgDirection<T, C>{progress, number(cg::kept), z, p});
}

// BiCGStab: vectors r (also s), r at the start, p, v, t, and one of work: A p or A s with the preconditioner
// on the left, B p with it on the right, where B s is another.

namespace bicgstab {
enum Vectors : std::int64_t { r, shadow, p, v, t, work, s_hat, vectors };
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
  auto* const initial = this->vector(shadow);
  auto* const square_of_residual = this->coefficient(square);
  auto* const n = reinterpret_cast<BiCgStabNumbers<C>*>(this->coefficient(0));
  auto const left = side_ == Side::left;
  auto const* const b = this->reference(system, left, this->vector(work));
  auto const square_of_reference =
      system.guess == Guess::zero ? square_of_residual : this->coefficient(square + 1);
  if (system.guess == Guess::zero) {
    for_each(this->executor_, this->size_, Copy<T>{b, residual});
  } else {
    this->run(NoWork{}, std::array{this->product(b, b, square_of_reference)}, NoWork{});
    this->residual(system, left, false, residual, this->vector(work));
  }
  this->run(Copy<T>{residual, initial}, std::array{this->product(residual, residual, square_of_residual)},
            BiCgStabBegin<C>{this->starting(square_of_residual, square_of_reference), n});
}

template <class T, class Executor>
T const* BiCgStab<T, Executor>::multiply_both(System const& system, T const* x, T* work, T* y) {
  if (side_ == Side::left) {
    this->multiply_and_precondition(system, x, work, y);
    return x;
  }
  this->precondition(system, x, work);
  this->multiply(system, work, y);
  return work;
}

template <class T, class Executor>
void BiCgStab<T, Executor>::iterate(System const& system) {
  using namespace bicgstab;
  using C = typename Base::Coefficient;
  auto* const n = reinterpret_cast<BiCgStabNumbers<C>*>(this->coefficient(0));
  auto* const progress = this->progress();
  auto const at = [&](std::int64_t k) { return this->vector(k); };
  auto const size = this->size_;
  for_each(this->executor_, size, BiCgStabDirection<T, C>{progress, n, at(r), at(v), at(p)});
  auto const* const along_p = multiply_both(system, at(p), at(work), at(v));
  this->run(NoWork{}, std::array{this->product(at(shadow), at(v), &n->projected)},
            BiCgStabLength<C>{progress, n});
  for_each(this->executor_, size, BiCgStabHalf<T, C>{progress, n, at(v), at(r)});
  // B p is needed once more.
  auto const* const along_s = multiply_both(system, at(r), at(s_hat), at(t));
  this->run(NoWork{},
            std::array{this->product(at(t), at(r), &n->cross), this->product(at(t), at(t), &n->stretch)},
            BiCgStabStabiliser<C>{progress, n});
  auto* const square_of_residual = this->coefficient(square);
  this->run(
      BiCgStabDescent<T, C>{progress, n, along_p, along_s, at(t), system.x, at(r)},
      std::array{this->product(at(r), at(r), square_of_residual),
                 this->product(at(shadow), at(r), &n->next_rho)},
      BiCgStabEnd<C>{square_of_residual, this->tolerance_.iterations, progress, n, this->history_place()});
}

// Conjugate residuals: vectors r, z = B r, A z, and of each direction that is kept it and its image.

namespace residuals {
enum Vectors : std::int64_t { r, z, image, kept };
}  // namespace residuals

template <class T, class Executor>
ConjugateResiduals<T, Executor>::ConjugateResiduals(Executor executor, std::int64_t size,
                                                    Tolerance const& tolerance, Norm norm,
                                                    Sharing<Executor> const& sharing)
    : Base(executor, size, residuals::kept + 2 * kept,
           sizeof(ConjugateResidualNumbers<typename Base::Coefficient, kept>) /
               sizeof(typename Base::Coefficient),
           kept + 2, tolerance, sharing),
      norm_{norm} {}

template <class T, class Executor>
auto ConjugateResiduals<T, Executor>::numbers() -> Numbers* {
  return reinterpret_cast<Numbers*>(this->coefficient(0));
}

template <class T, class Executor>
auto ConjugateResiduals<T, Executor>::square() -> Product {
  auto* const measured = this->vector(norm_ == Norm::preconditioned ? residuals::z : residuals::r);
  return this->product(measured, measured, &numbers()->square);
}

template <class T, class Executor>
void ConjugateResiduals<T, Executor>::begin(System const& system) {
  using namespace residuals;
  auto* const n = numbers();
  auto const* square_of_reference = &n->square;
  if (system.guess != Guess::zero) {
    auto const* const b = this->reference(system, norm_ == Norm::preconditioned, this->vector(z));
    this->run(NoWork{}, std::array{this->product(b, b, &n->reference)}, NoWork{});
    square_of_reference = &n->reference;
  }
  this->residual(system, false, true, this->vector(r), nullptr);
  this->precondition(system, this->vector(r), this->vector(z));
  this->run(NoWork{}, std::array{square()}, this->starting(&n->square, square_of_reference));
}

template <class T, class Executor>
void ConjugateResiduals<T, Executor>::iterate(System const& system) {
  using namespace residuals;
  using C = typename Base::Coefficient;
  auto* const n = numbers();
  auto* const progress = this->progress();
  auto const at = [&](std::int64_t k) { return this->vector(k); };
  auto* const directions = at(residuals::kept);
  auto* const images = at(residuals::kept + kept);
  this->multiply(system, at(z), at(image));
  static_assert(kept == 2);
  this->run(NoWork{},
            std::array{this->product(at(r), at(image), &n->gained),
                       this->product(at(image), at(image), &n->stretch),
                       this->product(at(image), images, &n->along[0]),
                       this->product(at(image), images + this->size_, &n->along[1])},
            ConjugateResidualLength<C, kept>{progress, n});
  for_each(this->executor_, this->size_,
           ConjugateResidualStep<T, C, kept>{progress, n, this->size_, at(z), at(image), directions, images,
                                             system.x, at(r)});
  this->precondition(system, at(r), at(z));
  this->run(NoWork{}, std::array{square()},
            ConjugateResidualEnd<C>{&n->square, progress, this->history_place()});
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
    this->multiply_and_precondition(system, x, work, y);
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
  auto const* const b = this->reference(system, side_ == Side::left, this->vector(restart_ + 2));
  this->dot(b, b, h.y);
  begin_cycle(system, true);
  for_each(this->executor_, std::int64_t{1}, this->starting(h.square, h.y));
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
