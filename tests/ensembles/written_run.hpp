// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "ensembles/study/manifest.hpp"

namespace ulpine::test {

/// run.json of a finished run whose files are written by hand, as the run itself would have left it beside
/// `output.nc` in its folder of `study`.
void write_run_record(std::filesystem::path const& study, ensembles::Manifest const& manifest,
                      ensembles::PlannedRun const& run, std::string const& hash, double end_s,
                      double final_volume);

}  // namespace ulpine::test
