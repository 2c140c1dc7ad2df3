// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ensembles/study/plan.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::test {

/// Makes the core `toy` known: two chaotic fields (Lorenz 1996, along rows and along columns, coupled through
/// their mean) that carry two tracers on a periodic grid. Small, in all host policies, with the names of the
/// sea-ice output, so that studies of it exercise all that studies of a real core do. Keys besides the grid
/// and the time: `toy.sleep_ms` a step; `toy.blow_up_policy` and `toy.blow_up_step`: that policy's state
/// becomes NaN there, or `toy.blow_up_value`, and siu has a range of 1e6 m s-1 then; `toy.unsolved_policy`
/// and `toy.unsolved_step`: that policy's system is not solved there, at step 0 already where the model is
/// made; `toy.stuck_step`: it takes no time; `toy.quad`: it can run in `quad`, too; `toy.amplify_policy`:
/// makes that policy's forcing 5 % stronger; `toy.adaptive`: steps are 1, 1.1 and 1.2 times time.step long,
/// in turn; `toy.forgetful_restart`: a restart comes back with one value rounded to float; `toy.shy`: so does
/// a call to advance() that is watched; `toy.still`: steps leave all as it is; `toy.diagnose`: a last stage,
/// `toy.diagnosis`, makes a `speed` that nothing is made of. `plain_toy` is the same model with no
/// evaluations of its own, `doubled_toy` with one that has the name of a field.
void register_toy_model();

/// A case of it on a 24 x 20 grid: 12 steps of 60 s, output every 240 s.
std::string toy_case();

/// Two policies, two assemblies, two amplitudes, three members of the deterministic ones: 16 runs.
ensembles::StudyOptions toy_study();

}  // namespace ulpine::test
