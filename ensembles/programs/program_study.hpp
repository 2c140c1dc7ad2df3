// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ensembles/study/case_source.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::ensembles {

/// Whether the case names a program; false where it cannot be read, which whoever uses it tells.
bool names_program(CaseSource const& source);

/// `study` with the variants of the program that the case names; as it is for the case of a core.
StudyOptions with_variants(CaseSource const& source, StudyOptions study);

}  // namespace ulpine::ensembles
