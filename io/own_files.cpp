// SPDX-License-Identifier: Apache-2.0
#include "io/own_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "io/error.hpp"
#include "io/temporary.hpp"

namespace ulpine::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view hdf5_signature{"\x89HDF\r\n\x1a\n", 8};
constexpr std::string_view white_space = " \t\r\n";

/// Up to `count` bytes from `from` on.
std::string bytes_at(std::ifstream& file, std::uint64_t from, std::uint64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(from));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

std::string_view without_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(white_space), text.size()));
  return text;
}

/// Whether the text begins with these words, with or without white space before each.
bool begins_with(std::string_view text, std::initializer_list<std::string_view> words) {
  for (auto const word : words) {
    text = without_space(text);
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
  }
  return true;
}

bool is_in(std::ifstream& file, std::uint64_t most, std::string_view text) {
  constexpr std::uint64_t piece = 1 << 16;
  std::string bytes;
  for (std::uint64_t from = 0; from < most; from += piece) {
    // With the end of the piece before, where the text may begin.
    auto const kept = std::min<std::uint64_t>(from, text.size());
    bytes = bytes_at(file, from - kept, piece + kept);
    if (bytes.find(text) != std::string::npos) return true;
    if (bytes.size() < piece + kept) break;
  }
  return false;
}

std::string reason_of(int error) { return std::strerror(error == 0 ? EIO : error); }

EnvironmentError unwritable(fs::path const& path, int error) {
  return EnvironmentError(final_name(path).string() + ": cannot be written (" + reason_of(error) +
                          ") check space and permissions");
}

/// An open file of the system, closed with the object.
class DurableFile {
 public:
  DurableFile(fs::path const& path, int flags)
      : number_{::open(path.c_str(), flags | O_CLOEXEC, 0666)}, error_{number_ < 0 ? errno : 0} {}
  DurableFile(DurableFile const&) = delete;
  DurableFile& operator=(DurableFile const&) = delete;
  ~DurableFile() {
    if (number_ >= 0) ::close(number_);
  }
  /// The first error so far, 0 for none.
  int error() const { return error_; }
  void write(std::string_view text) {
    while (error_ == 0 && !text.empty()) {
      auto const count = ::write(number_, text.data(), text.size());
      if (count < 0 && errno != EINTR) error_ = errno;
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void sync() {
    // Some file systems cannot sync a folder, and say so: then a rename is as safe as it gets.
    if (error_ == 0 && ::fsync(number_) != 0 && errno != EINVAL) error_ = errno;
  }

 private:
  int number_, error_;
};

}  // namespace

bool has_signature(fs::path const& path, FileSignature const& signature) {
  std::error_code failed;
  if (fs::symlink_status(path, failed).type() != fs::file_type::regular) return false;
  std::ifstream file{path, std::ios::binary};
  auto const size = fs::file_size(path, failed);
  if (!file || failed) return false;
  constexpr std::uint64_t head = 4096, header = 1 << 24, end = 256;
  switch (signature.place) {
    case FileSignature::Place::start:
      return bytes_at(file, 0, signature.text.size()) == signature.text;
    case FileSignature::Place::end: {
      auto const bytes = bytes_at(file, size - std::min(size, end), end);
      return bytes.substr(0, bytes.find_last_not_of(white_space) + 1).ends_with(signature.text);
    }
    case FileSignature::Place::head:
      return bytes_at(file, 0, head).find(signature.text) != std::string::npos;
    case FileSignature::Place::schema:
      return begins_with(bytes_at(file, 0, head),
                         {"{", "\"schema\"", ":", "\"" + std::string(signature.text)});
    case FileSignature::Place::hdf5:
      return bytes_at(file, 0, hdf5_signature.size()) == hdf5_signature &&
             is_in(file, header, signature.text);
  }
  return false;
}

std::string with_signature(std::string text, FileSignature const& signature) {
  assert(signature.place == FileSignature::Place::end);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text.append(signature.text).append("\n");
}

void require_replaceable(fs::path const& path, FileSignature const& signature, Overwrite overwrite) {
  std::error_code failed;
  auto const type = fs::symlink_status(path, failed).type();
  if (type == fs::file_type::not_found) return;
  auto const refuse = [&](std::string const& why, std::string const& remedy) {
    throw InputError(path.string() + ": would be replaced (" + why + ") " + remedy);
  };
  auto const is_link = type == fs::file_type::symlink;
  if (!is_link && type != fs::file_type::regular) {
    refuse(
        type == fs::file_type::directory ? "it is a folder, no file of Ulpine's" : "it is no ordinary file",
        "move it, or name another place");
  }
  if (overwrite == Overwrite::requested || has_signature(path, signature)) return;
  refuse(is_link ? "it is a symbolic link, which Ulpine does not write"
                 : "it is no " + std::string(signature.what) + " that Ulpine wrote",
         overwrite == Overwrite::never ? "move it, or name another place"
                                       : "move it, name another place, or give --overwrite");
}

void require_no_input(fs::path const& path, std::span<fs::path const> inputs) {
  for (auto const& input : inputs) {
    std::error_code failed;
    if (!input.empty() && fs::equivalent(path, input, failed)) {
      throw InputError(path.string() + ": would be replaced (it is the input " + input.string() +
                       ") name another place");
    }
  }
}

void sync(fs::path const& path, fs::path const& name) {
  DurableFile file(path, O_RDONLY);
  if (file.error() == EMFILE || file.error() == ENFILE) {
    ::sync();  // all files, which takes no descriptor
    return;
  }
  file.sync();
  if (file.error() != 0) throw unwritable(name, file.error());
}

BegunFile::BegunFile(fs::path path) : path_{std::move(path)}, begun_{temporary_name(path_)} {}

BegunFile::BegunFile(BegunFile&& other) noexcept
    : path_{std::move(other.path_)}, begun_{std::exchange(other.begun_, {})} {}

BegunFile::~BegunFile() {
  std::error_code ignored;
  if (!begun_.empty()) fs::remove_all(begun_, ignored);
}

void BegunFile::place() {
  sync(begun_, path_);
  std::error_code failed;
  fs::rename(begun_, path_, failed);
  if (failed) throw unwritable(path_, failed.value());
  begun_.clear();
  sync(path_.has_parent_path() ? path_.parent_path() : fs::path("."), path_);
}

void write_atomically(fs::path const& path, std::string_view text) {
  BegunFile file(path);
  {
    DurableFile begun(file.begun(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    begun.write(text);
    if (begun.error() != 0) throw unwritable(path, begun.error());
  }
  file.place();
}

}  // namespace ulpine::io
