// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "core/seaice/part.hpp"
#include "core/seaice/stress_equation.hpp"
#include "core/seaice/substeps_launch.hpp"

namespace ulpine::seaice {

/// Passes of several sub-steps, on a device where there are kernels for them; `Equation` is a StressEquation.
template <class Equation>
class Substeps final : public Part {
  using D = typename Equation::Domain;
  using P = typename Equation::Policy;
  using Rheology = typename Equation::Rheology;
  using Launcher = std::conditional_t<Equation::in_blocks, SubstepLauncher<P, Rheology>, NoSubstepLauncher>;

 public:
  explicit Substeps(Equation const& equation)
      : d_{equation.d},
        equation_{equation},
        launcher_(d_.executor, d_.cells, NodeLattice<1>{d_.cells.nx, d_.cells.ny},
                  d_.assembly == Assembly::deterministic ? d_.p.substep_method : SubstepMethod::one_pass,
                  d_.p.sharers, d_.group_of(d_.p.substeps - 1)) {
    d_.declare(nullptr, stage::substeps,
               "several iterations of stress and velocity (mEVP sub-steps) in one pass",
               2 * D::tensor + D::points + D::equation + D::nodal * D::flag);
  }

  int take_substeps(int count) override {
    if constexpr (Equation::in_blocks) {
      if (d_.gathers()) return take(count);
    }
    return 0;
  }
  std::int64_t bytes() const override { return launcher_.bytes(); }

 private:
  int take(int count) {
    auto& f = d_.f;
    SubcycleState<P> const state{f.u.view().data(), f.v.view().data(), d_.stress()};
    Subcycle<P, Rheology> const cycle{
        d_.cells,      d_.nodes,      equation_.maps.stress.view(), equation_.maps.divergence.view(),
        equation_.psi, Rheology{},    equation_.inverse_alpha(),    f.coefficient.view(),
        d_.momentum(), f.moves.view()};
    for (int launch = 0; launch < launcher_.launches(count); ++launch) {
      d_.stages.call(d_.number(stage::substeps), d_.executor,
                     [&] { launcher_.run(launch, count, cycle, state); },
                     {&f.u, &f.v, &f.stress_xx, &f.stress_yy, &f.stress_xy});
    }
    return launcher_.taken(count);
  }

  D& d_;
  Equation equation_;
  Launcher launcher_;
};

}  // namespace ulpine::seaice
