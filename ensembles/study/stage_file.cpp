// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/stage_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ensembles/runs/files.hpp"
#include "ensembles/study/configuration.hpp"
#include "io/case_entries.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {

std::string to_toml(StageFile const& file) {
  auto text = "# Stages in a precision of their own: `ulpine run CASE --stages-from` this file.\ncase = " +
              io::toml_text(file.case_name) + "\ncase_hash = " + io::toml_text(file.case_hash) +
              "\npolicy = " + io::toml_text(file.policy) +
              (file.until_s ? fmt::format("\nuntil_s = {}", *file.until_s) : "") + "\nstages = [\n";
  for (auto const& [stage, policy] : file.stages) {
    text += "  " + io::toml_text(stage + "=" + policy) + ",\n";
  }
  return text + "]\n";
}

/// InputError where the entry is no text.
std::string text_of(std::string const& key, io::Entry const& entry) {
  if (auto const* text = std::get_if<std::string>(&entry.value)) return *text;
  throw InputError(entry.where + ": " + key + ": must be a text (it is " + io::describe(entry) +
                   ") write e.g. \"fp32\"");
}

/// InputError where the entry is no number above 0.
double seconds_of(std::string const& key, io::Entry const& entry) {
  auto const* whole = std::get_if<std::int64_t>(&entry.value);
  auto const* real = std::get_if<double>(&entry.value);
  auto const seconds = whole != nullptr ? double(*whole) : real != nullptr ? *real : 0.0;
  if (!(seconds > 0)) {
    throw InputError(entry.where + ": " + key + ": must be seconds above 0 (it is " + io::describe(entry) +
                     ") write e.g. 3600");
  }
  return seconds;
}

StageFile read_stage_file(std::filesystem::path const& path) {
  StageFile file;
  std::vector<std::string> texts;
  for (auto const& [key, entry] : io::read_entries(read_text(path), path.string())) {
    if (key == "case") {
      file.case_name = text_of(key, entry);
    } else if (key == "case_hash") {
      file.case_hash = text_of(key, entry);
    } else if (key == "policy") {
      file.policy = text_of(key, entry);
    } else if (key == "until_s") {
      file.until_s = seconds_of(key, entry);
    } else if (key == "stages") {
      auto const* list = std::get_if<io::Array>(&entry.value);
      if (list == nullptr) {
        throw InputError(entry.where + ": stages: must be an array of texts (it is " + io::describe(entry) +
                         ") write e.g. [\"a.stage=fp32\"]");
      }
      for (auto const& element : list->elements) texts.push_back(text_of(key, element));
    } else {
      throw InputError(entry.where + ": unknown key '" + key + "'" +
                       choices_hint(key, {"case", "case_hash", "policy", "stages", "until_s"}));
    }
  }
  try {
    require_policy(file.policy);
    file.stages = parse_stages(texts);
  } catch (InputError const& problem) {
    throw InputError(path.string() + ": " + problem.what());
  }
  return file;
}

}  // namespace ulpine::ensembles
