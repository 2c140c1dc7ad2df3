// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ulpine::io {

/// InputError where something of that name exists and is no ordinary file but a folder, pipe, device or
/// socket: to read it could wait or go on for ever. What is missing is for the reader to say.
void require_regular_file(std::filesystem::path const& path);

}  // namespace ulpine::io
