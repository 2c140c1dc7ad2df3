// SPDX-License-Identifier: Apache-2.0
#include "io/provenance.hpp"

#include <dlfcn.h>
#include <netcdf.h>
#include <toml++/impl/version.h>
#include <xxhash.h>

#include <algorithm>
#include <string_view>

#if __has_include(<gnu/libc-version.h>)
#include <gnu/libc-version.h>
#endif

#include "io/host_provenance.hpp"

namespace ulpine::io {
namespace {

/// ", FFTW 3.3.10" where the program has that library loaded: transforms by it have the bits of its version.
std::string fftw_version() {
  auto const* const found =
      static_cast<char const*>(dlsym(RTLD_DEFAULT, "fftw_version"));  // "fftw-3.3.10-sse2"
  if (found == nullptr) return {};
  std::string_view version = found;
  version.remove_prefix(std::min(version.find('-') + 1, version.size()));
  return ", FFTW " + std::string(version.substr(0, version.find('-')));
}

/// ", cuFFT 12.0.0", in the same way.
std::string cufft_version() {
  auto const ask = reinterpret_cast<int (*)(int, int*)>(dlsym(RTLD_DEFAULT, "cufftGetProperty"));
  if (ask == nullptr) return {};
  std::string text;
  for (auto const part : {0, 1, 2}) {  // major, minor, patch, as library_types.h counts them
    int value = 0;
    if (ask(part, &value) != 0) return {};
    text += (text.empty() ? ", cuFFT " : ".") + std::to_string(value);
  }
  return text;
}

}  // namespace

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
  return text + fftw_version() + cufft_version();
}

Provenance build_provenance() {
  auto provenance = host_provenance();
  provenance.libraries = library_versions();
  return provenance;
}

}  // namespace ulpine::io
