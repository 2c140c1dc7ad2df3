// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/field/field.hpp"
#include "core/poisson/phases.hpp"
#include "core/stage/side_messages.hpp"

namespace ulpine::les {

/// A transform of the pressure, forward or back, as a stage, and the stages of work() beside what it sends
/// (SideMessages).
template <bool forward, class S, class Executor, class Work>
void transform_beside(SideMessages<Executor>& messages, StageRunner& stages, Stage stage,
                      PoissonPhases<S>& poisson, FieldOf<S, Executor>& pressure, Work const& work) {
  auto* const planes = pressure.grid().first;
  messages.beside(
      stages, stage, {&pressure}, [&] { forward ? poisson.forward(planes) : poisson.inverse(planes); },
      [&] { forward ? poisson.begin_forward(planes) : poisson.begin_inverse(planes); }, work,
      [&] { forward ? poisson.end_forward(planes) : poisson.end_inverse(planes); });
}

}  // namespace ulpine::les
