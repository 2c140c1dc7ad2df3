// SPDX-License-Identifier: Apache-2.0
#include "io/regular_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include "io/descriptor.hpp"
#include "io/error.hpp"

namespace ulpine::io {
namespace {

char const* name_of(std::filesystem::file_type type) {
  switch (type) {
    case std::filesystem::file_type::directory:
      return "a folder";
    case std::filesystem::file_type::fifo:
      return "a pipe";
    case std::filesystem::file_type::socket:
      return "a socket";
    default:
      return "a device";
  }
}

/// Whether the kernel makes up what is in it, as it is read.
bool is_of_kernel(std::filesystem::path const& path) {
  constexpr std::array<unsigned long, 4> systems = {PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC,
                                                    TRACEFS_MAGIC};
  struct statfs found {};
  return ::statfs(path.c_str(), &found) == 0 &&
         std::ranges::find(systems, static_cast<unsigned long>(found.f_type)) != systems.end();
}

std::uint64_t half_of_memory() {
  auto const pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes) / 2
                                : largest_content;
}

int open_to_read(std::filesystem::path const& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

}  // namespace

void require_regular_file(std::filesystem::path const& path) {
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) return;
  auto const* const kind = !std::filesystem::is_regular_file(status) ? name_of(status.type())
                           : is_of_kernel(path)                      ? "a file of the kernel"
                                                                     : nullptr;
  if (kind != nullptr) {
    throw InputError(path.string() + ": cannot be read (it is " + kind + ", no ordinary file) name a file");
  }
}

std::optional<std::string> regular_file_content(std::filesystem::path const& path, std::uint64_t most) {
  require_regular_file(path);
  Descriptor const file(open_to_read(path));
  struct stat found {};
  if (file.number() < 0 || ::fstat(file.number(), &found) != 0) return {};
  most = std::min(most, half_of_memory());
  std::string content;
  auto const expected = static_cast<std::uint64_t>(std::max<off_t>(found.st_size, 0));
  if (expected <= most) content.reserve(expected);
  std::vector<char> piece(std::size_t{1} << 20);
  while (expected <= most && content.size() <= most) {
    auto const count = ::read(file.number(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {};
    if (count == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(count));
  }
  throw InputError(path.string() + ": cannot be read (it has more than " + std::to_string(most) +
                   " bytes, which is too much for such a file) name another");
}

}  // namespace ulpine::io
