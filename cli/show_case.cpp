// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/console.hpp"
#include "io/case_extends.hpp"
#include "io/former_keys.hpp"

namespace ulpine::cli {

int show_case(CasesOptions const& options) {
  std::filesystem::path const file(options.show);
  require_case_file(file);
  auto const written = io::read_case_text(file, file.string());
  auto entries = io::read_merged(written).entries;
  io::FormerKeys const present_names(entries);
  print(options.common, io::written_out(entries));
  return exit_code::done;
}

}  // namespace ulpine::cli
