// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/compare.hpp"

#include "cli/console.hpp"
#include "cli/earlier_parts.hpp"
#include "ensembles/study/failed_run.hpp"
#include "io/error.hpp"

namespace ulpine::cli {

namespace {

void require_variable(io::InputFile const& file, std::filesystem::path const& path, std::string const& name) {
  if (file.has_values(name)) {
    return;
  }
  throw InputError(path.string() + ": no variable '" + name + "'" + choices_hint(name, file.variables()));
}

}  // namespace

int compare(CompareOptions const& options) {
  io::InputFile const reference(options.reference);
  io::InputFile const test(options.test);
  tell_of_earlier_parts({options.reference, options.test});
  for (auto const& name : options.variables) {
    require_variable(reference, options.reference, name);
    require_variable(test, options.test, name);
  }
  verification::ComparisonOptions how;
  how.variables = options.variables;
  how.times = options.all_times ? verification::Times::all
              : options.last    ? verification::Times::last
                                : verification::Times::worst;
  how.by_level = options.levels;
  if (!options.weights.empty()) how.weighting = verification::Weighting(options.weights);
  auto comparison = verification::compare(reference, test, how);
  auto failed = false;
  for (auto const& path : {options.reference, options.test}) {
    if (path.filename() != "output.nc") continue;
    auto const failure = ensembles::failure_in(path.parent_path());
    if (!failure) continue;
    failed = true;
    comparison.notes.push_back(path.string() + " is of a run that failed: " + *failure);
  }
  auto text = options.json ? verification::to_json(comparison, how.times)
                           : verification::to_text(comparison, how.times);
  if (!text.ends_with('\n')) {
    text += '\n';
  }
  print(options.common, text);
  return comparison.usable() && !failed ? exit_code::done : exit_code::different;
}

}  // namespace ulpine::cli
