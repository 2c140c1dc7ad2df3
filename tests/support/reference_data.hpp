// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ulpine::test {

/// Folder of the reference data; empty where ULPINE_TEST_DATA names none.
inline std::filesystem::path data_folder() {
  char const* const folder = std::getenv("ULPINE_TEST_DATA");
  return folder != nullptr && std::filesystem::is_directory(folder) ? std::filesystem::path(folder)
                                                                    : std::filesystem::path();
}

/// A file of the reference data; empty where that data is not there (skip then).
inline std::filesystem::path reference_file(std::string const& name) {
  auto const path = data_folder() / name;
  return !data_folder().empty() && std::filesystem::exists(path) ? path : std::filesystem::path();
}

/// Raw little-endian doubles.
inline std::vector<double> read_doubles(std::filesystem::path const& path) {
  std::vector<double> values(std::filesystem::file_size(path) / sizeof(double));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

/// ||a - b|| / ||b||; infinity where the sizes differ.
inline double relative_difference(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() != b.size()) {
    return INFINITY;
  }
  double difference = 0, norm = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference += (a[k] - b[k]) * (a[k] - b[k]);
    norm += b[k] * b[k];
  }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

}  // namespace ulpine::test
