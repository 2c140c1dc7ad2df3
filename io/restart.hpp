// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/provenance.hpp"

namespace ulpine::io {

/// One array of a model's state, exactly as in memory (little-endian).
struct StateArray {
  std::string name;
  std::int32_t bytes_per_value = 8;  ///< 4: float, 8: double, 16: binary128
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
};

/// All that a bit-exact restart needs.
struct Snapshot {
  std::string core;
  std::string policy;           ///< the policy whose types the arrays have
  std::uint64_t case_hash = 0;  ///< CaseFile::hash
  std::int64_t step = 0;
  double time = 0;  ///< s since the start
  std::vector<StateArray> arrays;
};

/// Writes under a temporary name, reads back and checks, then renames; with a seal (seal.hpp) over
/// everything.
void write_restart(std::filesystem::path const& path, Snapshot const& snapshot, Provenance const& provenance);
/// InputError for a missing, truncated, foreign or altered file, and for one that makes no sense (a negative
/// step, a time that is not finite, arrays that would be larger than the file), whatever its seal says.
Snapshot read_restart(std::filesystem::path const& path);

}  // namespace ulpine::io
