// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/commands.hpp"

namespace ulpine::cli {

/// Whether the files of this name hold recorded fields (fields.bin). InputError where nothing is of that
/// name.
bool holds_fields(std::filesystem::path const& name);

/// A table of what is recorded: a line for each field of each stage.
std::string list_fields(std::filesystem::path const& name, bool partial);

/// Writes all fields to CF NetCDF at `output`, the parts of ranks put together: a variable for each field of
/// each stage and place in the loops within a step, a time for each step. Elements that nobody recorded are
/// missing. InputError where the file is not whole and `partial` is false, fields contradict each other, or
/// `output` is a file of others.
void export_fields(std::filesystem::path const& name, std::filesystem::path const& output, bool overwrite,
                   bool partial);

}  // namespace ulpine::cli
