// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/reduce.hpp"
#include "core/model/core.hpp"
#include "parameters.hpp"
#include "physics.hpp"
#include "plane_transform.hpp"

namespace shallow_water {

using namespace ulpine;

/// The core in one policy on one executor; docs/bring-your-own-model.md builds it up.
template <class P, class Executor>
class ShallowWater final : public Core {
  using State = typename P::State;
  using Compute = typename P::Compute;
  template <class T>
  using Ref = FieldOf<T, Executor>&;

 public:
  ShallowWater(Parameters const& parameters, Executor executor)
      : p_{parameters},
        executor_{executor},
        reducer_{executor},
        transform_{make_transform<State>(executor, p_.layers, p_.ny, p_.nx)} {
    surface_.on_demand([this] {
      for_each(executor_, columns(), Surface<P>{p_.layers, rest(), read(h_), surface_.grid()});
    });
    curl_.on_demand([this] {
      for_each(executor_, points(), Curl<P>{plane(), read(u_), read(v_), curl_.grid()});
    });
    add_coordinates();
    set_up();
  }

  std::string name() const override { return "shallow_water"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return p_.points(); }
  std::vector<IntegralDescription> integrals() const override { return {{"volume", "m3", "h", "cell_area"}}; }

  double take_step(std::int64_t step, double time, double latest) override {
    stages_.begin_step(executor_, step);
    choose_step(latest - time);
    length_.start_reading(executor_, step_);
    sum_energy();
    for (auto* field : {&u_, &v_, &h_}) before(*field).copy_from(*field);
    for (int stage = 0; stage < 3; ++stage) {
      auto const loop = stages_.loop("stage", stage + 1);
      evaluate();
      advance(stage);
    }
    if (p_.filter_strength > 0) {
      filter(u_);
      filter(v_);
    }
    auto const length = length_.value();
    return length < latest - time ? time + length : latest;
  }

 private:
  Extent2 columns() const { return {p_.nx, p_.ny}; }
  Extent3 points() const { return {p_.nx, p_.ny, p_.layers}; }
  State rest() const { return static_cast<State>(p_.depth / p_.layers); }
  Plane<Compute> plane() const {
    return {p_.nx, p_.ny, number(p_.nx / p_.length_x), number(p_.ny / p_.length_y), number(p_.coriolis)};
  }
  static Compute number(double value) { return static_cast<Compute>(value); }
  template <class T>
  static GridView<T const> read(FieldOf<T, Executor> const& field) {
    return field.grid();
  }
  FieldOf<State, Executor>& before(Field const& field) {
    return &field == &u_ ? u0_ : &field == &v_ ? v0_ : h0_;
  }

  void choose_step(double left) {
    stages_.run(
        rate_stage_, executor_, columns(),
        CourantRate<P>{plane(), p_.layers, number(p_.gravity), read(u_), read(v_), read(h_), rate_.grid()},
        {&rate_});
    stages_.call(length_stage_, executor_, [&] { reducer_.max_to(read_only(rate_), largest_rate_.view()); },
                 {});
    stages_.run(length_stage_, executor_, 1,
                StepLength<Compute>{number(p_.courant), left, largest_rate_.data(), step_.data()}, {&step_});
  }

  void sum_energy() {
    stages_.call(energy_stage_, executor_,
                 [&] {
                   reducer_.dot_to(u_, u_, u_squared_);
                   reducer_.dot_to(v_, v_, v_squared_);
                 },
                 {&u_squared_, &v_squared_});
  }

  void evaluate() {
    stages_.run(pressure_stage_, executor_, columns(),
                Pressure<P>{p_.layers, rest(), number(p_.gravity), number(p_.reduced_gravity), read(h_),
                            potential_.grid()},
                {&potential_});
    stages_.run(fluxes_stage_, executor_, points(),
                Fluxes<P>{plane(), read(u_), read(v_), read(h_), read(potential_), transport_x_.grid(),
                          transport_y_.grid(), vorticity_.grid(), bernoulli_.grid()},
                {&transport_x_, &transport_y_, &vorticity_, &bernoulli_});
  }
