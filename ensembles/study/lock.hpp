// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace ulpine::ensembles {

enum class Use {
  alone,    ///< no other process works in the folder
  together  ///< others may, which use it together and take the items that they work on
};

/// The right to write into a folder, by an open-file-description lock on `.ulpine.lock` in it: the kernel (on
/// NFS the server) releases it when its owner ends in whatever way, so that a file left behind blocks nobody.
class FolderLock {
 public:
  static constexpr auto file_name = ".ulpine.lock";

  /// EnvironmentError, naming who has it, where another process uses `folder` in a way that excludes `use`,
  /// or the file system knows no locks; InputError where the file is no lock. The folder must exist.
  FolderLock(std::filesystem::path folder, Use use);
  /// On the way out of an exception the file goes, too, where it was made for this use alone: what was
  /// refused leaves nothing behind.
  ~FolderLock();
  FolderLock(FolderLock const&) = delete;
  FolderLock& operator=(FolderLock const&) = delete;

  /// Takes item `number` of the folder among those who use it together; EnvironmentError, naming `what`,
  /// where another process has it.
  void take(std::size_t number, std::string const& what) const;
  void release(std::size_t number) const;

 private:
  std::filesystem::path folder_;
  int file_ = -1;
  bool goes_ = false;  ///< the file, where an exception ends the use
  int exceptions_;     ///< under way when the use began
};

/// Whether there is nothing in the folder, or no folder, but for a lock and what a killed write may have
/// left.
bool is_vacant(std::filesystem::path const& folder);

}  // namespace ulpine::ensembles
