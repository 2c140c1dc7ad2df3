// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/momentum.hpp"
#include "tests/support/fem/quadrature_forms.hpp"

/// Momentum and projection by the 11-point quadrature, written from the equations at a point: what the closed
/// forms are held to. The rule is exact here: no integrand is of a degree above 4.
namespace ulpine::fem {

/// Momentum by quadrature, with all of its options.
template <class P, VelocityBlocks blocks = VelocityBlocks::shared>
struct QuadratureMomentum {
  using Policy = P;
  using Real = typename P::Compute;
  static constexpr int width = blocks == VelocityBlocks::shared ? 1 : blocks == VelocityBlocks::full ? 9 : 3;
  static constexpr int right = 3, mass = 1;
  static constexpr int absorptions = blocks == VelocityBlocks::shared ? 1 : 3;

  typename P::State const* position;  ///< m, 3 a node
  MomentumInput<P> in;
  MomentumStep<Real> step;
  MomentumOptions options;

  struct Element {
    Real matrix[16 * width], force[12], mass[4];
  };
  using Node = Nothing;
  using Row = Nothing;

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
    MomentumInput<P>::fields(form.in, form.options.viscosity_tensor ? 9 : 1, absorptions, visit);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    auto const at = points_of<P>(position, node);
    auto const coefficients = nodal_coefficients(node);
    Element out{};
    Real mass[4][4] = {}, rate[4][4][3][3] = {}, absorbed[4][3] = {};
    for (int q = 0; q < quadrature_points; ++q) {
      Real shape[4], slope[4][3];
      for (int k = 0; k < 4; ++k) {
        shape[k] = at.shape.at[k][q];
        for (int d = 0; d < 3; ++d) {
          slope[k][d] = at.dshape.at[k][q][d];
        }
      }
      auto const local = at_point(coefficients, shape, slope);
      Real const w = at.detwei.at[q];
      for (int i = 0; i < 4; ++i) {
        out.mass[i] += w * shape[i] * local.density;
        for (int c = 0; c < 3; ++c) {
          absorbed[i][c] += w * shape[i] * local.density * local.absorption[c];
          out.force[3 * i + c] += w * force(local, shape[i], slope[i], c);
        }
        for (int j = 0; j < 4; ++j) {
          mass[i][j] += w * local.density * shape[i] * shape[j];
          for (int k = 0; k < 9; ++k) {
            rate[i][j][k / 3][k % 3] +=
                w * block(local, shape[i], slope[i], shape[j], slope[j], k / 3, k % 3);
          }
        }
      }
    }
    for (int i = 0; i < 4; ++i) {
      for (int c = 0; c < 3; ++c) {
        if (!options.lumped_absorption) continue;
        rate[i][i][c][c] += absorbed[i][c];
        out.force[3 * i + c] -= absorbed[i][c] * (coefficients.old[i][c] - coefficients.target[i][c]);
      }
      for (int j = 0; j < 4; ++j) {
        Real const lump = i == j ? out.mass[i] : Real(0), m = options.lumped ? lump : mass[i][j];
        for (int k = 0; k < width; ++k) {
          int const c = width == 9 ? k / 3 : k, d = width == 9 ? k % 3 : k;
          out.matrix[width * (4 * i + j) + k] = step.implicit * rate[i][j][c][d] + (c == d ? m : Real(0));
        }
      }
    }
    return out;
  }
  ULPINE_HD Node node(std::int32_t) const { return {}; }
  ULPINE_HD Row row(Element const&, Node const&, int) const { return {}; }
  ULPINE_HD void entry(Element const& e, Row const&, int i, int j, Real (&out)[width]) const {
    for (int k = 0; k < width; ++k) {
      out[k] = e.matrix[width * (4 * i + j) + k];
    }
  }
  ULPINE_HD void sums(Element const& e, Node const&, Row const&, int i, Real (&out)[4]) const {
    for (int c = 0; c < 3; ++c) {
      out[c] = e.force[3 * i + c];
    }
    out[3] = e.mass[i];
  }

 private:
  struct Coefficients {
    Real velocity[4][3], old[4][3], target[4][3], absorption[4][3], viscosity[4][9];
    Real density[4], buoyancy[4], pressure[4];
  };
  struct Local {
    Real density, divergence, buoyancy, pressure;
    Real velocity[3], old[3], target[3], absorption[3], viscosity[3][3];
    Real old_gradient[3][3];  ///< [c][d] = d_d u_old,c
    Real pressure_gradient[3];
  };

  ULPINE_HD Coefficients nodal_coefficients(std::int32_t const* node) const {
    Coefficients out;
    nodal(in.velocity, node, out.velocity);
    nodal(in.old_velocity, node, out.old);
    nodal(in.target, node, out.target);
    nodal(in.density, node, out.density);
    nodal(in.buoyancy, node, out.buoyancy);
    nodal(in.pressure, node, out.pressure);
    for (int a = 0; a < 4; ++a) {
      auto const n = static_cast<std::int64_t>(node[a]);
      for (int c = 0; c < 3; ++c) {
        out.absorption[a][c] =
            in.absorption == nullptr
                ? Real(0)
                : static_cast<Real>(absorptions == 1 ? in.absorption[n] : in.absorption[3 * n + c]);
      }
      for (int k = 0; k < 9; ++k) {
        out.viscosity[a][k] = Real(0);
        if (in.viscosity == nullptr) continue;
        if (options.viscosity_tensor) {
          out.viscosity[a][k] = static_cast<Real>(in.viscosity[9 * n + k]);
        } else if (k % 4 == 0) {
          out.viscosity[a][k] = static_cast<Real>(in.viscosity[n]);
        }
      }
    }
    return out;
  }

  ULPINE_HD static Local at_point(Coefficients const& c, Real const (&shape)[4], Real const (&slope)[4][3]) {
    Local out{};
    for (int a = 0; a < 4; ++a) {
      out.density += shape[a] * c.density[a];
      out.buoyancy += shape[a] * c.buoyancy[a];
      out.pressure += shape[a] * c.pressure[a];
      for (int d = 0; d < 3; ++d) {
        out.velocity[d] += shape[a] * c.velocity[a][d];
        out.old[d] += shape[a] * c.old[a][d];
        out.target[d] += shape[a] * c.target[a][d];
        out.absorption[d] += shape[a] * c.absorption[a][d];
        out.divergence += slope[a][d] * c.velocity[a][d];
        out.pressure_gradient[d] += slope[a][d] * c.pressure[a];
        for (int b = 0; b < 3; ++b) {
          out.old_gradient[d][b] += slope[a][b] * c.old[a][d];
          out.viscosity[d][b] += shape[a] * c.viscosity[a][3 * d + b];
        }
      }
    }
    return out;
  }

  /// The integrand of A's block (c, d) at a point; absorption is not here where it is lumped.
  ULPINE_HD Real block(Local const& at, Real ni, Real const (&gi)[3], Real nj, Real const (&gj)[3], int c,
                       int d) const {
    Real out = Real(0);
    if (c == d) {
      out = at.density * ni * (dot(at.velocity, gj) + step.beta * at.divergence * nj);
      for (int a = 0; a < 3; ++a) {
        out += gi[a] * dot(at.viscosity[a], gj);
      }
      if (!options.lumped_absorption) out += at.density * at.absorption[c] * ni * nj;
    }
    if constexpr (blocks == VelocityBlocks::full) {
      if (options.form != Viscosity::tensor) out += at.viscosity[0][0] * gi[d] * gj[c];
      if (options.form == Viscosity::full_stress) {
        out -= Real(2) / Real(3) * at.viscosity[0][0] * gi[c] * gj[d];
      }
      Real unit[3] = {}, turned[3];
      unit[d] = Real(1);
      cross(step.coriolis, unit, turned);
      out += at.density * turned[c] * ni * nj;
    }
    return out;
  }

  /// The integrand of the right-hand side's component c, of fields and not of the matrix.
  ULPINE_HD Real force(Local const& at, Real ni, Real const (&gi)[3], int c) const {
    auto const& slope = at.old_gradient;
    Real out = at.buoyancy * step.gravity[c] * ni;
    out += options.pressure_by_parts ? -(ni * at.pressure_gradient[c]) : at.pressure * gi[c];
    out -= at.density * ni * (dot(at.velocity, slope[c]) + step.beta * at.divergence * at.old[c]);
    for (int a = 0; a < 3; ++a) {
      out -= gi[a] * dot(at.viscosity[a], slope[c]);
    }
    if (!options.lumped_absorption) {
      out -= at.density * at.absorption[c] * ni * (at.old[c] - at.target[c]);
    }
    if constexpr (blocks == VelocityBlocks::full) {
      for (int d = 0; d < 3; ++d) {
        if (options.form != Viscosity::tensor) out -= at.viscosity[0][0] * gi[d] * slope[d][c];
        if (options.form == Viscosity::full_stress) {
          out += Real(2) / Real(3) * at.viscosity[0][0] * gi[c] * slope[d][d];
        }
      }
      Real turned[3];
      cross(step.coriolis, at.old, turned);
      out -= at.density * ni * turned[c];
    }
    return out;
  }
};

/// ProjectionMatrix by quadrature.
template <class P>
struct QuadratureProjection {
  using Policy = P;
  using Real = typename P::Compute;
  using State = typename P::State;
  static constexpr int width = 1, right = 1, mass = 0;

  typename P::State const* position;            ///< m, 3 a node
  State const* compressibility;                 ///< D, s2 m-2
  State const *pressure_of_density, *pressure;  ///< p_eos and p, Pa
  State const *old_density, *density;           ///< kg m-3
  Real scale, inverse_dt;

  using Element = WholeElement<Real>;
  using Node = Nothing;
  using Row = Nothing;

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
    visit(form.compressibility, 1);
    visit(form.pressure_of_density, 1);
    visit(form.pressure, 1);
    visit(form.old_density, 1);
    visit(form.density, 1);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    auto const at = points_of<P>(position, node);
    Real stiffness[4], away[4], change[4];
    nodal(compressibility, node, stiffness);
    for (int k = 0; k < 4; ++k) {
      away[k] = static_cast<Real>(pressure_of_density[node[k]] - pressure[node[k]]);
      change[k] = static_cast<Real>(old_density[node[k]] - density[node[k]]);
    }
    auto const D = at_points(at.shape, stiffness), p = at_points(at.shape, away),
               rho = at_points(at.shape, change);
    PointWeights<Real, quadrature_points> source;
    for (int q = 0; q < quadrature_points; ++q) {
      source.at[q] = D.at[q] * p.at[q] + rho.at[q];
    }
    Real matrix[4][4];
    shape_shape(at.shape, at.shape, weighted(at.detwei, D), matrix);
    Element out;
    shape_rhs(at.shape, weighted(at.detwei, source), out.right);
    for (int i = 0; i < 4; ++i) {
      out.right[i] *= inverse_dt;
      for (int j = 0; j < 4; ++j) {
        out.matrix[4 * i + j] = scale * matrix[i][j];
      }
    }
    return out;
  }
  ULPINE_HD Node node(std::int32_t) const { return {}; }
  ULPINE_HD Row row(Element const&, Node const&, int) const { return {}; }
  ULPINE_HD void entry(Element const& e, Row const&, int i, int j, Real (&out)[1]) const {
    out[0] = e.matrix[4 * i + j];
  }
  ULPINE_HD void sums(Element const& e, Node const&, Row const&, int i, Real (&out)[1]) const {
    out[0] = e.right[i];
  }
};

}  // namespace ulpine::fem
