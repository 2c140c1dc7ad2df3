// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/limits.hpp"
#include "core/fdm/part.hpp"
#include "core/fdm/sound.hpp"

namespace ulpine::fdm {

/// Small steps of what sound changes: the wind along the levels forward, w and p' of each column implicitly.
template <class D>
class Sound final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::SmallGround;
  using Executor = typename D::Executor;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::duration_key(
            "sound.longest_step", "1 s", 1e-9, longest_step,
            "longest small step, in which sound is carried; it must be less than sound takes to cross "
            "a cell along x or y"),
        io::choice_key("sound.theta",
                       {{"big", "theta' takes whole steps"},
                        {"small",
                         "what the wind lifts of the base state's theta, and its buoyancy, take small steps: "
                         "for steps that are long beside 1/N"}},
                       "steps in which buoyancy oscillations are followed"),
        io::number_key("sound.implicitness", 0.6, 0.5, 1,
                       "weight of the new time level in vertical sound: 0.5 keeps its energy, more damps it"),
        io::number_key(
            "sound.divergence_damping", 0.05, 0, 1,
            "strength of the damping of sound's divergence: its viscosity is this times the grid length "
            "squared over the small step"),
        io::choice_key("sound.damping",
                       {{"isotropic", "one strength, by the shortest grid length"},
                        {"anisotropic", "along and across the levels apart, for cells much wider than high"}},
                       "grid lengths that the damping of divergence is scaled by"),
        io::choice_key(
            "sound.coefficients",
            {{"consistent", "those that follow from the equations of w and p'"},
             {"arps", "those of ARPS, in which the buoyancy of p' has the mean pressure of two cells"}},
            "coefficients of the implicit solve of vertical sound in each column"),
        io::choice_key(
            "sound.factors",
            {{"kept", "made once in each part of a step"},
             {"stored", "made anew in every small step, as ARPS does"},
             {"fused", "made within the solve, and never stored"}},
            "when the tridiagonal matrices of vertical sound are factorised; the results are the same to "
            "the bit"),
    };
  }
  explicit Sound(D& d) : d_{d} {
    d.template work<S>("change_u", "m s-1", d.at_u);
    d.template work<S>("change_v", "m s-1", d.at_v);
    d.template work<S>("change_w", "m s-1", d.at_w);
    d.template work<S>("change_p", "Pa", d.centre);
    d.template work<S>("change_slope", "m s-1", d.at_w);
    d.template work<S>("change_divergence", "kg m-3 s-1", d.centre);
    if (d.p.small_theta) {
      d.template work<S>("change_theta", "K", d.centre);
      d.template work<S>("forced_w", "m s-2", d.at_w);
    }
    for (auto const* name : {"below", "here", "above"}) d.template work<S>(name, "1", d.at_w);
  }

  void declare_stages() override {
    auto const& p = d_.p;
    clear_ = d_.stage("sound.clear",
                      "deviations of u, v, w and p' from the state are 0 before the first small step", 0, 5);
    if (p.factors != FactorSource::fused) {
      coefficients_ =
          d_.stage("sound.coefficients", "tridiagonal matrix of vertical sound in each column", 0, 3);
    }
    if (p.factors == FactorSource::kept) {
      factors_ = d_.stage("sound.factors", "factorisation of the tridiagonal matrix of each column", 0, 5);
    }
    divergence_ = d_.stage("sound.divergence", "mass flux divergence whose damping calms sound", 0, 4);
    u_ = d_.stage("sound.u", "u by the pressure gradient, forward over a small step", 0, 5);
    v_ = d_.stage("sound.v", "v by the pressure gradient, forward over a small step", 0, 5);
    if (p.small_theta) {
      start_theta_ = d_.stage("sound.start_theta",
                              "theta' half a small step ahead of w, where it steps with sound", 2, 1);
      buoyancy_ =
          d_.stage("sound.buoyancy", "rate of w with the buoyancy of theta' that steps with sound", 0, 3);
      theta_ = d_.stage("sound.theta", "theta' of the base state's air that w lifts in a small step", 1, 3);
    }
    if (D::terrain) {
      slope_ = d_.stage("sound.slope", "flow through sloping levels that the horizontal wind makes", 0, 5);
    }
    solve_ = d_.stage("sound.solve", "w and p' of each column, implicit over a small step", 0,
                      p.radiative_lid ? 12 : 17);
  }

  void prepare_small_steps(SmallSteps const& steps) override {
    std::array<FieldOf<S, Executor>*, 5> const changes{&*d_.change_u, &*d_.change_v, &*d_.change_w,
                                                       &*d_.change_p, &*d_.change_divergence};
    d_.stages.call(clear_, d_.executor,
                   [&] {
                     for (auto* field : changes) field->fill_zero();
                   },
                   {changes.begin(), changes.end()});
    if (!d_.relative_volume.declared()) keep_factors(steps);
  }

  void begin_small_steps(SmallSteps const& steps) override {
    // Of the air's own density, which changes in each part of a step.
    if (d_.relative_volume.declared()) keep_factors(steps);
    if (!d_.p.small_theta) return;
    auto const& theta = d_.scalars.front();
    d_.run(start_theta_, d_.extent(),
           StartTheta<T, S>{std::as_const(theta.start).grid(), std::as_const(theta.now).grid(),
                            d_.change_theta.out()},
           {d_.change_theta});
    step_theta(static_cast<S>(steps.length) / S(2));
  }

  void push_wind(SmallSteps const& steps, int number) override {
    if (number > 0) {
      d_.run(divergence_, d_.extent(),
             SoundDivergence<S, Ground>{d_.small.grid, d_.small.ground(), d_.deviations()},
             {d_.change_divergence});
    }
    auto const u = [&](auto const& run) { run(u_, d_.faces(true), wind<true>(steps), {d_.change_u}); };
    auto const v = [&](auto const& run) { run(v_, d_.faces(false), wind<false>(steps), {d_.change_v}); };
    auto const whole = d_.stages.running_by(d_.executor);
    if (number == 0) {
      u(whole);
      v(whole);
      return;
    }
    std::array<Rows<S>, 2> const fields{d_.change_p.out(), d_.change_divergence.out()};
    Halo<S> const brought{d_.exchange_sound, fields, d_.sound_width, d_.sound_levels()};
    auto const margin = [](LateralBoundary side) { return side == LateralBoundary::neighbour ? 1 : 0; };
    auto const& sides = d_.sides;
    // A component needs the halo across its own axis alone. Where both are cut, rows are the rim that a
    // device reads faster.
    if (d_.exchange.overlaps(d_.stages) && d_.blocks.along_x().parts > 1) {
      d_.exchange.before_stage(d_.stages, brought, {0, 0, margin(sides.south), margin(sides.north)}, v);
      u(whole);
    } else {
      d_.exchange.before_stage(d_.stages, brought, {margin(sides.west), margin(sides.east), 0, 0}, u);
      v(whole);
    }
  }

  void solve_columns(SmallSteps const& steps, int) override {
    if constexpr (D::terrain) {
      d_.run(slope_, d_.extent(), SoundSlope<S, Ground>{d_.small.grid, d_.small.ground(), d_.deviations()},
             {d_.change_slope});
    }
    if (d_.p.small_theta) {
      d_.run(
          buoyancy_, d_.inner_faces(),
          SoundBuoyancy<S, Ground>{d_.small.ground(), d_.small_step(steps).gravity, d_.relative_volume.in(),
                                   d_.change_theta.in(), d_.rate_w.in(), d_.forced_w.out()},
          {d_.forced_w});
    }
    if (d_.p.factors == FactorSource::stored) make_coefficients(steps);
    d_.with_factors([&]<FactorSource source>() {
      auto kernel = d_.template column_solve<source>(steps);
      // A radiative lid gives w there before the substitution.
      if (d_.p.radiative_lid) kernel.part = SolvePart::elimination;
      // Where the factors are not there before, it leaves them in place of the coefficients.
      if constexpr (source == FactorSource::kept) {
        d_.run(solve_, d_.columns(), kernel, {d_.change_w, d_.change_p});
      } else {
        d_.run(solve_, d_.columns(), kernel, {d_.change_w, d_.change_p, d_.above});
      }
    });
  }

  void end_small_step(SmallSteps const& steps, int number) override {
    if (!d_.p.small_theta) return;
    auto const length = static_cast<S>(steps.length);
    step_theta(number + 1 < steps.count ? length : length / S(2));
  }

 private:
  template <bool of_u>
  SoundWind<S, Ground, of_u> wind(SmallSteps const& steps) const {
    return {d_.small.grid, d_.small.ground(), d_.small_step(steps), d_.rim(), d_.deviations(), d_.rates()};
  }
  void make_coefficients(SmallSteps const& steps) {
    d_.run(coefficients_, d_.inner_faces(),
           SoundCoefficients<S, Ground>{d_.column_equation(steps), d_.coefficients()},
           {d_.below, d_.here, d_.above});
  }
  void keep_factors(SmallSteps const& steps) {
    if (d_.p.factors != FactorSource::kept) return;
    make_coefficients(steps);
    d_.run(factors_, d_.columns(), SoundFactors<S>{d_.p.nz, d_.coefficients()}, {d_.here, d_.above});
  }
  void step_theta(S length) {
    d_.run(theta_, d_.extent(),
           SoundTheta<T, S, Ground>{d_.small.ground(), length, d_.change_w.in(),
                                    std::as_const(d_.scalars.front().rate).grid(), d_.change_theta.out()},
           {d_.change_theta});
  }

  D& d_;
  Stage clear_{}, coefficients_{}, factors_{}, divergence_{}, u_{}, v_{}, start_theta_{}, buoyancy_{},
      theta_{}, slope_{}, solve_{};
};

}  // namespace ulpine::fdm
