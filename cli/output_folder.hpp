// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace ulpine::cli {

/// The folder that a command writes into.
class OutputFolder {
 public:
  /// Creates the folder with those above it and checks that files can be written there. InputError where it
  /// is something else than a folder or a part of another command's results, EnvironmentError where it cannot
  /// be made or written.
  explicit OutputFolder(std::filesystem::path const& folder);
  OutputFolder(OutputFolder const&) = delete;
  OutputFolder& operator=(OutputFolder const&) = delete;
  /// When an exception is thrown, folders that were created are removed, if nothing is in them.
  ~OutputFolder();

 private:
  std::vector<std::filesystem::path> created_;  ///< the deepest first
  int exceptions_;                              ///< under way at the beginning
};

}  // namespace ulpine::cli
