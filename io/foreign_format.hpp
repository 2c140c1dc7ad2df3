// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ulpine::io {

/// How a file of values is written. GRIB of editions 1 and 2 is WMO's (Manual on Codes, FM 92); Zarr is a
/// folder of chunks (specification of version 2).
enum class ForeignFormat { netcdf, gzip, grib, zarr };

/// By its first bytes or, of a folder, the files in it; `netcdf` where nothing else is told. A GRIB message
/// may come behind a bulletin's heading.
ForeignFormat format_of(std::filesystem::path const& path);
/// "NetCDF", "gzip", "GRIB" or "Zarr".
char const* name_of(ForeignFormat format);
/// Whether InputFile reads what is there, as its content says, whatever its name: NetCDF, GRIB, a file that
/// gzip has packed and that is called NAME.nc.gz or the like, or a Zarr store.
bool holds_fields(std::filesystem::path const& path);

}  // namespace ulpine::io
