// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/child_process.hpp"
#include "io/netcdf.hpp"
#include "io/temporary.hpp"

namespace ulpine::io {

/// An OutputFile that a child process writes, so that several are compressed at the same time: netCDF and
/// HDF5 let one thread of a process work. Errors are those of the file, told by the next call or by close().
class OutputProcess {
 public:
  /// make() gives the file, in the child, and writes its static fields from values that are in memory:
  /// nothing of a GPU is there. `fields` are those that every time has, in this order. Nothing where no
  /// process can be started.
  static std::optional<OutputProcess> start(std::filesystem::path const& path,
                                            std::function<OutputFile()> const& make,
                                            std::vector<FieldInfo> const& fields);
  OutputProcess(OutputProcess&&) noexcept = default;
  OutputProcess& operator=(OutputProcess&&) noexcept = default;
  /// Without close() as without that of the file: it is readable and has no seal.
  ~OutputProcess();

  /// As OutputFile::moved_to().
  void moved_to(std::filesystem::path const& path);
  /// Gives it a time with the values of all fields, as OutputFile::write() takes them; returns before they
  /// are written.
  void write_time(double seconds, std::vector<std::vector<std::byte>> const& values);
  /// Waits until all is written and the file is closed.
  void close();

 private:
  explicit OutputProcess(std::filesystem::path const& path) : path_{final_name(path).string()} {}
  void send(void const* data, std::size_t bytes);
  void require_answer();

  std::string path_;
  ChildProcess child_;
};

}  // namespace ulpine::io
