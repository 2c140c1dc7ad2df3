// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"

namespace ulpine::cli {

/// `cases --stages CASE --on CARD`: what each stage and each policy's step is predicted to take.
int predict_stages(CasesOptions const& options);
/// `cases --fit CASE=run.json,... --on CARD`: what measured stages reach of the card's rates.
int fit_card(CasesOptions const& options);

}  // namespace ulpine::cli
