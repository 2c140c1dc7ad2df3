// SPDX-License-Identifier: Apache-2.0
#include "cli/output_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <system_error>

#include "ensembles/runs/files.hpp"
#include "io/error.hpp"

namespace ulpine::cli {

OutputFolder::OutputFolder(std::filesystem::path const& folder) : exceptions_{std::uncaught_exceptions()} {
  ensembles::require_no_part_of_results(folder);
  std::error_code failed;
  auto const kind = std::filesystem::status(folder, failed).type();
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::none &&
      kind != std::filesystem::file_type::directory) {
    throw InputError("cannot write into " + folder.string() + " (it is no folder) name a folder with -o");
  }
  std::error_code ignored;
  for (auto above = std::filesystem::absolute(folder, ignored);
       above.has_relative_path() && !std::filesystem::exists(above, ignored); above = above.parent_path()) {
    created_.push_back(above);
  }
  std::filesystem::create_directories(folder, failed);
  if (failed == std::errc::not_a_directory) {
    throw InputError("cannot make the folder " + folder.string() +
                     " (a part of its path is a file) name another with -o");
  }
  if (failed) {
    throw EnvironmentError("cannot make the folder " + folder.string() + " (" + failed.message() +
                           ") name another with -o");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw EnvironmentError("cannot write into " + folder.string() + " (" + std::strerror(errno) +
                           ") name another folder with -o");
  }
}

OutputFolder::~OutputFolder() {
  if (std::uncaught_exceptions() <= exceptions_) return;
  for (auto const& folder : created_) {
    if (std::error_code failed; !std::filesystem::remove(folder, failed)) return;
  }
}

}  // namespace ulpine::cli
