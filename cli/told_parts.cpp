// SPDX-License-Identifier: Apache-2.0
#include "cli/told_parts.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "io/file_set.hpp"
#include "io/joined_source.hpp"

namespace ulpine::cli {

void tell_of_parts(std::vector<std::filesystem::path> const& files) {
  for (auto const& file : files) {
    for (auto const& note : io::notes_of_parts(file)) {
      complain(note.starts_with(file.string()) ? note : file.string() + ": " + note);
    }
    tell_of_earlier_parts({file});
  }
}

void tell_of_earlier_parts(std::vector<std::filesystem::path> const& outputs) {
  for (auto const& output : outputs) {
    auto const parts = io::parts_before(output);
    if (parts.empty()) continue;
    auto const to = parts.size() > 1 ? " to " + parts.back().filename().string() : "";
    complain(
        fmt::format("{}: is the last part of a run that went on from a restart; what lies before it, in "
                    "{}{}, is left out; name its folder to have all",
                    output.string(), parts.front().filename().string(), to));
  }
}

}  // namespace ulpine::cli
