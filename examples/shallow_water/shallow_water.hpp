// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulpine/core/exec/reduce.hpp>
#include <ulpine/core/fft/plane_transform.hpp>
#include <ulpine/core/field/values.hpp>
#include <ulpine/core/model/core.hpp>
#include "parameters.hpp"
#include "physics.hpp"

namespace shallow_water {

using namespace ulpine;

/// Layers of shallow water in one policy on one executor; docs/tutorials/own-model.md builds it up.
template <class P, class Executor>
class ShallowWater final : public Core {
  using State = typename P::State;
  using Compute = typename P::Compute;
  template <class T>
  using Ref = FieldOf<T, Executor>&;

 public:
  ShallowWater(Parameters const& parameters, Executor executor)
      : p_{parameters}, executor_{executor}, reducer_{executor}, length_{executor} {
    if (p_.filter_strength > 0) {
      transform_ = make_vendor_transform<State>(executor, p_.layers, p_.ny, p_.nx);
    }
    surface_.on_demand([this] {
      for_each(executor_, columns(), Surface<P>{p_.layers, rest(), get(h_), surface_.grid()});
    });
    curl_.on_demand([this] {
      for_each(executor_, points(), Curl<P>{plane(), get(u_), get(v_), curl_.grid()});
    });
    set_up();
  }

  std::string name() const override { return "shallow_water"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return points().size(); }
  std::vector<IntegralDescription> integrals() const override { return {{"volume", "m3", "h", "cell_area"}}; }

  double take_step(std::int64_t step, double time, double latest) override {
    stages_.begin_step(executor_, step);
    choose_step(latest - time);
    length_.start(step_.view());
    stages_.graph("runge_kutta", executor_, [this] {
      before_u_.copy_from(u_);
      before_v_.copy_from(v_);
      before_h_.copy_from(h_);
      State const keep[] = {State(0), State(3) / State(4), State(1) / State(3)};
      for (int stage = 0; stage < 3; ++stage) {
        auto const stages = stages_.loop("stage", stage + 1);
        evaluate();
        advance(keep[stage]);
      }
      if (transform_ == nullptr) return;
      for (int component = 0; component < 2; ++component) {
        auto const components = stages_.loop("component", component + 1);
        filter(component == 0 ? u_ : v_);
      }
    });
    auto const length = length_.value();
    return length < latest - time ? time + length : latest;
  }

 private:
  Extent2 columns() const { return {p_.nx, p_.ny}; }
  Extent3 points() const { return {p_.nx, p_.ny, p_.layers}; }
  static Compute number(double value) { return static_cast<Compute>(value); }
  State rest() const { return static_cast<State>(p_.depth / p_.layers); }
  Plane<Compute> plane() const {
    return {p_.nx, p_.ny, number(p_.nx / p_.length_x), number(p_.ny / p_.length_y), number(p_.coriolis)};
  }
  template <class T>
  static GridView<T const> get(FieldOf<T, Executor> const& field) {
    return field.grid();
  }

  void choose_step(double left) {
    stages_.run(
        courant_, executor_, columns(),
        CourantRate<P>{plane(), p_.layers, number(p_.gravity), get(u_), get(v_), get(h_), rate_.grid()},
        {&rate_});
    stages_.call(fastest_, executor_, [&] { reducer_.max_to(rate_, fastest_rate_); }, {&fastest_rate_});
    stages_.run(
        step_length_, executor_, 1,
        StepLength<Compute>{number(p_.courant), left, fastest_rate_.view().data(), step_.view().data()},
        {&step_});
    stages_.call(energy_, executor_,
                 [&] {
                   reducer_.dot_to(u_, u_, u_squared_);
                   reducer_.dot_to(v_, v_, v_squared_);
                 },
                 {&u_squared_, &v_squared_});
  }

  void evaluate() {
    stages_.run(pressure_, executor_, columns(),
                Pressure<P>{p_.layers, rest(), number(p_.gravity), number(p_.reduced_gravity), get(h_),
                            potential_.grid()},
                {&potential_});
    stages_.run(fluxes_, executor_, points(),
                Fluxes<P>{plane(), get(u_), get(v_), get(h_), get(potential_), transport_x_.grid(),
                          transport_y_.grid(), vorticity_.grid(), bernoulli_.grid()},
                {&transport_x_, &transport_y_, &vorticity_, &bernoulli_});
  }

  void advance(State keep) {
    Advance<P> const kernel{plane(),
                            keep,
                            step_.view().data(),
                            u_squared_.view().data(),
                            v_squared_.view().data(),
                            number(0.5 / (static_cast<double>(cells()) * p_.energy_limit)),
                            wind_.view().data(),
                            get(transport_x_),
                            get(transport_y_),
                            get(vorticity_),
                            get(bernoulli_),
                            get(before_u_),
                            get(before_v_),
                            get(before_h_),
                            u_.grid(),
                            v_.grid(),
                            h_.grid()};
    stages_.run(advance_, executor_, points(), kernel, {&u_, &v_, &h_});
  }

  void filter(FieldOf<State, Executor>& field) {
    auto const waves = waves_.grid();
    stages_.run(gather_, executor_, points(), Copy<State>{get(field), waves}, {&waves_});
    stages_.call(forward_, executor_, [&] { transform_->forward(waves.first); }, {&waves_});
    stages_.run(damp_, executor_, Extent3{p_.nx / 2 + 1, p_.ny, p_.layers},
                ExponentialFilter<State>{p_.nx, p_.ny, static_cast<State>(p_.filter_strength),
                                         static_cast<State>(p_.filter_order),
                                         static_cast<State>(1.0 / (double(p_.nx) * p_.ny)), waves},
                {&waves_});
    stages_.call(inverse_, executor_, [&] { transform_->inverse(waves.first); }, {&waves_});
    stages_.run(scatter_, executor_, points(), Copy<State>{get(waves_), field.grid()}, {&field});
  }

  void set_up() {
    // Layer by layer, so that no field is ever whole on the host.
    auto const layer = columns().size();
    std::vector<double> u(static_cast<std::size_t>(layer)), v = u, h = u;
    for (int k = 0; k < p_.layers; ++k) {
      for (std::int64_t n = 0; n < layer; ++n) {
        auto const start = start_at(p_, k, static_cast<int>(n / p_.nx), static_cast<int>(n % p_.nx));
        auto const place = static_cast<std::size_t>(n);
        u[place] = start.u;
        v[place] = start.v;
        h[place] = start.h;
      }
      write_values(u_.raw(), k * layer, layer, ValueType::float64, u.data());
      write_values(v_.raw(), k * layer, layer, ValueType::float64, v.data());
      write_values(h_.raw(), k * layer, layer, ValueType::float64, h.data());
    }
    std::vector<Compute> wind;
    for (int j = 0; j < p_.ny; ++j) wind.push_back(number(wind_at(p_, j)));
    wind_.from_host(wind.data());
    std::vector<double> const area(static_cast<std::size_t>(columns().size()),
                                   p_.length_x / p_.nx * (p_.length_y / p_.ny));
    area_.from_host(area.data());
    for (auto& coordinate : coordinates(p_)) fields_.add_coordinate(std::move(coordinate));
  }

  /// A field of the output.
  template <class T>
  Ref<T> add(char const* name, char const* units, char const* long_name, FieldRole role,
             std::vector<std::string> dimensions, char const* standard_name = "", ValueRange range = {}) {
    FieldDescription description{.name = name,
                                 .units = units,
                                 .long_name = long_name,
                                 .standard_name = standard_name,
                                 .role = role,
                                 .dimensions = std::move(dimensions),
                                 .output = true,
                                 .range = range};
    if (role == FieldRole::prognostic) description.perturbable = Perturbable{};
    auto const layout = description.dimensions.size() == 2 ? Layout::dense(p_.ny, p_.nx) : at_;
    return fields_.add<T>(executor_, std::move(description), layout);
  }
  /// Of no interest outside but to traces.
  template <class T>
  Ref<T> work(char const* name, char const* units, Layout layout) {
    return fields_.add<T>(executor_, {.name = name, .units = units}, layout);
  }
  /// A stage that moves so many values of each type a cell.
  Stage stage(char const* name, char const* doc, double states, double computed = 0,
              Guarantee guarantee = Guarantee::bitwise) {
    return stages_.add({std::string("sw.") + name, doc,
                        (states * sizeof(State) + computed * sizeof(Compute)) * static_cast<double>(cells()),
                        guarantee});
  }

  Parameters p_;
  Executor executor_;
  Reducer<Executor> reducer_;
  HostCopy<double, Executor> length_;
  std::unique_ptr<PlaneTransform<State>> transform_;
  FieldTable fields_;
  StageRunner stages_;
  Layout at_ = Layout::with_halo(p_.layers, p_.ny, p_.nx, p_.halo, p_.row_multiple);
  Layout one_ = Layout::entities(1);

  Ref<State> u_ = add<State>("u", "m s-1", "velocity along x", FieldRole::prognostic, {"layer", "y", "x_u"},
                             "sea_water_x_velocity", at_most(50));
  Ref<State> v_ = add<State>("v", "m s-1", "velocity along y", FieldRole::prognostic, {"layer", "y_v", "x"},
                             "sea_water_y_velocity", at_most(50));
  Ref<State> h_ = add<State>("h", "m", "thickness of a layer", FieldRole::prognostic, {"layer", "y", "x"},
                             "cell_thickness", {0, 2e4});
  Ref<State> surface_ =
      add<State>("surface", "m", "height of the surface above its rest", FieldRole::diagnostic, {"y", "x"});
  Ref<Compute> curl_ =
      add<Compute>("vorticity", "s-1", "relative vorticity", FieldRole::diagnostic, {"layer", "y_v", "x_u"});
  Ref<double> area_ =
      add<double>("cell_area", "m2", "area of a cell", FieldRole::constant, {"y", "x"}, "cell_area");
  Ref<State> before_u_ = work<State>("u_before", "m s-1", at_);
  Ref<State> before_v_ = work<State>("v_before", "m s-1", at_);
  Ref<State> before_h_ = work<State>("h_before", "m", at_);
  Ref<Compute> potential_ = work<Compute>("potential", "m2 s-2", at_);
  Ref<Compute> transport_x_ = work<Compute>("transport_x", "m2 s-1", at_);
  Ref<Compute> transport_y_ = work<Compute>("transport_y", "m2 s-1", at_);
  Ref<Compute> vorticity_ = work<Compute>("potential_vorticity", "m-1 s-1", at_);
  Ref<Compute> bernoulli_ = work<Compute>("bernoulli", "m2 s-2", at_);
  Ref<State> waves_ =
      work<State>("waves", "m s-1", Layout::with_halo(p_.layers, p_.ny, 2 * (p_.nx / 2 + 1), 0));
  Ref<Compute> wind_ = work<Compute>("wind", "m s-2", Layout::entities(p_.ny));
  Ref<Compute> rate_ = work<Compute>("courant_rate", "s-1", Layout::dense(p_.ny, p_.nx));
  Ref<Compute> fastest_rate_ = work<Compute>("fastest_rate", "s-1", one_);
  Ref<double> step_ = work<double>("step_length", "s", one_);
  Ref<State> u_squared_ = work<State>("u_squared", "m2 s-2", one_);
  Ref<State> v_squared_ = work<State>("v_squared", "m2 s-2", one_);

  Stage courant_ = stage("courant", "rate at which the fastest wave crosses a cell", 3);
  Stage fastest_ = stage("fastest", "the largest of these rates", 0, 1.0 / p_.layers);
  Stage step_length_ = stage("step_length", "length of the step", 0, 1.0 / static_cast<double>(cells()));
  Stage energy_ = stage("energy", "exact sums of the squares of u and v", 2);
  Stage pressure_ = stage("pressure", "Montgomery potential of each column", 1, 1);
  Stage fluxes_ = stage("fluxes", "transports, potential vorticity, Bernoulli function", 3, 5);
  Stage advance_ = stage("advance", "Runge-Kutta stage of u, v and h", 9, 4);
  Stage gather_ = stage("gather", "a component of the velocity to rows for the transform", 2);
  Stage forward_ = stage("forward", "Fourier transform of each layer", 2, 0, Guarantee::run_to_run);
  Stage damp_ = stage("damp", "the shortest waves off", 2);
  Stage inverse_ = stage("inverse", "Fourier transform back", 2, 0, Guarantee::run_to_run);
  Stage scatter_ = stage("scatter", "the filtered component back", 2);
};

}  // namespace shallow_water
