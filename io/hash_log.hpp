// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ulpine::io {

/// Metadata of a log as names and values: the build, the case and how the run was made.
using HashLogAttributes = std::vector<std::pair<std::string, std::string>>;

/// Hashes of a run's state: at its start and after every step. 8 bytes a step, in the file and in memory.
struct HashLog {
  HashLogAttributes attributes;
  std::int64_t first = 0;             ///< step of hashes[0], the state that the run started from
  std::vector<std::uint64_t> hashes;  ///< hashes of the states after steps first, first + 1, ...
  bool whole = true;                  ///< the run came to its end or was stopped in order

  /// The last step with a hash; first - 1 where there is none.
  std::int64_t last() const { return first + static_cast<std::int64_t>(hashes.size()) - 1; }
  bool has(std::int64_t step) const { return step >= first && step <= last(); }
  std::uint64_t at(std::int64_t step) const { return hashes[static_cast<std::size_t>(step - first)]; }
  /// The attribute of that name; empty where there is none.
  std::string attribute(std::string const& name) const;
};

/// Appends hashes. Checksums cover every byte; only close() marks a log as whole.
class HashLogWriter {
 public:
  /// A new file of `start`, with the hashes that it has. EnvironmentError where it cannot be written.
  HashLogWriter(std::filesystem::path const& path, HashLog const& start);
  HashLogWriter(HashLogWriter&&) noexcept;
  ~HashLogWriter();
  /// The hash of the state after the next step; every 512th reaches the system with those before.
  void append(std::uint64_t hash);
  /// Writes the buffer to the file, so that a kill does not lose it.
  void flush();
  /// Marks the log as whole and closes it.
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// The log at `path`. InputError for a missing, foreign or altered file. What a kill left, which ends within
/// or after a group of hashes, is not `whole` and has the hashes of the groups before.
HashLog read_hash_log(std::filesystem::path const& path);

}  // namespace ulpine::io
