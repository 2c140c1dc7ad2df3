// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace ulpine::cli {

/// Says on standard error, a line each, what is to be known of files that are parts of one
/// (io::notes_of_parts()), and as below of the outputs among them.
void tell_of_parts(std::vector<std::filesystem::path> const& files);

/// Says on standard error, a line a file, which of `outputs` are the last part of a run that went on from a
/// restart: the parts before it, `output-N.nc` beside `output.nc`, are left out by who reads one file.
void tell_of_earlier_parts(std::vector<std::filesystem::path> const& outputs);

}  // namespace ulpine::cli
