// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ensembles/study/manifest.hpp"

namespace ulpine::ensembles {

/// Brings the state of `entry`, whose run ended with an error that says `reason`, and the files of the run
/// into agreement: its run.json says why it failed, which is where results take it from. What a run itself
/// has recorded stays; one that ended before it had a record, as where its model could not be made, gets one.
/// EnvironmentError where that cannot be written.
void record_failure(std::filesystem::path const& study, Manifest const& manifest, ManifestEntry& entry,
                    std::string const& reason);

/// Why the run in `folder` failed, as its run.json tells; empty where it did not, or where there is no
/// run.json that can be read.
std::optional<std::string> failure_in(std::filesystem::path const& folder);

}  // namespace ulpine::ensembles
