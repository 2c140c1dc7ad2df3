// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace ulpine::test {

inline void write_file(std::filesystem::path const& path, std::string const& text) {
  std::ofstream{path, std::ios::binary} << text;
}

/// A new folder that goes with its object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto name = (std::filesystem::temp_directory_path() / "ulpine-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path const& path() const { return path_; }
  std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
  /// Writes `text` to the file `name` in it.
  std::filesystem::path write(std::string const& name, std::string const& text) const {
    write_file(path_ / name, text);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(std::filesystem::path const& path) {
  std::ifstream stream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

/// what() of the exception of type `Error` that `action` throws; a note where it throws none.
template <class Error, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (Error const& error) {
    return error.what();
  }
  return "(nothing thrown)";
}

}  // namespace ulpine::test
