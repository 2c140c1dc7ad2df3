// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "io/provenance.hpp"
#include "io/state.hpp"

namespace ulpine::io {

/// Writes under a temporary name, reads back and compares, then renames; with a seal (seal.hpp) over
/// everything. The state is read once, in order, and no more than `slab_bytes` of it are held. InputError
/// never; EnvironmentError where the disk is full or fails.
void write_restart(std::filesystem::path const& path, StateReader const& state, Provenance const& provenance);

/// A state in a restart file, which stays open. Opening reads the whole file once, in pieces, for its seal.
/// InputError for a missing, truncated, foreign or altered file, and for one that makes no sense (a negative
/// step, a time that is not finite, arrays that would be larger than the file), whatever its seal says.
class RestartFile : public StateReader {
 public:
  explicit RestartFile(std::filesystem::path const& path);
  RestartFile(RestartFile&&) noexcept;
  ~RestartFile() override;
  StateHeader const& header() const override;
  void read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const override;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace ulpine::io
