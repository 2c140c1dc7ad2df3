// SPDX-License-Identifier: Apache-2.0
#include "verification/compare.hpp"

#include "cli/console.hpp"

namespace ulpine::cli {

int compare(CompareOptions const& options) {
  io::InputFile const reference(options.reference);
  io::InputFile const test(options.test);
  auto const comparison = verification::compare(reference, test, options.variables, options.all_times);
  auto text =
      options.json ? verification::to_json(comparison, options.all_times) : verification::to_text(comparison);
  if (!text.ends_with('\n')) {
    text += '\n';
  }
  print(options.common, text);
  return comparison.usable() ? exit_code::done : exit_code::different;
}

}  // namespace ulpine::cli
