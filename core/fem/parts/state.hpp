// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/fem/domain.hpp"
#include "core/physics/ranges.hpp"

namespace ulpine::fem {

/// u, v and w to vectors, of the old level and the first guess of the new.
template <class T>
struct Gathered {
  T const *u, *v, *w;
  T *old, *now;

  ULPINE_HD void operator()(std::int64_t n) const {
    T const all[3] = {u[n], v[n], w[n]};
    for (int d = 0; d < 3; ++d) {
      old[3 * n + d] = all[d];
      now[3 * n + d] = all[d];
    }
  }
};

/// Departure of the pressure, density and potential temperature become those of the old level.
template <class T>
struct Kept {
  T const *departure, *density, *theta;
  T *old_departure, *old_density, *old_theta;

  ULPINE_HD void operator()(std::int64_t n) const {
    old_departure[n] = departure[n];
    old_density[n] = density[n];
    old_theta[n] = theta[n];
  }
};

/// The advecting velocity of a pass.
template <class T>
struct Advecting {
  T relaxation;
  T const *now, *old;
  T* advecting;
  ULPINE_HD void operator()(std::int64_t i) const { advecting[i] = between(relaxation, now[i], old[i]); }
};

template <class T>
struct Sum {
  T const *a, *b;
  T* sum;
  ULPINE_HD void operator()(std::int64_t i) const { sum[i] = a[i] + b[i]; }
};

/// Wind, pressure and potential temperature, their reference, their old time level and the wind that advects
/// in a pass.
template <class D>
class State final : public Part {
  using T = typename D::T;
  using Values = typename D::Values;

 public:
  explicit State(D& d) : d_{d} {
    d.scalars.push_back({theta_, old_theta_, theta_reference_});
    pressure_.on_demand([this] {
      d_.for_nodes(Sum<T>{in(pressure_reference_), in(departure_), out(pressure_)});
    });
  }

  void declare_stages() override {
    d_.old_level = d_.stage("old", "fields of the old time level", 9);
    advect_ = d_.stage("advecting", "velocity that advects", 9);
    exchange_ = d_.message_stage("state", "state at neighbours' nodes", d_.p.water ? 8 : 5);
  }

  void start() override {
    auto const& setup = *d_.setup;
    D::write(wind_reference_, setup.wind);
    D::write(theta_reference_, setup.theta);
    D::write(pressure_reference_, setup.pressure);
    D::write(theta_, setup.start_theta);
    if (setup.start_u.empty()) {
      std::vector<double> u, v;
      for (std::size_t at = 0; at < setup.wind.size(); at += 3) {
        u.push_back(setup.wind[at]);
        v.push_back(setup.wind[at + 1]);
      }
      D::write(u_, u);
      D::write(v_, v);
    } else {
      D::write(u_, setup.start_u);
      D::write(v_, setup.start_v);
      D::write(w_, setup.start_w);
      D::write(departure_, setup.start_departure);
    }
  }
  /// One kernel gives this density and that of the state, so that air at rest has exactly this one.
  void assemble_constants() override {
    auto const* const zero = in(d_.zero);
    Moisture<T> humidity;
    if (d_.p.humid) humidity = {in(d_.vapour_reference), zero, zero};
    d_.for_nodes(DensityOfAir<T>{{d_.air(), in(theta_reference_), zero, in(pressure_reference_), humidity},
                                 out(rho_reference_)});
  }
  void state_replaced() override {
    update_density();
    neighbours_known_ = false;
  }

  void begin() override {
    if (d_.ghosts && !neighbours_known_) exchange();
    d_.run(d_.old_level, Gathered<T>{in(u_), in(v_), in(w_), out(old_velocity_), out(velocity_)},
           {&old_velocity_, &velocity_});
    d_.run(d_.old_level,
           Kept<T>{in(departure_), in(rho_), in(theta_), out(old_departure_), out(old_rho_), out(old_theta_)},
           {&old_departure_, &old_rho_, &old_theta_});
  }
  void begin_pass() override {
    d_.stages.run(advect_, d_.executor, 3 * std::int64_t{d_.nodes},
                  Advecting<T>{T(d_.p.relaxation), in(velocity_), in(old_velocity_), out(advecting_)},
                  {&advecting_});
  }

 private:
  void update_density() { d_.for_nodes(DensityOfAir<T>{d_.air_at(), out(rho_)}); }
  /// Exchanges the state after it was replaced on each rank for the nodes that the rank owns.
  void exchange() {
    std::vector<PointValues<T>> state{{out(u_)}, {out(v_)}, {out(w_)}, {out(departure_)}};
    for (auto const& scalar : d_.scalars) state.push_back({out(scalar.now)});
    d_.call_together(exchange_,
                     [&] {
                       (*d_.ghosts)(std::span<PointValues<T> const>(state));
                       update_density();
                     },
                     {});
    neighbours_known_ = true;
  }

  D& d_;
  Values &u_ = d_.node("u", "m s-1", "wind along x", FieldRole::prognostic, physics::wind_range, "x_wind",
                       true),
         &v_ = d_.node("v", "m s-1", "wind along y", FieldRole::prognostic, physics::wind_range, "y_wind",
                       true),
         &w_ = d_.node("w", "m s-1", "wind upward", FieldRole::prognostic, physics::wind_range,
                       "upward_air_velocity", true),
         &departure_ =
             d_.at_node("p_departure", "Pa", FieldRole::prognostic, physics::pressure_departure_range),
         &pressure_ = d_.node("p", "Pa", "pressure", FieldRole::diagnostic, {}, "air_pressure"),
         &theta_ = d_.node("theta", "K", "potential temperature", FieldRole::prognostic, physics::theta_range,
                           "air_potential_temperature", true),
         &rho_ = d_.node("rho", "kg m-3", "density", FieldRole::diagnostic, {}, "air_density"),
         &theta_reference_ = d_.at_node("theta_reference", "K"),
         &pressure_reference_ = d_.at_node("p_reference", "Pa"),
         &rho_reference_ = d_.at_node("rho_reference", "kg m-3"),
         &wind_reference_ = d_.values("wind_reference", "m s-1", 3),
         &old_departure_ = d_.at_node("old_p_departure", "Pa"), &old_rho_ = d_.at_node("old_rho", "kg m-3"),
         &old_theta_ = d_.at_node("old_theta", "K"), &old_velocity_ = d_.values("old_velocity", "m s-1", 3),
         &velocity_ = d_.values("velocity", "m s-1", 3), &advecting_ = d_.values("advecting", "m s-1", 3);
  Stage advect_{}, exchange_{};
  bool neighbours_known_ = false;  ///< the state at neighbours' nodes
};

}  // namespace ulpine::fem
