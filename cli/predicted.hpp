// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"

namespace ulpine::cli {

/// `cases --stages CASE --on CARD`: what each stage and each policy's step is predicted to take.
int predict_stages(CasesOptions const& options);
/// `cases --fit CASE=run.json,... --on CARD`: what measured stages reach of the card's rates.
int fit_card(CasesOptions const& options);

/// Writes `study`/cards.json: what a step of the study's case is predicted to take in each policy on these
/// cards. InputError and EnvironmentError where that cannot be told.
void write_predictions(std::filesystem::path const& study, std::vector<std::string> const& names);

}  // namespace ulpine::cli
