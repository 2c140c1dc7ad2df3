// SPDX-License-Identifier: Apache-2.0
#include "io/seal.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>

#include "io/error.hpp"
#include "io/file_set.hpp"
#include "io/provenance.hpp"

namespace ulpine::io {
namespace {

static_assert(std::endian::native == std::endian::little, "seals are written as memory has them");

constexpr std::array<char, 8> magic = {'U', 'L', 'P', 'S', 'E', 'A', 'L', '1'};
constexpr std::uint64_t seal_size = magic.size() + sizeof(std::uint64_t);
constexpr std::string_view before_digits = ",\n\"seal\": \"", after_digits = "\"\n}\n";
constexpr std::size_t digits = 16;

InputError unreadable(std::filesystem::path const& path) {
  return InputError(path.string() + ": cannot be read (" + std::strerror(errno == 0 ? EIO : errno) +
                    ") check the file and its disk");
}

/// The first `most` bytes of the file, or all.
FileContent content_of_first(std::filesystem::path const& path, std::uint64_t most) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) {
    throw InputError(path.string() + ": cannot be read (" +
                     (failed ? failed.message() : std::string{"it is no ordinary file"}) +
                     ") check the path");
  }
  errno = 0;
  std::ifstream stream{path, std::ios::binary};
  if (!stream) throw unreadable(path);
  StreamHash hash;
  FileContent content;
  // Not filled beforehand, as that takes longer than to read a small file.
  constexpr std::size_t bytes = std::size_t{1} << 20;
  auto const buffer = std::make_unique_for_overwrite<char[]>(bytes);
  while (content.bytes < most && stream) {
    auto const wanted = std::min<std::uint64_t>(most - content.bytes, bytes);
    stream.read(buffer.get(), static_cast<std::streamsize>(wanted));
    auto const got = static_cast<std::size_t>(stream.gcount());
    hash.add({buffer.get(), got});
    content.bytes += got;
  }
  if (stream.bad()) throw unreadable(path);
  content.hash = hash.value();
  return content;
}

}  // namespace

struct StreamHash::State {
  XXH64_state_t* xxhash = XXH64_createState();
  State() { XXH64_reset(xxhash, 0); }
  State(State const&) = delete;
  State& operator=(State const&) = delete;
  ~State() { XXH64_freeState(xxhash); }
};

StreamHash::StreamHash() : state_{std::make_unique<State>()} {}
StreamHash::~StreamHash() = default;
void StreamHash::add(std::string_view bytes) { XXH64_update(state_->xxhash, bytes.data(), bytes.size()); }
std::uint64_t StreamHash::value() const { return XXH64_digest(state_->xxhash); }

FileContent content_of(std::filesystem::path const& path) {
  if (names_set(path)) {
    StreamHash hash;
    FileContent all;
    for (auto const& file : files_of_set(path)) {
      auto const part = content_of(file);
      hash.add({reinterpret_cast<char const*>(&part.hash), sizeof part.hash});
      all.bytes += part.bytes;
    }
    all.hash = hash.value();
    return all;
  }
  return content_of_first(path, std::numeric_limits<std::uint64_t>::max());
}

void append_seal(std::filesystem::path const& path, std::filesystem::path const& name) {
  auto const hash = content_of(path).hash;
  errno = 0;
  std::ofstream stream{path, std::ios::binary | std::ios::app};
  stream.write(magic.data(), magic.size());
  stream.write(reinterpret_cast<char const*>(&hash), sizeof hash);
  stream.close();
  if (!stream) {
    throw EnvironmentError(name.string() + ": cannot be written (" + std::strerror(errno == 0 ? EIO : errno) +
                           ") check the folder, its permissions and the free space");
  }
}

Seal seal_of(std::filesystem::path const& path) {
  std::error_code failed;
  auto const size = std::filesystem::file_size(path, failed);
  if (failed || size < seal_size) return Seal::absent;
  std::ifstream stream{path, std::ios::binary};
  stream.seekg(static_cast<std::streamoff>(size - seal_size));
  std::array<char, magic.size()> found{};
  std::uint64_t hash = 0;
  stream.read(found.data(), found.size());
  stream.read(reinterpret_cast<char*>(&hash), sizeof hash);
  if (!stream) throw unreadable(path);
  if (found != magic) return Seal::absent;
  return content_of_first(path, size - seal_size).hash == hash ? Seal::whole : Seal::broken;
}

bool has_lost_its_seal(std::filesystem::path const& path, std::uint64_t end) {
  std::error_code failed;
  auto const size = std::filesystem::file_size(path, failed);
  if (failed || size == end) return false;
  // Bytes may have been added within it, too.
  if (size < end || size - end <= 4 * seal_size) return true;
  std::ifstream stream{path, std::ios::binary};
  stream.seekg(static_cast<std::streamoff>(end));
  std::array<char, magic.size()> found{};
  stream.read(found.data(), found.size());
  return found == magic;
}

std::string sealed_json(std::string const& object) {
  auto const space = " \n";
  auto const brace = object.find_last_not_of(space);
  assert(brace != std::string::npos && object[brace] == '}');
  auto const content = object.substr(0, object.find_last_not_of(space, brace - 1) + 1);
  assert(content.size() > 1);
  return content + std::string{before_digits} + hex(XXH64(content.data(), content.size(), 0)) +
         std::string{after_digits};
}

void require_json_seal(std::string const& text, std::string const& name, std::string const& remedy) {
  constexpr auto tail = before_digits.size() + digits + after_digits.size();
  if (text.size() > tail) {
    auto const content = text.size() - tail;
    auto const expected =
        std::string{before_digits} + hex(XXH64(text.data(), content, 0)) + std::string{after_digits};
    if (text.compare(content, tail, expected) == 0) return;
  }
  throw InputError(name + ": was altered or cut short (its seal does not fit its content) " + remedy);
}

}  // namespace ulpine::io
