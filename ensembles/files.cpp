// SPDX-License-Identifier: Apache-2.0
#include "ensembles/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "io/error.hpp"
#include "io/regular_file.hpp"
#include "io/temporary.hpp"

namespace ulpine::ensembles {
namespace {

/// Of a manifest or of results, which are some thousand bytes a run.
constexpr std::uint64_t largest_text = std::uint64_t{1} << 30;

[[noreturn]] void cannot_write(std::filesystem::path const& path) {
  throw EnvironmentError(path.string() + ": cannot be written (" + std::strerror(errno) +
                         ") check space and permissions");
}

}  // namespace

void write_atomically(std::filesystem::path const& path, std::string const& text) {
  auto const temporary = io::temporary_name(path);
  auto const file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    cannot_write(temporary);
  }
  std::size_t written = 0;
  auto good = true;
  while (good && written < text.size()) {
    auto const count = ::write(file, text.data() + written, text.size() - written);
    good = count >= 0 || errno == EINTR;
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  good = good && ::fsync(file) == 0;
  auto const error = errno;
  ::close(file);
  if (!good || ::rename(temporary.c_str(), path.c_str()) != 0) {
    errno = good ? errno : error;
    auto const reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    cannot_write(path);
  }
}

void require_no_results_but(std::filesystem::path const& folder, std::string const& own) {
  for (auto const* const results : {"run.json", "manifest.json", "search.json", "digits.json"}) {
    if (results != own && std::filesystem::exists(folder / results)) {
      throw InputError(folder.string() + ": holds the results of another command (" + results +
                       "; what is written among them could be taken for one of theirs) name another folder");
    }
  }
}

std::string read_text(std::filesystem::path const& path) {
  auto text = io::regular_file_content(path, largest_text);
  if (!text || text->empty()) {
    throw InputError(path.string() + ": cannot be read (missing, empty or no permission) check the path");
  }
  return std::move(*text);
}

void make_folder(std::filesystem::path const& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw EnvironmentError(path.string() + ": cannot be made (" + error.message() +
                           ") check space and permissions");
  }
}

}  // namespace ulpine::ensembles
