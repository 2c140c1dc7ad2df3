// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ulpine::fuzz {

/// A reader of files, as the fuzzer calls it.
struct FileReader {
  char const* name;  ///< as tests/fuzz/coverage.sh names it
  char const* file;  ///< what the file is called that it reads
  /// Bytes of the fuzzer as a file: its seals and checksums put right, where it has any, so that what lies
  /// behind them is reached.
  std::string (*sealed)(std::string_view bytes);
  /// Reads it and looks at everything in it. InputError.
  void (*read)(std::filesystem::path const& file);
};

/// InputError where no reader has the name.
FileReader const& file_reader(std::string const& name);

}  // namespace ulpine::fuzz
