// SPDX-License-Identifier: Apache-2.0
#include "verification/results/run_parts.hpp"

#include <string>
#include <system_error>

namespace ulpine::verification {
namespace {

bool is_there(std::filesystem::path const& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

std::vector<std::filesystem::path> parts_before(std::filesystem::path const& output) {
  std::vector<std::filesystem::path> parts;
  if (output.filename() != "output.nc") return parts;
  for (auto number = 1;; ++number) {
    auto part = output.parent_path() / ("output-" + std::to_string(number) + ".nc");
    if (!is_there(part)) return parts;
    parts.push_back(std::move(part));
  }
}

std::vector<std::filesystem::path> output_of_run(std::filesystem::path const& folder) {
  auto const output = folder / "output.nc";
  if (!is_there(output) || !(is_there(folder / "run.json") || is_there(folder / "restart.nc"))) return {};
  auto files = parts_before(output);
  files.push_back(output);
  return files;
}

}  // namespace ulpine::verification
