// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/stress_equation.hpp"

namespace ulpine::seaice {

/// Strain rate and internal stress of the ice in a sub-step; `Equation` is a StressEquation.
template <class Equation>
class Stress final : public Part {
  using D = typename Equation::Domain;
  using P = typename Equation::Policy;
  using Maps = typename Equation::Maps;
  using V = typename D::V;
  using Matrices = typename Equation::Matrices;
  using Rheology = typename Equation::Rheology;

 public:
  explicit Stress(Equation const& equation) : d_{equation.d}, equation_{equation} {
    using S = typename D::S;
    constexpr auto gradient = Maps::cycle_bytes((S::spherical ? 3 : 2) * S::stress * S::nodes),
                   relaxation = 2 * D::tensor + D::points + Maps::cycle_bytes(S::stress * S::gauss) +
                                Maps::shape_bytes;
    d_.declare(this, stage::strain, "seaice.strain", "strain rate of the ice from its velocity",
               D::velocity + gradient + Maps::shape_bytes + D::tensor);
    d_.declare(this, stage::stress, "seaice.stress",
               "internal stress of the ice, moved by 1 / alpha of the way to the viscous-plastic law",
               D::tensor + relaxation);
    d_.declare(this, stage::strain_stress, "seaice.strain_stress",
               "strain rate and internal stress of the ice in one pass", D::velocity + gradient + relaxation);
    d_.declare(nullptr, stage::substeps, "seaice.substeps",
               "several iterations of stress and velocity (mEVP sub-steps) in one pass",
               2 * D::tensor + D::points + D::equation + D::nodal * D::flag);
  }
  void compute(stage::Id id, StageArguments const&) override {
    if (id == stage::strain) return update_strain();
    if (id == stage::stress) return update_stress();
    update_both(d_.all_cells());
  }
  void take_substep() override {
    d_.run_stage(stage::strain);
    d_.run_stage(stage::stress);
  }
  void take_substep_at_once(std::int32_t beyond) override { update_both(d_.cells_within(beyond)); }

 private:
  void update_strain() {
    auto& f = d_.f;
    d_.run(stage::strain, d_.cells.extent(),
           StrainUpdate<P, V, Matrices>{equation_.strain_rate(), d_.strain()},
           {&f.strain_xx, &f.strain_yy, &f.strain_xy});
  }
  void update_stress() {
    auto& f = d_.f;
    d_.run(stage::stress, d_.cells.extent(),
           StressUpdate<P, V, Matrices, Rheology>{equation_.relaxation(),
                                                  d_.template strain<typename D::Compute const>()},
           {&f.stress_xx, &f.stress_yy, &f.stress_xy});
  }
  /// In the cells of `range` at least.
  void update_both([[maybe_unused]] CellRange const& range) {
    if constexpr (D::fuses) {
      auto& f = d_.f;
      d_.run_on_cells(
          stage::strain_stress, range,
          StrainStressUpdate<P, V, Matrices, Rheology>{equation_.strain_rate(), equation_.relaxation()},
          {&f.stress_xx, &f.stress_yy, &f.stress_xy});
    } else {
      take_substep();
    }
  }

  D& d_;
  Equation equation_;
};

}  // namespace ulpine::seaice
