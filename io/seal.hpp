// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

// Checksums of Ulpine's own files. All are xxHash64 with seed 0: they tell accidents, not forgeries.

namespace ulpine::io {

/// xxHash64 of bytes that come in pieces.
class StreamHash {
 public:
  StreamHash();
  ~StreamHash();
  void add(std::string_view bytes);
  std::uint64_t value() const;  ///< hash of all bytes so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Size (bytes) and xxHash64 of a file's content.
struct FileContent {
  std::uint64_t bytes = 0, hash = 0;
  friend bool operator==(FileContent const&, FileContent const&) = default;
};
/// Reads the file in pieces of 1 MiB. InputError where it is no ordinary file or cannot be read.
FileContent content_of(std::filesystem::path const& path);

/// The seal at the end of binary files: a magic word of 8 bytes and the hash of all bytes before it,
/// little-endian. HDF5 ignores what comes after its own end.
enum class Seal {
  absent,  ///< no magic word where it should be
  whole,
  broken  ///< the bytes before are not those that were sealed
};
/// Seals a closed file. EnvironmentError about `name`, the file's final place, where the disk is full.
void append_seal(std::filesystem::path const& path, std::filesystem::path const& name);
/// InputError as content_of().
Seal seal_of(std::filesystem::path const& path);
/// Whether a file without a seal had one, of a content that ended at `end`: it is shorter than that, or at
/// most a seal longer, or something follows a seal there. A longer file was left unfinished by its writer,
/// who had begun to add to that content.
bool has_lost_its_seal(std::filesystem::path const& path, std::uint64_t end);

/// The text of a JSON object with `"seal": "<16 hex digits>"` as last member: the hash of all before that
/// member. No byte of the result can change unnoticed.
std::string sealed_json(std::string const& object);
/// InputError `<name>: ... <remedy>` unless `text` is as sealed_json() returned it.
void require_json_seal(std::string const& text, std::string const& name, std::string const& remedy);

}  // namespace ulpine::io
