// SPDX-License-Identifier: Apache-2.0
#include "io/temporary.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace ulpine::io {
namespace {

// As nobody else's files are called: they are removed unasked.
constexpr std::string_view mark = ".ulpine-", ending = ".part";

}  // namespace

std::filesystem::path temporary_name(std::filesystem::path const& path) {
  auto name = path;
  name += std::string{mark}.append(std::to_string(::getpid())).append(ending);
  return name;
}

bool is_temporary(std::filesystem::path const& name) {
  auto const number = name.stem().extension().string();  // ".ulpine-1234" of "results.json.ulpine-1234.part"
  return name.extension() == ending && number.size() > mark.size() && number.starts_with(mark) &&
         !name.stem().stem().empty() &&
         std::all_of(number.begin() + mark.size(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::filesystem::path final_name(std::filesystem::path const& path) {
  std::filesystem::path named;
  for (auto const& part : path) {
    auto name = part;
    named /= is_temporary(part) ? name.replace_extension().replace_extension() : part;
  }
  return named;
}

void remove_temporaries(std::filesystem::path const& folder) {
  std::error_code ignored;  // what cannot be removed is no obstacle
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
       entry.increment(ignored)) {
    auto const type = entry->symlink_status(ignored).type();
    auto const ours =
        type == std::filesystem::file_type::regular || type == std::filesystem::file_type::directory;
    if (ours && is_temporary(entry->path().filename())) {
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
}

}  // namespace ulpine::io
