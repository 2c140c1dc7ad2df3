// SPDX-License-Identifier: Apache-2.0
#include "io/foreign_format.hpp"

#include <array>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "io/netcdf_magic.hpp"

namespace ulpine::io {
namespace {

constexpr std::size_t longest_heading = 1024;  // bytes; bulletins' have some 20 to 60

bool is_store(std::filesystem::path const& folder) {
  std::error_code failed;
  for (auto const* const name : {".zgroup", ".zmetadata", ".zarray", "zarr.json"}) {
    if (std::filesystem::exists(folder / name, failed)) return true;
  }
  return false;
}

}  // namespace

ForeignFormat format_of(std::filesystem::path const& path) {
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (std::filesystem::is_directory(status)) {
    return is_store(path) ? ForeignFormat::zarr : ForeignFormat::netcdf;
  }
  if (!std::filesystem::is_regular_file(status)) return ForeignFormat::netcdf;
  std::ifstream file{path, std::ios::binary};
  std::array<char, longest_heading> bytes{};
  file.read(bytes.data(), bytes.size());
  std::string_view const found(bytes.data(), static_cast<std::size_t>(file.gcount()));
  if (found.starts_with("\x1f\x8b")) return ForeignFormat::gzip;
  if (found.starts_with("GRIB")) return ForeignFormat::grib;
  if (has_netcdf_magic(path)) return ForeignFormat::netcdf;
  return found.find("GRIB") != std::string_view::npos ? ForeignFormat::grib : ForeignFormat::netcdf;
}

char const* name_of(ForeignFormat format) {
  switch (format) {
    case ForeignFormat::gzip:
      return "gzip";
    case ForeignFormat::grib:
      return "GRIB";
    case ForeignFormat::zarr:
      return "Zarr";
    default:
      return "NetCDF";
  }
}

bool holds_fields(std::filesystem::path const& path) {
  static std::set<std::string> const packed = {".nc",  ".nc4",   ".cdf",  ".netcdf", ".grib",
                                               ".grb", ".grib1", ".grb1", ".grib2",  ".grb2"};
  switch (format_of(path)) {
    case ForeignFormat::gzip:
      return packed.contains(path.stem().extension().string());
    case ForeignFormat::grib:
    case ForeignFormat::zarr:
      return true;
    default:
      return has_netcdf_magic(path);
  }
}

}  // namespace ulpine::io
