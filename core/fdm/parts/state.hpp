// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/part.hpp"
#include "core/field/operations.hpp"
#include "core/lattice/points.hpp"
#include "core/physics/ranges.hpp"

namespace ulpine::fdm {

/// Wind and pressure, and the state in which a step begins.
template <class D>
class State final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::Ground;

 public:
  explicit State(D& d) : d_{d} {
    std::vector<std::string> const centres{"z", "y", "x"};
    d.template add<T>(
        d.prognostic("u", "m s-1", "wind along x", {"z", "y", "x_u"}, physics::wind_range, "x_wind"), d.at_u);
    d.template add<T>(
        d.prognostic("v", "m s-1", "wind along y", {"z", "y_v", "x"}, physics::wind_range, "y_wind"), d.at_v);
    d.template add<T>(d.prognostic("w", "m s-1", "wind upward", {"z_w", "y", "x"}, physics::wind_range,
                                   "upward_air_velocity"),
                      d.at_w);
    d.template add<T>(
        d.prognostic("p", "Pa", "pressure less the base state's", centres, physics::pressure_departure_range),
        d.centre);
    auto& volume = d.template add<double>(
        D::Lattice::output("cell_volume", "m3", "volume of a cell", FieldRole::constant, {"z"}),
        Layout::entities(d.p.nz));
    volume.from_host(volumes().data());
    d.add_start_of("u", "m s-1", d.at_u, physics::wind_range);
    d.add_start_of("v", "m s-1", d.at_v, physics::wind_range);
    d.add_start_of("w", "m s-1", d.at_w, physics::wind_range);
    d.add_start_of("p", "Pa", d.centre, physics::pressure_departure_range);
    d.template work<T>("start_divergence", "kg m-3 s-1", d.centre);
  }

  void declare_stages() override {
    auto const fields = 4 + static_cast<int>(d_.scalars.size());
    d_.declare_exchange(fields);
    d_.exchange_sound =
        d_.message_stage("sound.exchange", "halos of p' and its divergence in the small steps",
                         d_.exchange.template bytes<S>(2, d_.sound_width, d_.sound_levels()));
    keep_ = d_.stage("keep", "copy of the state in which the step begins", 2 * fields);
    divergence_ = d_.stage("divergence", "divergence of the mass flux in which the step begins", 4);
  }

  void start() override {
    auto const height = [&](auto k, auto j, auto i) { return d_.heights.centre(k, j, i); };
    auto base_u = by_height([&](double z) { return d_.base.u(z); });
    auto base_v = by_height([&](double z) { return d_.base.v(z); });
    write_points(*d_.u, [&](auto k, auto j, auto i) {
      return (base_u(height(k, j, i - 1)) + base_u(height(k, j, i))) / 2;
    });
    write_points(*d_.v, [&](auto k, auto j, auto i) {
      return (base_v(height(k, j - 1, i)) + base_v(height(k, j, i))) / 2;
    });
    write_points(*d_.pressure, [&](auto k, auto j, auto i) {
      return d_.p.start_pressure(d_.base, (d_.p.first_x + i + 0.5) * d_.p.dx, height(k, j, i));
    });
    for_each(d_.executor, Extent2{d_.p.nx + 1, d_.p.ny + 1},
             WallWind<T>{d_.p.nx, d_.p.ny, d_.p.nz, d_.sides, d_.u.out(), d_.v.out()});
    d_.bring(d_.halos({{d_.u.out(), Place::u}, {d_.v.out(), Place::v}}));
    for_each(d_.executor, d_.columns(),
             GroundWind<T, Ground>{d_.big.grid, d_.big.ground(), d_.u.in(), d_.v.in(), d_.w.out()});
  }

  void keep_state() override {
    std::vector<Field const*> starts{d_.start_u, d_.start_v, d_.start_w, d_.start_pressure};
    for (auto const& one : d_.scalars) starts.push_back(&one.start);
    d_.stages.call(
        keep_, d_.executor,
        [&] {
          d_.start_u->copy_from(*d_.u);
          d_.start_v->copy_from(*d_.v);
          d_.start_w->copy_from(*d_.w);
          d_.start_pressure->copy_from(*d_.pressure);
          for (auto& one : d_.scalars) one.start.copy_from(one.now);
        },
        starts);
  }

  void force_slowly() override {
    d_.run_around(
        divergence_, d_.p.nz,
        StateDivergence<T, Ground>{d_.big.grid, d_.big.ground(), d_.start(), d_.start_divergence.out()},
        {d_.start_divergence});
  }

 private:
  std::vector<double> volumes() const {
    auto const& levels = d_.heights.levels;
    std::vector<double> all;
    for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
      all.push_back(d_.p.dx * d_.p.dy * (levels[k + 1] - levels[k]));
    }
    return all;
  }

  D& d_;
  Stage keep_{}, divergence_{};
};

}  // namespace ulpine::fdm
