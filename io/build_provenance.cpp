// SPDX-License-Identifier: Apache-2.0
#include "io/provenance.hpp"

#include <netcdf.h>
#include <toml++/impl/version.h>
#include <xxhash.h>

#include <string_view>

#if __has_include(<gnu/libc-version.h>)
#include <gnu/libc-version.h>
#endif

#include "io/host_provenance.hpp"

namespace ulpine::io {

std::string library_versions() {
  auto const dotted = [](int major, int minor, int patch) {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  };
  std::string_view netcdf = nc_inq_libvers();  // with the date of its build
  netcdf = netcdf.substr(0, netcdf.find(' '));
  auto const xxhash = int(XXH_versionNumber());
  auto text = "netCDF " + std::string(netcdf) + ", toml++ " +
              dotted(TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH) + ", xxHash " +
              dotted(xxhash / 10000, xxhash / 100 % 100, xxhash % 100);
#if __has_include(<gnu/libc-version.h>)
  text += std::string(", glibc ") + gnu_get_libc_version();
#endif
  return text;
}

Provenance build_provenance() {
  auto provenance = host_provenance();
  provenance.libraries = library_versions();
  return provenance;
}

}  // namespace ulpine::io
