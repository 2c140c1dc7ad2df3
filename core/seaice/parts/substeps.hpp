// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/stress_equation.hpp"
#include "core/seaice/substeps_launch.hpp"

namespace ulpine::seaice {

/// Passes of several sub-steps on a device (Equation::in_blocks); `Equation` is a StressEquation.
template <class Equation>
class Substeps final : public Part {
  using D = typename Equation::Domain;
  using P = typename Equation::Policy;
  using Rheology = typename Equation::Rheology;

 public:
  explicit Substeps(Equation const& equation)
      : d_{equation.d},
        equation_{equation},
        launcher_(d_.executor, d_.cells, d_.nodes,
                  d_.assembly == Assembly::deterministic ? d_.p.substep_method : SubstepMethod::one_pass,
                  d_.p.sharers, d_.group_of(d_.p.substeps - 1)) {}

  int take_substeps(int count) override {
    if (!d_.gathers()) return 0;
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
  std::int64_t bytes() const override { return launcher_.bytes(); }

 private:
  D& d_;
  Equation equation_;
  SubstepLauncher<P, Rheology> launcher_;
};

}  // namespace ulpine::seaice
