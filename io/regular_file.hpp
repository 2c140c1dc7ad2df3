// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ulpine::io {

/// InputError where something of that name exists and is no ordinary file but a folder, pipe, device, socket
/// or one of the kernel's (/proc, /sys): to read it could wait or go on for ever. What is missing is for the
/// reader to say.
void require_regular_file(std::filesystem::path const& path);

/// More than any file of JSON, log or trace has that can be worked with.
inline constexpr std::uint64_t largest_content = std::uint64_t{1} << 36;
/// The whole file. InputError where it is no ordinary one, or has more than `most` bytes or half of the
/// memory of the host; nothing where it is not there or cannot be read: errno says why.
std::optional<std::string> regular_file_content(std::filesystem::path const& path,
                                                std::uint64_t most = largest_content);

}  // namespace ulpine::io
