// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/seaice/domain.hpp"
#include "core/seaice/part.hpp"
#include "core/seaice/transport_sphere.hpp"

namespace ulpine::seaice {

/// The wind's stress on the ice: of an analytic wind or, on the sphere, of that of a file.
template <class D>
class Forcing final : public Part {
  using S = typename D::S;
  using State = typename D::State;
  using Stored = Array<State, typename D::Executor>;

 public:
  Forcing(D& d, Setup const& setup) : d_{d}, wind_file_{setup.wind_file} {
    d.declare(this, stage::forcing, "wind stress on the ice; least thickness and concentration at nodes",
              4 * D::velocity);
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
    auto const time = given.time;
    auto& f = d_.f;
    auto const run = [&](auto const& kernel) {
      d_.run(stage::forcing, d_.nodes.extent(), kernel, {&f.node_h, &f.node_a, &f.wind_x, &f.wind_y});
    };
    if constexpr (S::spherical) {
      auto wind = wind_of_case<WindOnSphere<State>>();
      auto const centre = d_.p.wind_centre_at(time);
      std::transform(centre.begin(), centre.end(), wind.centre, [](double value) { return State(value); });
      run(ForcingUpdateOnSphere<State, typename D::V::Plane>{
          d_.nodes, f.node_x.view(), f.node_y.view(), wind, given_wind(time), f.node_h.view(),
          f.node_a.view(), f.wind_x.view(), f.wind_y.view()});
    } else {
      auto wind = wind_of_case<Wind<State>>();
      wind.centre_x = State(d_.p.wind.centre_x + d_.p.wind_speed_x * time);
      wind.centre_y = State(d_.p.wind.centre_y + d_.p.wind_speed_y * time);
      run(ForcingUpdate<State, typename D::V>{d_.nodes, f.node_x.view(), f.node_y.view(), wind,
                                              f.node_h.view(), f.node_a.view(), f.wind_x.view(),
                                              f.wind_y.view()});
    }
  }

 private:
  /// The case's wind but for where its cyclone is: a Wind or a WindOnSphere.
  template <class AnyWind>
  AnyWind wind_of_case() const {
    AnyWind wind;
    auto const& given = d_.p.wind;
    wind.kind = static_cast<typename Wind<State>::Kind>(given.kind);
    wind.u = State(given.u);
    wind.v = State(given.v);
    wind.rate = State(given.rate);
    wind.reach = State(given.reach);
    wind.inflow_cos = State(given.inflow_cos);
    wind.inflow_sin = State(given.inflow_sin);
    return wind;
  }
  /// The wind file's at the times around `time`, read where they are not here yet.
  GivenWind<State> given_wind(double time) {
    if (wind_file_ == nullptr) return {};
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
        std::vector<State> const converted(values.begin(), values.end());
        if (stored.size() == 0) stored = Stored(d_.executor, d_.nodes.size());
        stored.from_host(converted.data());
      };
      store(slot.u, u);
      store(slot.v, v);
      slot.index = wanted;
    }
    return {winds_[0].u.view(), winds_[0].v.view(), winds_[1].u.view(), winds_[1].v.view(),
            static_cast<State>(at.weight)};
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
