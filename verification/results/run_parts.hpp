// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace ulpine::verification {

/// The earlier parts of a run that went on from restarts in one folder, from the first: `output-1.nc`,
/// `output-2.nc`, ... beside `output`, as far as they are there. None where `output` has another name than
/// `output.nc`; it need not exist.
std::vector<std::filesystem::path> parts_before(std::filesystem::path const& output);

/// The output of the run whose own folder this is, all its parts in the order of their times; empty where the
/// folder has no `output.nc` beside a `run.json` or `restart.nc`.
std::vector<std::filesystem::path> output_of_run(std::filesystem::path const& folder);

}  // namespace ulpine::verification
