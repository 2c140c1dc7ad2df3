// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ulpine::test {

/// A file of the reference data; empty where that data is not there (skip then).
inline std::filesystem::path reference_file(std::string const& name) {
  auto const* folder = std::getenv("ULPINE_TEST_DATA");
  if (folder == nullptr) return {};
  auto const path = std::filesystem::path{folder} / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path{};
}

}  // namespace ulpine::test
