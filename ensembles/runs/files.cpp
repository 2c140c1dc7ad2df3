// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "io/error.hpp"
#include "io/regular_file.hpp"

namespace ulpine::ensembles {
namespace {

/// Largest size in bytes of a manifest or of results, which take some thousand bytes a run.
constexpr std::uint64_t largest_text = std::uint64_t{1} << 30;

}  // namespace

void require_no_results_but(std::filesystem::path const& folder, std::string const& own) {
  for (auto const* const results : {"run.json", "manifest.json", "search.json", "digits.json"}) {
    if (results != own && std::filesystem::exists(folder / results)) {
      throw InputError(folder.string() + ": holds the results of another command (" + results +
                       "; what is written among them could be taken for one of theirs) name another folder");
    }
  }
}

void require_no_part_of_results(std::filesystem::path const& folder) {
  namespace fs = std::filesystem;
  struct Parts {
    char const* results;
    io::FileSignature signature;
    std::array<char const*, 2> names;
  };
  constexpr std::array<Parts, 2> all = {{{"manifest.json", io::signatures::manifest, {"runs", "members"}},
                                         {"run.json", io::signatures::run, {"checkpoints", "checkpoints"}}}};
  std::error_code failed;
  auto part = fs::weakly_canonical(fs::absolute(folder, failed), failed);
  for (auto above = part.parent_path(); above != part; part = above, above = part.parent_path()) {
    for (auto const& [results, signature, names] : all) {
      if (std::ranges::find(names, part.filename()) != names.end() &&
          io::has_signature(above / results, signature)) {
        throw InputError(folder.string() + ": is a part of the results in " + above.string() +
                         " (what is written there could be taken for theirs) name another folder");
      }
    }
  }
}

std::string read_text(std::filesystem::path const& path) {
  auto text = io::regular_file_content(path, largest_text);
  if (!text || text->empty()) {
    throw InputError(path.string() + ": cannot be read (missing, empty or no permission) check the path");
  }
  return std::move(*text);
}

void make_folder(std::filesystem::path const& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw EnvironmentError(path.string() + ": cannot be made (" + error.message() +
                           ") check space and permissions");
  }
}

}  // namespace ulpine::ensembles
