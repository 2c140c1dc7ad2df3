// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/lid.hpp"
#include "core/fdm/lid_impedance.hpp"
#include "core/fdm/lid_phases.hpp"
#include "core/fdm/part.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::fdm {

/// A lid through which gravity waves leave: w there, between the elimination of each column and its
/// substitution.
template <class D>
class Lid final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::Ground;
  using SmallGround = typename D::SmallGround;
  using Executor = typename D::Executor;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::choice_key("lid.kind",
                       {{"rigid", "nothing passes: waves come back unless a sponge damps them"},
                        {"radiative",
                         "linear hydrostatic gravity waves leave (Klemp and Durran 1983); sides must be "
                         "periodic"}},
                       "what the top of the grid does to waves"),
    };
  }
  static bool needed(Parameters const& p) { return p.radiative_lid; }

  explicit Lid(D& d) : d_{d}, stiffness_(d.executor, 1) {
    PoissonGrid plane;
    plane.nx = d.p.whole_nx;
    plane.ny = d.p.whole_ny;
    plane.nz = 1;
    auto const nx = d.p.nx, ny = d.p.ny;
    // A row has room for its wavenumbers, wherever the block lies.
    std::int64_t const row = d.blocks.along_x().parts > 1 ? nx + 2 : 2 * plane.modes_x();
    Layout const layout{
        {{ny, row, d.p.whole_ny, d.p.first_y}, {nx, 1, d.p.whole_nx, d.p.first_x}}, 0, ny * row};
    auto* const k = stiffness_.view().data();
    if (auto const* const team = d.link.ranks(); d.link.several()) {
      if (team->rank() > 0) heard_.push_back({0, k, sizeof(T)});
      for (int rank = 1; team->rank() == 0 && rank < team->size(); ++rank)
        told_.push_back({rank, k, sizeof(T)});
    }
    waves_ = make_lid_phases<T>(d.executor, plane, PoissonShare{d.blocks, ny * row, row}, d.shared_link,
                                lid_impedance(d.heights, air_at_lid(d.heights, d.base)), k);
    known_ = &d.template work<T>("lid_pressure", "Pa", column_layout(d.p));
    plane_ = &d.template work<T>("lid_waves", "1", layout);
  }

  void declare_stages() override {
    auto const phases = waves_->minimal_bytes();
    auto const& p = d_.p;
    start_ = d_.column_stage("lid.start", "p' at the lid of the state in which a part of the step begins",
                             4 + (p.humid ? 3 : 0) + (p.full_density ? 1 : 0));
    stiffness_stage_ =
        d_.byte_stage("lid.stiffness", "how w at the lid of the first column changes p' below it", sizeof(T));
    right_ = d_.column_stage("lid.right", "right-hand side of w at the lid", 3, p.small_theta ? 6 : 5);
    forward_ = d_.byte_stage("lid.forward", "to wavenumbers along the lid", phases[0]);
    solve_ = d_.byte_stage("lid.waves", "w at the lid of each wave", phases[1]);
    inverse_ = d_.byte_stage("lid.inverse", "back to columns", phases[2]);
    wind_ = d_.column_stage("lid.wind", "change of w at the lid", 2, 1);
    substitute_ = d_.stage("lid.substitute", "w and p' below the lid", 0, 5);
    end_ = d_.column_stage("lid.end", "w at the lid at the end of the small steps", p.leapfrog ? 4 : 2, 1);
  }

  void begin_small_steps(SmallSteps const& steps) override {
    d_.run(
        start_, d_.columns(),
        LidStart<T, S, Ground>{d_.big.grid, d_.big.ground(), d_.physics(steps.length), d_.air(), d_.start(),
                               d_.start_divergence.in(), d_.relative_volume.in(), known_->grid()},
        {known_});
  }

  void solve_columns(SmallSteps const& steps, int number) override {
    BelowLid<S, SmallGround> const below{d_.column_equation(steps), d_.above.in()};
    auto* const stiffness = stiffness_.view().data();
    // In all small steps of a part the first column's is the same.
    if (number == 0) {
      d_.call(stiffness_stage_,
              [&] {
                for_each(d_.executor, Extent2{1, 1}, LidStiffness<T, S, SmallGround>{below, stiffness});
                if (d_.link.several()) d_.link.exchange(told_, heard_);
              },
              {});
    }
    auto const start_w = d_.start_w.in();
    Rows<T const> const known = std::as_const(*known_).grid();
    d_.run(right_, d_.columns(),
           LidRight<T, S, SmallGround>{below, d_.deviations(), d_.change_theta.in(), known, start_w,
                                       stiffness, plane_->grid()},
           {plane_});
    waves_->show(d_.stages.watched());
    auto* const plane = Rows<T>(plane_->grid()).first;
    d_.call(forward_, [&] { waves_->forward(plane); }, {plane_});
    d_.call(solve_, [&] { waves_->tridiagonal(plane); }, {plane_});
    d_.call(inverse_, [&] { waves_->inverse(plane); }, {plane_});
    d_.run(wind_, d_.columns(),
           LidWind<T, S>{d_.p.nz, std::as_const(*plane_).grid(), start_w, d_.change_w.out()}, {d_.change_w});
    d_.with_factors([&]<FactorSource source>() {
      auto kernel = d_.template column_solve<source>(steps);
      kernel.part = SolvePart::substitution;
      d_.run(substitute_, d_.columns(), kernel, {d_.change_w, d_.change_p});
    });
  }

  void end_wind(Interval const& interval) override {
    d_.run(end_, d_.columns(),
           LidEnd<T, S>{d_.p.nz, interval.leaps, static_cast<T>(d_.p.asselin), d_.change_w.in(), d_.w.out(),
                        d_.start_w.out()},
           {d_.w, d_.start_w});
  }

  std::int64_t bytes() const override { return stiffness_.bytes() + waves_->work_bytes(); }

 private:
  D& d_;
  FieldOf<T, Executor>*known_ = nullptr, *plane_ = nullptr;
  Array<T, Executor> stiffness_;  ///< K of the first column of all
  std::vector<Outgoing> told_;    ///< K to the other ranks, by the first
  std::vector<Incoming> heard_;
  std::unique_ptr<PoissonPhases<T>> waves_;
  Stage start_{}, stiffness_stage_{}, right_{}, forward_{}, solve_{}, inverse_{}, wind_{}, substitute_{},
      end_{};
};

}  // namespace ulpine::fdm
