// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/exec/around.hpp"
#include "core/fdm/carried.hpp"
#include "core/fdm/closure.hpp"
#include "core/fdm/lid.hpp"
#include "core/fdm/lid_impedance.hpp"
#include "core/fdm/lid_phases.hpp"
#include "core/fdm/linear_wave.hpp"
#include "core/fdm/parameters.hpp"
#include "core/fdm/rain.hpp"
#include "core/fdm/space.hpp"
#include "core/fdm/surroundings.hpp"
#include "core/field/operations.hpp"
#include "core/field/values.hpp"
#include "core/model/core.hpp"
#include "core/physics/ranges.hpp"
#include "core/stage/halo.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::fdm {

/// Split-explicit compressible air: state in T, small steps in S, on one executor. Products of advection are
/// a template argument of the one member that forms them: all else is compiled once for all that differ by
/// them.
template <class T, class S, template <class> class Ground, class Executor>
class SplitExplicit final : public Core {
  template <class V>
  using Ref = FieldOf<V, Executor>&;

 public:
  using Evaluate = void (SplitExplicit::*)(double);
  /// The member that forms products of advection, of those P.
  template <class P>
  static Evaluate products() {
    return &SplitExplicit::template evaluate<P>;
  }

  /// This one's block of it, where `team` are several.
  SplitExplicit(Parameters const& parameters, Executor executor, std::shared_ptr<Ranks> const& team,
                Evaluate evaluate)
      : blocks_(parameters.nx, parameters.ny, team.get(), halo + 1, "the grid"),
        p_{parameters.part(blocks_)},
        evaluate_{evaluate},
        heights_{p_.heights()},
        // With the halo's levels: of a large grid over terrain they are many.
        base_(p_.base, heights_.face(p_.nz + halo + 1, 0.0), -heights_.face(-halo - 1, 0.0)),
        executor_{executor},
        link_(executor, team),
        exchange_(executor, link_, blocks_, p_.whole_sides.west == LateralBoundary::periodic,
                  p_.whole_sides.south == LateralBoundary::periodic, p_.overlap),
        big_(executor, p_, heights_, base_),
        small_(executor, p_, heights_, base_),
        fields_{team} {
    volume_.from_host(volumes().data());
    for (auto& coordinate : coordinates(p_)) fields_.add_coordinate(std::move(coordinate));
    add_surroundings(fields_, p_, heights_, base_, table_threads(executor_));
    if (exchange_.needed()) {
      exchange_.template reserve<T>(Halos<T>::most, state_width, state_levels());
      exchange_.template reserve<S>(2, sound_width, sound_levels());
    }
    begin();
    fill_halos();
  }

  std::string name() const override { return "fdm"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return extent().size(); }
  std::int64_t other_bytes() const override {
    return big_.bytes() + small_.bytes() +
           (lid_ != nullptr ? lid_->stiffness.bytes() + lid_->waves->work_bytes() : 0);
  }
  double fixed_step() const override { return p_.step; }
  std::vector<IntegralDescription> integrals() const override {
    return {{"theta_perturbation", "K m3", "theta", "cell_volume"}};
  }

  double take_step(std::int64_t step, double, double) override {
    stages_.begin_step(executor_, step);
    if (!p_.leapfrog) {
      stages_.graph("step", executor_, [this] {
        keep_start();
        mix();
        bool prepared = false;
        for (int part = 0; part < 3; ++part) {
          auto const here = stages_.loop("part", part + 1);
          evaluate_and_sound(p_.step / (3 - part), prepared);
          prepared = end(p_.step / (3 - part), part < 2 ? p_.step / (2 - part) : 0);
        }
      });
    } else if (step == 1) {  // forward
      keep_start();
      mix();
      evaluate_and_sound(p_.step, false);
      end(p_.step, 0);
    } else {
      stages_.graph("leap", executor_, [this] {
        mix();
        evaluate_and_sound(2 * p_.step, false);
        leap_to_end(2 * p_.step);
      });
    }
    return static_cast<double>(step) * p_.step;
  }
  void state_replaced() override { fill_halos(); }

 private:
  Extent3 extent() const { return {p_.nx, p_.ny, p_.nz}; }
  Extent3 with_last_faces() const { return {p_.nx + 1, p_.ny + 1, p_.nz}; }
  Extent3 inner_faces() const { return {p_.nx, p_.ny, p_.nz - 1}; }
  Extent2 columns() const { return {p_.nx, p_.ny}; }
  template <Place place>
  Extent3 extent_of() const {
    return place == Place::w ? inner_faces() : place == Place::centre ? extent() : faces(place == Place::u);
  }
  /// Extent of u (v) with the last faces along x (y), which the next block computes, too.
  Extent3 faces(bool of_u) const {
    return {p_.nx + (of_u && p_.sides.east == LateralBoundary::neighbour ? 1 : 0),
            p_.ny + (!of_u && p_.sides.north == LateralBoundary::neighbour ? 1 : 0), p_.nz};
  }
  Rim rim() const {
    return {p_.sides.west == LateralBoundary::periodic, p_.sides.south == LateralBoundary::periodic,
            p_.sides.west == LateralBoundary::neighbour, p_.sides.south == LateralBoundary::neighbour};
  }
  /// Runs a kernel for the cells and, where the grid is cut, for the next ones beyond: what follows from
  /// halos that are there costs less to compute than to send.
  template <class Kernel>
  void run_around(Stage stage, std::int32_t levels, Kernel const& kernel,
                  std::initializer_list<Field const*> writes) {
    auto const more = [](Cut const& cut) { return cut.parts > 1 ? 1 : 0; };
    auto const x = more(blocks_.along_x()), y = more(blocks_.along_y());
    stages_.run(stage, executor_, Extent3{p_.nx + 2 * x, p_.ny + 2 * y, levels}, Around<Kernel>{kernel, x, y},
                writes);
  }
  static constexpr HaloWidth state_width{halo, halo + 1}, sound_width{1, 1};
  HaloLevels state_levels() const { return {0, p_.nz + 1}; }
  HaloLevels sound_levels() const { return {0, p_.nz}; }
  template <class V>
  static Rows<V const> get(FieldOf<V, Executor> const& field) {
    return field.grid();
  }
  Wind<T> wind() const { return {get(u_), get(v_), get(w_), get(mass_flux_)}; }
  Air<T> air() const {
    Air<T> air{get(u_), get(v_), get(w_), get(pressure_), get(carried_[0].now), {}, {}, {}};
    if (p_.humid) {
      air.vapour = get(carried_[1].now);
      air.cloud = get(carried_[2].now);
      air.rain = get(carried_[3].now);
    }
    return air;
  }
  Air<T> start() const { return {get(u0_), get(v0_), get(w0_), get(p0_), {}, {}, {}, {}}; }
  OpenLaw<T> open_law(bool of_u) const {
    OpenLaw<T> law{static_cast<T>(p_.phase_speed), static_cast<T>(p_.inflow_rate)};
    auto const* measured = of_u ? speed_u_ : speed_v_;
    if (measured != nullptr) law.of_columns = get(*measured);
    return law;
  }
  Deviations<S> deviations() {
    return {du_.grid(), dv_.grid(), dw_.grid(), dp_.grid(), slope_.grid(), divergence_.grid()};
  }
  Rates<S> rates() const {
    return {get(rate_u_), get(rate_v_), get(rate_w_), get(rate_p_), relative_volume()};
  }
  Rows<S const> relative_volume() const { return p_.full_density ? get(relative_volume_) : Rows<S const>{}; }
  Coefficients<S> coefficients() { return {below_.grid(), here_.grid(), above_.grid()}; }
  bool mixes() const {
    return p_.diffusivity > 0 || p_.computational_mixing > 0 || p_.sponge_rate > 0 ||
           p_.closure != Closure::none;
  }
  Rows<T const> mixed(FieldOf<T, Executor> const& field) const {
    return mixes() ? get(field) : Rows<T const>{};
  }

  Physics<T> physics(double small_length) const {
    return {static_cast<T>(constants::gravity<double>()),
            static_cast<T>(constants::gravity<double>() * constants::heat_capacity_at_volume<double>() /
                           (2 * constants::heat_capacity<double>())),
            static_cast<T>(constants::heat_capacity_at_volume<double>() / constants::heat_capacity<double>()),
            static_cast<T>(p_.coriolis),
            static_cast<T>(p_.damping_h() / small_length),
            static_cast<T>(p_.damping_v() / small_length),
            p_.order,
            p_.order_zeta};
  }
  SmallStep<S> small_step(double length) const {
    return {static_cast<S>(length),
            static_cast<S>(p_.implicitness),
            static_cast<S>(p_.damping_h() / length),
            static_cast<S>(p_.damping_v() / length),
            static_cast<S>(constants::gravity<double>()),
            static_cast<S>(constants::gravity<double>() * constants::heat_capacity_at_volume<double>() /
                           (2 * constants::heat_capacity<double>()))};
  }

  void keep_start() {
    stages_.call(
        keep_, executor_,
        [&] {
          u0_.copy_from(u_);
          v0_.copy_from(v_);
          w0_.copy_from(w_);
          p0_.copy_from(pressure_);
          for (auto& one : carried_) one.start.copy_from(one.now);
        },
        starts());
  }
  void mix() {
    run_around(divergence_stage_, p_.nz,
               StateDivergence<T, Ground<T>>{big_.grid, big_.ground(), start(), divergence0_.grid()},
               {&divergence0_});
    if (!mixes()) return;
    MixingLaw<T> const law{static_cast<T>(p_.diffusivity), static_cast<T>(p_.computational_mixing)};
    auto const of = [&]<Place place>(Stage stage, Rows<T const> phi, FieldOf<T, Executor>& rate) {
      stages_.run(stage, executor_, extent_of<place>(),
                  Mixing<T, Ground<T>, place>{big_.grid, big_.ground(), law, phi, rate.grid()}, {&rate});
    };
    of.template operator()<Place::u>(mix_u_stage_, get(u0_), mix_u_);
    of.template operator()<Place::v>(mix_v_stage_, get(v0_), mix_v_);
    of.template operator()<Place::w>(mix_w_stage_, get(w0_), mix_w_);
    for (auto& one : carried_) of.template operator()<Place::centre>(one.mix, get(one.start), one.mixing);
    if (p_.closure != Closure::none) mix_by_eddies();
  }
  void mix_by_eddies() {
    Strain<T, Ground<T>> const strain{big_.grid, big_.ground(), get(u0_), get(v0_), get(w0_)};
    auto const leap = p_.leapfrog ? 2 * p_.step : p_.step;
    auto const gravity = static_cast<T>(constants::gravity<double>()), most = static_cast<T>(0.125 / leap);
    auto const theta = get(carried_[0].start);
    Moisture<T> water;
    if (p_.humid) water = {get(p0_), get(carried_[1].start), get(carried_[2].start)};
    Extent3 const wider{p_.nx + 2, p_.ny + 2, p_.nz};
    stages_.run(stability_stage_, executor_, wider,
                Stability<T, Ground<T>>{big_.grid, big_.ground(), gravity, theta, water, stability_.grid()},
                {&stability_});
    if (p_.closure == Closure::smagorinsky) {
      stages_.run(viscosity_stage_, executor_, wider,
                  SmagorinskyViscosity<T, Ground<T>>{strain, static_cast<T>(p_.smagorinsky),
                                                     static_cast<T>(1 / p_.prandtl), most, get(stability_),
                                                     viscosity_.grid(), diffusivity_.grid()},
                  {&viscosity_, &diffusivity_});
    } else {
      auto const energy = get(carried_.back().start);
      stages_.run(viscosity_stage_, executor_, wider,
                  EnergyViscosity<T, Ground<T>>{big_.ground(), most, get(stability_), energy,
                                                viscosity_.grid(), diffusivity_.grid()},
                  {&viscosity_, &diffusivity_});
      stages_.run(
          source_, executor_, extent(),
          EnergySource<T, Ground<T>>{strain, most, get(stability_), energy, carried_.back().mixing.grid()},
          {&carried_.back().mixing});
    }
    auto const of = [&]<Place place>(Stage stage, FieldOf<T, Executor>& rate) {
      stages_.run(stage, executor_, extent_of<place>(),
                  EddyStress<T, Ground<T>, place>{strain, get(viscosity_), rate.grid()}, {&rate});
    };
    of.template operator()<Place::u>(eddies_u_, mix_u_);
    of.template operator()<Place::v>(eddies_v_, mix_v_);
    of.template operator()<Place::w>(eddies_w_, mix_w_);
    for (auto& one : carried_) {
      bool const of_energy = p_.closure == Closure::energy && &one == &carried_.back();
      stages_.run(one.mix_by_eddies, executor_, extent(),
                  EddyFlux<T, Ground<T>>{big_.grid, big_.ground(), T(of_energy ? 2 : 1),
                                         &one == &carried_.front() ? Metric::theta : Metric::count,
                                         get(of_energy ? viscosity_ : diffusivity_), get(one.start),
                                         one.mixing.grid()},
                  {&one.mixing});
    }
  }
  std::vector<Field const*> starts() const {
    std::vector<Field const*> all{&u0_, &v0_, &w0_, &p0_};
    for (auto const& one : carried_) all.push_back(&one.start);
    return all;
  }

  ImplicitCoefficients<S, Ground<S>> equation_of(SmallStep<S> const& step) {
    return {small_.grid, small_.ground(), step, relative_volume(), p_.arps_coefficients};
  }
  void make_coefficients(SmallStep<S> const& step) {
    stages_.run(coefficients_stage_, executor_, inner_faces(),
                SoundCoefficients<S, Ground<S>>{equation_of(step), coefficients()},
                {&below_, &here_, &above_});
  }
  void keep_factors(SmallStep<S> const& step) {
    if (p_.factors != FactorSource::kept) return;
    make_coefficients(step);
    stages_.run(factors_stage_, executor_, columns(), SoundFactors<S>{p_.nz, coefficients()},
                {&here_, &above_});
  }
  /// Prepares the part of the small steps that does not depend on the state: deviations of 0, kept factors.
  void prepare_sound(SmallStep<S> const& step) {
    stages_.call(clear_, executor_,
                 [&] {
                   for (auto* field : {&du_, &dv_, &dw_, &dp_, &divergence_}) field->fill_zero();
                 },
                 {&du_, &dv_, &dw_, &dp_, &divergence_});
    if (!p_.full_density) keep_factors(step);
  }
  /// Over `length` seconds from the start: the rates of the state as it is, and the small steps with them,
  /// unless those are `prepared`.
  void evaluate_and_sound(double length, bool prepared) {
    auto const small = p_.small_steps(length);
    (this->*evaluate_)(small.length);
    auto const step = small_step(small.length);
    if (!prepared) prepare_sound(step);
    if (p_.full_density) keep_factors(step);
    auto const equation = equation_of(step);
    if (lid_ != nullptr) {
      stages_.run(lid_->start, executor_, columns(),
                  LidStart<T, S, Ground<T>>{big_.grid, big_.ground(), physics(small.length), air(), start(),
                                            get(divergence0_), relative_volume(), lid_->known.grid()},
                  {&lid_->known});
    }
    if (p_.small_theta) {
      stages_.run(start_theta_, executor_, extent(),
                  StartTheta<T, S>{get(theta().start), get(theta().now), dtheta_.grid()}, {&dtheta_});
      sound_theta(step.length / S(2));
    }
    for (int number = 0; number < small.count; ++number) {
      auto const here = stages_.loop("small_step", number + 1);
      if (number > 0) {
        stages_.run(sound_divergence_, executor_, extent(),
                    SoundDivergence<S, Ground<S>>{small_.grid, small_.ground(), deviations()},
                    {&divergence_});
      }
      sound_wind(step, number > 0);
      open_sound(step.length);
      if constexpr (Ground<S>::terrain) {
        stages_.run(slope_stage_, executor_, extent(),
                    SoundSlope<S, Ground<S>>{small_.grid, small_.ground(), deviations()}, {&slope_});
      }
      auto forced = rates();
      if (p_.small_theta) {
        stages_.run(sound_buoyancy_, executor_, inner_faces(),
                    SoundBuoyancy<S, Ground<S>>{small_.ground(), step.gravity, relative_volume(),
                                                get(dtheta_), get(rate_w_), forced_w_.grid()},
                    {&forced_w_});
        forced.w = get(forced_w_);
      }
      auto const solve = [&]<FactorSource source>() {
        SoundSolve<S, Ground<S>, source> kernel{equation, coefficients(), deviations(), forced};
        auto const run = [&] {
          // Where the factors are not there before, it leaves them in place of the coefficients.
          if constexpr (source == FactorSource::kept) {
            stages_.run(solve_, executor_, columns(), kernel, {&dw_, &dp_});
          } else {
            stages_.run(solve_, executor_, columns(), kernel, {&dw_, &dp_, &above_});
          }
        };
        if (lid_ == nullptr) {
          run();
          return;
        }
        kernel.part = SolvePart::elimination;
        run();
        solve_lid(equation, number == 0);
        kernel.part = SolvePart::substitution;
        stages_.run(lid_->substitute, executor_, columns(), kernel, {&dw_, &dp_});
      };
      if (p_.factors == FactorSource::kept) {
        solve.template operator()<FactorSource::kept>();
      } else if (p_.factors == FactorSource::stored) {
        make_coefficients(step);
        solve.template operator()<FactorSource::stored>();
      } else {
        solve.template operator()<FactorSource::fused>();
      }
      if (p_.small_theta) sound_theta(number + 1 < small.count ? step.length : step.length / S(2));
    }
  }
  /// u and v forward, after an exchange of p' and its divergence where the halos' are `old`.
  void sound_wind(SmallStep<S> const& step, bool old) {
    auto const u = [&](auto const& run) {
      run(sound_u_, faces(true),
          SoundWind<S, Ground<S>, true>{small_.grid, small_.ground(), step, rim(), deviations(), rates()},
          {&du_});
    };
    auto const v = [&](auto const& run) {
      run(sound_v_, faces(false),
          SoundWind<S, Ground<S>, false>{small_.grid, small_.ground(), step, rim(), deviations(), rates()},
          {&dv_});
    };
    auto const whole = in_one_launch();
    if (!old) {
      u(whole);
      v(whole);
      return;
    }
    std::array<Rows<S>, 2> const fields{dp_.grid(), divergence_.grid()};
    Halo<S> const brought{exchange_sound_, fields, sound_width, sound_levels()};
    auto const margin = [](LateralBoundary side) { return side == LateralBoundary::neighbour ? 1 : 0; };
    // A component needs the halo across its own axis alone. Where both are cut, rows are the rim that a
    // device reads faster.
    if (exchange_.overlaps(stages_) && blocks_.along_x().parts > 1) {
      exchange_.before_stage(stages_, brought, {0, 0, margin(p_.sides.south), margin(p_.sides.north)}, v);
      u(whole);
    } else {
      exchange_.before_stage(stages_, brought, {margin(p_.sides.west), margin(p_.sides.east), 0, 0}, u);
      v(whole);
    }
  }
  auto in_one_launch() { return stages_.running_by(executor_); }
  /// w at a radiative lid, between elimination and substitution; `first` of the small steps, in all of which
  /// the first column's K is the same.
  void solve_lid(ImplicitCoefficients<S, Ground<S>> const& equation, bool first) {
    auto& lid = *lid_;
    auto* const stiffness = lid.stiffness.view().data();
    BelowLid<S, Ground<S>> const below{equation, get(above_)};
    if (first) {
      call_with_messages(
          stages_, lid.stiffness_stage, executor_, link_,
          [&] {
            for_each(executor_, Extent2{1, 1}, LidStiffness<T, S, Ground<S>>{below, stiffness});
            if (link_.several()) link_.exchange(lid.told, lid.heard);
          },
          {});
    }
    stages_.run(
        lid.right, executor_, columns(),
        LidRight<T, S, Ground<S>>{below, deviations(), p_.small_theta ? get(dtheta_) : Rows<S const>{},
                                  get(lid.known), get(w0_), stiffness, lid.plane.grid()},
        {&lid.plane});
    lid.waves->show(stages_.watched());
    auto* const plane = Rows<T>(lid.plane.grid()).first;
    auto const call = [&](Stage stage, auto const& work) {
      call_with_messages(stages_, stage, executor_, link_, work, {&lid.plane});
    };
    call(lid.forward, [&] { lid.waves->forward(plane); });
    call(lid.solve, [&] { lid.waves->tridiagonal(plane); });
    call(lid.inverse, [&] { lid.waves->inverse(plane); });
    stages_.run(lid.wind, executor_, columns(), LidWind<T, S>{p_.nz, get(lid.plane), get(w0_), dw_.grid()},
                {&dw_});
  }
  void end_lid(bool leaps) {
    if (lid_ == nullptr) return;
    stages_.run(lid_->end, executor_, columns(),
                LidEnd<T, S>{p_.nz, leaps, static_cast<T>(p_.asselin), get(dw_), w_.grid(), w0_.grid()},
                {&w_, &w0_});
  }
  /// Speeds at which the wind went out in the step that has just ended.
  void measure_open_speeds() {
    auto const step = static_cast<T>(p_.step);
    if (speed_u_ != nullptr) {
      stages_.run(open_speed_u_, executor_, Extent2{p_.ny, 1},
                  ColumnSpeed<T, true>{big_.grid, p_.sides, step, get(u_), get(u0_), speed_u_->grid()},
                  {speed_u_});
    }
    if (speed_v_ != nullptr) {
      stages_.run(open_speed_v_, executor_, Extent2{p_.nx, 1},
                  ColumnSpeed<T, false>{big_.grid, p_.sides, step, get(v_), get(v0_), speed_v_->grid()},
                  {speed_v_});
    }
  }
  Carried<T, Executor>& theta() { return carried_.front(); }
  bool with_sound(Carried<T, Executor> const& one) const {
    return p_.small_theta && &one == &carried_.front();
  }
  void sound_theta(S length) {
    stages_.run(
        sound_theta_, executor_, extent(),
        SoundTheta<T, S, Ground<S>>{small_.ground(), length, get(dw_), get(theta().rate), dtheta_.grid()},
        {&dtheta_});
  }
  void open_sound(S length) {
    if (p_.open_x()) {
      stages_.run(open_u_, executor_, Extent2{p_.ny, p_.nz},
                  OpenSound<T, S, true>{small_.grid, open_law(true), p_.sides, length, get(u0_), get(rate_u_),
                                        du_.grid()},
                  {&du_});
    }
    if (p_.open_y()) {
      stages_.run(open_v_, executor_, Extent2{p_.nx, p_.nz},
                  OpenSound<T, S, false>{small_.grid, open_law(false), p_.sides, length, get(v0_),
                                         get(rate_v_), dv_.grid()},
                  {&dv_});
    }
  }
  /// The state after it. Beside the exchange of halos the next part's small steps, of `next` seconds in all,
  /// are prepared where that may be: returns whether they are. 0: no part is next.
  bool end(double length, double next) {
    stages_.run(end_, executor_, with_last_faces(),
                AddDeviations<T, S>{start(), deviations(), u_.grid(), v_.grid(), w_.grid(), pressure_.grid()},
                {&u_, &v_, &w_, &pressure_});
    end_lid(false);
    bool const whole = length == p_.step, rains = p_.humid && whole;
    auto const finish = [&](auto const& run_last) {
      for (auto& one : carried_) {
        bool const last = !rains && &one == &carried_.back();
        last ? advance(one, length, run_last) : advance(one, length, in_one_launch());
      }
      if (whole) measure_open_speeds();
      if (rains) rain(length, run_last);
    };
    bool const prepares = next > 0 && exchange_.overlaps(stages_);
    if (prepares) finish(in_one_launch());
    fill(state(false), [&](Halo<T> const& brought) {
      if (prepares) {
        exchange_.beside(stages_, brought, [&] { prepare_sound(small_step(p_.small_steps(next).length)); });
      } else {
        exchange_.after_stage(stages_, brought, finish);
      }
      let_faces_change();
    });
    return prepares;
  }
  template <class Run>
  void advance(Carried<T, Executor>& one, double length, Run const& run) {
    if (with_sound(one)) {
      run(one.end, extent(), AddTheta<T, S>{get(dtheta_), one.now.grid()}, {&one.now});
    } else {
      run(one.end, extent(),
          ScalarAdvance<T>{static_cast<T>(length), least(one), get(one.start), get(one.rate), one.now.grid()},
          {&one.now});
    }
  }
  /// Eddies keep some energy: they grow in proportion to what there is, so that of none, as it underflows to
  /// in stable air (in float within minutes), none would ever come.
  T least(Carried<T, Executor> const& one) const {
    bool const of_energy = p_.closure == Closure::energy && &one == &carried_.back();
    return static_cast<T>(of_energy ? p_.least_energy : std::numeric_limits<float>::lowest());
  }
  void leap_to_end(double length) {
    auto const filter = static_cast<T>(p_.asselin);
    stages_.run(end_, executor_, with_last_faces(),
                LeapDeviations<T, S>{filter, deviations(), u_.grid(), v_.grid(), w_.grid(), pressure_.grid(),
                                     u0_.grid(), v0_.grid(), w0_.grid(), p0_.grid()},
                {&u_, &v_, &w_, &pressure_, &u0_, &v0_, &w0_, &p0_});
    end_lid(true);
    auto const finish = [&](auto const& run_last) {
      for (auto& one : carried_) {
        bool const last = !p_.humid && &one == &carried_.back();
        last ? leap_one(one, length, run_last) : leap_one(one, length, in_one_launch());
      }
      measure_open_speeds();
      if (p_.humid) rain(length, run_last);
    };
    fill(state(false), [&](Halo<T> const& brought) {
      exchange_.after_stage(stages_, brought, finish);
      let_faces_change();
    });
    fill(state(true), [&](Halo<T> const& brought) { exchange_(stages_, brought); });
  }
  template <class Run>
  void leap_one(Carried<T, Executor>& one, double length, Run const& run) {
    auto const filter = static_cast<T>(p_.asselin);
    if (with_sound(one)) {
      run(one.end, extent(), LeapTheta<T, S>{filter, get(dtheta_), one.now.grid(), one.start.grid()},
          {&one.now, &one.start});
    } else {
      run(one.end, extent(),
          LeapScalar<T>{filter, static_cast<T>(length), least(one), get(one.rate), one.now.grid(),
                        one.start.grid()},
          {&one.now, &one.start});
    }
  }
  /// Rain over `length` seconds, applied to the state at their end; `run` does the last of its stages.
  template <class Run>
  void rain(double length, Run const& run) {
    auto& theta = carried_[0].now;
    auto& vapour = carried_[1].now;
    auto& cloud = carried_[2].now;
    auto& rain = carried_[3].now;
    Water<T> const water{theta.grid(), vapour.grid(), cloud.grid(), rain.grid()};
    auto const ground = big_.ground();
    stages_.run(
        form_rain_, executor_, extent(),
        FormRain<T, Ground<T>>{ground, static_cast<T>(length), get(pressure_), water, fall_speed_.grid()},
        {&theta, &vapour, &cloud, &rain, &fall_speed_});
    using Column = MetricOf<Ground<T>, T>;
    stages_.run(fall_, executor_, columns(),
                physics::Sedimentation<T, Column, Column>{p_.nz,
                                                          static_cast<T>(length),
                                                          {ground, Metric::density, T(1)},
                                                          {ground, Metric::j3, static_cast<T>(p_.dz)},
                                                          std::as_const(fall_speed_).grid(),
                                                          rain.grid(),
                                                          fallen_->grid(),
                                                          static_cast<T>(p_.step / length)},
                {&rain, fallen_});
    run(saturate_, extent(), AdjustSaturation<T, Ground<T>>{ground, get(pressure_), water},
        {&theta, &vapour, &cloud, &rain});
  }

  template <class P>
  void evaluate(double small_length) {
    auto const numbers = physics(small_length);
    if (p_.full_density) {
      run_around(
          relative_volume_stage_, p_.nz,
          RelativeVolume<T, S, Ground<T>>{big_.ground(), numbers.per_gamma, air(), relative_volume_.grid()},
          {&relative_volume_});
    }
    run_around(mass_flux_stage_, p_.nz + 1,
               VerticalMassFlux<T, Ground<T>>{big_.grid, big_.ground(), get(u_), get(v_), get(w_),
                                              mass_flux_.grid()},
               {&mass_flux_});
    fill_beyond(halos({{mass_flux_.grid(), Place::w}}));
    stages_.run(rate_u_stage_, executor_, faces(true),
                WindRate<T, S, Ground<T>, P, true>{big_.grid, big_.ground(), numbers, P{}, rim(), wind(),
                                                   start(), get(divergence0_), relative_volume(),
                                                   mixed(mix_u_), rate_u_.grid()},
                {&rate_u_});
    stages_.run(rate_v_stage_, executor_, faces(false),
                WindRate<T, S, Ground<T>, P, false>{big_.grid, big_.ground(), numbers, P{}, rim(), wind(),
                                                    start(), get(divergence0_), relative_volume(),
                                                    mixed(mix_v_), rate_v_.grid()},
                {&rate_v_});
    stages_.run(
        rate_w_stage_, executor_, inner_faces(),
        VerticalRate<T, S, Ground<T>, P>{big_.grid, big_.ground(), numbers, P{}, wind(), air(), start(),
                                         get(divergence0_), relative_volume(), mixed(mix_w_), rate_w_.grid()},
        {&rate_w_});
    stages_.run(rate_p_stage_, executor_, extent(),
                PressureRate<T, S, Ground<T>, P>{big_.grid, big_.ground(), numbers, P{}, wind(),
                                                 get(pressure_), start(), rate_p_.grid()},
                {&rate_p_});
    for (auto& one : carried_) {
      bool const lifted = &one == &carried_.front();
      stages_.run(one.evaluate, executor_, extent(),
                  ScalarRate<T, Ground<T>, P>{big_.grid, big_.ground(), numbers, P{}, wind(), get(one.now),
                                              lifted ? get(p_.small_theta ? w0_ : w_) : Rows<T const>{},
                                              mixed(one.mixing), one.rate.grid()},
                  {&one.rate});
    }
    if (p_.open_x()) {
      stages_.run(open_rate_u_, executor_, Extent2{p_.ny, p_.nz},
                  OpenRate<T, S, Ground<T>, true>{big_.grid, big_.ground(), open_law(true), p_.sides,
                                                  get(u0_), rate_u_.grid()},
                  {&rate_u_});
    }
    if (p_.open_y()) {
      stages_.run(open_rate_v_, executor_, Extent2{p_.nx, p_.nz},
                  OpenRate<T, S, Ground<T>, false>{big_.grid, big_.ground(), open_law(false), p_.sides,
                                                   get(v0_), rate_v_.grid()},
                  {&rate_v_});
    }
  }

  Halos<T> halos(std::vector<std::pair<Rows<T>, Place>> const& fields) const {
    Halos<T> all{p_.nx, p_.ny, p_.nz, p_.sides, {}, {}, 0};
    for (auto const& [rows, place] : fields) {
      all.fields[all.count] = rows;
      all.places[all.count++] = place;
    }
    return all;
  }
  /// Fills halos beyond the sides of the grid from values within, which are right.
  void fill_beyond(Halos<T> const& all) {
    for_each(executor_, Extent2{LateralHalos<T>::points(p_.nx, p_.ny), p_.nz + 2}, LateralHalos<T>{all});
  }
  using Places = std::vector<std::pair<Rows<T>, Place>>;
  /// The fields of the state and where they lie; with `start`, of the state in which the step began.
  Places state(bool start) {
    auto const wind = start ? std::tie(u0_, v0_, w0_, p0_) : std::tie(u_, v_, w_, pressure_);
    auto& [u, v, w, p] = wind;
    Places all{{u.grid(), Place::u}, {v.grid(), Place::v}, {w.grid(), Place::w}, {p.grid(), Place::centre}};
    for (auto& one : carried_) all.push_back({(start ? one.start : one.now).grid(), Place::centre});
    return all;
  }
  /// All around fields, of which `exchange` brings what the neighbours own.
  template <class Exchange>
  void fill(Places const& fields, Exchange const& exchange) {
    auto const all = halos(fields);
    exchange(halo_of(all));
    // The neighbours' columns, too: their levels beyond are not sent.
    auto const beyond = [](Cut const& cut, std::int32_t columns) { return cut.parts > 1 ? columns : 0; };
    auto const x = blocks_.along_x(), y = blocks_.along_y();
    Extent2 const columns{p_.nx + 1 + beyond(x, 2 * halo), p_.ny + 1 + beyond(y, 2 * halo)};
    for_each(executor_, columns, Around{VerticalHalos<T>{all}, beyond(x, halo), beyond(y, halo)});
    fill_beyond(all);
  }
  Halo<T> halo_of(Halos<T> const& all) const {
    return {exchange_state_, {all.fields, static_cast<std::size_t>(all.count)}, state_width, state_levels()};
  }
  /// Exchanges a halo outside of steps.
  void bring(Halo<T> const& brought) { exchange_.exchange(brought.fields, brought.width, brought.levels); }
  /// Outside of steps, fills the halos of the state, of both time levels where steps leap.
  void fill_halos() {
    for (bool const start : {false, true}) {
      if (start && !p_.leapfrog) continue;
      fill(state(start), [&](Halo<T> const& brought) { bring(brought); });
    }
  }
  /// In a step, before halos are filled: the last face of a period is the first, which formats that round at
  /// random made twice.
  void let_faces_change() { stages_.will_write({&u_, &v_, &u0_, &v0_}); }

  void begin() {
    auto const write = [&](Field const& field, auto const& value) {
      auto const &rows = field.layout().axis(1), &columns = field.layout().axis(2);
      auto const ny = static_cast<std::int32_t>(rows.extent), nx = static_cast<std::int32_t>(columns.extent);
      std::vector<double> level(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
      for (std::int32_t k = 0; k < p_.nz; ++k) {
        auto next = level.begin();
        for (std::int32_t j = 0; j < ny; ++j) {
          for (std::int32_t i = 0; i < nx; ++i) *next++ = value(k, j, i);
        }
        auto const count = static_cast<std::int64_t>(level.size());
        write_values(field.raw(), k * count, count, ValueType::float64, level.data());
      }
    };
    auto const height = [&](auto k, auto j, auto i) { return heights_.centre(k, j, i); };
    // The base state is looked up anew where the height is another: over flat ground once a level.
    auto const by_height = [](auto look_up) {
      return [look_up, last = std::numeric_limits<double>::quiet_NaN(), value = 0.0](double z) mutable {
        if (z != last) {
          last = z;
          value = look_up(z);
        }
        return value;
      };
    };
    auto base_u = by_height([&](double z) { return base_.u(z); });
    auto base_v = by_height([&](double z) { return base_.v(z); });
    auto base_humidity = by_height([&](double z) { return base_.humidity(z); });
    write(u_, [&](auto k, auto j, auto i) {
      return (base_u(height(k, j, i - 1)) + base_u(height(k, j, i))) / 2;
    });
    write(v_, [&](auto k, auto j, auto i) {
      return (base_v(height(k, j - 1, i)) + base_v(height(k, j, i))) / 2;
    });
    write(carried_[0].now, [&](auto k, auto j, auto i) {
      return p_.start_theta(base_, (p_.first_x + i + 0.5) * p_.dx, (p_.first_y + j + 0.5) * p_.dy,
                            height(k, j, i));
    });
    write(pressure_, [&](auto k, auto j, auto i) {
      return p_.start_pressure(base_, (p_.first_x + i + 0.5) * p_.dx, height(k, j, i));
    });
    if (p_.humid) {
      write(carried_[1].now, [&](auto k, auto j, auto i) { return base_humidity(height(k, j, i)); });
    }
    if (p_.closure == Closure::energy) {
      write(carried_.back().now, [&](auto, auto, auto) { return p_.start_energy; });
    }
    if (linear_wave_ != nullptr) write_linear_wave();
    close_walls();
    bring(halo_of(halos({{u_.grid(), Place::u}, {v_.grid(), Place::v}})));
    for_each(executor_, columns(),
             GroundWind<T, Ground<T>>{big_.grid, big_.ground(), get(u_), get(v_), w_.grid()});
  }
  void write_linear_wave() {
    auto const all = linear_wave(heights_, base_, base_.u(0));
    for (std::int32_t k = 0; k <= p_.nz; ++k) {
      write_values(linear_wave_->raw(), std::int64_t{k} * p_.nx, p_.nx, ValueType::float64,
                   all.data() + (std::int64_t{k} * p_.whole_nx + p_.first_x));
    }
  }
  /// No wind through walls.
  void close_walls() {
    for_each(executor_, Extent2{p_.nx + 1, p_.ny + 1},
             WallWind<T>{p_.nx, p_.ny, p_.nz, p_.sides, u_.grid(), v_.grid()});
  }
  std::vector<double> volumes() const {
    auto const levels = p_.heights().levels;
    std::vector<double> all;
    for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
      all.push_back(p_.dx * p_.dy * (levels[k + 1] - levels[k]));
    }
    return all;
  }

  template <class V>
  Ref<V> add(char const* name, char const* units, char const* long_name,
             std::vector<std::string> const& dimensions, Layout const& layout, ValueRange range,
             char const* standard_name = "", bool perturbable = false) {
    FieldDescription description{.name = name,
                                 .units = units,
                                 .long_name = long_name,
                                 .standard_name = standard_name,
                                 .role = FieldRole::prognostic,
                                 .dimensions = dimensions,
                                 .output = true,
                                 .coordinates = height_at(dimensions, heights_.flat()),
                                 .range = range};
    if (perturbable) description.perturbable = Perturbable{};
    return fields_.add<V>(executor_, std::move(description), layout);
  }
  template <class V>
  Ref<V> work(char const* name, char const* units, Layout const& layout) {
    return fields_.add<V>(executor_, {.name = name, .units = units}, layout);
  }
  /// Speeds through open sides of columns, which the next step needs; null where they are given.
  FieldOf<T, Executor>* speed_of(char const* name, bool open) {
    if (!open || !p_.column_speed) return nullptr;
    auto& field = fields_.add<T>(executor_, {.name = name, .units = "m s-1", .role = FieldRole::prognostic},
                                 column_layout(p_));
    std::vector<double> const none(static_cast<std::size_t>(p_.nx) * static_cast<std::size_t>(p_.ny), -1.0);
    write_values(field.raw(), 0, std::int64_t{p_.nx} * p_.ny, ValueType::float64, none.data());
    return &field;
  }
  /// Adds the field that a step begins with, in leapfrog steps the state of the step before.
  Ref<T> start_of(std::string const& name, char const* units, Layout const& layout, ValueRange range) {
    FieldDescription description{.name = "start_" + name, .units = units, .range = range};
    if (p_.leapfrog) description.role = FieldRole::prognostic;
    return fields_.add<T>(executor_, std::move(description), layout);
  }
  std::vector<Carried<T, Executor>> carry() {
    std::vector<Carried<T, Executor>> all;
    auto const one = [&](char const* name, char const* units, char const* long_name,
                         char const* standard_name, bool perturbable, ValueRange range) {
      auto& now = add<T>(name, units, long_name, {"z", "y", "x"}, centre_, range, standard_name, perturbable);
      auto const rate_units = std::string(units) + " s-1";
      auto const named = [&](char const* before) { return std::string(before) + "_" + name; };
      auto const what = std::string(long_name);
      all.push_back({now, start_of(name, units, centre_, range),
                     work<T>(named("rate").c_str(), rate_units.c_str(), centre_),
                     work<T>(named("mixing").c_str(), rate_units.c_str(), centre_),
                     stage(named("rate").c_str(), "advection of " + what, 6),
                     stage_if(mixes(), named("mixing").c_str(), "diffusion and filter of " + what, 2),
                     stage_if(p_.closure != Closure::none, named("eddies").c_str(),
                              "mixing of " + what + " by sub-grid eddies", 4),
                     stage(name, what + " after each part of the step, from its rates", 3)});
    };
    one("theta", "K", "potential temperature less the base state's", "", true,
        physics::theta_departure_range);
    if (p_.humid) {
      one("qv", "kg kg-1", "specific humidity", "specific_humidity", false, physics::water_range);
      one("qc", "kg kg-1", "cloud water in air", "mass_fraction_of_cloud_liquid_water_in_air", false,
          physics::water_range);
      one("qr", "kg kg-1", "rain water in air", "mass_fraction_of_rain_in_air", false, physics::water_range);
    }
    if (p_.closure == Closure::energy)
      one("e", "m2 s-2", "energy of sub-grid eddies", "", false, physics::eddy_energy_range);
    return all;
  }
  /// A stage that moves so many values of the state's type and of the small steps' a cell.
  Stage stage(char const* name, std::string const& doc, double values, double small = 0) {
    return stages_.add({std::string("fdm.") + name, doc,
                        (values * sizeof(T) + small * sizeof(S)) * static_cast<double>(extent().size()),
                        Guarantee::bitwise});
  }

  /// Adds a stage (see stage()) in cases that run it; in others nothing lists it.
  Stage stage_if(bool runs, char const* name, std::string const& doc, double values, double small = 0) {
    return runs ? stage(name, doc, values, small) : Stage{};
  }

  Blocks blocks_;
  Parameters p_;  ///< of the block
  Evaluate evaluate_;
  Heights heights_;
  BaseState base_;
  Executor executor_;
  Link<Executor> link_;
  HaloExchange<Executor> exchange_;
  Space<T, Ground, Executor> big_;
  Space<S, Ground, Executor> small_;
  FieldTable fields_;
  StageRunner stages_;

  // Around a period the last face is the first: only what is carried on has both.
  Layout stepped_u_ = grid_layout(p_, p_.whole_sides.west == LateralBoundary::periodic ? 0 : 1),
         stepped_v_ = grid_layout(p_, 0, p_.whole_sides.south == LateralBoundary::periodic ? 0 : 1);
  Layout centre_ = grid_layout(p_), at_u_ = grid_layout(p_, 1), at_v_ = grid_layout(p_, 0, 1),
         at_w_ = grid_layout(p_, 0, 0, 1);
  Ref<T> u_ = add<T>("u", "m s-1", "wind along x", {"z", "y", "x_u"}, at_u_, physics::wind_range, "x_wind");
  Ref<T> v_ = add<T>("v", "m s-1", "wind along y", {"z", "y_v", "x"}, at_v_, physics::wind_range, "y_wind");
  Ref<T> w_ = add<T>("w", "m s-1", "wind upward", {"z_w", "y", "x"}, at_w_, physics::wind_range,
                     "upward_air_velocity");
  Ref<T> pressure_ = add<T>("p", "Pa", "pressure less the base state's", {"z", "y", "x"}, centre_,
                            physics::pressure_departure_range);
  Ref<double> volume_ = fields_.add<double>(executor_,
                                            {.name = "cell_volume",
                                             .units = "m3",
                                             .long_name = "volume of a cell",
                                             .role = FieldRole::constant,
                                             .dimensions = {"z"},
                                             .output = true},
                                            Layout::entities(p_.nz));
  Ref<T> u0_ = start_of("u", "m s-1", at_u_, physics::wind_range),
         v0_ = start_of("v", "m s-1", at_v_, physics::wind_range),
         w0_ = start_of("w", "m s-1", at_w_, physics::wind_range),
         p0_ = start_of("p", "Pa", centre_, physics::pressure_departure_range);
  Ref<T> fall_speed_ = work<T>("fall_speed", "m s-1", p_.humid ? centre_ : Layout::dense(1, 1, 1));
  FieldOf<T, Executor>* fallen_ = p_.humid ? &add<T>("rain", "kg m-2", "rain that has fallen", {"y", "x"},
                                                     column_layout(p_), physics::rain_range)
                                           : nullptr;
  FieldOf<T, Executor>*speed_u_ = speed_of("speed_u", p_.open_x()),
             *speed_v_ = speed_of("speed_v", p_.open_y());
  FieldOf<double, Executor>* linear_wave_ =
      p_.linear_wave ? &fields_.add<double>(executor_,
                                            {.name = "w_linear",
                                             .units = "m s-1",
                                             .long_name = "wind upward of the linear steady wave",
                                             .role = FieldRole::constant,
                                             .dimensions = {"z_w", "y", "x"},
                                             .output = true,
                                             .coordinates = height_at({"z_w", "y", "x"}, heights_.flat())},
                                            at_w_)
                     : nullptr;
  Layout eddies_ = p_.closure != Closure::none ? centre_ : Layout::dense(1, 1, 1);
  Ref<T> viscosity_ = work<T>("viscosity", "m2 s-1", eddies_),
         diffusivity_ = work<T>("diffusivity", "m2 s-1", eddies_),
         stability_ = work<T>("stability", "s-2", eddies_);
  Ref<T> divergence0_ = work<T>("start_divergence", "kg m-3 s-1", centre_);
  Ref<T> mass_flux_ = work<T>("mass_flux", "kg m-3 s-1", at_w_);
  Ref<T> mix_u_ = work<T>("mixing_u", "m s-2", stepped_u_), mix_v_ = work<T>("mixing_v", "m s-2", stepped_v_),
         mix_w_ = work<T>("mixing_w", "m s-2", at_w_);
  Ref<S> rate_u_ = work<S>("rate_u", "m s-2", stepped_u_), rate_v_ = work<S>("rate_v", "m s-2", stepped_v_),
         rate_w_ = work<S>("rate_w", "m s-2", at_w_), rate_p_ = work<S>("rate_p", "Pa s-1", centre_);
  Ref<S> relative_volume_ = work<S>("lightness", "1", p_.full_density ? centre_ : Layout::dense(1, 1, 1));
  Ref<S> du_ = work<S>("change_u", "m s-1", at_u_), dv_ = work<S>("change_v", "m s-1", at_v_),
         dw_ = work<S>("change_w", "m s-1", at_w_), dp_ = work<S>("change_p", "Pa", centre_),
         slope_ = work<S>("change_slope", "m s-1", at_w_),
         divergence_ = work<S>("change_divergence", "kg m-3 s-1", centre_);
  Ref<S> dtheta_ = work<S>("change_theta", "K", p_.small_theta ? centre_ : Layout::dense(1, 1, 1)),
         forced_w_ = work<S>("forced_w", "m s-2", p_.small_theta ? at_w_ : Layout::dense(1, 1, 1));
  Ref<S> below_ = work<S>("below", "1", at_w_), here_ = work<S>("here", "1", at_w_),
         above_ = work<S>("above", "1", at_w_);

  int carried_fields_ = 1 + (p_.humid ? 3 : 0) + (p_.closure == Closure::energy ? 1 : 0);
  /// Adds a stage of messages between ranks; none where a rank alone has no messages.
  Stage exchange(char const* name, char const* doc, double bytes) {
    if (!exchange_.needed()) return {};
    return stages_.add({std::string("fdm.") + name, doc, bytes, Guarantee::bitwise});
  }
  Stage exchange_state_ =
      exchange("exchange", "halos of the state from the neighbours' blocks",
               exchange_.template bytes<T>(4 + carried_fields_, state_width, state_levels()));
  Stage exchange_sound_ = exchange("sound.exchange", "halos of p' and its divergence in the small steps",
                                   exchange_.template bytes<S>(2, sound_width, sound_levels()));
  Stage keep_ = stage("keep", "copy of the state in which the step begins", 2 * (4 + carried_fields_));
  Stage divergence_stage_ = stage("divergence", "divergence of the mass flux in which the step begins", 4);
  Stage mix_u_stage_ = stage_if(mixes(), "mixing_u", "diffusion and sponge of u", 2);
  Stage mix_v_stage_ = stage_if(mixes(), "mixing_v", "diffusion and sponge of v", 2);
  Stage mix_w_stage_ = stage_if(mixes(), "mixing_w", "diffusion and sponge of w", 2);
  Stage stability_stage_ = stage_if(p_.closure != Closure::none, "stability",
                                    "N^2 of the state in which a step begins", p_.humid ? 3 : 2);
  Stage viscosity_stage_ =
      stage_if(p_.closure != Closure::none, "viscosity", "eddy viscosity of the state in which a step begins",
               p_.closure == Closure::energy ? 4 : 6);
  Stage source_ =
      stage_if(p_.closure == Closure::energy, "source_e", "shear, buoyancy and dissipation of eddies", 7);
  Stage eddies_u_ = stage_if(p_.closure != Closure::none, "eddies_u", "eddies' stress along x", 5);
  Stage eddies_v_ = stage_if(p_.closure != Closure::none, "eddies_v", "eddies' stress along y", 5);
  Stage eddies_w_ = stage_if(p_.closure != Closure::none, "eddies_w", "eddies' stress upward", 5);
  Stage mass_flux_stage_ = stage("mass_flux", "mass flux across the levels", 2);
  Stage rate_u_stage_ = stage("rate_u", "advection, Coriolis force and pressure along x", 7, 1);
  Stage rate_v_stage_ = stage("rate_v", "advection, Coriolis force and pressure along y", 7, 1);
  Stage rate_w_stage_ =
      stage("rate_w", "advection, buoyancy and pressure upward",
            7 + (p_.humid ? 3 : 0) + (mixes() ? 1 : 0) + (p_.full_density ? 1 : 0), p_.full_density ? 2 : 1);
  Stage rate_p_stage_ = stage("rate_p", "advection and compression", 7, 1);
  Stage clear_ = stage("sound.clear",
                       "deviations of u, v, w and p' from the state are 0 before the first small step", 0, 5);
  Stage coefficients_stage_ = stage_if(p_.factors != FactorSource::fused, "sound.coefficients",
                                       "tridiagonal matrix of vertical sound in each column", 0, 3);
  Stage factors_stage_ = stage_if(p_.factors == FactorSource::kept, "sound.factors",
                                  "factorisation of the tridiagonal matrix of each column", 0, 5);
  Stage sound_divergence_ = stage("sound.divergence", "mass flux divergence whose damping calms sound", 0, 4);
  Stage sound_u_ = stage("sound.u", "u by the pressure gradient, forward over a small step", 0, 5);
  Stage sound_v_ = stage("sound.v", "v by the pressure gradient, forward over a small step", 0, 5);
  Stage start_theta_ = stage_if(p_.small_theta, "sound.start_theta",
                                "theta' half a small step ahead of w, where it steps with sound", 2, 1);
  Stage sound_buoyancy_ = stage_if(p_.small_theta, "sound.buoyancy",
                                   "rate of w with the buoyancy of theta' that steps with sound", 0, 3);
  Stage sound_theta_ = stage_if(p_.small_theta, "sound.theta",
                                "theta' of the base state's air that w lifts in a small step", 1, 3);
  Stage slope_stage_ = stage_if(Ground<S>::terrain, "sound.slope",
                                "flow through sloping levels that the horizontal wind makes", 0, 5);
  Stage solve_ = stage("sound.solve", "w and p' of each column, implicit over a small step", 0,
                       p_.radiative_lid ? 12 : 17);
  Stage form_rain_ = stage_if(p_.humid, "rain.form", "cloud becomes rain, which evaporates", 10);
  Stage fall_ = stage_if(p_.humid, "rain.fall", "rain falls", 4);
  Stage saturate_ = stage_if(p_.humid, "rain.saturate", "vapour condenses, cloud evaporates", 9);
  Stage end_ = stage("sound.end", "u, v, w and p' with their deviations after the last small step", 8, 4);
  Stage relative_volume_stage_ =
      stage_if(p_.full_density, "lightness", "density of the base state over the air's", 2, 1);
  Stage open_rate_u_ =
      stage_if(p_.open_x(), "rate_open_u", "radiation through open sides along x", 4.0 / p_.nx, 2.0 / p_.nx);
  Stage open_rate_v_ =
      stage_if(p_.open_y(), "rate_open_v", "radiation through open sides along y", 4.0 / p_.ny, 2.0 / p_.ny);
  Stage open_u_ =
      stage_if(p_.open_x(), "sound.open_u", "radiation through open sides along x", 2.0 / p_.nx, 8.0 / p_.nx);
  Stage open_v_ =
      stage_if(p_.open_y(), "sound.open_v", "radiation through open sides along y", 2.0 / p_.ny, 8.0 / p_.ny);
  Stage open_speed_u_ =
      stage_if(speed_u_ != nullptr, "open_speed_u", "speed through open sides along x", 8.0 / p_.nx);
  Stage open_speed_v_ =
      stage_if(speed_v_ != nullptr, "open_speed_v", "speed through open sides along y", 8.0 / p_.ny);
  std::vector<Carried<T, Executor>> carried_ = carry();

  /// A radiative lid: its fields in planes, and its stages, which run between the two parts of the solve.
  struct Lid {
    Ref<T> known, plane;
    Array<T, Executor> stiffness;  ///< K of the first column of all
    std::vector<Outgoing> told;    ///< K to the other ranks, by the first
    std::vector<Incoming> heard;
    std::unique_ptr<PoissonPhases<T>> waves;
    Stage start, stiffness_stage, right, forward, solve, inverse, wind, substitute, end;
  };
  std::unique_ptr<Lid> make_lid() {
    if (!p_.radiative_lid) return nullptr;
    PoissonGrid plane;
    plane.nx = p_.whole_nx;
    plane.ny = p_.whole_ny;
    plane.nz = 1;
    // A row has room for its wavenumbers, wherever the block lies.
    std::int64_t const row = blocks_.along_x().parts > 1 ? p_.nx + 2 : 2 * plane.modes_x();
    Layout const layout{
        {{p_.ny, row, p_.whole_ny, p_.first_y}, {p_.nx, 1, p_.whole_nx, p_.first_x}}, 0, p_.ny * row};
    Array<T, Executor> stiffness(executor_, 1);
    auto* const k = stiffness.view().data();
    std::vector<Outgoing> told;
    std::vector<Incoming> heard;
    if (auto const* const team = link_.ranks(); link_.several()) {
      if (team->rank() > 0) heard.push_back({0, k, sizeof(T)});
      for (int rank = 1; team->rank() == 0 && rank < team->size(); ++rank)
        told.push_back({rank, k, sizeof(T)});
    }
    // The link is this object's, which outlives the phases.
    std::shared_ptr<Link<Executor>> const link(std::shared_ptr<void>{}, &link_);
    auto waves = make_lid_phases<T>(executor_, plane, PoissonShare{blocks_, p_.ny * row, row}, link,
                                    lid_impedance(heights_, air_at_lid(heights_, base_)), k);
    auto const add = [&](char const* name, char const* doc, double bytes) {
      return stages_.add({std::string("fdm.lid.") + name, doc, bytes, Guarantee::bitwise});
    };
    /// Adds a stage that moves so many values of the state's type, and of the small steps', a column.
    auto const in_planes = [&](char const* name, char const* doc, double values, double small = 0) {
      return add(name, doc, (values * sizeof(T) + small * sizeof(S)) * static_cast<double>(columns().size()));
    };
    auto const phases = waves->minimal_bytes();
    return std::unique_ptr<Lid>(new Lid{
        work<T>("lid_pressure", "Pa", column_layout(p_)), work<T>("lid_waves", "1", layout),
        std::move(stiffness), std::move(told), std::move(heard), std::move(waves),
        in_planes("start", "p' at the lid of the state in which a part of the step begins",
                  4 + (p_.humid ? 3 : 0) + (p_.full_density ? 1 : 0)),
        add("stiffness", "how w at the lid of the first column changes p' below it", sizeof(T)),
        in_planes("right", "right-hand side of w at the lid", 3, p_.small_theta ? 6 : 5),
        add("forward", "to wavenumbers along the lid", phases[0]),
        add("waves", "w at the lid of each wave", phases[1]), add("inverse", "back to columns", phases[2]),
        in_planes("wind", "change of w at the lid", 2, 1),
        stage("lid.substitute", "w and p' below the lid", 0, 5),
        in_planes("end", "w at the lid at the end of the small steps", p_.leapfrog ? 4 : 2, 1)});
  }
  std::unique_ptr<Lid> lid_ = make_lid();
};

}  // namespace ulpine::fdm
