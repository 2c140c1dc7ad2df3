// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "seaice/plain_basis.hpp"
#include "seaice/plain_case.hpp"

/// The sea-ice model a second time, in plain loops from the equations (docs/explanation/cores/seaice.md): for
/// tests of the core, of which it uses nothing. Gradients by the inverse Jacobian at each point instead of
/// element matrices, edge fluxes by point values instead of edge modes, Runge-Kutta in Butcher form, the
/// momentum equation as a weighted mean instead of an increment. `Real` is the type of all arithmetic: the
/// distance between two of them measures what rounding does to a result.
namespace ulpine::test {

template <class Real>
class PlainIce : public PlainBasis<Real> {
  using Basis = PlainBasis<Real>;

 public:
  using Basis::for_each_point, Basis::gauss, Basis::lagrange, Basis::lagrange_slope, Basis::psi, Basis::psi_s,
      Basis::psi_t;
  using Field = std::vector<Real>;
  /// Coefficients of a cell's modes.
  using Modes = std::array<Real, 8>;

  explicit PlainIce(PlainCase const& setup) : c{setup} {
    for (auto* field : {&u, &v, &u0, &v0, &node_h, &node_a, &wind_x, &wind_y, &force_x, &force_y}) {
      field->assign(c.nodes(), Real(0));
    }
    for (auto* field : {&h, &a, &dg_u, &dg_v}) {
      field->assign(static_cast<std::size_t>(c.dg) * c.cells(), Real(0));
    }
    for (auto* field : {&s11, &s22, &s12, &e11, &e22, &e12}) {
      field->assign(static_cast<std::size_t>(stress_modes()) * c.cells(), Real(0));
    }
    mass.assign(c.nodes(), Real(0));
    for_each_cell([&](int i, int j) {
      for_each_point(c.cg == 1 ? 1 : 4, [&](Real s, Real t, Real weight) {
        for (int local = 0; local < local_nodes(); ++local) {
          mass[node_of(i, j, local)] += weight * at(i, j, s, t).determinant * shape(local, s, t);
        }
      });
    });
  }

  int stress_modes() const { return c.cg == 1 ? 3 : 8; }
  int stress_points() const { return c.cg + 1; }  ///< along an axis
  int tracer_points() const { return c.dg == 1 ? 1 : c.dg == 3 ? 2 : 3; }
  int local_nodes() const { return (c.cg + 1) * (c.cg + 1); }

  PlainCase c;
  Field u, v, u0, v0, node_h, node_a, wind_x, wind_y, force_x, force_y;  ///< at nodes
  Field h, a, dg_u, dg_v;                                                ///< [mode][cell]
  Field s11, s22, s12, e11, e22, e12;                                    ///< [mode][cell]
  Field mass;                                                            ///< lumped, at nodes, m2

  /// Model step number `step`, from 1.
  void advance(int step) {
    advect();
    limit();
    average_to_nodes();
    force(static_cast<double>(step) * c.dt);
    u0 = u;
    v0 = v;
    for (int k = 0; k < c.substeps; ++k) {
      strain();
      stress();
      divergence();
      velocity();
      boundary();
    }
  }

  /// H and A carried by the velocity; sets dg_u, dg_v.
  void advect() {
    project_velocity();
    for (auto* tracer : {&a, &h}) {
      Field const old = *tracer;
      auto const shifted = [&](std::vector<std::pair<Real, Field const*>> const& terms) {
        Field result = old;
        for (auto const& [weight, rate] : terms) {
          for (std::size_t k = 0; k < result.size(); ++k) {
            result[k] += weight * (*rate)[k];
          }
        }
        return result;
      };
      Field const k1 = tendency(old);
      if (c.runge_kutta == 1) {
        *tracer = shifted({{Real(1), &k1}});
      } else if (c.runge_kutta == 2) {
        Field const k2 = tendency(shifted({{Real(1), &k1}}));
        *tracer = shifted({{half, &k1}, {half, &k2}});
      } else {
        Field const k2 = tendency(shifted({{Real(1), &k1}}));
        Field const k3 = tendency(shifted({{half / 2, &k1}, {half / 2, &k2}}));
        *tracer = shifted({{Real(1) / 6, &k1}, {Real(1) / 6, &k2}, {Real(2) / 3, &k3}});
      }
    }
  }

  void limit() {
    for (std::size_t k = 0; k < c.cells(); ++k) {
      hold_below(a, k, Real(1));
      hold_above_zero(a, k);
      hold_above_zero(h, k);
    }
  }

  /// H and A at the nodes: the mean over the cells around, land included.
  void average_to_nodes() {
    std::vector<int> count(c.nodes(), 0);
    std::fill(node_h.begin(), node_h.end(), Real(0));
    std::fill(node_a.begin(), node_a.end(), Real(0));
    for_each_cell([&](int i, int j) {
      for (int local = 0; local < local_nodes(); ++local) {
        auto const node = node_of(i, j, local);
        auto const s = Real(local % (c.cg + 1)) / Real(c.cg), t = Real(local / (c.cg + 1)) / Real(c.cg);
        node_h[node] += polynomial(h, c.cell(i, j), s, t);
        node_a[node] += polynomial(a, c.cell(i, j), s, t);
        ++count[node];
      }
    });
    for (std::size_t k = 0; k < c.nodes(); ++k) {
      node_h[k] /= Real(count[k]);
      node_a[k] /= Real(count[k]);
    }
  }

  /// Floors of H and A at nodes and the wind's stress A rho_a C_a |v_a| v_a at `time` (s).
  void force(double time) {
    for_each_cell([&](int i, int j) {
      for (int local = 0; local < local_nodes(); ++local) {
        auto const k = node_of(i, j, local);
        auto const p = at(i, j, Real(local % (c.cg + 1)) / Real(c.cg), Real(local / (c.cg + 1)) / Real(c.cg));
        node_a[k] = std::clamp(node_a[k], Real(1e-4), Real(1));
        node_h[k] = std::max(node_h[k], Real(1e-4));
        auto const [wu, wv] = wind(p.x, p.y, time);
        Real const drag = node_a[k] * Real(1.3) * Real(1.2e-3) * std::sqrt(wu * wu + wv * wv);
        wind_x[k] = drag * wu;
        wind_y[k] = drag * wv;
      }
    });
  }

  /// Ice strength P* H exp(-20 (1 - A)) in N m-1 at reference point (s, t) of cell (i, j); 0 on land.
  Real strength(int i, int j, Real s, Real t) const {
    if (!c.is_sea(i, j)) {
      return Real(0);
    }
    Real const height = std::max(polynomial(h, c.cell(i, j), s, t), Real(0));
    Real const cover = std::clamp(polynomial(a, c.cell(i, j), s, t), Real(0), Real(1));
    return Real(27500) * height * std::exp(Real(-20) * (Real(1) - cover));
  }

  /// L2 projection of the symmetric velocity gradient.
  void strain() {
    for_each_cell([&](int i, int j) {
      Modes xx{}, yy{}, xy{};
      for_each_point(stress_points(), [&](Real s, Real t, Real weight) {
        auto const p = at(i, j, s, t);
        Real ux = 0, uy = 0, vx = 0, vy = 0;
        for (int local = 0; local < local_nodes(); ++local) {
          auto const node = node_of(i, j, local);
          auto const g = p.gradient(shape_s(local, s, t), shape_t(local, s, t));
          ux += u[node] * g[0];
          uy += u[node] * g[1];
          vx += v[node] * g[0];
          vy += v[node] * g[1];
        }
        for (int k = 0; k < stress_modes(); ++k) {
          Real const share = weight * p.determinant * psi(k, s, t);
          xx[at_mode(k)] += share * ux;
          yy[at_mode(k)] += share * vy;
          xy[at_mode(k)] += share * (uy + vx) / 2;
        }
      });
      put(e11, i, j, divide_by_stress_mass(i, j, xx));
      put(e22, i, j, divide_by_stress_mass(i, j, yy));
      put(e12, i, j, divide_by_stress_mass(i, j, xy));
    });
  }

  /// Stress in N m-1 for strain rates (s-1) and strength `p`: Hibler's ellipse with e = 2.
  static std::array<Real, 3> viscous_plastic(Real xx, Real yy, Real xy, Real p) {
    Real const least = Real(2e-9);
    Real const delta =
        std::sqrt(least * least + Real(1.25) * (xx * xx + yy * yy) + Real(1.5) * xx * yy + xy * xy);
    Real const zeta = p / (2 * delta), eta = zeta / 4;
    Real const pressure = (zeta - eta) * (xx + yy) - p / 2;
    return {2 * eta * xx + pressure, 2 * eta * yy + pressure, 2 * eta * xy};
  }

  /// One pseudo-time step of the stress towards the law.
  void stress() {
    for_each_cell([&](int i, int j) {
      auto const cell = c.cell(i, j);
      Modes xx{}, yy{}, xy{};
      for_each_point(stress_points(), [&](Real s, Real t, Real weight) {
        auto const sigma = viscous_plastic(polynomial(e11, cell, s, t), polynomial(e22, cell, s, t),
                                           polynomial(e12, cell, s, t), strength(i, j, s, t));
        for (int k = 0; k < stress_modes(); ++k) {
          Real const share = weight * at(i, j, s, t).determinant * psi(k, s, t);
          xx[at_mode(k)] += share * sigma[0];
          yy[at_mode(k)] += share * sigma[1];
          xy[at_mode(k)] += share * sigma[2];
        }
      });
      for (auto const& [field, target] : {std::pair{&s11, divide_by_stress_mass(i, j, xx)},
                                          std::pair{&s22, divide_by_stress_mass(i, j, yy)},
                                          std::pair{&s12, divide_by_stress_mass(i, j, xy)}}) {
        for (int k = 0; k < stress_modes(); ++k) {
          Real& value = (*field)[at_mode(k) * c.cells() + cell];
          value = (Real(1) - 1 / Real(c.alpha)) * value + target[at_mode(k)] / Real(c.alpha);
        }
      }
    });
  }

  /// Weak divergence of the stress, -int sigma : grad phi (N).
  void divergence() {
    std::fill(force_x.begin(), force_x.end(), Real(0));
    std::fill(force_y.begin(), force_y.end(), Real(0));
    for_each_cell([&](int i, int j) {
      auto const cell = c.cell(i, j);
      for_each_point(stress_points(), [&](Real s, Real t, Real weight) {
        auto const p = at(i, j, s, t);
        Real const xx = polynomial(s11, cell, s, t), yy = polynomial(s22, cell, s, t),
                   xy = polynomial(s12, cell, s, t);
        for (int local = 0; local < local_nodes(); ++local) {
          auto const g = p.gradient(shape_s(local, s, t), shape_t(local, s, t));
          auto const node = node_of(i, j, local);
          force_x[node] -= weight * p.determinant * (xx * g[0] + xy * g[1]);
          force_y[node] -= weight * p.determinant * (xy * g[0] + yy * g[1]);
        }
      });
    });
  }

  /// One pseudo-time step of the momentum equation, water drag implicit in the velocity but not in its size.
  void velocity() {
    for (std::size_t k = 0; k < c.nodes(); ++k) {
      Real const ou = c.ocean_u.empty() ? Real(0) : Real(c.ocean_u[k]),
                 ov = c.ocean_v.empty() ? Real(0) : Real(c.ocean_v[k]);
      Real const inertia = Real(900) * node_h[k] / Real(c.dt);
      Real const slip = std::sqrt((ou - u[k]) * (ou - u[k]) + (ov - v[k]) * (ov - v[k]));
      Real const water = node_a[k] * Real(1026) * Real(5.5e-3) * slip;
      Real const turn = Real(900) * node_h[k] * Real(c.coriolis);
      Real const denominator = inertia * (1 + Real(c.beta)) + water;
      Real const right_x = inertia * (Real(c.beta) * u[k] + u0[k]) + wind_x[k] + water * ou +
                           turn * (v[k] - ov) + force_x[k] / mass[k];
      Real const right_y = inertia * (Real(c.beta) * v[k] + v0[k]) + wind_y[k] + water * ov -
                           turn * (u[k] - ou) + force_y[k] / mass[k];
      u[k] = right_x / denominator;
      v[k] = right_y / denominator;
    }
  }

  void boundary() {
    for (int j = 0; j <= c.cg * c.ny; ++j) {
      for (int i = 0; i <= c.cg * c.nx; ++i) {
        if (!c.moves(i, j)) {
          u[c.node(i, j)] = v[c.node(i, j)] = Real(0);
        }
      }
    }
  }

  /// Shear rate of each cell, averaged over the reference square (s-1).
  Field shear() const {
    Field result(c.cells(), Real(0));
    for (std::size_t k = 0; k < c.cells(); ++k) {
      for_each_point(stress_points(), [&](Real s, Real t, Real weight) {
        Real const stretch = polynomial(e11, k, s, t) - polynomial(e22, k, s, t);
        Real const twice = 2 * polynomial(e12, k, s, t);
        result[k] += weight * std::sqrt(stretch * stretch + twice * twice);
      });
    }
    return result;
  }

  /// Areas of the cells by the shoelace formula (m2).
  Field areas() const {
    Field result(c.cells());
    for_each_cell([&](int i, int j) {
      std::size_t const round[4] = {c.vertex(i, j), c.vertex(i + 1, j), c.vertex(i + 1, j + 1),
                                    c.vertex(i, j + 1)};
      Real twice = 0;
      for (int k = 0; k < 4; ++k) {
        auto const p = round[k], q = round[(k + 1) % 4];
        twice += Real(c.x[p]) * Real(c.y[q]) - Real(c.x[q]) * Real(c.y[p]);
      }
      result[c.cell(i, j)] = twice / 2;
    });
    return result;
  }

  /// Integral over each cell of a field given by its modes.
  Field integrals(Field const& modes) const {
    Field result(c.cells(), Real(0));
    for_each_cell([&](int i, int j) {
      for_each_point(3, [&](Real s, Real t, Real weight) {
        result[c.cell(i, j)] += weight * at(i, j, s, t).determinant * polynomial(modes, c.cell(i, j), s, t);
      });
    });
    return result;
  }

  /// L2 projection of a function of (x, y) to the tracers' space, zero on land.
  template <class Function>
  Field project(Function const& function) const {
    Field result(static_cast<std::size_t>(c.dg) * c.cells(), Real(0));
    int const points = tracer_points();
    for_each_cell([&](int i, int j) {
      Modes moment{};
      for_each_point(points, [&](Real s, Real t, Real weight) {
        auto const p = at(i, j, s, t);
        for (int k = 0; k < c.dg; ++k) {
          moment[at_mode(k)] += weight * p.determinant * psi(k, s, t) * function(p.x, p.y);
        }
      });
      if (c.is_sea(i, j)) {
        put(result, i, j, divide_by_mass(i, j, c.dg, points, moment));
      }
    });
    return result;
  }

  std::pair<Real, Real> wind(Real x, Real y, double time) const {
    if (!c.cyclone) {
      return {Real(c.wind_u), Real(c.wind_v)};
    }
    Real const dx = x - Real(c.centre_x + c.drift_x * time), dy = y - Real(c.centre_y + c.drift_y * time);
    Real const angle = Real(c.angle) * std::numbers::pi_v<Real> / 180;
    Real const turning = Real(c.rate) * std::exp(-std::hypot(dx, dy) / Real(c.reach));
    return {-turning * (std::cos(angle) * dx + std::sin(angle) * dy),
            -turning * (-std::sin(angle) * dx + std::cos(angle) * dy)};
  }

  /// A point of a cell: place and the reference-to-physical gradient.
  struct Point {
    Real x, y, x_s, x_t, y_s, y_t, determinant;
    /// Physical gradient of a function with these reference derivatives.
    std::array<Real, 2> gradient(Real f_s, Real f_t) const {
      return {(y_t * f_s - y_s * f_t) / determinant, (-x_t * f_s + x_s * f_t) / determinant};
    }
  };
  Point at(int i, int j, Real s, Real t) const {
    Point p{};
    for (int corner = 0; corner < 4; ++corner) {
      auto const vertex = corner_of(i, j, corner);
      Real const px = Real(c.x[vertex]), py = Real(c.y[vertex]);
      Real const value_s = corner % 2 == 0 ? 1 - s : s, value_t = corner / 2 == 0 ? 1 - t : t;
      Real const slope_s = corner % 2 == 0 ? Real(-1) : Real(1),
                 slope_t = corner / 2 == 0 ? Real(-1) : Real(1);
      p.x += value_s * value_t * px;
      p.y += value_s * value_t * py;
      p.x_s += slope_s * value_t * px;
      p.x_t += value_s * slope_t * px;
      p.y_s += slope_s * value_t * py;
      p.y_t += value_s * slope_t * py;
    }
    p.determinant = p.x_s * p.y_t - p.x_t * p.y_s;
    return p;
  }

  /// Solves M x = moments, M the mass matrix of the first `modes` functions by the rule of `points`.
  Modes divide_by_mass(int i, int j, int modes, int points, Modes moments) const {
    Real matrix[8][8] = {};
    for_each_point(points, [&](Real s, Real t, Real weight) {
      for (int k = 0; k < modes; ++k) {
        for (int l = 0; l < modes; ++l) {
          matrix[k][l] += weight * at(i, j, s, t).determinant * psi(k, s, t) * psi(l, s, t);
        }
      }
    });
    for (int k = 0; k < modes; ++k) {
      for (int row = k + 1; row < modes; ++row) {
        Real const factor = matrix[row][k] / matrix[k][k];
        for (int l = k; l < modes; ++l) {
          matrix[row][l] -= factor * matrix[k][l];
        }
        moments[at_mode(row)] -= factor * moments[at_mode(k)];
      }
    }
    for (int k = modes - 1; k >= 0; --k) {
      for (int l = k + 1; l < modes; ++l) {
        moments[at_mode(k)] -= matrix[k][l] * moments[at_mode(l)];
      }
      moments[at_mode(k)] /= matrix[k][k];
    }
    return moments;
  }

  Modes divide_by_stress_mass(int i, int j, Modes const& moments) const {
    return divide_by_mass(i, j, stress_modes(), stress_points(), moments);
  }

  /// Vertices LL, LR, UL, UR.
  std::size_t corner_of(int i, int j, int corner) const { return c.vertex(i + corner % 2, j + corner / 2); }
  std::size_t node_of(int i, int j, int local) const {
    return c.node(c.cg * i + local % (c.cg + 1), c.cg * j + local / (c.cg + 1));
  }
  Real shape(int local, Real s, Real t) const {
    return lagrange(c.cg, local % (c.cg + 1), s) * lagrange(c.cg, local / (c.cg + 1), t);
  }
  Real shape_s(int local, Real s, Real t) const {
    return lagrange_slope(c.cg, local % (c.cg + 1), s) * lagrange(c.cg, local / (c.cg + 1), t);
  }
  Real shape_t(int local, Real s, Real t) const {
    return lagrange(c.cg, local % (c.cg + 1), s) * lagrange_slope(c.cg, local / (c.cg + 1), t);
  }

  /// Value at (s, t) of the polynomial of a cell with as many modes as `field` has.
  Real polynomial(Field const& field, std::size_t cell, Real s, Real t) const {
    Real sum = 0;
    for (std::size_t m = 0; m < field.size() / c.cells(); ++m) {
      sum += field[m * c.cells() + cell] * psi(static_cast<int>(m), s, t);
    }
    return sum;
  }

  void project_velocity() {
    int const points = tracer_points();
    for_each_cell([&](int i, int j) {
      Modes x{}, y{};
      for_each_point(points, [&](Real s, Real t, Real weight) {
        Real value_u = 0, value_v = 0;
        for (int local = 0; local < local_nodes(); ++local) {
          value_u += shape(local, s, t) * u[node_of(i, j, local)];
          value_v += shape(local, s, t) * v[node_of(i, j, local)];
        }
        for (int k = 0; k < c.dg; ++k) {
          Real const share = weight * at(i, j, s, t).determinant * psi(k, s, t);
          x[at_mode(k)] += share * value_u;
          y[at_mode(k)] += share * value_v;
        }
      });
      put(dg_u, i, j, divide_by_mass(i, j, c.dg, points, x));
      put(dg_v, i, j, divide_by_mass(i, j, c.dg, points, y));
    });
  }

  /// Velocity through a side of cell (i, j) times the side's length, positive outwards, at `t` along the side
  /// (upwards or rightwards): the mean of both cells' polynomials, one cell's where the other is no sea.
  /// Sides: 0 left, 1 right, 2 bottom, 3 top.
  Real outflow(int i, int j, int side, Real t) const {
    static constexpr int di[] = {-1, 1, 0, 0}, dj[] = {0, 0, -1, 1};
    static constexpr int first[] = {0, 1, 0, 2}, last[] = {2, 3, 1, 3};
    auto const from = corner_of(i, j, first[side]), to = corner_of(i, j, last[side]);
    Real const along_x = Real(c.x[to]) - Real(c.x[from]), along_y = Real(c.y[to]) - Real(c.y[from]);
    // Turned to the right the tangent points out of a right or bottom side, into the cell at the others.
    Real const sign = side == 1 || side == 2 ? Real(1) : Real(-1);
    auto const through = [&](int ci, int cj, int its_side) {
      auto const [s, r] = on_side(its_side, t);
      return sign * (along_y * polynomial(dg_u, c.cell(ci, cj), s, r) -
                     along_x * polynomial(dg_v, c.cell(ci, cj), s, r));
    };
    Real const own = through(i, j, side);
    return c.is_sea(i + di[side], j + dj[side]) ? (own + through(i + di[side], j + dj[side], side ^ 1)) / 2
                                                : own;
  }

  /// dt M^-1 ( int phi v . grad psi - oint psi F ), F the upwind flux; zero on land.
  Field tendency(Field const& tracer) const {
    static constexpr int di[] = {-1, 1, 0, 0}, dj[] = {0, 0, -1, 1};
    Field result(tracer.size(), Real(0));
    int const points = tracer_points();
    for_each_cell([&](int i, int j) {
      if (!c.is_sea(i, j)) {
        return;
      }
      auto const cell = c.cell(i, j);
      Modes rate{};
      for_each_point(points, [&](Real s, Real t, Real weight) {
        auto const p = at(i, j, s, t);
        Real const carried = weight * p.determinant * polynomial(tracer, cell, s, t);
        for (int k = 1; k < c.dg; ++k) {
          auto const g = p.gradient(psi_s(k, s, t), psi_t(k, s, t));
          rate[at_mode(k)] +=
              carried * (polynomial(dg_u, cell, s, t) * g[0] + polynomial(dg_v, cell, s, t) * g[1]);
        }
      });
      for (int side = 0; side < 4; ++side) {
        int const ni = i + di[side], nj = j + dj[side];
        for (auto const& [t, weight] : gauss(points)) {
          auto const [s, r] = on_side(side, t);
          Real const speed = outflow(i, j, side, t);
          Real upwind = polynomial(tracer, cell, s, r);
          if (speed <= 0) {
            auto const [ns, nr] = on_side(side ^ 1, t);
            upwind = c.is_sea(ni, nj) ? polynomial(tracer, c.cell(ni, nj), ns, nr) : Real(0);
          }
          for (int k = 0; k < c.dg; ++k) {
            rate[at_mode(k)] -= weight * speed * upwind * psi(k, s, r);
          }
        }
      }
      for (auto& value : rate) {
        value *= Real(c.dt);
      }
      put(result, i, j, divide_by_mass(i, j, c.dg, points, rate));
    });
    return result;
  }

 private:
  static constexpr Real half = Real(0.5);

  static constexpr std::size_t at_mode(int mode) { return static_cast<std::size_t>(mode); }
  static std::pair<Real, Real> on_side(int side, Real t) {
    return side < 2 ? std::pair{Real(side), t} : std::pair{t, Real(side - 2)};
  }
  template <class Visit>
  void for_each_cell(Visit const& visit) const {
    for (int j = 0; j < c.ny; ++j) {
      for (int i = 0; i < c.nx; ++i) {
        visit(i, j);
      }
    }
  }
  void put(Field& field, int i, int j, Modes const& values) const {
    for (std::size_t m = 0; m < field.size() / c.cells(); ++m) {
      field[m * c.cells() + c.cell(i, j)] = values[m];
    }
  }

  /// How far the polynomial of a cell is taken to leave its mean upwards (`sign` 1) or downwards (-1).
  Real reach(Field const& field, std::size_t cell, int sign) const {
    Real most = 0;
    auto const try_point = [&](Real s, Real t) {
      most = std::max(most, Real(sign) * (polynomial(field, cell, s, t) - field[cell]));
    };
    if (c.nextsim_limiter && c.dg == 6) {
      for_each_point(3, [&](Real s, Real t, Real) { try_point(s, t); });
      return most;
    }
    for (int corner = 0; corner < 4; ++corner) try_point(Real(corner % 2), Real(corner / 2));
    if (c.nextsim_limiter) return 4 * most;
    if (c.dg < 6) return most;
    auto const mode = [&](std::size_t m) { return field[m * c.cells() + cell]; };
    auto const inside = [&](Real x, Real y) {
      if (std::abs(x) <= half && std::abs(y) <= half) try_point(x + half, y + half);
    };
    // The slopes are mode(1) + 2 mode(3) x + mode(5) y and mode(2) + mode(5) x + 2 mode(4) y.
    for (Real const side : {-half, half}) {
      if (mode(3) != 0) inside(-(mode(1) + mode(5) * side) / (2 * mode(3)), side);
      if (mode(4) != 0) inside(side, -(mode(2) + mode(5) * side) / (2 * mode(4)));
    }
    Real const determinant = 4 * mode(3) * mode(4) - mode(5) * mode(5);
    if (determinant != 0) {
      inside((mode(2) * mode(5) - 2 * mode(1) * mode(4)) / determinant,
             (mode(1) * mode(5) - 2 * mode(2) * mode(3)) / determinant);
    }
    return most;
  }
  void flatten(Field& field, std::size_t cell, int sign, Real room) const {
    Real const leaving = reach(field, cell, sign);
    for (std::size_t m = 1; leaving > room && m < field.size() / c.cells(); ++m) {
      field[m * c.cells() + cell] *= room / leaving;
    }
  }
  void hold_below(Field& field, std::size_t cell, Real most) const {
    field[cell] = std::min(field[cell], most);
    flatten(field, cell, 1, most - field[cell]);
  }
  void hold_above_zero(Field& field, std::size_t cell) const {
    field[cell] = std::max(field[cell], Real(0));
    flatten(field, cell, -1, field[cell]);
  }
};

}  // namespace ulpine::test
