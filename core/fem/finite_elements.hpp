// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exec/value_at.hpp"
#include "core/fem/assembler.hpp"
#include "core/fem/element_fields.hpp"
#include "core/fem/fall.hpp"
#include "core/fem/manufactured.hpp"
#include "core/fem/open_sides.hpp"
#include "core/fem/pressure_solver.hpp"
#include "core/fem/rain.hpp"
#include "core/fem/rate_solver.hpp"
#include "core/fem/setup.hpp"
#include "core/fem/setup_times.hpp"
#include "core/fem/step_kernels.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "core/model/core.hpp"
#include "core/physics/ranges.hpp"
#include "core/ranks/list_exchange.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::fem {

/// Compressible air on tetrahedra, P1 for every field, state in T; the policy is the assembler's. The scheme
/// is in docs/explanation/cores/fem.md.
template <class T, class Executor>
class FiniteElements final : public Core, private ElementFields<T, Executor> {
  using Fields = ElementFields<T, Executor>;
  using Fields::at_node;
  using Fields::node;
  using Fields::work;
  static constexpr std::size_t most_exchanged = 8;  ///< numbers of a node at once
  using Fields::write;
  template <class V>
  using Ref = FieldOf<V, Executor>&;
  using ScalarSolver = RateSolver<T, Executor>;
  using WindSolver = RateSolver<T, Executor, linalg::Blocks::shared>;

 public:
  /// This rank's part of it, where `team` are several; all have called part(whole, team).
  FiniteElements(PartOfCase const& part, Executor executor, char const* policy, Assembly assembly,
                 std::shared_ptr<Ranks> const& team, SetupTimes* times = nullptr)
      : Fields{executor, part, team},
        p_{part.whole().parameters},
        executor_{executor},
        part_{part.nodes()},
        elements_{part.elements()},
        nodes_{part_.held()},
        link_{std::make_shared<Link<Executor>>(executor, team)},
        sums_{assembly == Assembly::atomic && std::is_floating_point_v<T> ? Guarantee::none
                                                                          : Guarantee::bitwise},
        connections_{connect(executor, part.setup(), times)},
        mesh_{connections_.view()},
        entries_{value_at(executor, mesh_.pattern.start + nodes_)},
        values_of_entries_{entries_of_rank()},
        open_(executor, part.setup()) {
    auto const& setup = part.setup();
    for (auto const volume : part.whole().volume) total_volume_ += volume;
    if (link_->several()) join(*team);
    // Methods that precondition the system from the left end where the cycle's precision says.
    p_.pressure.narrow = p_.pressure.method == Method::gcr || p_.pressure.method == Method::cg;
    fixed_.from_host(setup.fixed.data());
    set_up(setup);
    lap(executor_, times, &SetupTimes::rest);
    auto const assembler_of = [&](Assembly how) {
      return make_assembler<T>(executor_, policy, how, mesh_, position_.view().data());
    };
    assembler_ = assembler_of(assembly);
    // Constant matrices have the same bits in every run, also where a step's sums have any order.
    auto const other = assembly == Assembly::deterministic ? nullptr : assembler_of(Assembly::deterministic);
    auto& once = other ? *other : *assembler_;
    lap(executor_, times, &SetupTimes::plans);
    once.gradient(gradient_.view().data());
    once.pressure_diffusion(diffusion_.view().data());
    for_each(executor_, nodes_,
             StabilisationWeight<T>{number(p_.stabilisation / (p_.implicitness * p_.implicitness)),
                                    volume_.view().data(), weight_.view().data()});
    make_pressure_solver(once, part.whole());
    // Something that can be solved with, for the solvers to prepare themselves.
    for_each(executor_, entries_, Copied<T>{get(helmholtz_), put(matrix_)});
    wind_solver_ = std::make_unique<WindSolver>(executor_, matrix_of(matrix_), p_.velocity,
                                                "momentum equation", sharing());
    scalar_solver_ = std::make_unique<ScalarSolver>(executor_, matrix_of(matrix_), p_.scalar,
                                                    "advection of a scalar", sharing());
    lap(executor_, times, &SetupTimes::solvers);
    kinetic_energy_.on_demand([this] {
      for_each(executor_, nodes_,
               KineticEnergy<T>{get(rho_), get(u_), get(v_), get(w_), put(kinetic_energy_)});
    });
    pressure_.on_demand([this] {
      for_each(executor_, nodes_, Sum<T>{get(pressure_reference_), get(departure_), put(pressure_)});
    });
    drag_.on_demand([this] {
      for_each(executor_, nodes_, DragOnGround<T>{get(departure_), get(ground_), get(volume_), put(drag_)});
    });
    residual_.on_demand([this] { update_residual(); });
    if (p_.manufactured) manufacture(once);
    if (p_.humid) let_rain(setup);
    if (open_.any()) {
      open_stage_ = stage("open", "what is given at open sides", 17);
      open_.tell(at_node("outflow", "kg m-3 s-1"), rho_, u_, v_, w_, volume_);
    }
    state_replaced();
    lap(executor_, times, &SetupTimes::rest);
  }

  std::string name() const override { return "fem"; }
  FieldTable& fields() override { return Fields::table(); }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return elements_; }
  double fixed_step() const override { return p_.step; }
  std::vector<IntegralDescription> integrals() const override {
    std::vector<IntegralDescription> all = {{"mass", "kg", "rho", "cell_volume"},
                                            {"mass_residual", "kg s-1", "continuity_residual", "cell_volume"},
                                            {"kinetic_energy", "J", "kinetic_energy_density", "cell_volume"},
                                            {"drag", "N", "ground_drag", "cell_volume"}};
    if (open_.any()) all.push_back({"outflow", "kg s-1", "outflow", "cell_volume"});
    if (p_.humid) {
      all.push_back({"water", "kg", "water_content", "cell_volume"});
      all.push_back({"rain_fallen", "kg", "rain_on_ground", "cell_volume"});
      all.push_back({"water_made", "kg", "water_made", "cell_volume"});
    }
    if (!errors_.empty()) {
      all.push_back({"wind_error_squared", "m2 s-2", "wind_error_share", "cell_volume"});
      all.push_back({"pressure_error_squared", "Pa2", "pressure_error_share", "cell_volume"});
      all.push_back({"theta_error_squared", "K2", "theta_error_share", "cell_volume"});
    }
    return all;
  }

  double take_step(std::int64_t step, double, double) override {
    stages_.begin_step(executor_, step);
    begin_ = static_cast<double>(step - 1) * p_.step;
    if (link_->several() && !neighbours_known_) exchange_state();
    stages_.run(old_, executor_, nodes_,
                Gathered<T>{get(u_), get(v_), get(w_), put(old_velocity_), put(velocity_)},
                {&old_velocity_, &velocity_});
    stages_.run(
        old_, executor_, nodes_,
        Kept<T>{get(departure_), get(rho_), get(theta_), put(old_departure_), put(old_rho_), put(old_theta_)},
        {&old_departure_, &old_rho_, &old_theta_});
    for (auto& carried : water_) {
      stages_.run(old_, executor_, nodes_, Copied<T>{get(*carried.field), put(*carried.old)}, {carried.old});
    }
    for (std::int32_t pass = 0; pass < p_.picard; ++pass) {
      auto const loop = stages_.loop("picard", pass + 1);
      stages_.run(advecting_stage_, executor_, 3 * nodes_,
                  Advecting<T>{number(p_.relaxation), get(velocity_), get(old_velocity_), put(advecting_)},
                  {&advecting_});
      if (open_.any()) set_open_boundaries();
      carry(theta_, old_theta_, theta_reference_);
      for (std::size_t n = 0; n < water_.size(); ++n) {
        auto const tracer = stages_.loop("water", static_cast<std::int64_t>(n) + 1);
        carry(*water_[n].field, *water_[n].old, *water_[n].reference);
      }
      push_wind();
      balance_mass();
    }
    stages_.run(new_, executor_, nodes_, Scattered<T>{get(velocity_), put(u_), put(v_), put(w_)},
                {&u_, &v_, &w_});
    if (p_.humid) rain();
    return static_cast<double>(step) * p_.step;
  }

  void state_replaced() override {
    for_each(executor_, nodes_, DensityOfAir<T>{air_at(), put(rho_)});
    steps_known_ = neighbours_known_ = false;
  }

 private:
  struct Water {
    FieldOf<T, Executor>*field, *old, *reference;
  };
  /// Fields and stages of rain in humid air, besides the mixing ratios of its water.
  struct Rain {
    FieldOf<T, Executor>&fallen, &made, &dry_density, &speed;
    std::unique_ptr<Fall<T, Executor>> fall;
    int sub_steps;
    Stage form, fall_stage, saturate;
  };

  static T number(double value) { return static_cast<T>(value); }
  static View<std::int32_t const> elements_of(Setup const& setup) {
    return {setup.mesh.element.data(), static_cast<std::int64_t>(setup.mesh.element.size())};
  }
  static TetraConnections<Executor> connect(Executor executor, Setup const& setup, SetupTimes* times) {
    TetraConnections<Executor> connections(executor, elements_of(setup), setup.nodes());
    lap(executor, times, &SetupTimes::connectivity);
    return connections;
  }
  template <class V>
  static V const* get(FieldOf<V, Executor> const& field) {
    return field.view().data();
  }
  template <class V>
  static V* put(FieldOf<V, Executor>& field) {
    return field.view().data();
  }
  CsrView<T const> matrix_of(FieldOf<T, Executor> const& values) const {
    return {mesh_.pattern, get(values)};
  }
  Air<T> air() const {
    return {number(p_.air.cp), number(p_.air.cv), number(p_.air.standard_pressure), number(p_.air.gravity)};
  }
  AirAt<T> air_at() const {
    return {air(), get(theta_), get(departure_), get(pressure_reference_), moisture()};
  }
  Moisture<T> moisture() const {
    if (!p_.humid) return {};
    return {get(*water_[0].field), get(*water_[1].field), get(*water_[2].field)};
  }
  StateOfAir<T> state_of_air() {
    return {air_at(),
            number(p_.implicitness),
            number(p_.viscosity),
            get(old_departure_),
            get(old_rho_),
            get(rho_reference_),
            put(rho_),
            put(compressibility_),
            put(buoyancy_),
            put(between_),
            put(viscosity_)};
  }
  T per_step() const { return number(1 / p_.step); }

  /// Where the values of the matrix's entries lie among those of the whole mesh: rows that are owned are
  /// whole.
  Layout entries_of_rank() {
    auto const first = value_at(executor_, mesh_.pattern.start + part_.first()),
               end = value_at(executor_, mesh_.pattern.start + part_.first() + part_.owned());
    std::vector<std::uint64_t> all{static_cast<std::uint64_t>(end - first)};
    std::size_t rank = 0;
    if (link_->several()) {
      rank = static_cast<std::size_t>(link_->ranks()->rank());
      all.assign(static_cast<std::size_t>(link_->ranks()->size()), 0);
      all[rank] = static_cast<std::uint64_t>(end - first);
      link_->ranks()->add(all);
    }
    auto const up_to = [&](std::size_t ranks) {
      return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ranks), std::int64_t{0});
    };
    return {{{end - first, 1, up_to(all.size()), up_to(rank)}}, first, entries_};
  }
  /// Layout of `each` values an entry of the matrix.
  Layout values_of_entries(std::int64_t each) const {
    auto axis = values_of_entries_.axis(0);
    return {{{each * axis.extent, 1, each * axis.global_extent, each * axis.begin}},
            each * values_of_entries_.offset(),
            each * entries_};
  }

  /// Sets up the exchanges between several ranks.
  void join(Ranks& team) {
    ghosts_ = std::make_unique<ListExchange<Executor>>(executor_, link_, ghost_lists(team, part_),
                                                       static_cast<std::int64_t>(most_exchanged * sizeof(T)));
    auto const exchanging = [&](char const* name, char const* doc, int values) {
      return stages_.add({std::string("fem.exchange.") + name, doc,
                          ghosts_->bytes(static_cast<std::int64_t>(sizeof(T)) * values), Guarantee::bitwise});
    };
    exchange_.state = exchanging("state", "state at neighbours' nodes", p_.water ? 8 : 5);
    exchange_.scalar = exchanging("scalar", "right-hand sides of scalars at neighbours' nodes", 1);
    exchange_.momentum = exchanging("momentum", "forces and masses at neighbours' nodes", 4);
    exchange_.continuity = exchanging("continuity", "what continuity lacks at neighbours' nodes", 1);
  }
  linalg::Sharing<Executor> sharing() const {
    if (!ghosts_) return {};
    return {link_, ghosts_.get(), part_.first(), part_.owned(), &part_};
  }
  /// Values that others have computed, as stage `stage`.
  void exchange(Stage stage, std::initializer_list<PointValues<T>> values) {
    if (!ghosts_) return;
    call_with_messages(stages_, stage, executor_, *link_, [&] { (*ghosts_)(values); }, {});
  }
  /// Exchanges the state after it was replaced on each rank for the nodes that the rank owns.
  void exchange_state() {
    PointValues<T> state[most_exchanged] = {
        {put(u_)}, {put(v_)}, {put(w_)}, {put(departure_)}, {put(theta_)}};
    std::size_t count = 5;
    for (auto const& water : water_) state[count++].values = put(*water.field);
    call_with_messages(stages_, exchange_.state, executor_, *link_,
                       [&] {
                         (*ghosts_)(std::span<PointValues<T> const>(state, count));
                         for_each(executor_, nodes_, DensityOfAir<T>{air_at(), put(rho_)});
                       },
                       {});
    neighbours_known_ = true;
  }
  /// A stage that sends messages where there are several ranks.
  template <class Work>
  void call(Stage stage, Work const& work, std::initializer_list<Field const*> writes) {
    call_with_messages(stages_, stage, executor_, *link_, work, writes);
  }

  /// Advects and diffuses a scalar from its old values.
  void carry(FieldOf<T, Executor>& field, FieldOf<T, Executor>& old, FieldOf<T, Executor>& reference) {
    stages_.call(
        scalar_matrix_, executor_,
        [&] {
          assembler_->scalar({get(advecting_), get(old), get(kappa_), get(theta_absorption_), get(reference),
                              p_.step * p_.implicitness, put(matrix_), put(right_), p_.upwind});
          if (p_.manufactured && &field == &theta_) {
            for_each(executor_, nodes_, ManufacturedHeating<T>{manufactured(), put(*source_)});
            for_each(executor_, nodes_, source_added());
          }
        },
        {&matrix_, &right_});
    stages_.run(scalar_fixed_, executor_, nodes_,
                FixedRates<T, 1>{mesh_.pattern, scalar_given(), get(reference), get(old), per_step(),
                                 put(matrix_), put(right_)},
                {&matrix_, &right_});
    exchange(exchange_.scalar, {{put(right_)}});
    call(scalar_solve_, [&] { scalar_solver_->solve(get(right_), put(rate_)); }, {&rate_});
    stages_.run(
        scalar_advance_, executor_, nodes_,
        Advanced<T, 1>{scalar_given(), get(reference), get(old), get(rate_), number(p_.step), put(field)},
        {&field});
  }

  /// Warm rain of a step, at its end.
  void rain() {
    auto& of = *rain_;
    auto &vapour = *water_[0].field, &cloud = *water_[1].field, &falling = *water_[2].field;
    Wet<T> const wet{
        air(), get(pressure_reference_), put(theta_), put(departure_), put(vapour), put(cloud), put(falling)};
    stages_.run(
        of.form, executor_, nodes_,
        FormRain<T>{wet, number(p_.step), get(rho_), put(of.dry_density), put(of.speed), put(of.made)},
        {&theta_, &departure_, &vapour, &cloud, &falling, &of.dry_density, &of.speed, &of.made});
    for (int n = 0; n < of.sub_steps; ++n) {
      auto const sub_step = stages_.loop("fall", n + 1);
      call(of.fall_stage,
           [&] {
             of.fall->take(number(p_.step / of.sub_steps), get(of.dry_density), get(of.speed), put(falling),
                           put(of.fallen));
           },
           {&falling, &of.fallen});
    }
    stages_.run(of.saturate, executor_, nodes_, AdjustSaturation<T>{wet, get(of.dry_density), put(rho_)},
                {&theta_, &departure_, &vapour, &cloud, &falling, &rho_});
  }
  void let_rain(Setup const& setup) {
    auto fall =
        std::make_unique<Fall<T, Executor>>(executor_, mesh_.pattern, entries_, get(gradient_), get(volume_),
                                            get(fixed_), setup.rain_ground, ghosts_.get());
    auto const sub_steps = fall->sub_steps(p_.step, p_.fastest_fall);
    rain_.emplace(Rain{node("fallen", "kg m-2", "rain that has reached the ground", FieldRole::prognostic,
                            physics::rain_range),
                       at_node("water_made", "kg m-3", FieldRole::prognostic, physics::water_density_range),
                       at_node("dry_density", "kg m-3"), at_node("fall_speed", "m s-1"), std::move(fall),
                       sub_steps, stage("rain.form", "cloud becomes rain, which evaporates", 16),
                       stage("rain.fall", "rain falls", 13, 1),
                       stage("rain.saturate", "vapour condenses, cloud evaporates", 14)});
    auto &on_ground = at_node("rain_on_ground", "kg m-3"), &content = at_node("water_content", "kg m-3");
    on_ground.on_demand([this, &on_ground] {
      for_each(executor_, nodes_,
               OfGround<T>{get(rain_->fallen), rain_->fall->ground(), get(volume_), put(on_ground)});
    });
    content.on_demand([this, &content] {
      for_each(executor_, nodes_, WaterContent<T>{moisture(), get(rho_), put(content)});
    });
  }

  std::uint8_t const* scalar_given() const { return open_.scalar_given(get(fixed_)); }
  std::uint8_t const* pressure_given() const { return open_.pressure_given(get(fixed_)); }
  void set_open_boundaries() {
    auto const all = [&] {
      open_.set_boundary_values(fixed_, advecting_, rho_, velocity_, wind_reference_, departure_);
    };
    stages_.call(open_stage_, executor_, all, {&departure_});
  }

  /// The wind without the pressure's change, of the air as it is now.
  void push_wind() {
    stages_.run(air_stage_, executor_, nodes_, state_of_air(),
                {&rho_, &compressibility_, &buoyancy_, &between_, &viscosity_});
    stages_.call(
        momentum_matrix_, executor_,
        [&] {
          assembler_->momentum({get(advecting_), get(old_velocity_), get(rho_), get(viscosity_),
                                get(absorption_), get(wind_reference_), get(buoyancy_), get(between_),
                                p_.step * p_.implicitness, p_.air.gravity, put(matrix_), put(right3_),
                                put(mass_), p_.upwind_wind});
          if (p_.manufactured) {
            for_each(executor_, nodes_, ManufacturedForce<T>{manufactured(), put(*source_), put(right3_)});
            for_each(executor_, nodes_, source_added<3>());
          }
        },
        {&matrix_, &right3_, &mass_});
    stages_.run(momentum_fixed_, executor_, nodes_,
                FixedRates<T, 3>{mesh_.pattern, get(fixed_), get(wind_reference_), get(old_velocity_),
                                 per_step(), put(matrix_), put(right3_)},
                {&matrix_, &right3_});
    exchange(exchange_.momentum, {{put(right3_), 3}, {put(mass_)}});
    call(momentum_solve_, [&] { wind_solver_->solve(get(right3_), put(rate3_)); }, {&rate3_});
    stages_.run(momentum_advance_, executor_, nodes_,
                Advanced<T, 3>{get(fixed_), get(wind_reference_), get(old_velocity_), get(rate3_),
                               number(p_.step), put(velocity_)},
                {&velocity_});
  }

  void assemble_projection() {
    assembler_->projection({get(compressibility_), get(departure_), get(old_rho_), get(rho_), p_.step,
                            p_.implicitness, put(projection_), put(right_)});
    if (p_.manufactured) {
      for_each(executor_, nodes_, ManufacturedMass<T>{manufactured(), put(*source_)});
      for_each(executor_, nodes_, source_added());
    }
  }
  Continuity<T> continuity() {
    return {mesh_.pattern,
            pressure_given(),
            number(p_.implicitness),
            number(p_.implicitness * p_.step),
            get(divergence_),
            get(diffusion_),
            get(velocity_),
            get(old_velocity_),
            pressure_solver_->matrix().pushed(),
            get(right_),
            put(continuity_)};
  }

  /// The exact solution at a time, s.
  ManufacturedAtNodes<T> manufactured_at(double time) const {
    auto const& of = *p_.manufactured;
    auto const turn = 2 * std::numbers::pi / of.period;
    return {{air(),
             number(p_.surface_theta),
             number(p_.viscosity),
             number(p_.diffusivity),
             number(of.wind),
             number(of.theta),
             number(of.pressure),
             {number(of.wave[0]), number(of.wave[1]), number(of.wave[2])},
             number(turn),
             number(math::cos(turn * time)),
             number(math::sin(turn * time))},
            get(position_),
            get(pressure_reference_),
            get(rho_reference_),
            get(volume_)};
  }
  /// The manufactured solution between the time levels of the step that is taken.
  ManufacturedAtNodes<T> manufactured() const { return manufactured_at(begin_ + p_.implicitness * p_.step); }
  template <int components = 1>
  SourceAdded<T, components> source_added() {
    return {mesh_.pattern, get(*source_mass_), get(*source_), put(components == 1 ? right_ : right3_)};
  }
  /// The start, the mass that sources are integrated with, and what is told of errors.
  void manufacture(Assembler<T>& assembler) {
    source_ = &work("source", "1", 3);
    source_mass_ = &work("source_mass", "m3", values_of_entries(1));
    assembler.scalar(
        {get(zero3_), get(zero_), get(zero_), get(zero_), get(zero_), 0, put(*source_mass_), put(right_)});
    for_each(executor_, nodes_, ManufacturedStart<T>{manufactured_at(0), put(u_), put(v_), put(w_)});
    struct Error {
      char const *name, *units, *long_name;
    };
    Error const all[] = {{"wind", "m s-1", "length of the wind's error"},
                         {"pressure", "Pa", "error of the pressure"},
                         {"theta", "K", "error of the potential temperature"}};
    auto const total = number(1 / total_volume_);
    for (auto const& of : all) {
      std::string const name(of.name);
      auto& error = node((name + "_error").c_str(), of.units, of.long_name, FieldRole::diagnostic);
      auto& share = at_node((name + "_error_share").c_str(), "1");
      errors_.push_back(&error);
      error.on_demand([this] { update_errors(); });
      share.on_demand([this, &error, &share, total] {
        update_errors();
        for_each(executor_, nodes_, SquareShare<T>{total, get(error), put(share)});
      });
    }
  }
  /// Updates the errors of the state after the last step; 0 where it was replaced since.
  void update_errors() {
    if (!steps_known_) {
      for (auto* error : errors_) error->fill_zero();
      return;
    }
    for_each(
        executor_, nodes_,
        ManufacturedErrors<T>{manufactured_at(begin_ + p_.step), get(u_), get(v_), get(w_), get(departure_),
                              get(theta_), put(*errors_[0]), put(*errors_[1]), put(*errors_[2])});
  }

  /// The pressure that makes wind and density agree with continuity.
  void balance_mass() {
    auto& matrix = pressure_solver_->matrix();
    stages_.call(divergence_stage_, executor_,
                 [&] {
                   assembler_->divergence(get(rho_), get(old_rho_), number(p_.implicitness),
                                          put(divergence_));
                   for_each(executor_, nodes_, InverseMass<T>{get(fixed_), get(mass_), put(inverse_mass_)});
                 },
                 {&divergence_, &inverse_mass_});
    stages_.call(projection_stage_, executor_, [&] { assemble_projection(); }, {&projection_, &right_});
    call(continuity_stage_,
         [&] {
           matrix.push(get(between_));
           for_each(executor_, nodes_, continuity());
         },
         {&continuity_});
    exchange(exchange_.continuity, {{put(continuity_)}});
    call(pressure_stage_, [&] { pressure_solver_->solve(get(continuity_), put(change_)); }, {&change_});
    auto const theta = p_.implicitness;
    call(correct_,
         [&] {
           matrix.push(get(change_));
           for_each(executor_, nodes_,
                    Corrected<T>{air_at(), number(1 / (theta * theta * p_.step)), number(1 / theta),
                                 get(change_), matrix.pushed(), put(departure_), put(velocity_), put(rho_)});
         },
         {&departure_, &velocity_, &rho_});
    steps_known_ = true;
  }

  /// Updates the residual of continuity that the linearisation and the solvers of the last step have left.
  void update_residual() {
    if (!steps_known_) {
      residual_.fill_zero();
      return;
    }
    assemble_projection();
    for_each(executor_, nodes_, state_of_air());
    pressure_solver_->matrix().push(get(between_));
    for_each(executor_, nodes_, continuity());
    for_each(executor_, nodes_, ResidualOfMass<T>{get(continuity_), get(volume_), put(residual_)});
  }

  /// A matrix near the pressure's, as it stays: that of a mean compressibility, C_P M_L^-1 C^T taken for 3/4
  /// of the Laplacian of the elements. Of pressures that oscillate from node to node it makes much less than
  /// the Laplacian does, of smooth ones as much: 3/4 is between, and needs the fewest iterations (measured).
  void make_pressure_solver(Assembler<T>& assembler, Setup const& whole) {
    auto const warmth = number(p_.air.cp / p_.air.cv * (p_.air.cp - p_.air.cv) * 250.0);  // c^2 at 250 K
    auto const theta = p_.implicitness;
    one_.fill_zero();
    for_each(executor_, nodes_, Constant<T>{T(1), put(one_)});
    assembler.scalar({get(zero3_), get(zero_), get(one_), get(zero_), get(zero_),
                      0.75 * p_.step * p_.step * theta * theta * static_cast<double>(warmth), put(helmholtz_),
                      put(right_)});
    for_each(executor_, nodes_,
             linalg::FixedRows<T>{mesh_.pattern, pressure_given(), get(zero_), true, put(helmholtz_),
                                  put(right_)});
    PressureSystem<T> const system{mesh_.pattern,    pressure_given(), get(divergence_),   get(gradient_),
                                   get(projection_), get(diffusion_),  get(inverse_mass_), get(weight_)};
    if (ghosts_) return share_pressure_solver(system, whole);
    pressure_solver_ =
        std::make_unique<PressureSolver<T, Executor>>(executor_, system, get(helmholtz_), p_.pressure);
  }

  /// Every rank makes the multigrid of the whole matrix, where there is one, and keeps its part of it.
  void share_pressure_solver(PressureSystem<T> const& system, Setup const& whole) {
    SharedPressure<T, Executor> shared{sharing(), {}};
    if (p_.pressure.petsc || !p_.pressure.multigrid) {
      pressure_solver_ = std::make_unique<PressureSolver<T, Executor>>(executor_, system, get(helmholtz_),
                                                                       p_.pressure, &shared);
      return;
    }
    TetraConnections<Host> const on_host(Host{}, elements_of(whole), whole.nodes());
    auto const pattern = on_host.view().pattern;
    linalg::SparsePattern<Executor> const of_all(executor_, pattern);
    std::vector<T> values(static_cast<std::size_t>(pattern.entries()));
    gather_owned_entries(values);
    Array<T, Executor> all(executor_, static_cast<std::int64_t>(values.size()));
    all.from_host(values.data());
    shared.whole = {of_all.view(), std::as_const(all).view().data()};
    pressure_solver_ = std::make_unique<PressureSolver<T, Executor>>(executor_, system, get(helmholtz_),
                                                                     p_.pressure, &shared);
  }
  /// The near matrix's entries of all ranks.
  void gather_owned_entries(std::vector<T>& all) {
    auto& ranks = *link_->ranks();
    auto const& axis = values_of_entries_.axis(0);
    auto const size = static_cast<std::int64_t>(sizeof(T));
    std::vector<std::uint64_t> begin(static_cast<std::size_t>(ranks.size()) + 1, 0);
    begin[static_cast<std::size_t>(ranks.rank())] = static_cast<std::uint64_t>(axis.begin);
    begin.back() = ranks.rank() == 0 ? static_cast<std::uint64_t>(axis.global_extent) : 0;
    ranks.add(begin);
    auto* const own = all.data() + axis.begin;
    detail::to_host(executor_, own, get(helmholtz_) + values_of_entries_.offset(), axis.extent * size);
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      if (rank == ranks.rank()) continue;
      auto const first = static_cast<std::int64_t>(begin[static_cast<std::size_t>(rank)]),
                 end = static_cast<std::int64_t>(begin[static_cast<std::size_t>(rank) + 1]);
      out.push_back({rank, own, axis.extent * size});
      in.push_back({rank, all.data() + first, (end - first) * size});
    }
    ranks.exchange(out, in);
  }

  /// Sets the constant fields and the start of the prognostic ones.
  void set_up(Setup const& setup) {
    std::vector<T> wide;
    for (auto const x : setup.mesh.position) wide.push_back(static_cast<T>(x));
    position_.from_host(wide.data());
    wide.clear();
    for (auto const wind : setup.wind) wide.push_back(static_cast<T>(wind));
    wind_reference_.from_host(wide.data());
    write(volume_, setup.volume);
    write(ground_, setup.ground);
    write(absorption_, setup.absorption);
    write(theta_absorption_, setup.theta_absorption);
    write(theta_reference_, setup.theta);
    write(pressure_reference_, setup.pressure);
    write(theta_, setup.start_theta);
    if (setup.start_u.empty()) {
      std::vector<double> u, v;
      for (std::size_t at = 0; at < setup.wind.size(); at += 3) {
        u.push_back(setup.wind[at]);
        v.push_back(setup.wind[at + 1]);
      }
      write(u_, u);
      write(v_, v);
    } else {
      write(u_, setup.start_u);
      write(v_, setup.start_v);
      write(w_, setup.start_w);
      write(departure_, setup.start_departure);
    }
    write(kappa_, std::vector<double>(setup.volume.size(), p_.diffusivity));
    Moisture<T> humidity;
    if (p_.water) {
      auto* vapour = &zero_;
      if (p_.humid) {
        vapour = &at_node("vapour_reference", "1");
        write(*vapour, setup.humidity);
        humidity = {get(*vapour), get(zero_), get(zero_)};
      }
      water("vapour", "water vapour per mass of dry air", setup.vapour, *vapour);
      water("cloud", "cloud water per mass of dry air", setup.cloud, zero_);
      water("rain", "rain water per mass of dry air", setup.rain, zero_);
    }
    // One kernel gives this density and that of the state, so that air at rest has exactly this one.
    for_each(executor_, nodes_,
             DensityOfAir<T>{{air(), get(theta_reference_), get(zero_), get(pressure_reference_), humidity},
                             put(rho_reference_)});
  }
  void water(std::string const& name, char const* long_name, std::vector<double> const& start,
             FieldOf<T, Executor>& reference) {
    auto& field = node(name.c_str(), "1", long_name, FieldRole::prognostic, physics::water_range, "", true);
    auto& old = work(("old_" + name).c_str(), "1");
    write(field, start);
    water_.push_back({&field, &old, &reference});
  }

  /// A stage that moves so many values a node and an entry of the pattern.
  Stage stage(char const* name, char const* doc, double at_node, double at_entry = 0,
              Guarantee guarantee = Guarantee::bitwise) {
    auto const values = at_node * static_cast<double>(nodes_) + at_entry * static_cast<double>(entries_);
    return stages_.add({std::string("fem.") + name, doc, values * sizeof(T), guarantee});
  }

  /// Adds the stage of a solve, by our own solver or by PETSc.
  Stage solving(char const* name, std::string const& doc, double at_node, double at_entry,
                SolverOptions const& options) {
    auto const by = options.petsc ? doc + " (by PETSc: " + *options.petsc + ")" : doc;
    return stage(name, by.c_str(), at_node, at_entry,
                 options.petsc ? guarantee_by_petsc(*options.petsc, link_->several()) : Guarantee::bitwise);
  }

  Parameters p_;
  Executor executor_;
  PointsOfRank part_;
  std::int64_t elements_;  ///< that count as this rank's
  std::int64_t nodes_;     ///< with the neighbours' that are held
  std::shared_ptr<Link<Executor>> link_;
  std::unique_ptr<ListExchange<Executor>> ghosts_;  ///< of several ranks
  Guarantee sums_;
  TetraConnections<Executor> connections_;
  TetraConnectivity mesh_;
  std::int64_t entries_;
  Layout values_of_entries_;
  OpenSides<T, Executor> open_;
  bool neighbours_known_ = false;  ///< the state at neighbours' nodes
  bool steps_known_ = false;       ///< since the state was replaced
  double begin_ = 0;               ///< of the last step, s
  double total_volume_ = 0;        ///< m3
  StageRunner stages_;

  Ref<T> u_ = node("u", "m s-1", "wind along x", FieldRole::prognostic, physics::wind_range, "x_wind", true);
  Ref<T> v_ = node("v", "m s-1", "wind along y", FieldRole::prognostic, physics::wind_range, "y_wind", true);
  Ref<T> w_ = node("w", "m s-1", "wind upward", FieldRole::prognostic, physics::wind_range,
                   "upward_air_velocity", true);
  Ref<T> departure_ = at_node("p_departure", "Pa", FieldRole::prognostic, physics::pressure_departure_range);
  Ref<T> pressure_ = node("p", "Pa", "pressure", FieldRole::diagnostic, {}, "air_pressure");
  Ref<T> theta_ = node("theta", "K", "potential temperature", FieldRole::prognostic, physics::theta_range,
                       "air_potential_temperature", true);
  Ref<T> rho_ = node("rho", "kg m-3", "density", FieldRole::diagnostic, {}, "air_density");
  Ref<T> kinetic_energy_ =
      node("kinetic_energy_density", "J m-3", "kinetic energy of the wind", FieldRole::diagnostic);
  Ref<T> drag_ =
      node("ground_drag", "N m-3", "force along x of the pressure on the ground, a volume of the node's",
           FieldRole::diagnostic);
  Ref<T> volume_ = node("cell_volume", "m3", "integral of the node's shape function", FieldRole::constant);

  Ref<T> residual_ = at_node("continuity_residual", "kg m-3 s-1");
  Ref<T> ground_ = at_node("ground_area_x", "m2");
  Ref<T> theta_reference_ = at_node("theta_reference", "K");
  Ref<T> pressure_reference_ = at_node("p_reference", "Pa");
  Ref<T> rho_reference_ = at_node("rho_reference", "kg m-3");
  Ref<T> absorption_ = at_node("absorption", "s-1"), theta_absorption_ = at_node("theta_absorption", "s-1");
  Ref<T> kappa_ = at_node("diffusivity", "m2 s-1"), viscosity_ = at_node("dynamic_viscosity", "Pa s");
  Ref<T> old_departure_ = at_node("old_p_departure", "Pa"), old_rho_ = at_node("old_rho", "kg m-3"),
         old_theta_ = at_node("old_theta", "K");
  Ref<T> compressibility_ = at_node("compressibility", "s2 m-2"), buoyancy_ = at_node("buoyancy", "kg m-3"),
         between_ = at_node("p_between", "Pa"), mass_ = at_node("lumped_mass", "kg"),
         inverse_mass_ = at_node("inverse_mass", "kg-1"), weight_ = at_node("stabilisation", "m-3");
  Ref<T> right_ = at_node("right_hand_side", "1"), rate_ = at_node("rate", "1"),
         continuity_ = at_node("continuity", "kg s-1"), change_ = at_node("pressure_change", "Pa s");
  Ref<T> zero_ = at_node("zero", "1"), one_ = at_node("one", "1");

  Ref<std::uint8_t> fixed_ =
      fields().template add<std::uint8_t>(executor_, {.name = "fixed"}, Fields::values_of_nodes(1));
  Ref<T> position_ = work("position", "m", 3), wind_reference_ = work("wind_reference", "m s-1", 3),
         zero3_ = work("zero3", "1", 3), old_velocity_ = work("old_velocity", "m s-1", 3),
         velocity_ = work("velocity", "m s-1", 3), advecting_ = work("advecting", "m s-1", 3),
         right3_ = work("force", "N", 3), rate3_ = work("acceleration", "m s-2", 3);
  Ref<T> matrix_ = work("matrix", "1", values_of_entries(1)),
         helmholtz_ = work("helmholtz", "m", values_of_entries(1)),
         projection_ = work("projection", "m", values_of_entries(1)),
         diffusion_ = work("pressure_diffusion", "m2", values_of_entries(1)),
         divergence_ = work("divergence", "kg m-1", values_of_entries(3)),
         gradient_ = work("gradient", "m2", values_of_entries(3));
  std::vector<Water> water_;
  std::optional<Rain> rain_;                                        ///< of humid air
  FieldOf<T, Executor>*source_ = nullptr, *source_mass_ = nullptr;  ///< of a manufactured solution
  std::vector<FieldOf<T, Executor>*> errors_;  ///< of the wind, p and theta against a manufactured solution

  Stage old_ = stage("old", "fields of the old time level", 9);
  Stage advecting_stage_ = stage("advecting", "velocity that advects", 9);
  Stage scalar_matrix_ = stage("scalar.matrix", "advection and diffusion of a scalar", 11, 1, sums_);
  Stage scalar_fixed_ = stage("scalar.fixed", "rows of fixed nodes", 0.25);
  Stage scalar_solve_ = solving("scalar.solve", "rate of change of a scalar", 3, 1, p_.scalar);
  Stage scalar_advance_ = stage("scalar.advance", "scalar at the new time level", 3);
  Stage air_stage_ = stage("air", "density, its derivative and departures from the reference", 11);
  Stage momentum_matrix_ =
      stage("momentum.matrix", "advection, viscosity, buoyancy and pressure", 22, 1, sums_);
  Stage momentum_fixed_ = stage("momentum.fixed", "rows of fixed nodes", 0.25);
  Stage momentum_solve_ = solving("momentum.solve", "acceleration of the wind", 9, 1, p_.velocity);
  Stage momentum_advance_ = stage("momentum.advance", "wind before the pressure's change", 9);
  Stage divergence_stage_ = stage("divergence", "divergence of momentum", 7, 3, sums_);
  Stage projection_stage_ = stage("projection", "compressibility's share", 8, 1, sums_);
  Stage continuity_stage_ = stage("continuity", "what continuity lacks", 10, 7);
  Stage pressure_stage_ = solving("pressure", "change of the pressure", 2, 8, p_.pressure);
  Stage correct_ = stage("correct", "pressure, wind and density of the new time level", 12, 4);
  Stage new_ = stage("new", "components of the wind", 6);

  struct Exchange {
    Stage state{}, scalar{}, momentum{}, continuity{};
  } exchange_;          ///< of several ranks
  Stage open_stage_{};  ///< where there are open sides
  std::unique_ptr<Assembler<T>> assembler_;
  std::unique_ptr<PressureSolver<T, Executor>> pressure_solver_;
  std::unique_ptr<WindSolver> wind_solver_;
  std::unique_ptr<ScalarSolver> scalar_solver_;
};

}  // namespace ulpine::fem
