// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ulpine::ensembles {

/// Why the run in `folder` failed, as its run.json tells; empty where it did not, or where there is no
/// run.json that can be read.
std::optional<std::string> failure_in(std::filesystem::path const& folder);

}  // namespace ulpine::ensembles
