// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "io/error.hpp"
#include "io/temporary.hpp"

// Byte 0 of the lock file stands for the folder's use, byte 1 + n for its item n. `alone` write-locks all of
// them, `together` read-locks byte 0, an item is write-locked. The file stays, but for that of a use alone
// that was refused. Whoever gets a lock looks whether the file still has its name, and else takes the new
// one.

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

/// The first line of the lock file, in which its last owner names itself; nothing where it is no owner's.
std::optional<std::string> owner_in(int file) {
  constexpr std::string_view begin = "process ";
  std::array<char, 512> bytes{};
  auto const count = ::pread(file, bytes.data(), bytes.size(), 0);
  auto const text = std::string(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  if (text.empty()) return "another process";
  auto const number = text.find_first_not_of("0123456789", begin.size());
  auto const is_owner = text.starts_with(begin) && number > begin.size() && number != std::string::npos &&
                        text.compare(number, 9, " on host ") == 0;
  return is_owner ? std::optional(text.substr(0, text.find('\n'))) : std::nullopt;
}

/// Opens the file, which is `made` where there is none; -1 and errno where that fails.
int open_lock(std::filesystem::path const& path, bool& made) {
  constexpr auto flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
  for (;;) {
    auto file = ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);
    made = file >= 0;
    if (made || errno != EEXIST) return file;
    file = ::open(path.c_str(), flags);
    if (file >= 0 || errno != ENOENT) return file;
  }
}

/// Whether the open file is that which has the name.
bool has_name(int file, std::filesystem::path const& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

InputError foreign(std::filesystem::path const& path, std::string const& why) {
  return InputError(path.string() + ": would be written as the lock of the folder (" + why +
                    ") move it, or name another folder");
}

std::string refusal(std::string const& what, std::string const& owner) {
  return what + ": is in use (by " + owner + ") wait for its end or stop it; other work needs another folder";
}

}  // namespace

FolderLock::FolderLock(std::filesystem::path folder, Use use)
    : folder_{std::move(folder)}, exceptions_{std::uncaught_exceptions()} {
  auto const path = folder_ / file_name;
  int failed = 0;
  do {
    if (file_ >= 0) ::close(file_);
    std::error_code ignored;
    auto const status = std::filesystem::symlink_status(path, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      throw foreign(path, "it is no ordinary file");
    }
    auto made = false;
    file_ = open_lock(path, made);
    goes_ = made && use == Use::alone;
    failed = file_ < 0           ? errno
             : use == Use::alone ? set_lock(file_, F_WRLCK, 0, 0)
                                 : set_lock(file_, F_RDLCK, 0, 1);
  } while (failed == 0 && !has_name(file_, path));
  if (failed != 0) {
    auto const message = file_ >= 0 && is_taken(failed)
                             ? refusal(folder_.string(), owner_in(file_).value_or("another process"))
                             : path.string() + ": cannot be locked (" + std::strerror(failed) +
                                   ") check space and permissions, or use a file system that has locks";
    if (file_ >= 0) {
      ::close(file_);
    }
    throw EnvironmentError(message);
  }
  if (!owner_in(file_)) {
    ::close(file_);
    throw foreign(path, "it is no lock that Ulpine wrote");
  }
  // This text is for people only: the lock holds also where it cannot be written.
  auto const text = this_process() + "\n";
  if (::ftruncate(file_, 0) == 0) {
    [[maybe_unused]] auto const written = ::pwrite(file_, text.data(), text.size(), 0);
  }
}

FolderLock::~FolderLock() {
  if (goes_ && std::uncaught_exceptions() > exceptions_) ::unlink((folder_ / file_name).c_str());
  ::close(file_);
}

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
