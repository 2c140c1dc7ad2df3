// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "core/seaice/solver_maps.hpp"
#include "core/seaice/substeps_launch.hpp"
#include "core/seaice/tensor_stress.hpp"

namespace ulpine::seaice {

/// A solver with all of its choices: the stages of the sub-cycle that round to the format of operands or know
/// the rheology.
template <class P, class S, class Executor, MapsKind maps_kind, template <class> class Law>
class SolverOf final : public SolverWithMaps<ScalarsOf<P>, S, Executor, maps_kind> {
  using Base = SolverWithMaps<ScalarsOf<P>, S, Executor, maps_kind>;

 public:
  SolverOf(Executor executor, Assembly assembly, Setup const& setup)
      : Base(executor, assembly, setup),
        launcher_(executor, cells_, NodeLattice<1>{cells_.nx, cells_.ny},
                  assembly == Assembly::deterministic ? parameters_.substep_method : SubstepMethod::one_pass,
                  parameters_.sharers, group_of(parameters_.substeps - 1)) {
    if (convergence_) convergence_->on_demand([this] { measure_convergence(); });
    this->set_up(
        setup, shared_maps,
        [this](std::int64_t cell, auto const& element) { maps_.template set<P>(cell, element); },
        &TrafficModel<Plain, S, maps_kind>::bytes);
    maps_.finish();
  }

  std::int64_t other_bytes() const override { return Base::other_bytes() + launcher_.bytes(); }

  void update_strength() override {
    run(stage::strength, cells_or_points(),
        StrengthUpdate<P, Plane, Rheology>{cells_, f_.h.view(), f_.a.view(), f_.mask.view(),
                                           rounded_.tracer_psi, Rheology{}, f_.coefficient.view()},
        {&f_.coefficient});
  }
  void update_strain() override {
    run(stage::strain, cells_.extent(),
        StrainUpdate<P, V, StressMatrices>{strain_evaluator(),
                                           tensor_of<Compute>(f_.strain_xx, f_.strain_yy, f_.strain_xy)},
        {&f_.strain_xx, &f_.strain_yy, &f_.strain_xy});
  }
  void update_stress() override {
    run(stage::stress, cells_.extent(),
        StressUpdate<P, V, StressMatrices, Rheology>{stress_relaxer(), strain()},
        {&f_.stress_xx, &f_.stress_yy, &f_.stress_xy});
  }
  void update_strain_and_stress() override { update_strain_and_stress(this->all_cells()); }
  void fused_substeps(int count) override {
    if (count == 0) return;
    if constexpr (!fuses) return this->staged_substeps(1, count);
    stages_.graph("fused substeps", executor_, [&] {
      for (int done = 0; done < count;) {
        auto const end = done + group_of(count - done);
        for (int k = done + blocked_substeps(end - done); k < end; ++k) {
          // Computed are only those cells of the margin that sub-steps before the next exchange need.
          auto const right = block_ ? block_->halo - (k - done) : 0;
          update_strain_and_stress(this->cells_within(right));
          Base::update_divergence_and_velocity(this->cells_within(right - 1));
        }
        done = end;
        this->exchange_after(done);
      }
    });
  }

 private:
  using Base::block_;
  using Base::cells_;
  using Base::convergence_;
  using Base::executor_;
  using Base::f_;
  using Base::fuses;
  using Base::gathers;
  using Base::maps_;
  using Base::momentum;
  using Base::nodes_;
  using Base::parameters_;
  using Base::run;
  using Base::shared_maps;
  using Base::stages_;
  using Base::stepped_;
  using Base::strain;
  using Base::tables_;
  using typename Base::Compute;
  using typename Base::Plane;
  using typename Base::State;
  using typename Base::V;
  using Plain = ScalarsOf<P>;
  using Rheology = Law<Compute>;
  using StressMatrices = typename Base::Maps::StressStore::Matrices;
  /// Where there are kernels that take several sub-steps at once.
  static constexpr bool blocks_substeps =
      Executor::on_device && shared_maps && S::cg == 1 && !S::spherical && !is_common_only<Law>;
  using Launcher = std::conditional_t<blocks_substeps, SubstepLauncher<P, Rheology>, NoSubstepLauncher>;

  /// Updates strain and stress in the cells of `range` at least.
  void update_strain_and_stress([[maybe_unused]] CellRange const& range) {
    if constexpr (!fuses) {
      update_strain();
      update_stress();
    } else {
      this->run_on_cells(
          stage::strain_stress, range,
          StrainStressUpdate<P, V, StressMatrices, Rheology>{strain_evaluator(), stress_relaxer()},
          {&f_.stress_xx, &f_.stress_yy, &f_.stress_xy});
    }
  }
  /// The extent over which the ice strength is computed: points where loops are vectorised, else cells.
  auto cells_or_points() const {
    if constexpr (std::is_floating_point_v<State> && VectorisingHost<Executor>) {
      return Extent3{cells_.nx, cells_.ny, S::gauss};
    } else {
      return cells_.extent();
    }
  }
  /// How many of the next `substeps` sub-steps come before an exchange of halos.
  int group_of(int substeps) const { return block_ ? std::min(substeps, block_->halo) : substeps; }
  Compute inverse_alpha() const { return Compute(1) / Compute(parameters_.alpha); }
  auto strain_evaluator() const {
    return StrainEvaluator<P, V, StressMatrices>{cells_, nodes_, f_.u.view(), f_.v.view(),
                                                 maps_.stress.view()};
  }
  auto stress_relaxer() const {
    return StressRelaxer<P, V, StressMatrices, Rheology>{
        cells_,
        f_.coefficient.view(),
        maps_.stress.view(),
        OnTensorCores<P, V, StressMatrices> ? tables_.shear_psi : rounded_.stress_psi,
        Rheology{},
        inverse_alpha(),
        tensor_of<Compute>(f_.stress_xx, f_.stress_yy, f_.stress_xy)};
  }
  /// Takes sub-steps out of `count` in passes of several; how many.
  int blocked_substeps([[maybe_unused]] int count) {
    if constexpr (blocks_substeps) {
      if (!gathers()) return 0;
      SubcycleState<P> const state{f_.u.view().data(), f_.v.view().data(),
                                   tensor_of<Compute>(f_.stress_xx, f_.stress_yy, f_.stress_xy)};
      Subcycle<P, Rheology> const cycle{cells_,
                                        nodes_,
                                        maps_.stress.view(),
                                        maps_.divergence.view(),
                                        rounded_.stress_psi,
                                        Rheology{},
                                        inverse_alpha(),
                                        f_.coefficient.view(),
                                        momentum(),
                                        f_.moves.view()};
      for (int launch = 0; launch < launcher_.launches(count); ++launch) {
        stages_.call(static_cast<Stage>(stage::substeps), executor_,
                     [&] { launcher_.run(launch, count, cycle, state); },
                     {&f_.u, &f_.v, &f_.stress_xx, &f_.stress_yy, &f_.stress_xy});
      }
      return launcher_.taken(count);
    } else {
      return 0;
    }
  }
  /// Measures, on copies, by how much another sub-step would change velocity and stress if it went all the
  /// way.
  void measure_convergence() {
    auto& c = *convergence_;
    if (!stepped_) return c.clear();
    c.u.copy_from(f_.u);
    c.v.copy_from(f_.v);
    auto undamped = momentum();
    undamped.law.beta = State(0);
    for_each(executor_, nodes_.extent(),
             VelocityUpdate<Plain, typename V::Plane>{undamped, nodes_, f_.force_x.view(), f_.force_y.view(),
                                                      c.u.view(), c.v.view()});
    for_each(executor_, nodes_.extent(),
             BoundaryStop<State, typename V::Plane>{nodes_, f_.moves.view(), c.u.view(), c.v.view()});
    auto const rates = tensor_of<Compute>(c.strain[0], c.strain[1], c.strain[2]);
    auto undamped_relaxer = stress_relaxer();
    undamped_relaxer.inverse_alpha = Compute(1);
    undamped_relaxer.stress = tensor_of<Compute>(c.stress[0], c.stress[1], c.stress[2]);
    c.stress[0].copy_from(f_.stress_xx);
    c.stress[1].copy_from(f_.stress_yy);
    c.stress[2].copy_from(f_.stress_xy);
    for_each(executor_, cells_.extent(), StrainUpdate<P, V, StressMatrices>{strain_evaluator(), rates});
    for_each(executor_, cells_.extent(),
             StressUpdate<P, V, StressMatrices, Rheology>{undamped_relaxer, {rates.xx, rates.yy, rates.xy}});
    c.measure(executor_, cells_, nodes_, f_, tables_.stress_squares);
  }

  FormatTables<P, S> rounded_;
  Launcher launcher_;
};

}  // namespace ulpine::seaice
