// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/mesh/sphere.hpp"
#include "core/seaice/transport.hpp"

/// Kernels of a model step outside the sub-cycle that the sphere has in the place of those of the plane.
namespace ulpine::seaice {

/// Stage seaice.advect.normal_velocity on the sphere: at the quadrature points of an edge, with the factors
/// of SideLayout in the place of the normal vector.
template <class Real, class S, bool vertical, class Factors>
struct NormalVelocityOnSphere {
  CellLattice cells;
  View<std::uint8_t const> sea;
  View<Real const> dg_u, dg_v;
  Factors factors;
  SideTables<Real, S> sides;
  View<Real> normal;  ///< m2 s-1, S::edge planes

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    constexpr int far = vertical ? 1 : 3, near = vertical ? 0 : 2;
    auto const here = cells.index(ix, iy);
    auto const before = vertical ? here - 1 : here - cells.row();
    bool const sea_here = sea[here] != 0, sea_before = sea[before] != 0;
    Real const half = Real(1) / 2;
    Real const weight_here = sea_here ? (sea_before ? half : Real(1)) : Real(0);
    Real const weight_before = sea_before ? (sea_here ? half : Real(1)) : Real(0);
    Real const of_u = factors(SideLayout<S>::u, here);
#pragma GCC unroll 16
    for (int q = 0; q < S::edge; ++q) {
      Real const of_v = factors(SideLayout<S>::v + q, here);
      auto const flow = [&](std::int64_t cell, int side) {
        Real u = 0, v = 0;
#pragma GCC unroll 16
        for (int m = 0; m < S::dg; ++m) {
          u = math::fma(sides.psi[side][m][q], dg_u[m * cells.plane() + cell], u);
          v = math::fma(sides.psi[side][m][q], dg_v[m * cells.plane() + cell], v);
        }
        return math::fma(of_u, u, of_v * v);
      };
      normal[q * cells.plane() + here] = weight_before * flow(before, far) + weight_here * flow(here, near);
    }
  }
};

/// Wind at a place of the mesh along its longitude and latitude. A cyclone is the plane's (Wind) with the way
/// from its centre along the great circle.
template <class Real>
struct WindOnSphere {
  typename Wind<Real>::Kind kind = Wind<Real>::Kind::calm;
  Real u = 0, v = 0;                    ///< of uniform wind, m s-1
  Real centre[3] = {1, 0, 0};           ///< of the cyclone: unit vector in the mesh's coordinates
  Real rate = 0;                        ///< rotation rate of the cyclone at its centre, s-1
  Real reach = 1;                       ///< e-folding radius, m
  Real inflow_cos = 1, inflow_sin = 0;  ///< of the inflow angle

  ULPINE_HD void operator()(Real longitude, Real latitude, Real& wind_u, Real& wind_v) const {
    if (kind != Wind<Real>::Kind::cyclone) {
      wind_u = u;
      wind_v = v;
      return;
    }
    Real const cos_x = math::cos(longitude), sin_x = math::sin(longitude);
    Real const cos_y = math::cos(latitude), sin_y = math::sin(latitude);
    Real const level = math::fma(cos_x, centre[0], sin_x * centre[1]);
    // Minus the centre's components along the axes: they point away from it and are as long as the sine of
    // the angle between.
    Real const away_x = math::fma(sin_x, centre[0], -(cos_x * centre[1]));
    Real const away_y = math::fma(sin_y, level, -(cos_y * centre[2]));
    Real const sine = math::sqrt(math::fma(away_x, away_x, away_y * away_y));
    Real const angle = math::atan2(sine, math::fma(cos_y, level, sin_y * centre[2]));
    Real const earth = Real(sphere::radius);
    Real const stretch = earth * (sine > Real(1) / Real(1 << 20) ? angle / sine : Real(1));
    Real const dx = stretch * away_x, dy = stretch * away_y;
    Real const s = rate * math::exp(-(earth * angle / reach));
    wind_u = -s * math::fma(inflow_cos, dx, inflow_sin * dy);
    wind_v = -s * math::fma(inflow_cos, dy, -(inflow_sin * dx));
  }
};

/// Wind at the nodes at two times, and where between them the present lies.
template <class Real>
struct GivenWind {
  View<Real const> u0, v0, u1, v1;  ///< m s-1; empty where the wind is analytic
  Real weight = 0;                  ///< of the second time
};

/// Stage seaice.forcing on the sphere.
template <class Real, class S>
struct ForcingUpdateOnSphere {
  NodeLattice<S::cg> nodes;
  View<Real const> longitude, latitude;  ///< of the mesh, rad
  WindOnSphere<Real> wind;
  GivenWind<Real> given;
  View<Real> node_h, node_a, wind_x, wind_y;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const node = nodes.index(ix, iy);
    Real const concentration =
        math::min(math::max(node_a[node], Real(constants::least_concentration)), Real(1));
    node_a[node] = concentration;
    node_h[node] = math::max(node_h[node], Real(constants::least_height));
    Real u, v;
    if (given.u0.size() != 0) {
      u = math::fma(given.weight, given.u1[node] - given.u0[node], given.u0[node]);
      v = math::fma(given.weight, given.v1[node] - given.v0[node], given.v0[node]);
    } else {
      wind(longitude[node], latitude[node], u, v);
    }
    Real const drag = concentration * Real(constants::air_density * constants::air_drag) *
                      math::sqrt(math::fma(u, u, v * v));
    wind_x[node] = drag * u;
    wind_y[node] = drag * v;
  }
};

}  // namespace ulpine::seaice
