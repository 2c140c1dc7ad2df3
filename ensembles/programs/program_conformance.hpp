// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ensembles/programs/compared_variants.hpp"
#include "ensembles/reproducibility/conformance.hpp"

namespace ulpine::ensembles {

/// Whether a program keeps what studies of it rest on. The first of `request.variants` (empty: of the case)
/// is the reference; the others, as on other threads or ranks, are to give its bits.
///   repetition      three runs have the same output, bit by bit
///   side by side    and two at the same time, so that runs share nothing
///   configurations  the others have the output of the first
///   unwatched       whether the probe watches does not change the output
///   planted ulp     one unit in the last place of a field with noise is seen by the probe there
///   noise           members differ from each other and from the run without noise, and a member is itself
///   again
/// Those that need the probe or noise are left out where the program or the case has none. RunFailed for a
/// run that fails; InputError; Interrupted.
std::vector<ConformanceCheck> check_program(VariantsRequest const& request);

}  // namespace ulpine::ensembles
