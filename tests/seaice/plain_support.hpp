// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/model/model.hpp"
#include "seaice/plain_ice.hpp"
#include "seaice/solver_support.hpp"
#include "support/random_values.hpp"

/// A small asymmetric case for the core and for PlainIce, and their comparison.
namespace ulpine::test {

using ExactIce = PlainIce<long double>;

/// nx x ny cells with an island of three cells and two more land cells at the edge. Not one cell is like
/// another where `distorted`; else all are one sheared parallelogram.
inline PlainCase small_case(int dg, bool distorted, int nx = 7, int ny = 5, int cg = 1) {
  PlainCase c;
  c.nx = nx;
  c.ny = ny;
  c.cg = cg;
  c.dg = dg;
  RandomValues random(20);
  double const shift = distorted ? 0.18 : 0;
  for (int j = 0; j <= c.ny; ++j) {
    for (int i = 0; i <= c.nx; ++i) {
      double const s = i + shift * random.between(-1, 1), t = j + shift * random.between(-1, 1);
      // Powers of two times small integers: the parallelograms are equal to the bit.
      c.x.push_back(4096 * s + 768 * t);
      c.y.push_back(-512 * s + 5120 * t);
    }
  }
  c.sea.assign(c.cells(), 1);
  for (auto const& [i, j] : {std::pair{2, 1}, {3, 1}, {3, 2}, {6, 4}, {0, 3}}) {
    c.sea[c.cell(i, j)] = 0;
  }
  c.ocean_u = random.uniform(c.nodes(), -0.1, 0.1);
  c.ocean_v = random.uniform(c.nodes(), -0.1, 0.1);
  c.cyclone = true;
  c.centre_x = 9000;
  c.centre_y = 14000;
  c.drift_x = 3;
  c.drift_y = -2;
  c.rate = 1e-3;
  c.reach = 12e3;
  c.alpha = 300;
  c.beta = 250;
  c.substeps = 6;
  return c;
}

inline seaice::Setup setup_of(PlainCase const& c) {
  seaice::Setup setup{.mesh = {c.nx, c.ny, c.x, c.y, c.sea}, .ocean_u = c.ocean_u, .ocean_v = c.ocean_v};
  auto& p = setup.parameters;
  p.cg = c.cg;
  p.dg = c.dg;
  p.dt = c.dt;
  p.substeps = c.substeps;
  p.alpha = c.alpha;
  p.beta = c.beta;
  p.coriolis = c.coriolis;
  p.runge_kutta = c.runge_kutta;
  p.limiter = c.nextsim_limiter ? seaice::LimiterKind::nextsim : seaice::LimiterKind::exact;
  p.wind.kind = c.cyclone ? seaice::Wind<double>::Kind::cyclone : seaice::Wind<double>::Kind::uniform;
  p.wind.u = c.wind_u;
  p.wind.v = c.wind_v;
  p.wind.centre_x = c.centre_x;
  p.wind.centre_y = c.centre_y;
  p.wind_speed_x = c.drift_x;
  p.wind_speed_y = c.drift_y;
  p.wind.rate = c.rate;
  p.wind.reach = c.reach;
  p.wind.inflow_cos = std::cos(c.angle * std::numbers::pi / 180);
  p.wind.inflow_sin = std::sin(c.angle * std::numbers::pi / 180);
  return setup;
}

/// Every field of a solver that PlainIce has too.
template <class Plain>
inline auto shared_fields(Plain& plain) {
  return std::array{std::pair{FieldId::u, &plain.u},
                    std::pair{FieldId::v, &plain.v},
                    std::pair{FieldId::h, &plain.h},
                    std::pair{FieldId::a, &plain.a},
                    std::pair{FieldId::stress_xx, &plain.s11},
                    std::pair{FieldId::stress_yy, &plain.s22},
                    std::pair{FieldId::stress_xy, &plain.s12},
                    std::pair{FieldId::strain_xx, &plain.e11},
                    std::pair{FieldId::strain_yy, &plain.e22},
                    std::pair{FieldId::strain_xy, &plain.e12},
                    std::pair{FieldId::node_h, &plain.node_h},
                    std::pair{FieldId::node_a, &plain.node_a},
                    std::pair{FieldId::u0, &plain.u0},
                    std::pair{FieldId::v0, &plain.v0},
                    std::pair{FieldId::wind_x, &plain.wind_x},
                    std::pair{FieldId::wind_y, &plain.wind_y},
                    std::pair{FieldId::force_x, &plain.force_x},
                    std::pair{FieldId::force_y, &plain.force_y},
                    std::pair{FieldId::dg_u, &plain.dg_u},
                    std::pair{FieldId::dg_v, &plain.dg_v}};
}

/// A field or static field of a model, read whole.
inline std::vector<double> values_of(Model const& model, std::string const& name) {
  for (auto const& list : {model.fields(), model.static_fields()}) {
    for (auto const& info : list) {
      if (info.name == name) {
        std::vector<double> values(static_cast<std::size_t>(info.size()),
                                   std::numeric_limits<double>::quiet_NaN());
        model.read(name, values);
        return values;
      }
    }
  }
  ADD_FAILURE() << "no field " << name;
  return {};
}

/// Random values in every field but those on land, of sizes that let each term of the equations matter.
inline void give_random_fields(IceSolver& solver, PlainCase const& c, std::uint64_t seed) {
  RandomValues random(seed);
  ExactIce shape(c);
  for (auto const& [id, field] : shared_fields(shape)) {
    auto values = random.uniform(field->size(), -1, 1);
    bool const nodal = field->size() == c.nodes();
    double const scale =
        id == FieldId::u || id == FieldId::v || id == FieldId::u0 || id == FieldId::v0     ? 0.3
        : id == FieldId::stress_xx || id == FieldId::stress_yy || id == FieldId::stress_xy ? 5e3
        : id == FieldId::strain_xx || id == FieldId::strain_yy || id == FieldId::strain_xy ? 3e-5
                                                                                           : 1;
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] *= scale;
      if (!nodal && c.sea[k % c.cells()] == 0) {
        values[k] = 0;
      } else if (id == FieldId::h) {
        values[k] = k < c.cells() ? 1.2 + values[k] : 0.9 * values[k];
      } else if (id == FieldId::a) {
        values[k] = k < c.cells() ? 0.7 + 0.4 * values[k] : 0.4 * values[k];
      } else if (id == FieldId::node_h) {
        values[k] = 1.01 + values[k];
      } else if (id == FieldId::node_a) {
        values[k] = 0.55 + 0.45 * values[k];
      }
    }
    solver.write(id, values.data());
  }
}

/// The solver's fields as they are.
template <class Real>
PlainIce<Real> taken_from(IceSolver const& solver, PlainCase const& c) {
  PlainIce<Real> plain(c);
  for (auto const& [id, field] : shared_fields(plain)) {
    auto const values = read(solver, id);
    field->assign(values.begin(), values.end());
  }
  return plain;
}

/// Expects `field` of the solver to agree with `exact` to what rounding may do: a few times the distance
/// between PlainIce in double and in long double, and at most `cap` times the largest value of the plane, or
/// of the field where the plane is zero but for rounding (the second degree of a bilinear velocity).
inline void expect_agreement(std::vector<double> const& got, std::vector<long double> const& exact,
                             std::vector<double> const& rounded, std::size_t plane, double cap,
                             std::string const& name) {
  ASSERT_EQ(got.size(), exact.size()) << name;
  long double largest = 0;
  for (auto const value : exact) largest = std::max(largest, std::abs(value));
  for (std::size_t first = 0; first < exact.size(); first += plane) {
    long double scale = 0, spread = 0;
    for (std::size_t k = first; k < first + plane; ++k) {
      scale = std::max(scale, std::abs(exact[k]));
      spread = std::max(spread, std::abs(exact[k] - rounded[k]));
    }
    if (scale < 0x1p-60L * largest) scale = largest;
    auto const bound = 0x1p-50L * scale + 8 * spread;
    EXPECT_LE(bound, cap * scale) << name << ": rounding alone makes this comparison meaningless";
    for (std::size_t k = first; k < first + plane; ++k) {
      ASSERT_LE(std::abs(got[k] - exact[k]), bound)
          << name << ", plane " << first / plane << ", element " << k - first << ": " << got[k] << " for "
          << static_cast<double>(exact[k]);
    }
  }
}

}  // namespace ulpine::test
