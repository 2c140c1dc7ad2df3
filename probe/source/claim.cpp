// SPDX-License-Identifier: Apache-2.0
#include "probe/source/claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "io/error.hpp"

namespace ulpine::probe {
namespace {

constexpr std::string_view magic = "ULPTRACE";

InputError busy(std::string const& path) {
  return InputError(
      path +
      ": another process writes this trace (a second run, or a rank whose launcher does not tell its number) "
      "give each run a name of its own, and ranks theirs by ulpine_rank");
}

/// Whether another process has locked the file. Some network file systems cannot lock: nobody has there.
bool is_locked_elsewhere(int file) { return ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

}  // namespace

Claim::Claim(std::string path) : path_{std::move(path)} {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode)) {
    throw InputError(path_ + ": is no ordinary file (a trace is to be written there) choose another name");
  }
  auto const file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  char start[magic.size()];
  auto const got = file < 0 ? -1 : ::read(file, start, sizeof start);
  auto const ours = got == 0 || (got == static_cast<ssize_t>(sizeof start) &&
                                 std::string_view{start, sizeof start} == magic);
  auto const locked = ours && is_locked_elsewhere(file);
  if (file >= 0) ::close(file);
  if (!ours) {
    throw InputError(
        path_ + ": is no trace (it would be lost, as a trace is to be written there) choose another name");
  }
  if (locked) throw busy(path_);
  if (::unlink(path_.c_str()) != 0) {
    throw InputError(path_ + ": an earlier trace cannot be removed (" + std::strerror(errno) +
                     ") choose another name");
  }
}

Claim::~Claim() {
  if (file_ >= 0) ::close(file_);
}

void Claim::take() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw EnvironmentError(path_ + ": trace cannot be written (" + std::strerror(errno) +
                           ") check the folder, its permissions and the free space");
  }
  if (is_locked_elsewhere(file_)) throw busy(path_);
}

}  // namespace ulpine::probe
