// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "core/mesh/quad_mesh.hpp"

/// What depends on the metric of the sphere a second time, in plain loops with physical gradients at points
/// and in long double; the core's element matrices, kernels and bases are not used. Fields of modes are
/// [mode][cell], lattices x fastest.
namespace ulpine::test {

class PlainSphere {
 public:
  using Real = long double;
  using Field = std::vector<Real>;
  static constexpr Real radius = 6371000;

  QuadMesh mesh;
  int cg, dg;
  /// Whether the northward flux of the advection has the cosine of the latitude, which neXtSIM-DG leaves out.
  bool cosine = true;

  PlainSphere(QuadMesh of, int velocity, int tracers) : mesh{std::move(of)}, cg{velocity}, dg{tracers} {}

  int stress_modes() const { return cg == 1 ? 3 : 8; }
  std::size_t cells() const { return static_cast<std::size_t>(mesh.cells()); }
  std::size_t row() const { return static_cast<std::size_t>(cg * mesh.nx + 1); }
  std::size_t nodes() const { return row() * static_cast<std::size_t>(cg * mesh.ny + 1); }
  std::size_t cell(int i, int j) const { return static_cast<std::size_t>(j * mesh.nx + i); }
  std::size_t node(int i, int j, int local) const {
    return static_cast<std::size_t>(cg * j + local / (cg + 1)) * row() +
           static_cast<std::size_t>(cg * i + local % (cg + 1));
  }
  bool sea(int i, int j) const {
    return i >= 0 && j >= 0 && i < mesh.nx && j < mesh.ny && mesh.mask[cell(i, j)] != 0;
  }

  struct Point {
    Real longitude, latitude, x_s, x_t, y_s, y_t, determinant;
    Real area() const { return radius * radius * std::cos(latitude) * determinant; }
    /// Towards east and north of a function with these reference derivatives, m-1.
    Real east(Real f_s, Real f_t) const {
      return (f_s * y_t - f_t * y_s) / determinant / (radius * std::cos(latitude));
    }
    Real north(Real f_s, Real f_t) const { return (f_t * x_s - f_s * x_t) / determinant / radius; }
  };
  Point at(int i, int j, Real s, Real t) const {
    auto const c = mesh.corners(i, j);
    auto const value = [&](double const(&f)[4]) {
      return (1 - t) * ((1 - s) * f[0] + s * f[1]) + t * ((1 - s) * f[2] + s * f[3]);
    };
    auto const along_s = [&](double const(&f)[4]) {
      return (1 - t) * (Real(f[1]) - f[0]) + t * (Real(f[3]) - f[2]);
    };
    auto const along_t = [&](double const(&f)[4]) {
      return (1 - s) * (Real(f[2]) - f[0]) + s * (Real(f[3]) - f[1]);
    };
    Point p{value(c.x), value(c.y), along_s(c.x), along_t(c.x), along_s(c.y), along_t(c.y), 0};
    p.determinant = p.x_s * p.y_t - p.x_t * p.y_s;
    return p;
  }

  static Real psi(int mode, Real s, Real t) {
    Real const a = s - 0.5L, b = t - 0.5L, p = a * a - 1 / 12.0L, q = b * b - 1 / 12.0L;
    Real const values[] = {1, a, b, p, q, a * b, b * p, a * q};
    return values[mode];
  }
  /// d psi / ds, d psi / dt by the polynomials' own differences: exact for degree two.
  static Real psi_s(int mode, Real s, Real t) { return psi(mode, s + 0.5L, t) - psi(mode, s - 0.5L, t); }
  static Real psi_t(int mode, Real s, Real t) { return psi(mode, s, t + 0.5L) - psi(mode, s, t - 0.5L); }
  Real phi(int local, Real s, Real t) const {
    return lagrange(local % (cg + 1), s) * lagrange(local / (cg + 1), t);
  }
  Real phi_s(int local, Real s, Real t) const { return phi(local, s + 0.5L, t) - phi(local, s - 0.5L, t); }
  Real phi_t(int local, Real s, Real t) const { return phi(local, s, t + 0.5L) - phi(local, s, t - 0.5L); }

  static std::vector<std::pair<Real, Real>> gauss(int n) {
    Real const d = std::sqrt(n == 2 ? 1 / 12.0L : 0.15L);
    if (n == 1) return {{0.5L, 1}};
    if (n == 2) return {{0.5L - d, 0.5L}, {0.5L + d, 0.5L}};
    return {{0.5L - d, 5 / 18.0L}, {0.5L, 4 / 9.0L}, {0.5L + d, 5 / 18.0L}};
  }
  template <class Visit>
  void for_each_point(int n, Visit const& visit) const {
    for (auto const& [t, wt] : gauss(n)) {
      for (auto const& [s, ws] : gauss(n)) visit(s, t, ws * wt);
    }
  }
  template <class Visit>
  void for_each_sea_cell(Visit const& visit) const {
    for (int j = 0; j < mesh.ny; ++j) {
      for (int i = 0; i < mesh.nx; ++i) {
        if (sea(i, j)) visit(i, j);
      }
    }
  }

  /// Solves M x = moments with the mass matrix of the first functions by the rule of `points` points.
  Field divide_by_mass(int i, int j, int points, Field moments) const {
    auto const n = moments.size();
    std::vector<Field> m(n, Field(n, 0));
    for_each_point(points, [&](Real s, Real t, Real weight) {
      Real const area = weight * at(i, j, s, t).area();
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t l = 0; l < n; ++l) {
          m[k][l] += area * psi(static_cast<int>(k), s, t) * psi(static_cast<int>(l), s, t);
        }
      }
    });
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t r = k + 1; r < n; ++r) {
        Real const factor = m[r][k] / m[k][k];
        for (std::size_t l = k; l < n; ++l) m[r][l] -= factor * m[k][l];
        moments[r] -= factor * moments[k];
      }
    }
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t l = k + 1; l < n; ++l) moments[k] -= m[k][l] * moments[l];
      moments[k] /= m[k][k];
    }
    return moments;
  }

  Real value(Field const& modes, int i, int j, Real s, Real t) const {
    Real sum = 0;
    for (std::size_t m = 0; m < modes.size() / cells(); ++m) {
      sum += modes[m * cells() + cell(i, j)] * psi(static_cast<int>(m), s, t);
    }
    return sum;
  }
  void put(Field& modes, int i, int j, Field const& values) const {
    for (std::size_t m = 0; m < values.size(); ++m) modes[m * cells() + cell(i, j)] = values[m];
  }

  /// Symmetric tensor fields xx, yy, xy.
  struct TensorModes {
    Field xx, yy, xy;
  };
  struct PointStrain {
    Real xx, yy, xy;
  };
  /// Strain rate of one node's velocity (u, v) at a point.
  PointStrain strain_of(Point const& p, int local, Real s, Real t, Real u, Real v) const {
    Real const east = p.east(phi_s(local, s, t), phi_t(local, s, t)),
               north = p.north(phi_s(local, s, t), phi_t(local, s, t));
    Real const turn = std::tan(p.latitude) / radius * phi(local, s, t);
    return {east * u - turn * v, north * v, (east * v + north * u + turn * u) / 2};
  }
  TensorModes strain(Field const& u, Field const& v) const {
    auto const n = static_cast<std::size_t>(stress_modes());
    TensorModes e{Field(n * cells(), 0), Field(n * cells(), 0), Field(n * cells(), 0)};
    for_each_sea_cell([&](int i, int j) {
      Field xx(n, 0), yy(n, 0), xy(n, 0);
      for_each_point(cg + 1, [&](Real s, Real t, Real weight) {
        auto const p = at(i, j, s, t);
        for (int c = 0; c < (cg + 1) * (cg + 1); ++c) {
          auto const local = strain_of(p, c, s, t, u[node(i, j, c)], v[node(i, j, c)]);
          for (std::size_t k = 0; k < n; ++k) {
            Real const share = weight * p.area() * psi(static_cast<int>(k), s, t);
            xx[k] += share * local.xx;
            yy[k] += share * local.yy;
            xy[k] += share * local.xy;
          }
        }
      });
      put(e.xx, i, j, divide_by_mass(i, j, cg + 1, xx));
      put(e.yy, i, j, divide_by_mass(i, j, cg + 1, yy));
      put(e.xy, i, j, divide_by_mass(i, j, cg + 1, xy));
    });
    return e;
  }
  /// Force at the nodes: minus the work of the stress on the strain rate of a node's unit velocity (N).
  void divergence(TensorModes const& stress, Field& force_x, Field& force_y) const {
    force_x.assign(nodes(), 0);
    force_y.assign(nodes(), 0);
    for_each_sea_cell([&](int i, int j) {
      for_each_point(cg + 1, [&](Real s, Real t, Real weight) {
        auto const p = at(i, j, s, t);
        Real const xx = value(stress.xx, i, j, s, t), yy = value(stress.yy, i, j, s, t),
                   xy = value(stress.xy, i, j, s, t);
        auto const work = [&](PointStrain const& e) {
          return weight * p.area() * (xx * e.xx + yy * e.yy + 2 * xy * e.xy);
        };
        for (int c = 0; c < (cg + 1) * (cg + 1); ++c) {
          force_x[node(i, j, c)] -= work(strain_of(p, c, s, t, 1, 0));
          force_y[node(i, j, c)] -= work(strain_of(p, c, s, t, 0, 1));
        }
      });
    });
  }
  /// Integral over the sea of a product of two symmetric tensor fields.
  Real work(TensorModes const& a, TensorModes const& b) const {
    Real sum = 0;
    for_each_sea_cell([&](int i, int j) {
      for_each_point(cg + 1, [&](Real s, Real t, Real weight) {
        auto const product = [&](Field const& f, Field const& g) {
          return value(f, i, j, s, t) * value(g, i, j, s, t);
        };
        sum += weight * at(i, j, s, t).area() *
               (product(a.xx, b.xx) + product(a.yy, b.yy) + 2 * product(a.xy, b.xy));
      });
    });
    return sum;
  }

  int tracer_points() const { return dg == 1 ? 1 : dg == 3 ? 2 : 3; }
  Real integral(Field const& tracer) const {
    Real sum = 0;
    for_each_sea_cell([&](int i, int j) {
      for_each_point(tracer_points(), [&](Real s, Real t, Real weight) {
        sum += weight * at(i, j, s, t).area() * value(tracer, i, j, s, t);
      });
    });
    return sum;
  }
  /// L2 projection of a function of a point and (s, t) to the tracers' space.
  template <class Function>
  Field project(Function const& function) const {
    Field result(static_cast<std::size_t>(dg) * cells(), 0);
    for_each_sea_cell([&](int i, int j) {
      Field moments(static_cast<std::size_t>(dg), 0);
      for_each_point(tracer_points(), [&](Real s, Real t, Real weight) {
        auto const p = at(i, j, s, t);
        for (int k = 0; k < dg; ++k) {
          moments[static_cast<std::size_t>(k)] += weight * p.area() * psi(k, s, t) * function(i, j, s, t, p);
        }
      });
      put(result, i, j, divide_by_mass(i, j, tracer_points(), moments));
    });
    return result;
  }
  Field project_velocity(Field const& nodal) const {
    return project([&](int i, int j, Real s, Real t, Point const&) {
      Real sum = 0;
      for (int c = 0; c < (cg + 1) * (cg + 1); ++c) sum += phi(c, s, t) * nodal[node(i, j, c)];
      return sum;
    });
  }

  /// d tracer / dt of the dG velocity (u, v).
  Field tendency(Field const& tracer, Field const& u, Field const& v) const {
    Field result(tracer.size(), 0);
    for_each_sea_cell([&](int i, int j) {
      Field rate(static_cast<std::size_t>(dg), 0);
      for_each_point(tracer_points(), [&](Real s, Real t, Real weight) {
        auto const p = at(i, j, s, t);
        Real const flux = weight * p.area() * value(tracer, i, j, s, t);
        Real const north = value(v, i, j, s, t) / (cosine ? 1 : std::cos(p.latitude));
        for (int k = 0; k < dg; ++k) {
          rate[static_cast<std::size_t>(k)] +=
              flux * (value(u, i, j, s, t) * p.east(psi_s(k, s, t), psi_t(k, s, t)) +
                      north * p.north(psi_s(k, s, t), psi_t(k, s, t)));
        }
      });
      for (auto const& [q, weight] : gauss(tracer_points())) {
        // Left, right, bottom, top: the point here and there, and the way along the side.
        Real const here[4][2] = {{0, q}, {1, q}, {q, 0}, {q, 1}},
                   there[4][2] = {{1, q}, {0, q}, {q, 1}, {q, 0}};
        int const step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        for (int side = 0; side < 4; ++side) {
          Real const s = here[side][0], t = here[side][1];
          int const ni = i + step[side][0], nj = j + step[side][1];
          auto const p = at(i, j, s, t);
          auto const outflow = [&](int ci, int cj, Real cs, Real ct) {
            Real const dx = side < 2 ? p.x_t : p.x_s, dy = side < 2 ? p.y_t : p.y_s;
            Real const across =
                radius * (value(u, ci, cj, cs, ct) * dy -
                          value(v, ci, cj, cs, ct) * (cosine ? std::cos(p.latitude) : 1) * dx);
            return side == 1 || side == 2 ? across : -across;
          };
          Real flow = outflow(i, j, s, t), carried = value(tracer, i, j, s, t);
          if (sea(ni, nj)) {
            flow = (flow + outflow(ni, nj, there[side][0], there[side][1])) / 2;
            if (flow < 0) carried = value(tracer, ni, nj, there[side][0], there[side][1]);
          } else if (flow < 0) {
            flow = 0;
          }
          for (int k = 0; k < dg; ++k) {
            rate[static_cast<std::size_t>(k)] -= weight * flow * carried * psi(k, s, t);
          }
        }
      }
      put(result, i, j, divide_by_mass(i, j, tracer_points(), rate));
    });
    return result;
  }
  /// One step of Heun's method.
  Field advected(Field const& tracer, Field const& u, Field const& v, Real dt) const {
    auto const first = tendency(tracer, u, v);
    Field guess = tracer, result = tracer;
    for (std::size_t k = 0; k < tracer.size(); ++k) guess[k] += dt * first[k];
    auto const second = tendency(guess, u, v);
    for (std::size_t k = 0; k < tracer.size(); ++k) result[k] += dt * (first[k] + second[k]) / 2;
    return result;
  }

 private:
  Real lagrange(int k, Real t) const {
    if (cg == 1) return k == 0 ? 1 - t : t;
    return k == 0 ? (1 - t) * (1 - 2 * t) : k == 1 ? 4 * t * (1 - t) : t * (2 * t - 1);
  }
};

}  // namespace ulpine::test
