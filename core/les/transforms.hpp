// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/field/field.hpp"
#include "core/poisson/phases.hpp"
#include "core/stage/side_messages.hpp"

namespace ulpine::les {

/// A transform of the pressure as a stage, and the stages of work() beside what it sends (SideMessages).
template <class S, class Executor, class Work>
void forward_beside(SideMessages<Executor>& messages, StageRunner& stages, Stage stage,
                    PoissonPhases<S>& poisson, FieldOf<S, Executor>& pressure, Work const& work) {
  auto* const planes = pressure.grid().first;
  messages.beside(
      stages, stage, {&pressure}, [&] { poisson.forward(planes); }, [&] { poisson.begin_forward(planes); },
      work, [&] { poisson.end_forward(planes); });
}
template <class S, class Executor, class Work>
void inverse_beside(SideMessages<Executor>& messages, StageRunner& stages, Stage stage,
                    PoissonPhases<S>& poisson, FieldOf<S, Executor>& pressure, Work const& work) {
  auto* const planes = pressure.grid().first;
  messages.beside(
      stages, stage, {&pressure}, [&] { poisson.inverse(planes); }, [&] { poisson.begin_inverse(planes); },
      work, [&] { poisson.end_inverse(planes); });
}

}  // namespace ulpine::les
