// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls with each file that it makes up: ULPINE_FUZZ_READER names the reader,
// ULPINE_FUZZ_FOLDER where the file lies. Whatever the file, a reader takes it or refuses it in one line.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "fuzz/coverage/readers.hpp"
#include "io/error.hpp"

namespace {

std::string variable(char const* name) {
  auto const* const value = std::getenv(name);
  if (value == nullptr) {
    std::fprintf(stderr, "%s is not set (tests/fuzz/coverage.sh sets it)\n", name);
    std::exit(2);
  }
  return value;
}

/// Ends the process as a crash does, so that the fuzzer keeps the file.
[[noreturn]] void fail(std::string const& what) {
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static auto const& reader = ulpine::fuzz::file_reader(variable("ULPINE_FUZZ_READER"));
  static std::filesystem::path const file =
      std::filesystem::path(variable("ULPINE_FUZZ_FOLDER")) / reader.file;
  auto const bytes = reader.sealed({reinterpret_cast<char const*>(data), size});
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  try {
    reader.read(file);
  } catch (ulpine::InputError const& error) {
    std::string const line = error.what();
    if (line.empty() || line.find('\n') != std::string::npos) fail("a refusal that is not one line: " + line);
    if (line.find(file.filename().string()) == std::string::npos &&
        line.find(file.parent_path().string()) == std::string::npos) {
      fail("a refusal that does not name the file: " + line);
    }
  }
  return 0;
}
