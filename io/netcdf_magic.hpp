// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ulpine::io {

/// Whether the first bytes of a file say that it is NetCDF, whatever its name: those of a classic file ("CDF"
/// and version 1, 2 or 5) at its start, or the signature of HDF5 at byte 0, 512, 1024, 2048, ... (HDF5 File
/// Format Specification, section II.A: a block of the user's may come first). False where it is no ordinary
/// file or cannot be read.
bool has_netcdf_magic(std::filesystem::path const& path);

}  // namespace ulpine::io
