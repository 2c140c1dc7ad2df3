// SPDX-License-Identifier: Apache-2.0
#include "io/hash_log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "io/bytes.hpp"
#include "io/error.hpp"
#include "io/regular_file.hpp"
#include "io/seal.hpp"
#include "io/temporary.hpp"

// The file, all integers little-endian: the magic word, the version (4 bytes), the number of attributes (4),
// key and value of each as texts (4 bytes of length, then characters), the first step (8). Then groups of
// hashes: their number (4), the hashes (8 each). The group of none is the last one of a whole log. Behind the
// head and each group stands the xxHash64 of all bytes of the file before it.

namespace ulpine::io {
namespace {

constexpr std::string_view magic = "ULPHASHS";
constexpr std::uint32_t version = 1;
constexpr std::size_t group = 512;

std::string bytes_of(std::filesystem::path const& path) {
  if (!std::filesystem::exists(path)) {
    throw InputError(path.string() +
                     ": no such log of hashes (the run was made without --checkpoints) repeat it with them");
  }
  auto bytes = regular_file_content(path);
  if (!bytes) {
    throw InputError(path.string() + ": log cannot be read (the disk failed, or no permission) check it");
  }
  return std::move(*bytes);
}

}  // namespace

std::string HashLog::attribute(std::string const& name) const {
  auto const found = std::ranges::find(attributes, name, &HashLogAttributes::value_type::first);
  return found == attributes.end() ? "" : found->second;
}

struct HashLogWriter::File {
  std::string path;
  std::ofstream stream;
  StreamHash hash;  ///< hash of the file's bytes so far
  std::vector<std::uint64_t> waiting;

  /// Writes `bytes` and the checksum of all.
  void write(std::string bytes) {
    hash.add(bytes);
    std::string checksum;
    put(checksum, hash.value());
    hash.add(checksum);
    bytes += checksum;
    errno = 0;
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.flush();
    if (!stream) {
      throw EnvironmentError(path + ": log cannot be written (" + std::strerror(errno == 0 ? EIO : errno) +
                             ") check the folder, its permissions and the free space");
    }
  }
  void write_group() {
    std::string bytes;
    put(bytes, static_cast<std::uint32_t>(waiting.size()));
    for (auto const value : waiting) put(bytes, value);
    waiting.clear();
    write(std::move(bytes));
  }
};

HashLogWriter::HashLogWriter(std::filesystem::path const& path, HashLog const& start)
    : file_{std::make_unique<File>()} {
  file_->path = final_name(path).string();
  file_->stream.open(path, std::ios::binary | std::ios::trunc);
  std::string head{magic};
  put(head, version);
  put_pairs(head, start.attributes);
  put(head, start.first);
  file_->write(std::move(head));
  for (auto const hash : start.hashes) append(hash);
  flush();
}

HashLogWriter::HashLogWriter(HashLogWriter&&) noexcept = default;
HashLogWriter::~HashLogWriter() = default;

void HashLogWriter::append(std::uint64_t hash) {
  file_->waiting.push_back(hash);
  if (file_->waiting.size() == group) file_->write_group();
}

void HashLogWriter::flush() {
  if (!file_->waiting.empty()) file_->write_group();
}

void HashLogWriter::close() {
  if (!file_->stream.is_open()) return;
  flush();
  file_->write_group();
  file_->stream.close();
}

HashLog read_hash_log(std::filesystem::path const& path) {
  auto const name = path.string();
  auto const bytes = bytes_of(path);
  auto const damaged = [&](HashLog const& log) {
    return InputError(name + ": damaged log (what follows hash " + std::to_string(log.hashes.size()) +
                      " is not as it was written) repeat the run");
  };
  if (!bytes.starts_with(magic)) {
    throw InputError(name +
                     ": not a log of hashes (it does not start as Ulpine's do) name the folder of a run with "
                     "--checkpoints");
  }
  ByteReader reader{std::string_view{bytes}.substr(magic.size())};
  std::uint32_t found = 0;
  if (reader.take(found) && found != version) {
    throw InputError(name + ": log of another format (version " + std::to_string(found) + ", not " +
                     std::to_string(version) + ") repeat the run with this version of Ulpine");
  }
  HashLog log;
  StreamHash hash;
  std::size_t hashed = 0;
  // Whether the checksum of all up to here is there; one that is there must be right.
  auto const checked = [&] {
    auto const end = bytes.size() - reader.left();
    std::uint64_t written = 0;
    if (!reader.take(written)) return false;
    hash.add(std::string_view{bytes}.substr(hashed, end - hashed));
    hashed = end;
    if (written != hash.value()) throw damaged(log);
    return true;
  };
  if (!reader.take_pairs(log.attributes) || !reader.take(log.first) || !checked()) {
    throw InputError(name + ": not a whole log (its head is cut short or damaged) repeat the run");
  }
  log.whole = false;
  std::vector<std::uint64_t> hashes;
  std::uint32_t count = 0;
  while (!log.whole && reader.take(count)) {
    if (count > group) throw damaged(log);
    hashes.resize(count);
    auto good = true;
    for (auto& value : hashes) good = good && reader.take(value);
    if (!good || !checked()) break;
    log.hashes.insert(log.hashes.end(), hashes.begin(), hashes.end());
    log.whole = count == 0;
  }
  if (log.whole && !reader.empty()) throw damaged(log);
  return log;
}

}  // namespace ulpine::io
