// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ensembles/study/case_source.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::ensembles {

/// Whether the case names a program; false where it cannot be read, which whoever uses it tells.
bool names_program(CaseSource const& source);

/// Whether the case names a program whose members can get no noise; false where it cannot be read.
bool has_no_noise(CaseSource const& source);

/// `study` with the variants of the program that the case names, without members where these can get no
/// noise; as it is for the case of a core.
StudyOptions with_variants(CaseSource const& source, StudyOptions study);

}  // namespace ulpine::ensembles
