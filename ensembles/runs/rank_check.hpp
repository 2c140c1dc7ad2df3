// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ensembles/study/case_source.hpp"

namespace ulpine::ensembles {

/// TooManyRanks (an InputError) where the case's grid is too small for so many ranks, before any of them is
/// started: this process makes the model as the first of them would, up to the first message to another. What
/// else is wrong with the case is left to those who run it.
void require_enough_for_ranks(CaseSource const& source, int ranks);

}  // namespace ulpine::ensembles
