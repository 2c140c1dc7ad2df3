// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ulpine::cli {

/// A folder of its own for the files of a command's work, gone with the object. EnvironmentError where there
/// can be none.
class WorkFolder {
 public:
  explicit WorkFolder(std::string const& command);
  WorkFolder(WorkFolder const&) = delete;
  WorkFolder& operator=(WorkFolder const&) = delete;
  ~WorkFolder();
  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ulpine::cli
