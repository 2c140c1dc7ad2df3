// SPDX-License-Identifier: Apache-2.0
#include "io/regular_file.hpp"

#include <string>
#include <system_error>

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

}  // namespace

void require_regular_file(std::filesystem::path const& path) {
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError(path.string() + ": cannot be read (it is " + name_of(status.type()) +
                     ", no ordinary file) name a file");
  }
}

}  // namespace ulpine::io
