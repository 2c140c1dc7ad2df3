// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/physics/ranges.hpp"

namespace ulpine::les {

/// Wind, potential temperature and the energy of eddies: their fields, start and halos. In a neutral case
/// temperature stays as it is, and is no part of the state.
template <class D>
class State final : public Part {
  using T = typename D::T;

 public:
  explicit State(D& d) : d_{d} {
    add("u", "m s-1", "wind along x", {"z", "y", "x_u"}, d.air_u, physics::wind_range, "x_wind", true);
    add("v", "m s-1", "wind along y", {"z", "y_v", "x"}, d.air_v, physics::wind_range, "y_wind", true);
    add("w", "m s-1", "wind upward", {"z_w", "y", "x"}, d.air_w, physics::wind_range, "upward_air_velocity");
    std::vector<std::string> const centres{"z", "y", "x"};
    if (d.p.neutral) {
      d.theta.emplace(d.template work<T>("theta", "K", d.with_halo));
    } else {
      auto& theta = add("theta", "K", "potential temperature", centres, d.air, physics::theta_range,
                        "air_potential_temperature", true);
      d.theta.emplace(theta, d.template work<T>("carried_theta", "K", d.with_halo),
                      d.template work<T>("stored_theta", "K s-1", d.dense));
    }
    if (d.has_energy()) {
      auto& energy =
          add("e", "m2 s-2", "sub-grid kinetic energy", centres, d.air, physics::eddy_energy_range);
      d.energy.emplace(energy, d.template work<T>("carried_e", "m2 s-2", d.with_halo),
                       d.template work<T>("stored_e", "m2 s-3", d.dense));
    }
  }

  void declare_stages(Point point) override {
    if (point != Point::messages) return;
    d_.declare_exchange(d_.state().count);
  }

  void start() override {
    auto const& setup = *d_.setup;
    Start const at(setup);
    write_start(setup, *d_.u, Variable::u, [&](auto k, auto j, auto i) { return at.u(k, j, i); });
    write_start(setup, *d_.v, Variable::v, [&](auto k, auto j, auto i) { return at.v(k, j, i); });
    write_start(setup, *d_.w, Variable::scalar, [&](auto k, auto j, auto i) { return at.w(k, j, i); });
    write_start(setup, d_.theta->own(), Variable::scalar,
                [&](auto k, auto j, auto i) { return at.theta(k, j, i); });
    if (d_.has_energy()) {
      write_start(setup, d_.energy->own(), Variable::scalar,
                  [&](auto k, auto, auto) { return at.energy(k); });
    }
  }

 private:
  typename D::Values& add(char const* name, char const* units, char const* long_name,
                          std::vector<std::string> dimensions, Field const* domain, ValueRange range,
                          char const* standard_name = "", bool perturbable = false) {
    auto description =
        d_.output(name, units, long_name, FieldRole::prognostic, std::move(dimensions), domain);
    description.standard_name = standard_name;
    description.range = range;
    if (perturbable) description.perturbable = Perturbable{};
    return d_.template add<T>(std::move(description), d_.with_halo);
  }

  D& d_;
};

}  // namespace ulpine::les
