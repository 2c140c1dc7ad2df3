// SPDX-License-Identifier: Apache-2.0
#include "io/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace ulpine::io {
namespace {

/// The value of HDF5's own variable, with the words that it knows.
std::string locking_wish() {
  auto const* const wish = std::getenv("HDF5_USE_FILE_LOCKING");
  return wish == nullptr ? "" : wish;
}

}  // namespace

std::string lock_problem(std::filesystem::path const& path, LockFor use) {
  auto const wish = locking_wish();
  if (wish == "FALSE" || wish == "0") return {};
  // A pipe would make open() wait; it has no lock that HDF5 takes.
  auto const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  struct stat status {};
  auto const regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  auto const failed =
      !regular || ::flock(file, (use == LockFor::writing ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 ? 0 : errno;
  ::close(file);  // with it the lock that was got
  if (failed == EWOULDBLOCK) {
    return "another program has it open and holds HDF5's lock on it) close it there, or wait until that "
           "program ends; HDF5_USE_FILE_LOCKING=FALSE opens it without the lock, where nobody writes";
  }
  if ((failed == ENOSYS || failed == ENOLCK || failed == EOPNOTSUPP) && wish != "BEST_EFFORT") {
    return "HDF5 locks its files and this file system has no locks) set HDF5_USE_FILE_LOCKING=FALSE or use "
           "another file system";
  }
  return {};
}

}  // namespace ulpine::io
