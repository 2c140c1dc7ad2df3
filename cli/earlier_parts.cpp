// SPDX-License-Identifier: Apache-2.0
#include "cli/earlier_parts.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "verification/results/run_parts.hpp"

namespace ulpine::cli {

void tell_of_earlier_parts(std::vector<std::filesystem::path> const& outputs) {
  for (auto const& output : outputs) {
    auto const parts = verification::parts_before(output);
    if (parts.empty()) continue;
    auto const to = parts.size() > 1 ? " to " + parts.back().filename().string() : "";
    complain(
        fmt::format("{}: is the last part of a run that went on from a restart; what lies before it, in "
                    "{}{}, is left out",
                    output.string(), parts.front().filename().string(), to));
  }
}

}  // namespace ulpine::cli
