// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

namespace ulpine::io {

/// netCDF-C and HDF5 are not thread-safe: whoever calls them, for any file, holds this lock.
std::unique_lock<std::mutex> lock_netcdf();

/// Does what netCDF and HDF5 do once in a process, so that copies of this one need not: a quarter of what
/// opening a small file costs. With lock_netcdf() held.
void prepare_netcdf();

/// A function or value of the HDF5 that netCDF-C has loaded, by its name in the library; null where there is
/// none. Programs may have another HDF5 beside it (PETSc's is Open MPI's), so none is linked.
void* hdf5_symbol(char const* name);

/// The reason for a netCDF call's failure `status`: the system's text where errno tells of a full
/// disk, else netCDF's. To be asked for right after the call; clear errno before it.
std::string netcdf_reason(int status);

/// Bytes that a NetCDF classic file (CDF-1, -2, -5) needs for all that its header promises; 0 for other
/// formats. netCDF-C reads what is missing as zeros. InputError where the header itself is cut short or
/// damaged. Format: NetCDF User's Guide, appendix "File Format Specifications".
std::uint64_t netcdf_classic_size(std::filesystem::path const& path);

/// InputError where netCDF would take the name of a file for something else: an address in the network
/// (://), or, as netCDF-C 4.9 does of a backslash (findings/netcdf_takes_backslashes_for_slashes.sh), a file
/// in another folder.
void require_netcdf_name(std::filesystem::path const& path);

}  // namespace ulpine::io
