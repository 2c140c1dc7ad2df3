// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/exec/device.hpp"
#include "core/exec/threads.hpp"
#include "core/model/model.hpp"
#include "core/model/ranked_model.hpp"
#include "io/error.hpp"
#include "precision/format_name.hpp"

namespace ulpine {
namespace {

struct Registration {
  std::string description;
  ModelFactory factory;
  bool takes_stage_overrides = false;
  std::string judging;
  bool on_ranks = false;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Registration> cores;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

void check_options(ModelOptions const& options) {
  std::vector<std::string> known;
  for (auto const* name = policy_names(); *name != nullptr; ++name) known.emplace_back(*name);
  auto const require_policy = [&](std::string const& policy, std::string const& of) {
    if (parse_format(policy)) return;
    if (std::ranges::find(known, policy) == known.end()) {
      throw InputError("unknown policy '" + policy + "'" + of + choices_hint(policy, known));
    }
  };
  require_policy(options.policy, "");
  for (auto const& [stage, policy] : options.stages) {
    require_policy(policy, " of stage " + stage);
  }
  if (options.threads < 1 || options.threads > most_threads) {
    throw InputError("threads = " + std::to_string(options.threads) + " (1 to " +
                     std::to_string(most_threads) + " are possible) give a number in that range");
  }
  require_threads(options.threads);
  if (options.ranks < 1) {
    throw InputError("ranks = " + std::to_string(options.ranks) +
                     " (at least 1 is needed) give a positive number");
  }
  if (options.host_ranks < 0 || options.host_ranks >= options.ranks) {
    throw InputError("host ranks = " + std::to_string(options.host_ranks) + " (the first of " +
                     std::to_string(options.ranks) + " is on the device) give fewer");
  }
  auto const ordinal = device_ordinal(options.device);
  if (ordinal < 0) {
    return;
  }
  if (options.block < 32 || options.block > 256 || options.block % 32 != 0) {
    throw InputError("block = " + std::to_string(options.block) +
                     " (threads a block are a multiple of 32 from 32 to 256) use 128 or 256");
  }
  require_device(ordinal);
}

/// A statistic or curve that has the name of a field could not be told from it in results and reports.
void require_own_names(Model const& model, std::string const& core, std::string const& judging) {
  if (judging.empty()) return;
  auto fields = model.fields();
  for (auto const& field : model.static_fields()) fields.push_back(field);
  for (auto const& name : io::CaseFile::parse(judging, "core " + core).keys_under("evaluate")) {
    if (std::ranges::find(fields, name, &io::FieldInfo::name) != fields.end()) {
      throw InputError(
          "core '" + core + "' has a field and an evaluation [evaluate." + name +
          "] of one name (the field's values and the statistic could not be told apart) rename one "
          "of them in the core");
    }
  }
}

}  // namespace

std::unique_ptr<Model> make_model(io::CaseFile const& case_file, ModelOptions const& options) {
  check_options(options);
  auto const core = case_file.core();
  Registration found;
  {
    auto& known = registry();
    std::lock_guard const lock(known.mutex);
    if (auto const entry = known.cores.find(core); entry != known.cores.end()) {
      found = entry->second;
    } else {
      std::vector<std::string> names;
      for (auto const& [name, registration] : known.cores) names.push_back(name);
      throw case_file.error("core", "unknown core '" + core + "'" + choices_hint(core, names));
    }
  }
  if (!options.stages.empty() && !found.takes_stage_overrides) {
    throw InputError("core '" + core + "' cannot run stage " + options.stages.front().stage + " in " +
                     options.stages.front().policy +
                     " (all its stages run in one policy) leave the stage's policy out");
  }
  if (options.ranks > 1 && !found.on_ranks) {
    throw InputError("core '" + core + "' runs on one rank (" + std::to_string(options.ranks) +
                     " are asked for) leave the others out");
  }
  if (options.ranks > 1 && !options.team) return make_ranked_model(case_file, options);
  auto model = found.factory(case_file, options);
  require_own_names(*model, core, found.judging);
  return model;
}

void register_model(std::string const& core, std::string const& description, ModelFactory factory,
                    bool takes_stage_overrides, std::string judging) {
  auto& known = registry();
  std::lock_guard const lock(known.mutex);
  known.cores.insert_or_assign(
      core, Registration{description, std::move(factory), takes_stage_overrides, std::move(judging)});
}

void register_on_ranks(std::string const& core) {
  auto& known = registry();
  std::lock_guard const lock(known.mutex);
  known.cores.at(core).on_ranks = true;
}

std::string judging_of(std::string const& core) {
  auto& known = registry();
  std::lock_guard const lock(known.mutex);
  auto const found = known.cores.find(core);
  return found == known.cores.end() ? "" : found->second.judging;
}

std::vector<std::pair<std::string, std::string>> known_cores() {
  auto& known = registry();
  std::lock_guard const lock(known.mutex);
  std::vector<std::pair<std::string, std::string>> cores;
  for (auto const& [name, registration] : known.cores) cores.emplace_back(name, registration.description);
  return cores;
}

}  // namespace ulpine
