// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "les/plain_surface.hpp"

/// The large-eddy model a second time, in plain loops from its equations, for tests of the core, of which it
/// uses nothing: every flux at every face by its definition, walls found by asking which points lie in air,
/// Runge-Kutta with the coefficients of one stored tendency, the pressure by elimination, the surface layer
/// by bisection. It also tells how large the single terms of each tendency are, which is what their rounding
/// is measured by.
namespace ulpine::test {

/// Values that are periodic in x and y; beyond the ground and the lid, one level, they are set.
template <class Real>
class Plain {
 public:
  Plain() = default;
  Plain(int nx, int ny, int nz) : nx_{nx}, ny_{ny}, nz_{nz} {
    values_.assign(
        static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz + 2),
        Real(0));
  }
  Real& operator()(int k, int j, int i) { return values_[index(k, j, i)]; }
  Real const& operator()(int k, int j, int i) const { return values_[index(k, j, i)]; }
  /// Levels 0 to nz - 1, x fastest.
  std::vector<double> owned() const {
    std::vector<double> result;
    for (int k = 0; k < nz_; ++k) {
      for (int j = 0; j < ny_; ++j) {
        for (int i = 0; i < nx_; ++i) result.push_back(static_cast<double>((*this)(k, j, i)));
      }
    }
    return result;
  }

 private:
  std::size_t index(int k, int j, int i) const {
    auto const jj = (j % ny_ + ny_) % ny_, ii = (i % nx_ + nx_) % nx_;
    // Stencils that do not fit a wall weigh what lies farther with 0.
    auto const kk = std::clamp(k, -1, nz_) + 1;
    return static_cast<std::size_t>((kk * ny_ + jj) * nx_ + ii);
  }
  int nx_ = 0, ny_ = 0, nz_ = 0;
  std::vector<Real> values_;
};

template <class Real>
class PlainEddies {
 public:
  using Values = Plain<Real>;
  enum Kind { scalar, along_u, along_v, along_w };

  explicit PlainEddies(PlainEddiesCase const& setup) : c{setup} {
    for (auto* field : all()) *field = Values(c.nx, c.ny, c.nz);
    for (auto* field : {&ustar, &heat, &drag, &shear, &inverse_length}) *field = Values(c.nx, c.ny, 1);
    if (c.top.empty()) c.top.assign(static_cast<std::size_t>(c.nx) * static_cast<std::size_t>(c.ny), 0);
  }

  PlainEddiesCase c;
  Values u, v, w, theta, e;                         ///< the state
  Values km, kh, p;                                 ///< viscosity, diffusivity, pressure
  Values ustar, heat, drag, shear, inverse_length;  ///< of the surface, level 0
  Values tu, tv, tw, ttheta, te;                    ///< tendencies of the last stage
  Values mu, mv, mw, mtheta, me;                    ///< stored ones
  Real terms[5] = {};                               ///< largest single term of each tendency so far

  /// After the state was set.
  void settle() { fill_ghosts(); }
  void advance() {
    for (int stage = 0; stage < 3; ++stage) run_stage(stage);
  }
  /// Viscosities and tendencies of the state.
  void evaluate() {
    each_column([&](int j, int i) {
      heat(0, j, i) = Real(c.heat_flux);
      if (c.flux_layer) surface(j, i);
    });
    eddies();
    each([&](int k, int j, int i) {
      tu(k, j, i) = air(along_u, k, j, i) ? tendency_u(k, j, i) : Real(0);
      tv(k, j, i) = air(along_v, k, j, i) ? tendency_v(k, j, i) : Real(0);
      tw(k, j, i) = air(along_w, k, j, i) ? tendency_w(k, j, i) : Real(0);
      ttheta(k, j, i) = air(scalar, k, j, i) ? tendency_theta(k, j, i) : Real(0);
      te(k, j, i) = air(scalar, k, j, i) && has_energy() ? tendency_e(k, j, i) : Real(0);
    });
  }
  void run_stage(int stage) {
    evaluate();
    Real const c2[] = {Real(1) / 3, Real(15) / 16, Real(8) / 15};
    Real const c3[] = {0, Real(-25) / 48, Real(1) / 15};
    auto const dt = Real(c.step);
    auto const carry = [&](Values& phi, Values& now, Values& stored, bool energy) {
      each([&](int k, int j, int i) {
        auto const t = now(k, j, i), m = stored(k, j, i);
        auto const next = phi(k, j, i) + dt * (c2[stage] * t + c3[stage] * m);
        phi(k, j, i) = energy && next < 0 ? phi(k, j, i) / 10 : next;
        stored(k, j, i) = stage == 0 ? t : Real(-153) / 16 * t + Real(85) / 16 * m;
      });
    };
    carry(theta, ttheta, mtheta, false);
    if (has_energy()) carry(e, te, me, true);
    carry(u, tu, mu, false), carry(v, tv, mv, false), carry(w, tw, mw, false);
    Real const part[] = {Real(1) / 3, Real(5) / 12, Real(1) / 4};
    project(part[stage] * dt);
    if (c.hold_flow) hold_flow();
    fill_ghosts();
  }
  Real divergence(int k, int j, int i) const {
    if (!air(scalar, k, j, i)) return 0;
    return (u(k, j, i + 1) - u(k, j, i)) / c.dx + (v(k, j + 1, i) - v(k, j, i)) / c.dy +
           (w(k, j, i) - w(k - 1, j, i)) / dz(k);
  }
  /// Upward, through the top of a cell, of the temperature less the start's there.
  Real heat_flux(int k, int j, int i) const {
    if (!air(scalar, k, j, i) || k == c.nz - 1) return 0;
    return flux(scalar, theta, w(k, j, i), 2, k + 1, j, i) - w(k, j, i) * of(c.theta, z(k)) -
           (kh(k, j, i) + kh(k + 1, j, i)) / 2 * (theta(k + 1, j, i) - theta(k, j, i)) / between(k);
  }

  Real dz(int k) const { return c.dz[static_cast<std::size_t>(std::clamp(k, 0, c.nz - 1))]; }
  /// Height of a centre; beyond ground and lid cells go on as thick as the last.
  Real z(int k) const {
    if (k < 0) return dz(0) * (k + Real(1) / 2);
    Real bottom = 0;
    for (int n = 0; n < k; ++n) bottom += dz(n);
    return bottom + dz(k) / 2;
  }
  /// Distance of the centres of k and k + 1.
  Real between(int k) const { return (dz(k) + dz(k + 1)) / 2; }
  int top(int j, int i) const {
    auto const jj = (j % c.ny + c.ny) % c.ny, ii = (i % c.nx + c.nx) % c.nx;
    return c.top[static_cast<std::size_t>(jj * c.nx + ii)];
  }
  /// Whether a point of that kind moves freely: w's at the ground, on roofs and at the lid do not.
  bool air(Kind kind, int k, int j, int i) const {
    if (k < 0 || k >= c.nz - (kind == along_w ? 1 : 0)) return false;
    if (k < top(j, i)) return false;
    return kind == along_u ? k >= top(j, i - 1) : kind == along_v ? k >= top(j - 1, i) : true;
  }

 private:
  std::vector<Values*> all() {
    return {&u, &v, &w, &theta, &e, &km, &kh, &p, &tu, &tv, &tw, &ttheta, &te, &mu, &mv, &mw, &mtheta, &me};
  }
  bool has_energy() const { return c.closure == PlainClosure::deardorff; }
  template <class Body>
  void each(Body const& body) {
    for (int k = 0; k < c.nz; ++k) {
      for (int j = 0; j < c.ny; ++j) {
        for (int i = 0; i < c.nx; ++i) body(k, j, i);
      }
    }
  }
  template <class Body>
  void each_column(Body const& body) {
    for (int j = 0; j < c.ny; ++j) {
      for (int i = 0; i < c.nx; ++i) body(j, i);
    }
  }
  static Real mean(Real a, Real b) { return (a + b) / 2; }
  static Real mean(Real a, Real b, Real c, Real d) { return (a + b + c + d) / 4; }
  static Real speed(Real a, Real b) { return std::sqrt(a * a + b * b); }

  void fill_ghosts() {
    each_column([&](int j, int i) {
      auto const last = c.nz - 1;
      auto const wind = [&](Values& field, std::function<double(double)> const& driving) {
        auto const beyond = [&](PlainSide side, int inside, int outside) {
          auto const value = field(inside, j, i);
          field(outside, j, i) = side == PlainSide::free_slip ? value
                                 : side == PlainSide::no_slip
                                     ? -value
                                     : Real(driving(static_cast<double>(z(outside))));
        };
        beyond(c.ground, 0, -1), beyond(c.lid, last, last + 1);
      };
      wind(u, c.geostrophic_u), wind(v, c.geostrophic_v);
      theta(-1, j, i) = theta(0, j, i), e(-1, j, i) = e(0, j, i);
      theta(last + 1, j, i) = theta(last, j, i) + Real(c.lapse_at_lid) * dz(last);
      e(last + 1, j, i) = e(last, j, i);
    });
  }

  /// Whether a stencil may use a point: in air, or where w is held at 0 at the ends of its column.
  bool usable(Kind kind, int axis, int k, int j, int i) const {
    if (kind != along_w) return air(kind, k, j, i);
    if (axis == 2) return k >= top(j, i) - 1 && k < c.nz;
    return k >= top(j, i);
  }
  /// Through the face between points a - 1 and a of the line along `axis` (0: x, 1: y, 2: z), (k, j, i) being
  /// point a.
  Real flux(Kind kind, Values const& phi, Real wind, int axis, int k, int j, int i) const {
    auto const point = [&](int n) {
      return std::array{k + (axis == 2 ? n : 0), j + (axis == 1 ? n : 0), i + (axis == 0 ? n : 0)};
    };
    auto const fits = [&](int reach) {
      for (int n = -reach; n < reach; ++n) {
        auto const at = point(n);
        if (!usable(kind, axis, at[0], at[1], at[2])) return false;
      }
      return true;
    };
    auto const value = [&](int n) {
      auto const at = point(n);
      return phi(at[0], at[1], at[2]);
    };
    auto const sum = [&](int n) { return value(n - 1) + value(-n); };
    auto const rise = [&](int n) { return value(n - 1) - value(-n); };
    auto const size = std::abs(wind);
    if (c.centred) return wind / 2 * sum(1);
    if (fits(3)) {
      return wind / 60 * (37 * sum(1) - 8 * sum(2) + sum(3)) -
             size / 60 * (10 * rise(1) - 5 * rise(2) + rise(3));
    }
    if (fits(2)) return wind / 12 * (7 * sum(1) - sum(2)) - size / 12 * (3 * rise(1) - rise(2));
    return wind / 2 * sum(1) - size / 2 * rise(1);
  }
  struct Winds {
    Real west, east, south, north, below, above;
  };
  /// -div(wind phi) + phi div(wind), half of the latter for a centred wind; `height` is the control volume's.
  Real advection(Kind kind, Values const& phi, Winds const& a, Real height, int k, int j, int i) {
    auto const along = [&](Real low, Real high, int axis, Real length) {
      auto const in = flux(kind, phi, low, axis, k, j, i);
      auto const out = flux(kind, phi, high, axis, k + (axis == 2), j + (axis == 1), i + (axis == 0));
      auto const back = (high - low) * phi(k, j, i) / (c.centred && kind != scalar ? 2 : 1);
      note(in / length), note(out / length), note(high * phi(k, j, i) / length);
      return (in - out + back) / length;
    };
    return along(a.west, a.east, 0, c.dx) + along(a.south, a.north, 1, c.dy) +
           along(a.below, a.above, 2, height);
  }
  /// A term of the tendency that is being made.
  Real note(Real term) {
    terms[current_] = std::max(terms[current_], std::abs(term));
    return term;
  }

  Real sponge(Real height) const {
    Real largest = 0;
    for (auto const d : c.dz) largest += d;
    if (height <= c.sponge_from) return 0;
    auto const sine = std::sin(std::numbers::pi_v<Real> / 2 *
                               std::min(Real(1), (height - c.sponge_from) / (largest - c.sponge_from)));
    return c.sponge_rate * sine * sine;
  }
  static Real of(std::function<double(double)> const& profile, Real height) {
    return profile(static_cast<double>(height));
  }
  Real reference(int k) const { return c.reference > 0 ? Real(c.reference) : of(c.theta, z(k)); }
  /// Of the neutral log law at a wall.
  Real wall_stress(double spacing, Real here, Real other) const {
    auto const root = Real(4) / 10 / std::log(Real(spacing) / 2 / c.roughness);
    return root * root * speed(here, other) * here;
  }

  Real tendency_u(int k, int j, int i) {
    current_ = 0;
    Winds const a{mean(u(k, j, i - 1), u(k, j, i)),         mean(u(k, j, i), u(k, j, i + 1)),
                  mean(v(k, j, i - 1), v(k, j, i)),         mean(v(k, j + 1, i - 1), v(k, j + 1, i)),
                  mean(w(k - 1, j, i - 1), w(k - 1, j, i)), mean(w(k, j, i - 1), w(k, j, i))};
    auto const here = u(k, j, i), v_here = mean(a.south, a.north), w_here = mean(a.below, a.above);
    auto sum = advection(along_u, u, a, dz(k), k, j, i);
    sum += note(c.f * (v_here - of(c.geostrophic_v, z(k)))) - note(c.f_star * w_here) + c.push_x;
    sum -= note(sponge(z(k)) * (here - of(c.geostrophic_u, z(k))));
    // Stresses tau_ij = -Km (du_i/dx_j + du_j/dx_i), with the sign turned.
    auto const normal = [&](int n) { return 2 * km(k, j, n) * (u(k, j, n + 1) - u(k, j, n)) / c.dx; };
    auto const lateral = [&](int n) {  // at the south edge of row n
      auto const side = n == j ? j - 1 : j + 1;
      if (!air(along_u, k, side, i)) return (n == j ? 1 : -1) * wall_stress(c.dy, here, w_here);
      return mean(km(k, n, i), km(k, n, i - 1), km(k, n - 1, i), km(k, n - 1, i - 1)) *
             ((u(k, n, i) - u(k, n - 1, i)) / c.dy + (v(k, n, i) - v(k, n, i - 1)) / c.dx);
    };
    auto const vertical = [&](int n) {  // at the top of level n
      if (n < k && !air(along_u, k - 1, j, i)) {
        if (c.flux_layer) return surface_stress_u(k, j, i) * here;
        if (c.ground == PlainSide::free_slip) return Real(0);
        return mean(km(k, j, i), km(k, j, i - 1)) * here / (dz(k) / 2);
      }
      return mean(km(n, j, i), km(n, j, i - 1), km(n + 1, j, i), km(n + 1, j, i - 1)) *
             ((u(n + 1, j, i) - u(n, j, i)) / between(n) + (w(n, j, i) - w(n, j, i - 1)) / c.dx);
    };
    sum += note(normal(i) / c.dx) - note(normal(i - 1) / c.dx);
    sum += note(lateral(j + 1) / c.dy) - note(lateral(j) / c.dy);
    return sum + note(vertical(k) / dz(k)) - note(vertical(k - 1) / dz(k));
  }
  Real tendency_v(int k, int j, int i) {
    current_ = 1;
    Winds const a{mean(u(k, j - 1, i), u(k, j, i)),         mean(u(k, j - 1, i + 1), u(k, j, i + 1)),
                  mean(v(k, j - 1, i), v(k, j, i)),         mean(v(k, j, i), v(k, j + 1, i)),
                  mean(w(k - 1, j - 1, i), w(k - 1, j, i)), mean(w(k, j - 1, i), w(k, j, i))};
    auto const here = v(k, j, i), u_here = mean(a.west, a.east), w_here = mean(a.below, a.above);
    auto sum = advection(along_v, v, a, dz(k), k, j, i);
    sum += -note(c.f * (u_here - of(c.geostrophic_u, z(k)))) + c.push_y;
    sum -= note(sponge(z(k)) * (here - of(c.geostrophic_v, z(k))));
    auto const normal = [&](int n) { return 2 * km(k, n, i) * (v(k, n + 1, i) - v(k, n, i)) / c.dy; };
    auto const lateral = [&](int n) {  // at the west edge of column n
      auto const side = n == i ? i - 1 : i + 1;
      if (!air(along_v, k, j, side)) return (n == i ? 1 : -1) * wall_stress(c.dx, here, w_here);
      return mean(km(k, j, n), km(k, j, n - 1), km(k, j - 1, n), km(k, j - 1, n - 1)) *
             ((v(k, j, n) - v(k, j, n - 1)) / c.dx + (u(k, j, n) - u(k, j - 1, n)) / c.dy);
    };
    auto const vertical = [&](int n) {
      if (n < k && !air(along_v, k - 1, j, i)) {
        if (c.flux_layer) return surface_stress_v(k, j, i) * here;
        if (c.ground == PlainSide::free_slip) return Real(0);
        return mean(km(k, j, i), km(k, j - 1, i)) * here / (dz(k) / 2);
      }
      return mean(km(n, j, i), km(n, j - 1, i), km(n + 1, j, i), km(n + 1, j - 1, i)) *
             ((v(n + 1, j, i) - v(n, j, i)) / between(n) + (w(n, j, i) - w(n, j - 1, i)) / c.dy);
    };
    sum += note(normal(j) / c.dy) - note(normal(j - 1) / c.dy);
    sum += note(lateral(i + 1) / c.dx) - note(lateral(i) / c.dx);
    return sum + note(vertical(k) / dz(k)) - note(vertical(k - 1) / dz(k));
  }
  Real tendency_w(int k, int j, int i) {
    current_ = 2;
    Winds const a{mean(u(k, j, i), u(k + 1, j, i)), mean(u(k, j, i + 1), u(k + 1, j, i + 1)),
                  mean(v(k, j, i), v(k + 1, j, i)), mean(v(k, j + 1, i), v(k + 1, j + 1, i)),
                  mean(w(k - 1, j, i), w(k, j, i)), mean(w(k, j, i), w(k + 1, j, i))};
    auto const here = w(k, j, i), u_here = mean(a.west, a.east), v_here = mean(a.south, a.north);
    auto sum = advection(along_w, w, a, between(k), k, j, i);
    auto const light = [&](int n) { return c.gravity * (theta(n, j, i) - reference(n)) / reference(n); };
    sum += note(c.f_star * u_here) + mean(light(k), light(k + 1));
    note(c.gravity * theta(k, j, i) / reference(k));
    sum -= note(sponge(z(k) + dz(k) / 2) * here);
    auto const facing_x = [&](int n) {
      auto const side = n == i ? i - 1 : i + 1;
      if (k < top(j, side)) return (n == i ? 1 : -1) * wall_stress(c.dx, here, v_here);
      return mean(km(k, j, n), km(k, j, n - 1), km(k + 1, j, n), km(k + 1, j, n - 1)) *
             ((w(k, j, n) - w(k, j, n - 1)) / c.dx + (u(k + 1, j, n) - u(k, j, n)) / between(k));
    };
    auto const facing_y = [&](int n) {
      auto const side = n == j ? j - 1 : j + 1;
      if (k < top(side, i)) return (n == j ? 1 : -1) * wall_stress(c.dy, here, u_here);
      return mean(km(k, n, i), km(k, n - 1, i), km(k + 1, n, i), km(k + 1, n - 1, i)) *
             ((w(k, n, i) - w(k, n - 1, i)) / c.dy + (v(k + 1, n, i) - v(k, n, i)) / between(k));
    };
    auto const normal = [&](int n) { return 2 * km(n, j, i) * (w(n, j, i) - w(n - 1, j, i)) / dz(n); };
    sum += note(facing_x(i + 1) / c.dx) - note(facing_x(i) / c.dx);
    sum += note(facing_y(j + 1) / c.dy) - note(facing_y(j) / c.dy);
    return sum + note(normal(k + 1) / between(k)) - note(normal(k) / between(k));
  }
  /// Of theta and e: advection, and diffusion that passes no wall.
  Real transport(Values const& phi, Values const& diffusivity, Real factor, int k, int j, int i) {
    Winds const a{u(k, j, i), u(k, j, i + 1), v(k, j, i), v(k, j + 1, i), w(k - 1, j, i), w(k, j, i)};
    auto const gain = [&](int kk, int jj, int ii, Real distance, Real length) {
      // Beyond the lid there is a value, beyond the ground none.
      if (kk < c.nz && !air(scalar, kk, jj, ii)) return Real(0);
      return note(factor * mean(diffusivity(k, j, i), diffusivity(kk, jj, ii)) *
                  (phi(kk, jj, ii) - phi(k, j, i)) / distance / length);
    };
    return advection(scalar, phi, a, dz(k), k, j, i) + gain(k, j, i - 1, c.dx, c.dx) +
           gain(k, j, i + 1, c.dx, c.dx) + gain(k, j - 1, i, c.dy, c.dy) + gain(k, j + 1, i, c.dy, c.dy) +
           gain(k - 1, j, i, between(k - 1), dz(k)) + gain(k + 1, j, i, between(k), dz(k));
  }
  Real tendency_theta(int k, int j, int i) {
    current_ = 3;
    auto sum = transport(theta, kh, 1, k, j, i);
    if (k == top(j, i)) sum += note(heat(0, j, i) / dz(k));
    return sum - note(sponge(z(k)) * (theta(k, j, i) - of(c.theta, z(k))));
  }
  Real tendency_e(int k, int j, int i) {
    current_ = 4;
    auto sum = transport(e, km, 2, k, j, i);
    auto const first = k == top(j, i);
    auto const l = mixing_length(k, j, i), most = limit(k, j, i);
    // In the surface layer the vertical shear works against the surface's stress, not the eddies'.
    auto const slope = first && c.flux_layer ? shear(0, j, i) : Real(0);
    sum += note(km(k, j, i) * (strain(k, j, i) - slope * slope));
    if (slope > 0) sum += note(ustar(0, j, i) * ustar(0, j, i) * slope);
    auto const flux_up = first ? heat(0, j, i) : -kh(k, j, i) * theta_z(k, j, i);
    sum += note(c.gravity / reference(k) * flux_up);
    return sum - note((Real(19) / 100 + Real(74) / 100 * l / most) * std::pow(e(k, j, i), Real(3) / 2) / l);
  }

  /// At the centre over two cells, over the one face above where there is a wall below.
  Real theta_z(int k, int j, int i) const {
    if (k == top(j, i)) return (theta(k + 1, j, i) - theta(k, j, i)) / between(k);
    return (theta(k + 1, j, i) - theta(k - 1, j, i)) / (between(k - 1) + between(k));
  }
  /// The grid's, and 1.8 times the distance to the nearest wall: over flat ground its height.
  Real limit(int k, int j, int i) const {
    auto const width = std::cbrt(Real(c.dx) * c.dy * dz(k));
    auto const walls = c.flux_layer || *std::max_element(c.top.begin(), c.top.end()) > 0;
    return walls ? std::min(width, Real(18) / 10 * wall_distance(k, j, i)) : width;
  }
  Real wall_distance(int k, int j, int i) const {
    auto nearest = z(k);
    Real bottom = 0;
    for (int kk = 0; kk < c.nz; ++kk) {
      for (int jj = j - c.ny; jj <= j + c.ny; ++jj) {
        for (int ii = i - c.nx; ii <= i + c.nx; ++ii) {
          if (kk >= top(jj, ii)) continue;
          auto const apart = [](Real centre, Real low, Real high) {
            return std::max({low - centre, centre - high, Real(0)});
          };
          auto const x = apart(i + Real(1) / 2, ii, ii + 1) * c.dx,
                     y = apart(j + Real(1) / 2, jj, jj + 1) * c.dy;
          auto const up = apart(z(k), bottom, bottom + dz(kk));
          nearest = std::min(nearest, std::sqrt(x * x + y * y + up * up));
        }
      }
      bottom += dz(kk);
    }
    return nearest;
  }
  Real mixing_length(int k, int j, int i) const {
    auto const most = limit(k, j, i), n2 = c.gravity / reference(k) * theta_z(k, j, i);
    if (n2 <= 0) return most;
    return std::min(most, Real(76) / 100 * std::sqrt(e(k, j, i)) / std::sqrt(n2) + Real(1) / 100000);
  }
  /// 2 S_ij S_ij at the centre.
  Real strain(int k, int j, int i) const {
    auto const u_at = [&](int kk, int jj) { return mean(u(kk, jj, i), u(kk, jj, i + 1)); };
    auto const v_at = [&](int kk, int ii) { return mean(v(kk, j, ii), v(kk, j + 1, ii)); };
    auto const w_at = [&](int jj, int ii) { return mean(w(k, jj, ii), w(k - 1, jj, ii)); };
    auto const ux = (u(k, j, i + 1) - u(k, j, i)) / c.dx, vy = (v(k, j + 1, i) - v(k, j, i)) / c.dy;
    auto const wz = (w(k, j, i) - w(k - 1, j, i)) / dz(k);
    auto uy = (u_at(k, j + 1) - u_at(k, j - 1)) / (2 * c.dy),
         wy = (w_at(j + 1, i) - w_at(j - 1, i)) / (2 * c.dy);
    auto vx = (v_at(k, i + 1) - v_at(k, i - 1)) / (2 * c.dx),
         wx = (w_at(j, i + 1) - w_at(j, i - 1)) / (2 * c.dx);
    // Below ground and roofs the wind is the image of that above.
    auto const first = k == top(j, i);
    auto const image = c.ground == PlainSide::no_slip ? -1 : 1;
    auto const apart = first ? dz(k) + between(k) : between(k - 1) + between(k);
    auto uz = (u_at(k + 1, j) - (first ? image * u_at(k, j) : u_at(k - 1, j))) / apart,
         vz = (v_at(k + 1, i) - (first ? image * v_at(k, i) : v_at(k - 1, i))) / apart;
    auto const wall = [&](int jj, int ii) { return k < top(jj, ii); };
    auto const steep = [&](double spacing) {
      return 1 / (spacing / 2 * std::log(Real(spacing) / 2 / c.roughness));
    };
    if (wall(j + 1, i) || wall(j - 1, i)) {
      auto const sign = wall(j + 1, i) ? -1 : 1;
      uy = sign * steep(c.dy) * u_at(k, j), wy = sign * steep(c.dy) * w_at(j, i);
    }
    if (wall(j, i + 1) || wall(j, i - 1)) {
      auto const sign = wall(j, i + 1) ? -1 : 1;
      vx = sign * steep(c.dx) * v_at(k, i), wx = sign * steep(c.dx) * w_at(j, i);
    }
    if (c.flux_layer && first) {
      auto const size = speed(u_at(k, j), v_at(k, i));
      uz = size > 0 ? shear(0, j, i) * u_at(k, j) / size : 0;
      vz = size > 0 ? shear(0, j, i) * v_at(k, i) / size : 0;
    }
    auto const square = [](Real x) { return x * x; };
    return 2 * (square(ux) + square(vy) + square(wz)) + square(uy + vx) + square(uz + wx) + square(vz + wy);
  }
  void eddies() {
    each([&](int k, int j, int i) {
      Real m = c.viscosity, h = c.viscosity / Real(c.prandtl);
      if (c.closure == PlainClosure::none) m = h = 0;
      if (c.closure == PlainClosure::deardorff) {
        auto const l = mixing_length(k, j, i);
        m = l / 10 * std::sqrt(e(k, j, i));
        h = (1 + 2 * l / limit(k, j, i)) * m;
      }
      if (c.closure == PlainClosure::smagorinsky) {
        auto const left = strain(k, j, i) - c.gravity / reference(k) * theta_z(k, j, i) / c.prandtl;
        auto const l = c.smagorinsky * limit(k, j, i);
        m = left > 0 ? l * l * std::sqrt(left) : 0;
        h = m / c.prandtl;
      }
      auto const solid = c.closure != PlainClosure::constant && !air(scalar, k, j, i);
      km(k, j, i) = solid ? 0 : m, kh(k, j, i) = solid ? 0 : h;
    });
    each_column([&](int j, int i) {
      for (auto* field : {&km, &kh}) {
        (*field)(-1, j, i) = (*field)(0, j, i);
        (*field)(c.nz, j, i) = (*field)(c.nz - 1, j, i);
      }
    });
  }

  void surface(int j, int i) {
    auto const k = top(j, i);
    auto const given = c.surface_theta > 0;
    auto const scales = similarity(c, dz(0) / 2, c.gravity / reference(k), mean(u(k, j, i), u(k, j, i + 1)),
                                   mean(v(k, j, i), v(k, j + 1, i)), theta(k, j, i));
    ustar(0, j, i) = scales.ustar;
    drag(0, j, i) = scales.drag;
    heat(0, j, i) = given ? scales.heat : Real(c.heat_flux);
    shear(0, j, i) = scales.shear;
    inverse_length(0, j, i) = scales.inverse_length;
  }
  /// Of the two columns beside the point: the mean, or that of the taller.
  Real between_columns(int a_top, Real a, int b_top, Real b) const {
    return a_top > b_top ? a : b_top > a_top ? b : mean(a, b);
  }
  Real surface_stress_u(int, int j, int i) const {
    return between_columns(top(j, i - 1), drag(0, j, i - 1), top(j, i), drag(0, j, i));
  }
  Real surface_stress_v(int, int j, int i) const {
    return between_columns(top(j - 1, i), drag(0, j - 1, i), top(j, i), drag(0, j, i));
  }

  /// Takes the gradient of `duration` p off the wind in air, which leaves no divergence where there are no
  /// walls: the operator of all cells, buildings or not, with no gradient at ground and lid, by elimination.
  void project(Real duration) {
    auto const n = static_cast<std::size_t>(c.nx * c.ny * c.nz);
    auto const number = [&](int k, int j, int i) {
      auto const jj = (j + c.ny) % c.ny, ii = (i + c.nx) % c.nx;
      return static_cast<std::size_t>((k * c.ny + jj) * c.nx + ii);
    };
    std::vector<std::vector<Real>> a(n, std::vector<Real>(n + 1, Real(0)));
    each([&](int k, int j, int i) {
      auto& row = a[number(k, j, i)];
      auto const couple = [&](int kk, int jj, int ii, Real weight) {
        row[number(kk, jj, ii)] += weight;
        row[number(k, j, i)] -= weight;
      };
      for (int const s : {-1, 1}) {
        couple(k, j, i + s, 1 / (Real(c.dx) * c.dx));
        couple(k, j + s, i, 1 / (Real(c.dy) * c.dy));
        if (k + s >= 0 && k + s < c.nz) couple(k + s, j, i, 1 / (dz(k) * between(s > 0 ? k : k - 1)));
      }
      row[n] = divergence(k, j, i) / duration;
    });
    // The pressure is known but for a constant: the first is 0.
    std::fill(a[0].begin(), a[0].end(), Real(0));
    a[0][0] = 1;
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t below = r + 1; below < n; ++below) {
        auto const factor = a[below][r] / a[r][r];
        if (factor == 0) continue;
        for (std::size_t column = r; column <= n; ++column) a[below][column] -= factor * a[r][column];
      }
    }
    std::vector<Real> x(n);
    for (auto r = n; r-- > 0;) {
      auto sum = a[r][n];
      for (auto column = r + 1; column < n; ++column) sum -= a[r][column] * x[column];
      x[r] = sum / a[r][r];
    }
    each([&](int k, int j, int i) { p(k, j, i) = x[number(k, j, i)]; });
    each([&](int k, int j, int i) {
      if (air(along_u, k, j, i)) u(k, j, i) -= duration * (p(k, j, i) - p(k, j, i - 1)) / c.dx;
      if (air(along_v, k, j, i)) v(k, j, i) -= duration * (p(k, j, i) - p(k, j - 1, i)) / c.dy;
      if (air(along_w, k, j, i)) w(k, j, i) -= duration * (p(k + 1, j, i) - p(k, j, i)) / between(k);
    });
  }

  void hold_flow() {
    Real sum = 0;
    auto points = 0;
    each([&](int k, int j, int i) {
      sum += u(k, j, i);
      points += air(along_u, k, j, i);
    });
    each([&](int k, int j, int i) {
      if (air(along_u, k, j, i)) u(k, j, i) += c.mean_u - sum / points;
    });
  }

  int current_ = 0;
};

}  // namespace ulpine::test
