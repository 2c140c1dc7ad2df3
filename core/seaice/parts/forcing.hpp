// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exec/rounded.hpp"
#include "core/mesh/sphere.hpp"
#include "core/seaice/domain.hpp"

namespace ulpine::seaice {

/// Wind over the plane at a node's place (m).
template <class Real>
struct WindOnPlane : Wind<Real> {
  ULPINE_HD void operator()(std::int64_t /*node*/, Real x, Real y, Real& wind_u, Real& wind_v) const {
    if (this->kind == Wind<Real>::Kind::cyclone) {
      Real const dx = x - this->centre_x, dy = y - this->centre_y;
      Real const s = this->rate * math::exp(-math::sqrt(math::fma(dx, dx, dy * dy)) / this->reach);
      wind_u = -s * math::fma(this->inflow_cos, dx, this->inflow_sin * dy);
      wind_v = -s * math::fma(this->inflow_cos, dy, -(this->inflow_sin * dx));
    } else {
      wind_u = this->u;
      wind_v = this->v;
    }
  }
};

/// Wind along longitude and latitude (rad) of a mesh on the sphere: given at the nodes at two times, or
/// analytic. A cyclone is the plane's with the way from its centre along the great circle.
template <class Real>
struct WindOnSphere : Wind<Real> {
  Real centre[3] = {1, 0, 0};  ///< of the cyclone: unit vector in the mesh's coordinates
  View<Real const> u0 = {}, v0 = {}, u1 = {}, v1 = {};  ///< m s-1; empty where the wind is analytic
  Real weight = 0;                                      ///< of the second time

  ULPINE_HD void operator()(std::int64_t node, Real longitude, Real latitude, Real& wind_u,
                            Real& wind_v) const {
    if (u0.size() != 0) {
      wind_u = math::fma(weight, u1[node] - u0[node], u0[node]);
      wind_v = math::fma(weight, v1[node] - v0[node], v0[node]);
      return;
    }
    if (this->kind != Wind<Real>::Kind::cyclone) {
      wind_u = this->u;
      wind_v = this->v;
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
    Real const s = this->rate * math::exp(-(earth * angle / this->reach));
    wind_u = -s * math::fma(this->inflow_cos, dx, this->inflow_sin * dy);
    wind_v = -s * math::fma(this->inflow_cos, dy, -(this->inflow_sin * dx));
  }
};

/// Stage seaice.forcing: floors of the nodal H and A, and the wind stress on the ice A rho_a C_a |v_a| v_a (N
/// m-2).
template <class Real, class S, class AnyWind>
struct ForcingUpdate {
  NodeLattice<S::cg> nodes;
  View<Real const> node_x, node_y;
  AnyWind wind;
  View<Real> node_h, node_a, wind_x, wind_y;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const node = nodes.index(ix, iy);
    Real const concentration =
        math::min(math::max(node_a[node], Real(constants::least_concentration)), Real(1));
    node_a[node] = concentration;
    node_h[node] = math::max(node_h[node], Real(constants::least_height));
    Real u, v;
    wind(node, node_x[node], node_y[node], u, v);
    Real const drag = concentration * Real(constants::air_density * constants::air_drag) *
                      math::sqrt(math::fma(u, u, v * v));
    wind_x[node] = drag * u;
    wind_y[node] = drag * v;
  }
};

/// The wind's stress on the ice: of an analytic wind or, on the sphere, of that of a file.
template <class D>
class Forcing final : public Part {
  using S = typename D::S;
  using State = typename D::State;
  using Stored = Array<State, typename D::Executor>;

 public:
  Forcing(D& d, Setup const& setup) : d_{d}, wind_file_{setup.wind_file} {
    d.declare(this, stage::forcing, "seaice.forcing",
              "wind stress on the ice; least thickness and concentration at nodes", 4 * D::velocity);
    if (wind_file_ == nullptr) return;
    places_.resize(static_cast<std::size_t>(d.nodes.size()));
    for (std::int32_t j = 0; j <= S::cg * d.cells.ny; ++j) {
      for (std::int32_t i = 0; i <= S::cg * d.cells.nx; ++i) {
        auto const place = node_place(setup.mesh, S::cg, i, j);
        places_[static_cast<std::size_t>(d.nodes.index(i, j))] = {place.x, place.y};
      }
    }
  }
  void prepare(double end) override { d_.run_stage(stage::forcing, {.time = end}); }
  void compute(stage::Id, StageArguments const& given) override {
    auto const& p = d_.p;
    auto const time = given.time;
    std::conditional_t<S::spherical, WindOnSphere<State>, WindOnPlane<State>> wind{
        {static_cast<typename Wind<State>::Kind>(p.wind.kind), State(p.wind.u), State(p.wind.v),
         State(p.wind.centre_x + p.wind_speed_x * time), State(p.wind.centre_y + p.wind_speed_y * time),
         State(p.wind.rate), State(p.wind.reach), State(p.wind.inflow_cos), State(p.wind.inflow_sin)}};
    if constexpr (S::spherical) {
      auto const centre = p.wind_centre_at(time);
      std::transform(centre.begin(), centre.end(), wind.centre, [](double value) { return State(value); });
      if (wind_file_ != nullptr) set_given(wind, time);
    }
    auto& f = d_.f;
    d_.run(stage::forcing, d_.nodes.extent(),
           ForcingUpdate<State, typename D::V::Plane, decltype(wind)>{
               d_.nodes, f.node_x.view(), f.node_y.view(), wind, f.node_h.view(), f.node_a.view(),
               f.wind_x.view(), f.wind_y.view()},
           {&f.node_h, &f.node_a, &f.wind_x, &f.wind_y});
  }

 private:
  /// The wind file's at the times around `time`, read where they are not here yet.
  void set_given(WindOnSphere<State>& wind, double time) {
    auto const at = wind_file_->locate(time);
    for (int k = 0; k < 2; ++k) {
      auto& slot = winds_[k];
      auto const wanted = at.first + (at.weight > 0 ? k : 0);
      if (slot.index == wanted) continue;
      if (k == 0 && winds_[1].index == wanted) {
        std::swap(winds_[0], winds_[1]);
        continue;
      }
      std::vector<double> u, v;
      wind_file_->read(wanted, places_, u, v);
      auto const store = [&](Stored& stored, std::vector<double> const& values) {
        auto const converted = rounded_to<State>(values);
        if (stored.size() == 0) stored = Stored(d_.executor, d_.nodes.size());
        stored.from_host(converted.data());
      };
      store(slot.u, u);
      store(slot.v, v);
      slot.index = wanted;
    }
    wind.u0 = winds_[0].u.view();
    wind.v0 = winds_[0].v.view();
    wind.u1 = winds_[1].u.view();
    wind.v1 = winds_[1].v.view();
    wind.weight = static_cast<State>(at.weight);
  }

  /// Winds of the wind file at the nodes at one of its times; two such are kept, between which the wind is
  /// interpolated.
  struct StoredWind {
    std::int64_t index = -1;
    Stored u, v;
  };
  D& d_;
  std::shared_ptr<WindFile const> wind_file_;
  std::vector<sphere::LonLat> places_;  ///< of the nodes in the mesh's coordinates
  StoredWind winds_[2];
};

}  // namespace ulpine::seaice
