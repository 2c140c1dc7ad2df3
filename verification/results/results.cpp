// SPDX-License-Identifier: Apache-2.0
#include "verification/results/results.hpp"

#include <algorithm>
#include <fstream>

#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/regular_file.hpp"
#include "io/seal.hpp"

namespace ulpine::verification {

std::string name_of(Answer answer) {
  switch (answer) {
    case Answer::equal:
      return "equal";
    case Answer::equivalent:
      return "equivalent";
    case Answer::undecided:
      return "undecided";
    case Answer::different:
      break;
  }
  return "different";
}

void RunResult::set_metrics(std::string const& field, Metrics const& computed) {
  auto& values = metrics[field];
  for (auto const& [name, value] : computed.values) {
    values.insert_or_assign(name, value);
  }
}

RunResult const* StudyResults::find_run(std::string const& id) const {
  auto const found =
      std::find_if(runs.begin(), runs.end(), [&](RunResult const& run) { return run.id == id; });
  return found == runs.end() ? nullptr : &*found;
}

void write_results(std::filesystem::path const& path, StudyResults const& results) {
  io::write_atomically(path, io::sealed_json(to_json(results)));
}

StudyResults read_results(std::filesystem::path const& path) {
  auto const text = io::regular_file_content(path, std::uint64_t{1} << 30);
  if (!text || text->empty()) {
    throw InputError("cannot read " + path.string() + " (missing or not readable)");
  }
  io::require_json_seal(*text, path.string(), "write it anew with `ulpine report`");
  return from_json(*text, path.string());
}

}  // namespace ulpine::verification
