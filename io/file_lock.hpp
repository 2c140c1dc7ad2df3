// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ulpine::io {

/// The lock that HDF5 takes on a file by flock(2): readers share it, a writer has it alone.
enum class LockFor { reading, writing };

/// Why HDF5 would not get its lock on `path`, as `<why>) <what to do>`; empty where nothing stands in the
/// way: the lock is free, there is no such file, or HDF5_USE_FILE_LOCKING says that none is taken. To be
/// asked before a file is created, because HDF5 empties it first and takes the lock then; netCDF calls the
/// failure "Permission denied".
std::string lock_problem(std::filesystem::path const& path, LockFor use);

}  // namespace ulpine::io
