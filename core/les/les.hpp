// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/around.hpp"
#include "core/exec/rim.hpp"
#include "core/field/values.hpp"
#include "core/les/alternating.hpp"
#include "core/les/by_height.hpp"
#include "core/les/diagnostics.hpp"
#include "core/les/disturb.hpp"
#include "core/les/disturbance_times.hpp"
#include "core/les/forcing.hpp"
#include "core/les/humidity.hpp"
#include "core/les/pressure.hpp"
#include "core/les/setup.hpp"
#include "core/les/sharing.hpp"
#include "core/les/start.hpp"
#include "core/les/step_chooser.hpp"
#include "core/les/surface.hpp"
#include "core/model/core.hpp"
#include "core/physics/ranges.hpp"
#include "core/ranks/rank_reducer.hpp"

namespace ulpine::les {

/// Boussinesq large eddies: state in T, Poisson's equation in S, over the ground of that kind, on one
/// executor.
template <class T, class S, class Ground, class Executor>
class LargeEddies final : public Core {
  template <class V>
  using Ref = FieldOf<V, Executor>&;
  using Phases = PoissonPhases<S>;

 public:
  using MakePhases = std::function<std::unique_ptr<Phases>()>;
  /// `setup` is of this rank's block. What `portable` makes, which has the same bits everywhere, takes the
  /// divergence of noise out of the wind.
  LargeEddies(Setup const& setup, Executor executor, Blocks const& blocks,
              std::shared_ptr<Link<Executor>> link, std::shared_ptr<Ranks> const& team,
              std::unique_ptr<Phases> poisson, MakePhases portable)
      : setup_{&setup},
        p_{setup.parameters},
        executor_{executor},
        sharing_(executor, std::move(link), blocks, p_.overlap),
        air_points_{static_cast<double>(setup.air_points(Variable::u))},
        by_height_(executor, setup),
        reducer_{executor, *sharing_.link},
        poisson_{std::move(poisson)},
        portable_{std::move(portable)},
        tables_(executor, static_cast<std::int64_t>(setup.tables.values.size())),
        maps_(executor, static_cast<std::int64_t>(setup.maps.size())),
        limit_(executor, static_cast<std::int64_t>(setup.mixing_limit.size())),
        rough_{rough_surface(number(p_.dz / 2), number(p_.roughness), number(p_.heat_roughness),
                             Stability<T>{p_.linear_stability, number(p_.beta_m), number(p_.beta_h)},
                             T(100))},
        fields_{team} {
    upload(setup.tables.values, tables_);
    upload(setup.mixing_limit, limit_);
    if constexpr (Ground::built) maps_.from_host(setup.maps.data());
    volume_.from_host(p_.cell_volumes().data());
    for (auto& coordinate : coordinates(p_)) fields_.add_coordinate(std::move(coordinate));
    grid_ = {p_.nx,
             p_.ny,
             p_.nz,
             number(1 / p_.dx),
             number(1 / p_.dy),
             tables_.view().data(),
             static_cast<std::int32_t>(halo_.axis(0).stride),
             static_cast<std::int32_t>(halo_.axis(1).stride),
             p_.cut_x() ? 1 : 0,
             p_.cut_y() ? 1 : 0};
    if (sharing_.several()) {
      auto& exchange = sharing_.exchange;
      exchange.template reserve<T>(LateralHalo<T>::most, state_width, state_levels());
      exchange.template reserve<T>(2, stored_width, levels());
      exchange.template reserve<S>(1, pressure_width, levels());
    }
    divergence_.on_demand([this] {
      for_each(executor_, cells3(), Divergence<T, Ground>{grid_, ground(), wind(), divergence_.grid()});
    });
    auto const flux_of = [this](FieldOf<T, Executor>& field, Level at_start) {
      return [this, &field, at_start](Rows<T> flux) {
        return ScalarFlux<T, Ground>{grid_,      ground(),          scheme(), wind(),
                                     get(field), get(diffusivity_), at_start, flux};
      };
    };
    if (!p_.neutral) {
      made_by_eddies("wtheta", "K m s-1", "upward heat flux of eddies and sub-grid eddies", {"z_w", "y", "x"},
                     air_w_, flux_of(theta_, Level::start_theta));
    }
    if (humidity_) {
      made_by_eddies("wq", "kg kg-1 m s-1", "upward flux of humidity of eddies and sub-grid eddies",
                     {"z_w", "y", "x"}, air_w_, flux_of(humidity_->q, Level::start_humidity));
      if (p_.surface_humidity_given) {
        surface_results_.push_back(&humidity_->flux);
        humidity_->flux.on_demand([this] { diagnose_surface(); });
      }
    }
    if (p_.write_momentum_flux) {
      made_by_eddies("wu", "m2 s-2", "upward flux of momentum along x", {"z_w", "y", "x_u"}, air_u_,
                     momentum_flux<Variable::u>());
      made_by_eddies("wv", "m2 s-2", "upward flux of momentum along y", {"z_w", "y_v", "x"}, air_v_,
                     momentum_flux<Variable::v>());
    }
    if (p_.write_wind_speed) {
      made_by_eddies("wind_speed", "m s-1", "horizontal wind speed", {"z", "y", "x"}, air_,
                     [this](Rows<T> speed) {
                       return WindSpeed<T>{grid_, wind(), speed};
                     });
    }
    pressure_.on_demand([this] { update_pressure(); });
    if (p_.flux_layer) {
      for (auto* field : {&friction_, &obukhov_, &heat_flux_}) {
        field->on_demand([this] { diagnose_surface(); });
      }
    } else {
      for_each(executor_, flat_.allocated(), Fill<T>{number(p_.heat_flux), heat_flux_.view().data()});
    }
    portably([this] {
      if (solver_.flows_around()) find_unit_wind();
      start();
      setup_ = nullptr;
      fill_halos(nullptr);
      free_of_divergence();
    });
  }

  std::string name() const override { return "les"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return cells3().size(); }
  std::int64_t other_bytes() const override {
    return poisson_->work_bytes() + tables_.bytes() + maps_.bytes() + limit_.bytes();
  }
  double fixed_step() const override { return p_.step; }
  std::vector<Recurrence> recurrences() const override { return disturbances_.recurrences(); }
  std::vector<IntegralDescription> integrals() const override {
    std::vector<IntegralDescription> all{{"residual_divergence", "m3 s-1", "divergence", "cell_volume"}};
    if (!p_.neutral) all.push_back({"heat", "K m3", "theta", "cell_volume"});
    if (humidity_) all.push_back({"moisture", "kg kg-1 m3", "q", "cell_volume"});
    return all;
  }

  double take_step(std::int64_t step, double time, double latest) override {
    stages_.begin_step(executor_, step);
    if (auto const round = disturbances_.round_of(time)) disturb(*round);
    latest = std::min(latest, disturbances_.next_after(time));
    // A fixed step ends at a multiple of itself: the same times whatever the run began with.
    auto const end = static_cast<double>(step) * p_.step;
    stages_.graph("viscosity", executor_, [this] { eddies(stages_); });
    chooser_.choose(stages_, grid_, ground(), wind(), get(viscosity_), get(diffusivity_), time,
                    latest - time);
    stages_.graph("runge_kutta", executor_, [this] {
      for (int stage = 0; stage < 3; ++stage) {
        auto const stages = stages_.loop("stage", stage + 1);
        if (stage > 0) eddies(stages_);
        advance(runge_kutta[stage], chooser_.of_stage(stage), stage == 2);
      }
    });
    if (p_.step > 0) return end;
    auto const length = chooser_.length();
    return length < latest - time ? time + length : latest;
  }

  void state_replaced() override { fill_halos(nullptr); }
  /// Noise on the wind has a divergence.
  void state_perturbed(std::vector<std::string> const& fields) override {
    auto const of_wind = [this](std::string const& name) { return name == u_.name() || name == v_.name(); };
    if (std::ranges::any_of(fields, of_wind)) portably([this] { free_of_divergence(); });
  }

 private:
  Extent2 columns() const { return {p_.nx, p_.ny}; }
  Extent3 cells3() const { return {p_.nx, p_.ny, p_.nz}; }
  static constexpr HaloWidth state_width{halo, halo}, stored_width{0, 1}, pressure_width{1, 0};
  HaloLevels state_levels() const { return {-1, p_.nz + 1}; }
  HaloLevels levels() const { return {0, p_.nz}; }
  static T number(double value) { return static_cast<T>(value); }
  bool has_energy() const { return p_.closure == Closure::deardorff; }
  template <class V>
  static Rows<V const> get(FieldOf<V, Executor> const& field) {
    return field.grid();
  }
  Ground ground() const {
    if constexpr (Ground::built) {
      std::int64_t const row = p_.nx + 2 * halo, plane = row * (p_.ny + 2 * halo);
      return {{maps_.view().data() + halo * row + halo, plane, row}};
    } else {
      return {};
    }
  }
  Wind<T> wind() const { return {get(u_), get(v_), get(w_)}; }
  /// Temperature that buoyancy depends on: virtual where the air is moist.
  Rows<T const> theta_v() const { return p_.moist() ? get(humidity_->theta_v) : get(theta()); }
  Surface<T> surface() const {
    auto const rising = p_.moist() ? get(humidity_->buoyancy_flux) : get(heat_flux_);
    return {get(drag_), rising, get(shear_), get(friction_)};
  }
  WallShear<T> wall_shear() const { return wall_shear_of<T>(p_); }
  Forcing<T> forcing() const { return forcing_of<T>(p_); }
  Scheme<T> scheme() const { return p_.centred ? piacsek_williams<T>() : wicker_skamarock<T>(); }
  MixingLength<T, Ground> mixing_length() const {
    auto const layout = limit_layout(p_);
    return {grid_, {limit_.view().data() + layout.offset(), layout.axis(0).stride, layout.axis(1).stride}};
  }
  Rows<S> planes() { return pressure_.grid(); }

  SurfaceFluxes<T, Ground> surface_kernel() {
    return {grid_,
            ground(),
            rough_,
            p_.surface_temperature_given,
            number(p_.heat_flux),
            surface_moisture(),
            T(p_.free_convection ? 1 : 0),
            surface_theta_.view().data(),
            get(u_),
            get(v_),
            get(theta()),
            drag_.grid(),
            heat_flux_.grid(),
            shear_.grid(),
            friction_.grid(),
            obukhov_.grid()};
  }

  /// Diagnoses also the neighbours' nearest columns: to compute costs less than to send.
  void diagnose_surface() {
    auto const [x, y] = std::pair{grid_.cut_x, grid_.cut_y};
    for_each(executor_, Extent2{p_.nx + 2 * x, p_.ny + 2 * y}, Around{surface_kernel(), x, y});
  }

  SurfaceMoisture<T> surface_moisture() {
    if (!p_.moist()) return {};
    return {get(humidity_->q), p_.surface_humidity_given, number(p_.surface_humidity),
            number(p_.moisture_flux), humidity_->flux.grid()};
  }

  void eddies(StageRunner& stages) {
    if (p_.flux_layer) {
      stages.call(
          surface_stage_, executor_, [&] { diagnose_surface(); }, surface_results_);
    }
    Extent3 const wider{p_.nx + 2, p_.ny + 2, p_.nz + 2};
    if (p_.moist()) {
      auto& humid = *humidity_;
      stages.run(humid.buoyancy, executor_, wider,
                 Buoyancy<T, Ground>{grid_, ground(), get(theta()), get(humid.q), get(heat_flux_),
                                     get(humid.flux), humid.theta_v.grid(), humid.buoyancy_flux.grid()},
                 {&humid.theta_v, &humid.buoyancy_flux});
    }
    if (p_.closure == Closure::deardorff) {
      stages.run(closure_, executor_, wider,
                 DeardorffEddies<T, Ground>{grid_, ground(), mixing_length(), theta_v(), get(energy()),
                                            viscosity_.grid(), diffusivity_.grid()},
                 {&viscosity_, &diffusivity_});
    } else if (p_.closure == Closure::smagorinsky) {
      stages.run(closure_, executor_, wider,
                 SmagorinskyEddies<T, Ground>{grid_, ground(), wall_shear(), mixing_length(),
                                              number(p_.smagorinsky), number(1 / p_.prandtl), get(shear_),
                                              wind(), theta_v(), viscosity_.grid(), diffusivity_.grid()},
                 {&viscosity_, &diffusivity_});
    }
  }

  static Stored<T> store(RungeKuttaStage const& rk, Ref<T> field) { return {number(rk.keep), field.grid()}; }
  /// The wind's tendencies of a stage, also at far faces that neighbours own.
  void evaluate_wind(StageRunner& stages, RungeKuttaStage const& rk) {
    auto const m = get(viscosity_);
    by_height_(stages, tendency_u_, ground(), p_.nz,
               [&]<class G>(G on) {
                 return MomentumU<T, G>{grid_,     on,     scheme(), forcing(),
                                        surface(), wind(), m,        store(rk, stored_u_)};
               },
               {&stored_u_});
    by_height_(stages, tendency_v_, ground(), p_.nz,
               [&]<class G>(G on) {
                 return MomentumV<T, G>{grid_,     on,     scheme(), forcing(),
                                        surface(), wind(), m,        store(rk, stored_v_)};
               },
               {&stored_v_});
    exchange_tendencies(stages, [&] {
      by_height_(stages, tendency_w_, ground(), p_.nz - 1,
                 [&]<class G>(G on) {
                   return MomentumW<T, G>{grid_,  on,        scheme(), forcing(),
                                          wind(), theta_v(), m,        store(rk, stored_w_)};
                 },
                 {&stored_w_});
    });
  }
  /// How many scalars the state has.
  int scalars() const { return (p_.neutral ? 0 : 1) + (p_.humid ? 1 : 0) + (has_energy() ? 1 : 0); }
  /// The tendencies of scalars number `first` to before `end` in a stage after which they are `in_place` or
  /// elsewhere: heat, humidity, energy, as far as there are such.
  void evaluate_scalars(StageRunner& stages, RungeKuttaStage const& rk, StageLength<T> length, bool in_place,
                        int first, int end) {
    auto const h = get(diffusivity_);
    int number = 0;
    auto const wanted = [&] {
      auto const here = number++;
      return first <= here && here < end;
    };
    auto const scalar = [&](Stage stage, Ref<T> phi, Ref<T> flux, Level at_start, Ref<T> stored,
                            Carrying<T> next, std::vector<Field const*> const& written) {
      by_height_(
          stages, stage, ground(), p_.nz,
          [&]<class G>(G on) {
            return ScalarTendency<T, G>{grid_,     on,       scheme().of_scalars(), wind(), get(phi), h,
                                        get(flux), at_start, store(rk, stored),     next};
          },
          written);
    };
    if (!p_.neutral && wanted()) {
      scalar(tendency_theta_, theta(), heat_flux_, Level::start_theta, stored_theta_,
             thetas_.carrying(length, in_place), thetas_.written(in_place));
    }
    if (humidity_ && wanted()) {
      auto& humid = *humidity_;
      scalar(humid.tendency, humid.q, humid.flux, Level::start_humidity, humid.stored, {}, {&humid.stored});
    }
    if (!has_energy() || !wanted()) return;
    by_height_(
        stages, tendency_energy_, ground(), p_.nz,
        [&]<class G>(G on) {
          auto const m = get(viscosity_);
          auto const to = store(rk, energies_->stored());
          auto const next = energies_->carrying(length, in_place);
          return EnergyBudget<T, G>{grid_,  on,        scheme().of_scalars(), surface(), wall_shear(),
                                    wind(), theta_v(), get(energy()),         m,         h,
                                    to,     next};
        },
        energies_->written(in_place));
  }

  /// Steps the scalars to the end of the stage by their tendencies.
  void carry_scalars(StageLength<T> length, bool in_place) {
    thetas_.turn(in_place);
    if (in_place && !p_.neutral) {
      stages_.run(carry_theta_, executor_, cells3(),
                  Carried<T>{grid_, length, provisional(theta_, stored_theta_)}, {&theta_});
    }
    if (humidity_) {
      stages_.run(humidity_->carry, executor_, cells3(),
                  Carried<T>{grid_, length, provisional(humidity_->q, humidity_->stored)}, {&humidity_->q});
    }
    if (has_energy()) energies_->turn(in_place);
    if (in_place && has_energy()) {
      stages_.run(carry_energy_, executor_, cells3(),
                  CarriedEnergy<T>{grid_, length, provisional(energy(), energies_->stored())}, {&energy()});
    }
  }
  /// A stage of the step. Where stages may run beside messages the scalars' do so beside those of the
  /// pressure's transforms: the last tendency, and what carries them, beside the second, as energy's needs
  /// the temperature that the stage began with.
  void advance(RungeKuttaStage const& rk, StageLength<T> length, bool in_place) {
    auto const all = scalars(), first = std::max(1, all - 1);
    auto const evaluate = [&](int from, int end) {
      evaluate_scalars(stages_, rk, length, in_place, from, end);
    };
    evaluate_wind(stages_, rk);
    if (sharing_.exchange.overlaps(stages_)) {
      project(
          stages_, length, [&] { evaluate(0, first); },
          [&] {
            evaluate(first, all);
            carry_scalars(length, in_place);
          });
    } else {
      evaluate(0, all);
      carry_scalars(length, in_place);
      project(stages_, length);
    }
    if (sharing_.exchange.overlaps(stages_) && !p_.volume_flow) {
      correct_and_fill(length);
    } else {
      correct(stages_, length);
      if (p_.volume_flow) hold_mean_wind();
      fill_halos(&stages_);
    }
  }
  void hold_mean_wind() {
    call_with_messages(stages_, sum_u_, executor_, *sharing_.link, [&] { reducer_.sum_to(u_, u_sum_); },
                       {&u_sum_});
    VolumeFlow<T, Ground> const flow{ground(), number(p_.mean_u), number(1 / air_points_),
                                     u_sum_.view().data(), u_.grid()};
    if (solver_.flows_around()) {
      stages_.run(drive_, executor_, cells3(), solver_.around(flow, grid_, v_.grid(), w_.grid()),
                  {&u_, &v_, &w_});
    } else {
      stages_.run(drive_, executor_, cells3(), flow, {&u_});
    }
  }

  Provisional<T> provisional(FieldOf<T, Executor>& field, FieldOf<T, Executor> const& stored) {
    return {field.grid().first, stored.grid().first};
  }
  /// A cell's divergence takes the wind at its far faces, of which neighbours have the tendencies; these are
  /// sent rather than computed here too, which would take the state's halo and the closure's one point more.
  /// The stages of work() beside that.
  template <class Work>
  void exchange_tendencies(StageRunner& stages, Work const& work) {
    std::array<Rows<T>, 2> const along{stored_u_.grid(), stored_v_.grid()};
    sharing_.exchange.beside(stages, Halo<T>{exchange_stored_, along, stored_width, levels()}, work);
  }
  static void nothing() {}
  /// The pressure that makes the wind at the end of the stage free of divergence, and the stages of
  /// beside_forward() and beside_inverse() as PressureSolver::solve.
  template <class BesideForward, class BesideInverse>
  void project(StageRunner& stages, StageLength<T> length, BesideForward const& beside_forward,
               BesideInverse const& beside_inverse) {
    stages.run(divergence_stage_, executor_, cells3(),
               DivergenceOfProvisional<T, S, Ground>{grid_, ground(), length, provisional(u_, stored_u_),
                                                     provisional(v_, stored_v_), provisional(w_, stored_w_),
                                                     planes()},
               {&pressure_});
    solver_.solve(stages, *poisson_, grid_, ground(), beside_forward, beside_inverse);
  }
  void project(StageRunner& stages, StageLength<T> length) { project(stages, length, nothing, nothing); }
  /// The wind without divergence that a uniform force along x makes, in place of the state.
  void find_unit_wind() {
    unwatched_.begin_step(executor_, 1);
    for_each(executor_, cells3(), UnitWind<T, Ground>{ground(), u_.grid()});
    if (sharing_.several()) fill_halos(nullptr);
    exchange_tendencies(unwatched_, nothing);
    project(unwatched_, chooser_.second(false));
    correct(unwatched_, chooser_.second(false));
    solver_.keep_unit_wind(reducer_, u_);
  }
  PressureCorrection<T, S, Ground> correction(StageLength<T> length) {
    return {grid_,
            ground(),
            length,
            get(pressure_),
            provisional(u_, stored_u_),
            provisional(v_, stored_v_),
            provisional(w_, stored_w_)};
  }
  /// Subtracts the pressure gradient from the wind, whose points lie between a cell and those west and south
  /// of it.
  void correct(StageRunner& stages, StageLength<T> length) {
    sharing_.exchange(stages, exchange_pressure_, {planes()}, pressure_width, levels());
    stages.run(correct_, executor_, cells3(), correction(length), {&u_, &v_, &w_});
  }
  /// Both, and fill_halos(), where stages run beside messages: beside the pressure's the lower levels of the
  /// columns that no neighbour wants are corrected, for which it is not needed, beside the state's the upper.
  void correct_and_fill(StageLength<T> length) {
    auto& exchange = sharing_.exchange;
    auto const sent = exchange.sent(state_width);
    auto const wind = correction(length);
    OnColumn const beyond{vertical_halo()};
    Extent3 const ends{p_.nx, p_.ny, 1};
    OnRim const rim(wind, cells3(), sent);
    OnRim const rim_ends(beyond, ends, sent);
    WithinRim const rest(wind, cells3(), sent);
    WithinRim const rest_ends(beyond, ends, sent);
    auto const correct_rest = [&](std::int32_t first, std::int32_t end) {
      for_each(executor_, Extent3{rest.extent.nx, rest.extent.ny, end - first}, From{rest.kernel, first});
    };
    auto const half = p_.nz / 2;
    std::array<Rows<S>, 1> const pressure{planes()};
    exchange.beside(stages_, Halo<S>{exchange_pressure_, pressure, pressure_width, levels()},
                    [&] { stages_.call(correct_, executor_, [&] { correct_rest(0, half); }, {}); });
    stages_.go_on(correct_, executor_, [&] {
      for_each(executor_, rim.extent(), rim);
      for_each(executor_, rim_ends.extent(), rim_ends);
    });
    auto const all = state();
    exchange.beside(stages_, Halo<T>{exchange_state_, all, state_width, state_levels()}, [&] {
      stages_.go_on(correct_, executor_, [&] {
        correct_rest(half, p_.nz);
        for_each(executor_, rest_ends.extent, rest_ends.kernel);
      });
    });
    wrap<T>(executor_, p_, all);
  }
  void disturb(std::uint32_t round) {
    // The fields of viscosity are free until the step computes its own: noise is made in them.
    auto const component = [&](FieldOf<T, Executor>& field, Variable variable) {
      les::disturb<T>(executor_, p_, ground(), round, name_key(field.name()), variable, viscosity_.grid(),
                      diffusivity_.grid(), field.grid());
    };
    stages_.call(disturbance_, executor_,
                 [&] {
                   component(u_, Variable::u);
                   component(v_, Variable::v);
                   reset_viscosity();
                 },
                 {&u_, &v_});
    fill_halos(&stages_);
  }
  /// Does so with the solver that has the same bits everywhere.
  template <class Body>
  void portably(Body const& body) {
    auto solver = portable_();
    poisson_.swap(solver);
    body();
    poisson_.swap(solver);
  }
  /// The nearest wind to the present that has no divergence: the start's, whose noise has.
  void free_of_divergence() {
    unwatched_.begin_step(executor_, 1);
    exchange_tendencies(unwatched_, nothing);
    project(unwatched_, chooser_.second(false));
    correct(unwatched_, chooser_.second(false));
    fill_halos(&unwatched_);
  }
  /// The pressure of the state as it is: what drives its tendencies' divergence out, over one second.
  void update_pressure() {
    unwatched_.begin_step(executor_, 1);
    eddies(unwatched_);
    evaluate_wind(unwatched_, runge_kutta[0]);
    project(unwatched_, chooser_.second(true));
  }

  VerticalHalo<T> vertical_halo() {
    return {grid_,
            p_.ground,
            p_.lid,
            u_.grid(),
            v_.grid(),
            theta().grid(),
            energy_view(),
            humidity_view(),
            number(p_.warming_at_lid()),
            number(p_.drying_at_lid())};
  }
  /// The fields of the state that have a halo.
  std::vector<Rows<T>> state() {
    std::vector<Rows<T>> all{u_.grid(), v_.grid(), w_.grid(), theta().grid()};
    if (has_energy()) all.push_back(energy_view());
    if (humidity_) all.push_back(humidity_view());
    return all;
  }
  /// Fills the halos of the state. `step` counts the messages as a stage of a step; null outside of steps.
  void fill_halos(StageRunner* step) {
    for_each(executor_, columns(), vertical_halo());
    auto const all = state();
    if (step != nullptr) {
      sharing_.exchange(*step, exchange_state_, std::span<Rows<T> const>(all), state_width, state_levels());
    } else {
      sharing_.exchange.exchange(std::span<Rows<T> const>(all), state_width, state_levels());
    }
    wrap<T>(executor_, p_, all);
  }

  /// Sets viscosity and diffusivity to those of the constant closure, or to 0 where another one computes
  /// them.
  void reset_viscosity() {
    viscosity_.fill_zero();
    diffusivity_.fill_zero();
    if (p_.closure != Closure::constant) return;
    for_each(executor_, halo_.allocated(), Fill<T>{number(p_.viscosity), viscosity_.view().data()});
    for_each(executor_, halo_.allocated(),
             Fill<T>{number(p_.viscosity / p_.prandtl), diffusivity_.view().data()});
  }
  void start() {
    write_start(*setup_, {u_, v_, w_, theta_, humidity_ ? &humidity_->q : nullptr, energy_});
    surface_theta_.from_host(&p_.surface_theta);
    reset_viscosity();
  }

  Field const* mask(char const* name, std::vector<std::string> dimensions, Variable variable) {
    return Ground::built ? &add_mask(fields_, executor_, *setup_, name, std::move(dimensions), variable)
                         : nullptr;
  }
  /// Adds a field of the output.
  template <class V>
  Ref<V> add(char const* name, char const* units, char const* long_name, FieldRole role,
             std::vector<std::string> dimensions, Layout layout, Field const* domain = nullptr,
             char const* standard_name = "", bool perturbable = false, bool output = true,
             ValueRange range = {}) {
    FieldDescription description{.name = name,
                                 .units = units,
                                 .long_name = long_name,
                                 .standard_name = standard_name,
                                 .role = role,
                                 .dimensions = std::move(dimensions),
                                 .output = output,
                                 .domain = domain,
                                 .range = range};
    if (perturbable) description.perturbable = Perturbable{};
    return fields_.add<V>(executor_, std::move(description), layout);
  }
  /// Adds a field that is neither state nor output; traces have it.
  template <class V>
  Ref<V> work(char const* name, char const* units, Layout layout) {
    return fields_.add<V>(executor_, {.name = name, .units = units}, layout);
  }
  /// A field of the output that a kernel makes, when it is asked for, of the state and its eddies.
  template <class Make>
  void made_by_eddies(char const* name, char const* units, char const* long_name,
                      std::vector<std::string> dimensions, Field const* domain, Make make) {
    auto& field =
        add<T>(name, units, long_name, FieldRole::diagnostic, std::move(dimensions), dense_, domain);
    field.on_demand([this, &field, make] {
      unwatched_.begin_step(executor_, 1);
      eddies(unwatched_);
      for_each(executor_, cells3(), make(field.grid()));
    });
  }
  template <Variable along>
  auto momentum_flux() {
    return [this](Rows<T> flux) {
      return MomentumFlux<T, Ground, along>{grid_, ground(), scheme(), wind(), get(viscosity_), flux};
    };
  }
  Ref<T> theta() const { return thetas_.now(); }
  Ref<T> energy() const { return energies_->now(); }
  Rows<T> humidity_view() { return humidity_ ? Rows<T>(humidity_->q.grid()) : Rows<T>{}; }
  Rows<T> energy_view() { return has_energy() ? Rows<T>(energy().grid()) : Rows<T>{}; }

  std::optional<Alternating<T, Executor>> energies() {
    if (!has_energy()) return {};
    return Alternating<T, Executor>(*energy_, work<T>("carried_e", "m2 s-2", halo_),
                                    work<T>("stored_e", "m2 s-3", dense_));
  }
  std::optional<Humidity<T, Executor>> humidity() {
    if (!p_.humid) return {};
    return Humidity<T, Executor>(executor_, fields_, p_, air_, halo_, dense_, flat_, adder());
  }

  /// A stage that moves so many values of the state's and of the solver's type a cell.
  Stage stage(char const* name, char const* doc, double values, double solved = 0,
              Guarantee guarantee = Guarantee::bitwise) {
    return add_stage({std::string("les.") + name, doc,
                      (values * sizeof(T) + solved * sizeof(S)) * static_cast<double>(cells3().size()),
                      guarantee});
  }
  Stage add_stage(StageDescription const& description) {
    unwatched_.add(description);
    return stages_.add(description);
  }
  /// A stage that exchanges messages between ranks; there is none where one rank has the whole domain.
  Stage exchange(char const* name, char const* doc, double bytes) {
    if (!sharing_.several()) return {};
    return add_stage({std::string("les.") + name, doc, bytes, Guarantee::bitwise});
  }
  auto adder() {
    return [this](StageDescription const& description) { return add_stage(description); };
  }

  Setup const* setup_;  ///< while the core is made
  Parameters p_;
  DisturbanceTimes disturbances_{p_};
  Executor executor_;
  Sharing<Executor> sharing_;
  double air_points_;  ///< number of points of u in air, over the whole domain
  ByHeight<Executor> by_height_;
  RankReducer<Executor> reducer_;
  std::unique_ptr<Phases> poisson_;
  MakePhases portable_;
  Array<T, Executor> tables_;
  Array<std::int32_t, Executor> maps_;
  Array<T, Executor> limit_;
  RoughSurface<T> rough_;
  Grid<T> grid_{};
  FieldTable fields_;
  StageRunner stages_, unwatched_;  ///< runs the stages of steps, and the work for outputs

  // Rows begin where a device loads whole sectors.
  Layout halo_ = state_layout(p_);
  Layout dense_ = dense_layout(p_);
  Layout flat_ = surface_layout(p_);
  Layout one_ = Layout::entities(1);
  Field const* air_ = mask("air", {"z", "y", "x"}, Variable::scalar);
  Field const* air_u_ = mask("air_u", {"z", "y", "x_u"}, Variable::u);
  Field const* air_v_ = mask("air_v", {"z", "y_v", "x"}, Variable::v);
  Field const* air_w_ = mask("air_w", {"z_w", "y", "x"}, Variable::scalar);

  Ref<T> u_ = add<T>("u", "m s-1", "wind along x", FieldRole::prognostic, {"z", "y", "x_u"}, halo_, air_u_,
                     "x_wind", true, true, physics::wind_range);
  Ref<T> v_ = add<T>("v", "m s-1", "wind along y", FieldRole::prognostic, {"z", "y_v", "x"}, halo_, air_v_,
                     "y_wind", true, true, physics::wind_range);
  Ref<T> w_ = add<T>("w", "m s-1", "wind upward", FieldRole::prognostic, {"z_w", "y", "x"}, halo_, air_w_,
                     "upward_air_velocity", false, true, physics::wind_range);
  Ref<T> theta_ = p_.neutral
                      ? work<T>("theta", "K", halo_)
                      : add<T>("theta", "K", "potential temperature", FieldRole::prognostic, {"z", "y", "x"},
                               halo_, air_, "air_potential_temperature", true, true, physics::theta_range);
  FieldOf<T, Executor>* energy_ =
      has_energy() ? &add<T>("e", "m2 s-2", "sub-grid kinetic energy", FieldRole::prognostic, {"z", "y", "x"},
                             halo_, air_, "", false, true, physics::eddy_energy_range)
                   : nullptr;
  Ref<S> pressure_ = add<S>("p", "m2 s-2", "modified pressure over density", FieldRole::diagnostic,
                            {"z", "y", "x"}, pressure_layout(p_), air_);
  Ref<double> surface_theta_ = fields_.add<double>(executor_,
                                                   {.name = "surface_theta",
                                                    .units = "K",
                                                    .long_name = "potential temperature of the ground",
                                                    .role = FieldRole::prognostic,
                                                    .range = physics::theta_range},
                                                   one_);
  // No model means anything by what rounding leaves: outputs have it where asked for, run.json its integral.
  Ref<T> divergence_ =
      add<T>("divergence", "s-1", "magnitude of the residual divergence of the wind", FieldRole::diagnostic,
             {"z", "y", "x"}, dense_, air_, "", false, p_.write_divergence);
  Ref<T> friction_ = add<T>("ustar", "m s-1", "friction velocity", FieldRole::diagnostic, {"y", "x"}, flat_);
  Ref<T> obukhov_ = add<T>("inverse_obukhov_length", "m-1", "1 / Obukhov length", FieldRole::diagnostic,
                           {"y", "x"}, flat_, nullptr, "", false, !p_.neutral);
  Ref<T> heat_flux_ = add<T>("heat_flux", "K m s-1", "upward heat flux at the ground", FieldRole::diagnostic,
                             {"y", "x"}, flat_, nullptr, "", false, !p_.neutral);
  Ref<double> volume_ = add<double>("cell_volume", "m3", "volume of a cell", FieldRole::constant, {"z"},
                                    Layout::entities(p_.nz));

  Ref<T> drag_ = work<T>("drag", "m s-1", flat_);
  Ref<T> shear_ = work<T>("shear", "s-1", flat_);
  std::vector<Field const*> surface_results_{&drag_, &heat_flux_, &shear_, &friction_, &obukhov_};
  Ref<T> viscosity_ = work<T>("viscosity", "m2 s-1", halo_);
  Ref<T> diffusivity_ = work<T>("diffusivity", "m2 s-1", halo_);
  Ref<T> stored_u_ = work<T>("stored_u", "m s-2", dense_);
  Ref<T> stored_v_ = work<T>("stored_v", "m s-2", dense_);
  Ref<T> stored_w_ = work<T>("stored_w", "m s-2", dense_);
  Ref<T> stored_theta_ = work<T>("stored_theta", "K s-1", dense_);
  Alternating<T, Executor> thetas_{theta_, p_.neutral ? theta_ : work<T>("carried_theta", "K", halo_),
                                   stored_theta_};
  std::optional<Alternating<T, Executor>> energies_ = energies();
  Ref<T> u_sum_ = work<T>("u_sum", "m s-1", one_);

  Stage surface_stage_ =
      stage("surface", "stress and heat flux of the surface layer, by similarity", 8.0 / p_.nz);
  Stage closure_ =
      stage("closure", "eddy viscosity and diffusivity", p_.closure == Closure::deardorff ? 4 : 6);
  Stage disturbance_ = stage("disturbance", "smoothed random noise added to the horizontal wind", 18);
  StepChooser<T, Ground, Executor> chooser_{executor_, fields_, p_, surface_theta_, reducer_, adder()};
  Stage tendency_u_ = stage("tendency_u", "advection, stress and forces along x", 6);
  Stage tendency_v_ = stage("tendency_v", "advection, stress and forces along y", 6);
  Stage tendency_w_ = stage("tendency_w", "advection, stress and buoyancy", 7);
  Stage tendency_theta_ = stage("tendency_theta", "advection and diffusion of heat", 7 + 2.0 / 3);
  std::optional<Humidity<T, Executor>> humidity_ = humidity();
  Stage tendency_energy_ = stage("tendency_e", "budget of sub-grid energy", 9 + 2.0 / 3);
  Stage carry_theta_ = stage("theta", "Runge-Kutta stage of the potential temperature", 3);
  Stage carry_energy_ = stage("e", "Runge-Kutta stage of sub-grid energy", 3);
  Stage divergence_stage_ = stage("pressure.divergence", "divergence of the provisional wind", 6, 1);
  PressureSolver<T, S, Ground, Executor> solver_{executor_, sharing_, fields_, pressure_,
                                                 *poisson_, *setup_,  adder()};
  Stage exchange_state_ =
      exchange("exchange", "halos of the state from the neighbours' blocks",
               sharing_.exchange.template bytes<T>(4 + (has_energy() ? 1 : 0) + (p_.humid ? 1 : 0),
                                                   state_width, state_levels()));
  Stage exchange_stored_ = exchange("pressure.exchange_tendencies", "tendencies of the wind at far faces",
                                    sharing_.exchange.template bytes<T>(2, stored_width, levels()));
  Stage exchange_pressure_ = exchange("pressure.exchange", "pressure west and south of the block",
                                      sharing_.exchange.template bytes<S>(1, pressure_width, levels()));
  Stage sum_u_ = stage("sum_u", "sum of the wind along x over the air", 1);
  Stage drive_ = stage("drive", "force that holds the mean wind along x", 2);
  Stage correct_ = stage("pressure.correct", "wind without divergence", 9, 1);
};

}  // namespace ulpine::les
