// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/quad.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/poisson/grid.hpp"
#include "core/poisson/phases.hpp"
#include "support/random_values.hpp"

/// Poisson's equation as its definition says, in the plainest way.
namespace ulpine::poisson_test {

/// Values (nz, ny, nx) without padding.
template <class T>
using Cells = std::vector<T>;

inline std::size_t at(PoissonGrid const& g, int k, int j, int i) {
  return (static_cast<std::size_t>(k) * static_cast<std::size_t>(g.ny) + static_cast<std::size_t>(j)) *
             static_cast<std::size_t>(g.nx) +
         static_cast<std::size_t>(i);
}

inline void for_cells(PoissonGrid const& g, std::function<void(int, int, int)> const& visit) {
  for (int k = 0; k < g.nz; ++k) {
    for (int j = 0; j < g.ny; ++j) {
      for (int i = 0; i < g.nx; ++i) visit(k, j, i);
    }
  }
}

/// L p.
template <class T>
Cells<T> laplacian(PoissonGrid const& g, Cells<T> const& p) {
  Cells<T> result(p.size());
  auto const between = [&](int k) { return T(g.dz_between[static_cast<std::size_t>(k)]); };
  for_cells(g, [&](int k, int j, int i) {
    auto const here = p[at(g, k, j, i)];
    auto const x = p[at(g, k, j, (i + 1) % g.nx)] - 2 * here + p[at(g, k, j, (i + g.nx - 1) % g.nx)];
    auto const y = p[at(g, k, (j + 1) % g.ny, i)] - 2 * here + p[at(g, k, (j + g.ny - 1) % g.ny, i)];
    auto below = T(0), above = T(0);
    if (k > 0) below = (here - p[at(g, k - 1, j, i)]) / between(k);
    if (k + 1 < g.nz) {
      above = (p[at(g, k + 1, j, i)] - here) / between(k + 1);
    } else if (g.dirichlet_top) {
      above = -here / between(k + 1);
    }
    result[at(g, k, j, i)] = x / (T(g.dx) * T(g.dx)) + y / (T(g.dy) * T(g.dy)) +
                             (above - below) / T(g.dz[static_cast<std::size_t>(k)]);
  });
  return result;
}

/// Weighted with the cells' volumes.
template <class T>
T mean(PoissonGrid const& g, Cells<T> const& values) {
  T sum = 0, volume = 0;
  for_cells(g, [&](int k, int j, int i) {
    sum += T(g.dz[static_cast<std::size_t>(k)]) * values[at(g, k, j, i)];
    volume += T(g.dz[static_cast<std::size_t>(k)]);
  });
  return sum / volume;
}

template <class T>
Cells<T> without_mean(PoissonGrid const& g, Cells<T> values) {
  auto const shift = mean(g, values);
  for (auto& value : values) value -= shift;
  return values;
}

template <class T>
Cells<T> noise(PoissonGrid const& g, std::uint64_t seed) {
  test::RandomValues random(seed);
  Cells<T> values(static_cast<std::size_t>(g.cells()));
  for (auto& value : values) value = T(random.between(-1, 1));
  return values;
}

template <class T, class From>
Cells<T> converted(Cells<From> const& values) {
  Cells<T> result;
  for (auto const& value : values) result.push_back(static_cast<T>(value));
  return result;
}

/// Rows with their padding, in which there is something.
template <class T>
std::vector<T> planes_of(PoissonGrid const& g, Cells<T> const& values) {
  auto const row = static_cast<std::size_t>(2 * g.modes_x());
  std::vector<T> planes(static_cast<std::size_t>(g.plane() * g.nz), T(7));
  for_cells(g, [&](int k, int j, int i) {
    planes[static_cast<std::size_t>(k * g.ny + j) * row + static_cast<std::size_t>(i)] =
        values[at(g, k, j, i)];
  });
  return planes;
}
template <class T>
Cells<T> cells_of(PoissonGrid const& g, std::vector<T> const& planes) {
  auto const row = static_cast<std::size_t>(2 * g.modes_x());
  Cells<T> values(static_cast<std::size_t>(g.cells()));
  for_cells(g, [&](int k, int j, int i) {
    values[at(g, k, j, i)] =
        planes[static_cast<std::size_t>(k * g.ny + j) * row + static_cast<std::size_t>(i)];
  });
  return values;
}

template <class T, class Format = Exact>
Cells<T> solve(PoissonGrid const& g, Cells<T> const& d, PoissonMethod method = PoissonMethod::vendor,
               int threads = 1) {
  auto planes = planes_of(g, d);
  make_poisson_phases<T, Format>(Host{threads}, g, method)->solve(planes.data());
  return cells_of(g, planes);
}

template <class T>
T norm(Cells<T> const& values) {
  T sum = 0;
  for (auto const& value : values) sum += value * value;
  return math::sqrt(sum);
}
template <class T>
double relative_error(Cells<T> const& values, Cells<float128> const& exact) {
  Cells<float128> difference;
  for (std::size_t i = 0; i < exact.size(); ++i) difference.push_back(float128(values[i]) - exact[i]);
  return static_cast<double>(norm(difference) / norm(exact));
}

/// Grids of ugly shapes, each with what is special about it.
struct Named {
  std::string name;
  PoissonGrid grid;
};

inline PoissonGrid stretched(std::int32_t nx, std::int32_t ny, std::int32_t nz, bool dirichlet_top) {
  PoissonGrid g{nx, ny, nz, 3, 5, {}, {}, dirichlet_top};
  double dz = 2;
  for (int k = 0; k < nz; ++k, dz *= 1.08) g.dz.push_back(dz);
  g.dz_between.push_back(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 1; k < g.dz.size(); ++k) g.dz_between.push_back((g.dz[k - 1] + g.dz[k]) / 2);
  g.dz_between.push_back(dirichlet_top ? g.dz.back() / 2 : std::numeric_limits<double>::quiet_NaN());
  return g;
}

inline std::vector<Named> grids() {
  auto flat = uniform_poisson_grid(6, 9, 1, 2, 3, 4);
  auto flat_open = flat;
  flat_open.dirichlet_top = true;
  auto thin = uniform_poisson_grid(8, 8, 40, 1, 1, 200);
  return {{"even", uniform_poisson_grid(16, 12, 10, 1, 2, 3)},
          {"odd", uniform_poisson_grid(15, 9, 7, 1, 2, 3)},
          {"primes", uniform_poisson_grid(13, 17, 11, 1, 1, 1)},
          {"stretched", stretched(12, 10, 21, false)},
          {"open and stretched", stretched(12, 10, 21, true)},
          {"wider than a chunk", stretched(140, 6, 5, false)},
          {"one cell along x", uniform_poisson_grid(1, 12, 6, 1, 2, 3)},
          {"one cell along y", uniform_poisson_grid(12, 1, 6, 1, 2, 3)},
          {"one column", stretched(1, 1, 9, false)},
          {"one open column", stretched(1, 1, 9, true)},
          {"one level", flat},
          {"one open level", flat_open},
          {"two levels", uniform_poisson_grid(6, 8, 2, 2, 3, 4)},
          {"tall cells", thin}};
}

/// The right-hand side of `grid`: of zero mean where it must be.
inline Cells<float128> right_hand_side(PoissonGrid const& g, std::uint64_t seed) {
  auto const d = noise<float128>(g, seed);
  return g.singular() ? without_mean(g, d) : d;
}

/// The relative error (2-norm) that rounding to unit `u` may cause: each value of a transform and of a sweep
/// is rounded some three times a level of the butterflies and three times a level of the grid, which is taken
/// as white noise in d; the inverse of L makes of that noise what `quad` makes of noise (the sum of its
/// squares is estimated with eight random fields, and doubled).
inline double rounding_bound(PoissonGrid const& g, Cells<float128> const& d, Cells<float128> const& p,
                             double u) {
  double sum = 0;
  constexpr int fields = 8;
  for (int f = 0; f < fields; ++f) {
    auto v = right_hand_side(g, 1000 + static_cast<std::uint64_t>(f));
    sum += std::pow(static_cast<double>(norm(solve(g, v)) / norm(v)), 2);
  }
  auto const amplification = 2 * std::sqrt(sum / fields);
  auto const roundings = 3 * (2 + std::log2(double(g.nx) * g.ny)) + 3.0 * g.nz;
  return u * roundings * (1 + amplification * static_cast<double>(norm(d) / norm(p)));
}

template <class T>
inline constexpr double unit_roundoff = double(std::numeric_limits<T>::epsilon()) / 2;

}  // namespace ulpine::poisson_test
