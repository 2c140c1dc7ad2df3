// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/log.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "ensembles/runs/files.hpp"
#include "ensembles/search/outcome_json.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"

namespace ulpine::ensembles::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr char const* log_schema = "ulpine.search-log/1";
constexpr char const* remedy = "remove it, and the search repeats its runs";

}  // namespace

Log::Log(std::filesystem::path path, std::string question, bool resume)
    : path_{std::move(path)}, question_{std::move(question)} {
  if (!resume || !std::filesystem::exists(path_)) return;
  auto const text = read_text(path_);
  io::require_json_seal(text, path_.string(), remedy);
  try {
    auto const json = Json::parse(text);
    if (json.at("schema") != log_schema) {
      throw InputError(path_.string() + ": has schema " + json.at("schema").dump() + " (this program reads " +
                       log_schema + ") " + remedy);
    }
    if (json.at("question") != question_) {
      throw InputError(path_.string() + ": is the log of another search (" +
                       json.at("question").get<std::string>() + ", now " + question_ +
                       ") repeat the options of that search or name another folder");
    }
    for (auto const& entry : json.at("runs")) {
      outcomes_[entry.at("configuration").get<std::string>()] = outcome_from(entry);
    }
  } catch (nlohmann::json::exception const& problem) {
    throw InputError(path_.string() + ": is no log of a search (" + problem.what() + ") " + remedy);
  }
}

Outcome const* Log::find(std::string const& configuration) const {
  auto const found = outcomes_.find(configuration);
  return found == outcomes_.end() ? nullptr : &found->second;
}

void Log::add(std::string const& configuration, Outcome const& outcome) {
  outcomes_[configuration] = outcome;
  auto runs = Json::array();
  for (auto const& [name, found] : outcomes_) {
    Json entry = {{"configuration", name}};
    entry.update(outcome_json(found));
    runs.push_back(std::move(entry));
  }
  Json const json = {{"schema", log_schema}, {"question", question_}, {"runs", std::move(runs)}};
  write_atomically(path_, io::sealed_json(json.dump(1)));
}

}  // namespace ulpine::ensembles::search
