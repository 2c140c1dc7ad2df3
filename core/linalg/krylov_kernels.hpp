// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/linalg/krylov.hpp"
#include "precision/arithmetic.hpp"
#include "precision/double_float.hpp"

/// The steps of the Krylov solvers. Those on coefficients are called once, for index 0. C is the type of
/// coefficients, T that of vectors.
///
/// Kernels load all that they may need before they look at whether the solve goes on: on a device loads that
/// wait for one another take most of their time.
namespace ulpine::linalg {

template <class C>
ULPINE_HD bool is_finite(C x) {
  return x - x == C(0);
}

/// Ends the solve or goes on, as the residual's square says.
template <class C>
ULPINE_HD void judge(Progress<C>& progress, C* history, C square) {
  auto const norm = math::sqrt(square);
  progress.norm = norm;
  history[progress.iterations] = norm;
  if (!is_finite(square)) {
    progress.outcome = Outcome::not_finite;
  } else if (norm <= progress.target) {
    progress.outcome = Outcome::converged;
  }
}

template <class C>
struct Start {
  C relative, absolute;
  C const *square, *reference_square;
  Progress<C>* progress;
  C* history;

  ULPINE_HD void operator()(std::int64_t) const {
    auto const reference = math::sqrt(*reference_square);
    *progress = {Outcome::running, 0, 0, C(0), math::max(relative * reference, absolute), reference};
    judge(*progress, history, *square);
    if (!is_finite(reference)) progress->outcome = Outcome::not_finite;
  }
};

template <class T>
struct Copy {
  T const* source;
  T* target;
  ULPINE_HD void operator()(std::int64_t i) const { target[i] = source[i]; }
};

/// y = b - y.
template <class T>
struct Remainder {
  T const* b;
  T* y;
  ULPINE_HD void operator()(std::int64_t i) const { y[i] = b[i] - y[i]; }
};

/// alpha = (r, z) / (p, A p).
template <class C>
struct CgLength {
  C const *energy, *curvature;
  Progress<C>* progress;
  C* length;

  ULPINE_HD void operator()(std::int64_t) const {
    if (progress->outcome != Outcome::running) return;
    if (!is_finite(*curvature) || !is_finite(*energy)) {
      progress->outcome = Outcome::not_finite;
    } else if (*curvature <= C(0) || *energy <= C(0)) {
      progress->outcome = Outcome::not_definite;
    } else {
      *length = *energy / *curvature;
    }
  }
};

/// x <- x + alpha p, r <- r - alpha A p.
template <class T, class C>
struct CgDescent {
  Progress<C> const* progress;
  C const* length;
  T const *direction, *image;
  T *x, *r;

  ULPINE_HD void operator()(std::int64_t i) const {
    if (progress->outcome != Outcome::running) return;
    auto const alpha = T(*length);
    x[i] = math::fma(alpha, direction[i], x[i]);
    r[i] = math::fma(-alpha, image[i], r[i]);
  }
};

/// beta = (r, z) / (r, z) before.
template <class C>
struct CgTurn {
  C const *square, *next_energy;
  Progress<C>* progress;
  C *energy, *kept, *history;

  ULPINE_HD void operator()(std::int64_t) const {
    if (progress->outcome != Outcome::running) return;
    ++progress->iterations;
    judge(*progress, history, *square);
    *kept = *next_energy / *energy;
    *energy = *next_energy;
  }
};

/// p <- z + beta p.
template <class T, class C>
struct CgDirection {
  Progress<C> const* progress;
  C const* kept;
  T const* z;
  T* p;

  ULPINE_HD void operator()(std::int64_t i) const {
    if (progress->outcome == Outcome::running) p[i] = math::fma(T(*kept), p[i], z[i]);
  }
};

/// The coefficients of BiCGStab.
template <class C>
struct BiCgStabNumbers {
  C rho, alpha, omega, beta;
  C next_rho, projected;  ///< (r0, r) and (r0, v)
  C cross, stretch;       ///< (t, s) and (t, t)
};

/// What the next direction needs.
template <class C>
ULPINE_HD void turn(Progress<C>& progress, BiCgStabNumbers<C>& n) {
  if (progress.outcome != Outcome::running) return;
  n.beta = progress.iterations == 0 ? C(0) : (n.next_rho / n.rho) * (n.alpha / n.omega);
  n.rho = n.next_rho;
  if (!is_finite(n.beta)) progress.outcome = Outcome::not_finite;
  if (n.next_rho == C(0)) progress.outcome = Outcome::breakdown;
}

/// The residual's product with what it begins as is the square of its norm at first.
template <class C>
struct BiCgStabBegin {
  Start<C> start;
  BiCgStabNumbers<C>* n;

  ULPINE_HD void operator()(std::int64_t i) const {
    start(i);
    n->next_rho = *start.square;
    turn(*start.progress, *n);
  }
};

/// p <- r + beta (p - omega v).
template <class T, class C>
struct BiCgStabDirection {
  Progress<C> const* progress;
  BiCgStabNumbers<C> const* n;
  T const *r, *v;
  T* p;

  ULPINE_HD void operator()(std::int64_t i) const {
    auto const running = progress->outcome == Outcome::running, first = progress->iterations == 0;
    auto const beta = T(n->beta), omega = T(n->omega);
    auto const residual = r[i], image = v[i], last = p[i];
    if (running) p[i] = first ? residual : math::fma(beta, math::fma(-omega, image, last), residual);
  }
};

template <class C>
struct BiCgStabLength {
  Progress<C>* progress;
  BiCgStabNumbers<C>* n;

  ULPINE_HD void operator()(std::int64_t) const {
    if (progress->outcome != Outcome::running) return;
    if (!is_finite(n->projected)) {
      progress->outcome = Outcome::not_finite;
    } else if (n->projected == C(0)) {
      progress->outcome = Outcome::breakdown;
    } else {
      n->alpha = n->rho / n->projected;
    }
  }
};

/// s = r - alpha v, in r's place.
template <class T, class C>
struct BiCgStabHalf {
  Progress<C> const* progress;
  BiCgStabNumbers<C> const* n;
  T const* v;
  T* r;

  ULPINE_HD void operator()(std::int64_t i) const {
    auto const running = progress->outcome == Outcome::running;
    auto const next = math::fma(-T(n->alpha), v[i], r[i]);
    if (running) r[i] = next;
  }
};

template <class C>
struct BiCgStabStabiliser {
  Progress<C>* progress;
  BiCgStabNumbers<C>* n;

  ULPINE_HD void operator()(std::int64_t) const {
    if (progress->outcome != Outcome::running) return;
    // s = 0, of which t is the image, is a solution.
    n->omega = n->stretch == C(0) ? C(0) : n->cross / n->stretch;
    if (!is_finite(n->omega)) progress->outcome = Outcome::not_finite;
  }
};

/// x <- x + alpha p' + omega s', r <- s - omega t.
template <class T, class C>
struct BiCgStabDescent {
  Progress<C> const* progress;
  BiCgStabNumbers<C> const* n;
  T const *p, *s, *t;
  T *x, *r;

  ULPINE_HD void operator()(std::int64_t i) const {
    auto const running = progress->outcome == Outcome::running;
    auto const alpha = T(n->alpha), omega = T(n->omega);
    auto const solution = math::fma(omega, s[i], math::fma(alpha, p[i], x[i]));
    auto const residual = math::fma(-omega, t[i], r[i]);
    if (!running) return;
    x[i] = solution;
    r[i] = residual;
  }
};

/// Counts the iteration, of `most`, and turns to the next. omega = 0 with a residual left cannot go on.
template <class C>
struct BiCgStabEnd {
  C const* square;
  std::int32_t most;
  Progress<C>* progress;
  BiCgStabNumbers<C>* n;
  C* history;

  ULPINE_HD void operator()(std::int64_t) const {
    if (progress->outcome != Outcome::running) return;
    ++progress->iterations;
    judge(*progress, history, *square);
    if (progress->outcome == Outcome::running && n->omega == C(0)) progress->outcome = Outcome::breakdown;
    if (progress->iterations < most) turn(*progress, *n);
  }
};

/// The coefficients of truncated conjugate residuals. z = B r of the residual r, q its image A z, which
/// becomes conjugate to the images q_i of the directions that are kept.
template <class C, int kept>
struct ConjugateResidualNumbers {
  C square, reference;     ///< of the norms of the residual and of what tolerances are relative to
  C gained, stretch;       ///< (r, q) and (q, q)
  C along[kept];           ///< (q, q_i)
  C stretch_kept[kept];    ///< (q_i, q_i)
  C factor[kept], length;  ///< q <- q - sum factor_i q_i, and how far to go
};

/// How the next direction is made and how far it goes. Directions take turns in their places.
template <class C, int kept>
struct ConjugateResidualLength {
  Progress<C>* progress;
  ConjugateResidualNumbers<C, kept>* n;

  ULPINE_HD void operator()(std::int64_t) const {
    if (progress->outcome != Outcome::running) return;
    if (!is_finite(n->stretch) || !is_finite(n->gained)) {
      progress->outcome = Outcome::not_finite;
      return;
    }
    auto left = n->stretch;
    for (int i = 0; i < kept; ++i) {
      n->factor[i] = i < progress->iterations ? n->along[i] / n->stretch_kept[i] : C(0);
      left = math::fma(-n->factor[i], n->along[i], left);
    }
    // Where rounding leaves nothing the new direction stays as it is.
    if (!(left > C(0)) || !is_finite(left)) {
      left = n->stretch;
      for (int i = 0; i < kept; ++i) n->factor[i] = C(0);
    }
    if (left == C(0) || n->gained == C(0)) {
      progress->outcome = Outcome::breakdown;
      return;
    }
    n->length = n->gained / left;
    n->stretch_kept[progress->iterations % kept] = left;
  }
};

/// The new direction p and its image q, in the places of the oldest; x <- x + length p, r <- r - length q.
template <class T, class C, int kept>
struct ConjugateResidualStep {
  Progress<C> const* progress;
  ConjugateResidualNumbers<C, kept> const* n;
  std::int64_t size;
  T const *z, *image;
  T *directions, *images;  ///< one behind the other
  T *x, *r;

  ULPINE_HD void operator()(std::int64_t i) const {
    auto const running = progress->outcome == Outcome::running;
    auto const place = progress->iterations % kept * size + i;
    auto const length = T(n->length), solution = x[i], residual = r[i];
    auto p = z[i], q = image[i];
    for (int k = 0; k < kept; ++k) {
      auto const factor = T(n->factor[k]);
      auto const direction = directions[k * size + i], its_image = images[k * size + i];
      if (factor == T(0)) continue;  // of a direction that is not there yet
      p = math::fma(-factor, direction, p);
      q = math::fma(-factor, its_image, q);
    }
    if (!running) return;
    directions[place] = p;
    images[place] = q;
    x[i] = math::fma(length, p, solution);
    r[i] = math::fma(-length, q, residual);
  }
};

/// Counts the iteration.
template <class C>
struct ConjugateResidualEnd {
  C const* square;
  Progress<C>* progress;
  C* history;
  ULPINE_HD void operator()(std::int64_t) const {
    if (progress->outcome != Outcome::running) return;
    ++progress->iterations;
    judge(*progress, history, *square);
  }
};

/// The small least-squares problem of GMRES: the triangle R by columns of restart + 1, rotations, and the
/// rotated right-hand side g. `sum` holds the second pass's inner products. `defect` bounds how far each
/// vector of the basis is from being orthogonal to those before it; `again` is not 0 where a column needs a
/// second pass.
template <class C>
struct Hessenberg {
  std::int32_t restart;
  C *r, *cosine, *sine, *g, *sum, *square, *y, *defect, *again;

  ULPINE_HD C& at(std::int32_t row, std::int32_t column) const {
    return r[std::int64_t{column} * (restart + 1) + row];
  }
};

/// The roundoff of vectors of T.
template <class T, class C>
constexpr C vector_roundoff() {
  if constexpr (std::is_same_v<T, DoubleFloat>) return C(4 * T::roundoff);  // of a product
  return sizeof(T) == 4 ? C(0x1p-24) : sizeof(T) == 8 ? C(0x1p-53) : C(0x1p-113);
}

/// Kernels that combine many vectors take `tile` neighbouring numbers at a time: the host loops over a tile
/// for one vector after the other.
template <class Executor>
inline constexpr std::int64_t tile = Executor::on_device ? 1 : 512;
template <class Executor>
constexpr std::int64_t tiles(std::int64_t size) {
  return (size + tile<Executor> - 1) / tile<Executor>;
}

/// sum[i] <- sum[i] + the sum of factor(j) v_j[i] over j < count, j ascending, for a tile of n numbers from
/// basis on; v_j begin `size` numbers apart.
template <std::int64_t tile, class T, class Factor>
ULPINE_HD void add_multiples(std::int32_t count, std::int64_t size, Factor const& factor, T const* basis,
                             std::int64_t n, T (&sum)[tile]) {
  std::int32_t j = 0;
  for (; j + 4 <= count; j += 4) {
    T const f0 = factor(j), f1 = factor(j + 1), f2 = factor(j + 2), f3 = factor(j + 3);
    auto const *const v0 = basis + j * size, *const v1 = v0 + size, *const v2 = v1 + size,
                      *const v3 = v2 + size;
    for (std::int64_t i = 0; i < n; ++i) {
      sum[i] = math::fma(f3, v3[i], math::fma(f2, v2[i], math::fma(f1, v1[i], math::fma(f0, v0[i], sum[i]))));
    }
  }
  for (; j < count; ++j) {
    T const f = factor(j);
    auto const* const v = basis + j * size;
    for (std::int64_t i = 0; i < n; ++i) sum[i] = math::fma(f, v[i], sum[i]);
  }
}

/// A cycle begins with the residual of `square`.
template <class C>
struct GmresBegin {
  C roundoff;
  Progress<C>* progress;
  Hessenberg<C> h;
  ULPINE_HD void operator()(std::int64_t) const {
    progress->columns = 0;
    h.g[0] = math::sqrt(*h.square);
    h.defect[0] = roundoff;
  }
};

/// v = w / sqrt(square); 0 where that is 0.
template <class T, class C, std::int64_t tile>
struct Normalised {
  std::int64_t size;
  C const* square;
  T const* w;
  T* v;
  ULPINE_HD void operator()(std::int64_t n) const {
    auto const norm = math::sqrt(*square);
    auto const divisor = T(norm);
    auto const end = math::min((n + 1) * tile, size);
    auto const inverse = T(1) / divisor;
    if (norm == C(0)) {
      for (auto i = n * tile; i < end; ++i) v[i] = T(0);
    } else if (is_finite(inverse)) {
      for (auto i = n * tile; i < end; ++i) v[i] = w[i] * inverse;
    } else {
      for (auto i = n * tile; i < end; ++i) v[i] = w[i] / divisor;
    }
  }
};

/// w <- w - sum of h_j v_j, j ascending. Where `again` is not null, only if that is not 0.
template <class T, class C, std::int64_t tile>
struct Orthogonalised {
  std::int32_t count;
  std::int64_t size;
  C const *again, *h;
  T const* basis;
  T* w;
  ULPINE_HD void operator()(std::int64_t n) const {
    if (again != nullptr && *again == C(0)) return;
    auto const first = n * tile, length = math::min(tile, size - first);
    T sum[tile];
    for (std::int64_t i = 0; i < length; ++i) sum[i] = w[first + i];
    auto const factor = [this](std::int32_t j) { return -T(h[j]); };
    add_multiples(count, size, factor, basis + first, length, sum);
    for (std::int64_t i = 0; i < length; ++i) w[first + i] = sum[i];
  }
};

/// Whether a column has to be made orthogonal a second time. One pass leaves it as far from orthogonal as the
/// basis is, in the direction of what it has taken away, relative to what is left of the column, whose square
/// is that of before (which the triangle holds below the diagonal) less those of its products. Up to the root
/// of the roundoff that changes no digit of the triangle that counts (Simon, Math. Comput. 42, 1984,
/// doi:10.1090/S0025-5718-1984-0725988-X); beyond it a second pass is due, which leaves roundoff.
template <class C>
struct GmresAgain {
  std::int32_t column;
  C roundoff;
  Progress<C> const* progress;
  Hessenberg<C> h;

  ULPINE_HD void operator()(std::int64_t) const {
    *h.again = C(0);
    if (progress->outcome != Outcome::running) return;
    auto const before = h.at(column + 1, column);
    auto left = before, defect = roundoff * math::sqrt(before);
    for (std::int32_t j = 0; j <= column; ++j) {
      auto const product = h.at(j, column);
      left = math::fma(-product, product, left);
      defect = math::fma(math::abs(product), h.defect[j], defect);
    }
    // Of a small difference few digits are right.
    if (left > C(0x1p-20) * before) defect = defect / math::sqrt(left);
    if (left > C(0x1p-20) * before && defect < math::sqrt(roundoff)) {
      h.defect[column + 1] = defect;
    } else {
      *h.again = C(1);
      h.defect[column + 1] = C(2) * roundoff;
    }
  }
};

/// Turns the new column into the triangle and measures the residual.
template <class C>
struct GmresColumn {
  std::int32_t column;
  Progress<C>* progress;
  Hessenberg<C> h;
  C* history;

  ULPINE_HD void operator()(std::int64_t) const {
    if (progress->outcome != Outcome::running) return;
    if (*h.again != C(0)) {
      for (std::int32_t j = 0; j <= column; ++j) h.at(j, column) = h.at(j, column) + h.sum[j];
    }
    for (std::int32_t j = 0; j < column; ++j) {
      auto const upper = h.at(j, column), lower = h.at(j + 1, column);
      h.at(j, column) = math::fma(h.cosine[j], upper, h.sine[j] * lower);
      h.at(j + 1, column) = math::fma(h.cosine[j], lower, -h.sine[j] * upper);
    }
    auto const upper = h.at(column, column), lower = math::sqrt(*h.square);
    auto const length = math::sqrt(math::fma(upper, upper, lower * lower));
    if (!is_finite(length)) {
      progress->outcome = Outcome::not_finite;
      return;
    }
    if (length == C(0)) {
      progress->outcome = Outcome::breakdown;
      return;
    }
    h.cosine[column] = upper / length;
    h.sine[column] = lower / length;
    h.at(column, column) = length;
    h.g[column + 1] = -h.sine[column] * h.g[column];
    h.g[column] = h.cosine[column] * h.g[column];
    ++progress->iterations;
    progress->columns = column + 1;
    auto const residual = math::abs(h.g[column + 1]);
    judge(*progress, history, residual * residual);
  }
};

/// Solves R y = g.
template <class C>
struct GmresTriangle {
  Progress<C> const* progress;
  Hessenberg<C> h;
  ULPINE_HD void operator()(std::int64_t) const {
    for (auto i = progress->columns - 1; i >= 0; --i) {
      auto sum = h.g[i];
      for (auto j = i + 1; j < progress->columns; ++j) sum = math::fma(-h.at(i, j), h.y[j], sum);
      h.y[i] = sum / h.at(i, i);
    }
  }
};

/// The correction: the sum of y_j v_j over the columns in use; `gained` is added to where it is the solution.
template <class T, class C, std::int64_t tile>
struct GmresCorrection {
  Progress<C> const* progress;
  std::int64_t size;
  C const* y;
  T const* basis;
  bool adds;
  T* gained;
  ULPINE_HD void operator()(std::int64_t n) const {
    auto const first = n * tile, length = math::min(tile, size - first);
    T sum[tile];
    for (std::int64_t i = 0; i < length; ++i) sum[i] = adds ? gained[first + i] : T(0);
    auto const factor = [this](std::int32_t j) { return T(y[j]); };
    add_multiples(progress->columns, size, factor, basis + first, length, sum);
    for (std::int64_t i = 0; i < length; ++i) gained[first + i] = sum[i];
  }
};

/// x <- x + d where the cycle has columns.
template <class T, class C>
struct Added {
  Progress<C> const* progress;
  T const* d;
  T* x;
  ULPINE_HD void operator()(std::int64_t i) const {
    if (progress->columns > 0) x[i] += d[i];
  }
};

}  // namespace ulpine::linalg
