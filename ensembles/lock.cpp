// SPDX-License-Identifier: Apache-2.0
#include "ensembles/lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "io/error.hpp"
#include "io/temporary.hpp"

// Byte 0 of the lock file stands for the folder's use, byte 1 + n for its item n. `alone` write-locks all of
// them, `together` read-locks byte 0, an item is write-locked. The file is never removed: on a network file
// system a process could then hold the lock of a file that is no more.

namespace ulpine::ensembles {
namespace {

/// Locks or unlocks `length` bytes (0: all) from `start`; the error number, 0 where it went well.
int set_lock(int file, short type, off_t start, off_t length) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = length;
  while (::fcntl(file, F_OFD_SETLK, &range) != 0) {
    if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

bool is_taken(int error) { return error == EAGAIN || error == EACCES; }

/// "process 12 on host h since 2026-01-31 12:00:00 UTC"
std::string this_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on host {} since {:%Y-%m-%d %H:%M:%S} UTC", ::getpid(), host.data(),
                     fmt::gmtime(std::time(nullptr)));
}

/// What the last owner has written about itself.
std::string owner_in(int file) {
  std::array<char, 512> text{};
  auto const count = ::pread(file, text.data(), text.size(), 0);
  auto const owner = std::string(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  return owner.starts_with("process ") ? owner.substr(0, owner.find('\n')) : "another process";
}

std::string refusal(std::string const& what, std::string const& owner) {
  return what + ": is in use (by " + owner + ") wait for its end or stop it; other work needs another folder";
}

}  // namespace

FolderLock::FolderLock(std::filesystem::path folder, Use use) : folder_{std::move(folder)} {
  auto const path = folder_ / file_name;
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  auto const opened = errno;
  auto const failed = file_ < 0           ? opened
                      : use == Use::alone ? set_lock(file_, F_WRLCK, 0, 0)
                                          : set_lock(file_, F_RDLCK, 0, 1);
  if (failed != 0) {
    auto const message = file_ >= 0 && is_taken(failed)
                             ? refusal(folder_.string(), owner_in(file_))
                             : path.string() + ": cannot be locked (" + std::strerror(failed) +
                                   ") check space and permissions, or use a file system that has locks";
    if (file_ >= 0) {
      ::close(file_);
    }
    throw EnvironmentError(message);
  }
  // For people only: the lock holds also where this cannot be written.
  auto const text = this_process() + "\n";
  if (::ftruncate(file_, 0) == 0) {
    [[maybe_unused]] auto const written = ::pwrite(file_, text.data(), text.size(), 0);
  }
}

FolderLock::~FolderLock() { ::close(file_); }

void FolderLock::take(std::size_t number, std::string const& what) const {
  if (auto const failed = set_lock(file_, F_WRLCK, static_cast<off_t>(number) + 1, 1); failed != 0) {
    throw EnvironmentError(is_taken(failed)
                               ? refusal(what + " of " + folder_.string(), "another process")
                               : folder_.string() + ": cannot be locked (" + std::strerror(failed) +
                                     ") use a file system that has locks");
  }
}

void FolderLock::release(std::size_t number) const {
  set_lock(file_, F_UNLCK, static_cast<off_t>(number) + 1, 1);
}

bool is_vacant(std::filesystem::path const& folder) {
  if (!std::filesystem::exists(folder)) {
    return true;
  }
  return std::all_of(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator{},
                     [](std::filesystem::directory_entry const& entry) {
                       auto const name = entry.path().filename();
                       return name == FolderLock::file_name || io::is_temporary(name);
                     });
}

}  // namespace ulpine::ensembles
