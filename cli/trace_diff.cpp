// SPDX-License-Identifier: Apache-2.0
#include "verification/trace_diff.hpp"

#include "cli/console.hpp"

namespace ulpine::cli {

int trace_diff(TraceDiffOptions const& options) {
  auto const first = io::read_trace(options.first);
  auto const second = io::read_trace(options.second);
  if (auto const divergence = verification::first_divergence(first, second)) {
    print(options.common, verification::describe(*divergence) + "\n");
    return exit_code::different;
  }
  print(options.common, "no difference in " + std::to_string(first.records.size()) + " records\n");
  return exit_code::done;
}

}  // namespace ulpine::cli
