// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ulpine::io {

/// The origin of numbers; written as global attributes, into run.json and results.json.
struct Provenance {
  std::string version, commit, compiler, flags;  ///< build data (build_provenance fills them)
  std::string libraries;  ///< those that run with it and their versions: "netCDF 4.9.0, ..., glibc 2.36"
  std::string host_cpu;   ///< processor model
  std::string device;     ///< "cpu" or the GPU's name
  std::string driver;     ///< CUDA driver version, empty on the host
  std::string policy, assembly;
  int threads = 0;        ///< host threads, 0 on a GPU
  int block = 0;          ///< threads a block, 0 on the host
  int ranks = 1;          ///< that computed together
  std::string case_hash;  ///< 16 hex digits
  std::uint64_t seed = 0;
  std::string created;  ///< ISO 8601, UTC: when, or the time that SOURCE_DATE_EPOCH gives

  /// Name and value of each member, in the order above, for attributes and JSON.
  std::vector<std::pair<std::string, std::string>> items() const;
};

/// Libraries of a run and their versions, "netCDF 4.9.0, toml++ 3.3.0, xxHash 0.8.1, glibc 2.36": netCDF,
/// xxHash and the C library (whose elementary functions a model may use) as they are loaded.
std::string library_versions();

/// version ... libraries, host_cpu and created filled in. InputError where SOURCE_DATE_EPOCH is set and no
/// whole number of seconds since 1970.
Provenance build_provenance();

/// 16 lower-case hex digits.
std::string hex(std::uint64_t value);

}  // namespace ulpine::io
