// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/model/model.hpp"
#include "core/model/operations.hpp"
#include "ensembles/cards/case_loads.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/configuration.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"
#include "precision/format_name.hpp"

namespace ulpine::ensembles::search {
namespace {

std::unique_ptr<Model> model_of(CaseSource const& source, Options const& options, std::string const& policy,
                                std::vector<StageOverride> stages) {
  return make_model(source.load(),
                    {.policy = policy, .threads = options.threads, .stages = std::move(stages)});
}

/// Why the model cannot be; empty where it can.
std::string refusal(CaseSource const& source, Options const& options, std::string const& policy,
                    std::vector<StageOverride> stages) {
  try {
    model_of(source, options, policy, std::move(stages));
    return "";
  } catch (InputError const& problem) {
    return problem.what();
  }
}

void require_names(Options const& options) {
  if (options.precisions.empty()) {
    throw InputError("no precisions to try (--precisions is empty) name some, e.g. fp32,e8m7");
  }
  auto sorted = options.precisions;
  std::sort(sorted.begin(), sorted.end());
  if (auto const twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw InputError("precision '" + *twice + "' is named twice (once is meant) leave one out");
  }
  for (auto const& precision : options.precisions) {
    if (!parse_format(precision)) require_policy(precision);
    if (precision == "fp64" || precision == "quad") {
      throw InputError("precision '" + precision + "' is not below the reference's (fp64) leave it out");
    }
  }
  for (auto const& policy : options.policies) require_policy(policy);
}

/// The chosen ones of the stages' names; all where none are.
std::vector<std::string> wanted_stages(Options const& options, std::vector<StageDescription> const& known) {
  std::vector<std::string> names;
  for (auto const& stage : known) names.push_back(stage.name);
  for (auto const& name : options.stages) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError("unknown stage '" + name + "'" + choices_hint(name, names));
    }
  }
  return options.stages.empty() ? names : options.stages;
}

std::map<std::string, double> bytes_of_stages(Model const& model) {
  std::map<std::string, double> bytes;
  for (auto const& stage : model.stages()) bytes[stage.name] = stage.bytes;
  return bytes;
}

void take_measurements(CostModel& costs, Options const& options, std::string const& core) {
  for (auto const& [precision, path] : options.costs) {
    auto const record = read_run(path);
    if (record.core != core) {
      throw InputError(path.string() + ": is a run of core " + record.core + " (the case is of " + core +
                       ") give the run.json of a run of this case");
    }
    std::map<std::string, double> seconds;
    for (auto const& stage : record.stages) seconds[stage.name] = stage.seconds;
    costs.measure(precision, seconds, path.string());
  }
}

/// Seconds on the card in each precision whose operations have costs; in formats of the host stages have
/// none.
void take_predictions(CostModel& costs, CaseSource const& source, Options const& options,
                      std::vector<std::string> const& policies) {
  auto const card = cards::find_card(options.on);
  auto const efficiency = cards::efficiency_for(card);
  auto const instructions = cards::shipped_operation_costs();
  auto const counted = count_operations(source.load(), cards::counted_steps, options.threads);
  auto const words = card.name + ", " + efficiency.words;
  std::vector<std::string> precisions = {"fp64"};
  for (auto const& names : {options.precisions, policies}) {
    for (auto const& name : names) {
      if (std::find(precisions.begin(), precisions.end(), name) == precisions.end())
        precisions.push_back(name);
    }
  }
  for (auto const& precision : precisions) {
    auto const types = cards::types_of(precision);
    if (!types || !cards::has_costs(instructions, *types)) continue;
    auto const bytes = cards::bytes_of_launches(source, precision);
    auto const seconds =
        cards::seconds_of_launches(counted, *types, bytes, instructions, card, efficiency.efficiency);
    std::map<std::string, double> of_stage;
    for (auto const& stage : costs.stages()) {
      auto a_launch = std::numeric_limits<double>::min();
      if (auto const found = seconds.find(stage.name); found != seconds.end()) {
        a_launch = std::max(a_launch, found->second);
      } else if (auto const moved = bytes.find(stage.name); moved != bytes.end()) {
        // A stage that runs only where others are not fused with it is not counted: it moves bytes.
        cards::StageLoad const load{stage.name, 1, moved->second, {}};
        a_launch = std::max(a_launch, cards::time_of(load, card, efficiency.efficiency).seconds);
      }
      of_stage[stage.name] = a_launch * double(stage.launches);
    }
    costs.predict(precision, of_stage, words);
  }
}

}  // namespace

Probe probe_stages(CaseSource const& source, Options const& options) {
  require_names(options);
  if (!options.on.empty()) cards::find_card(options.on);  // which is refused before anything runs
  auto const case_file = source.load();
  auto const plain = make_model(case_file, {.threads = options.threads});
  auto const stages = plain->stages();
  std::vector<StageOverride> in_fp64;
  std::vector<std::pair<std::string, std::string>> refused;
  for (auto const& name : wanted_stages(options, stages)) {
    auto why = refusal(source, options, "fp64", {{name, "fp64"}});
    if (why.empty()) {
      in_fp64.push_back({name, "fp64"});
    } else {
      refused.emplace_back(name, std::move(why));
    }
  }
  if (in_fp64.empty()) throw InputError(refused.front().second);

  auto const separate = model_of(source, options, "fp64", in_fp64);
  auto const end = options.until ? *options.until : end_time(case_file);
  for (int step = 0; step < probed_steps && separate->time() < end; ++step) separate->take_step(end);
  std::vector<StageWork> work;
  for (auto const& cost : separate->costs()) {
    if (cost.launches > 0) {
      work.push_back({cost.name, cost.launches, cost.bytes / double(cost.launches)});
    }
  }

  Probe probe{io::hex(case_file.hash()), CostModel(work, options.precisions), {}, {}, {64}, {}, {}};
  auto const count = [&](std::string const& policy) {
    probe.costs.count_policy(policy, bytes_of_stages(*model_of(source, options, policy, {})));
  };
  for (auto const& precision : options.precisions) {
    if (!parse_format(precision)) count(precision);
  }
  for (auto const& policy : options.policies) {
    if (!refusal(source, options, policy, {}).empty()) continue;
    count(policy);
    probe.policies.push_back(policy);
  }
  for (auto const& precision : options.precisions) {
    auto const bits = storage_bits(precision);
    probe.bits.push_back(bits ? *bits : int(std::lround(64 * probe.costs.whole(precision))));
  }
  take_measurements(probe.costs, options, case_file.core());
  if (!options.on.empty()) take_predictions(probe.costs, source, options, probe.policies);
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (std::none_of(in_fp64.begin(), in_fp64.end(),
                     [&](StageOverride const& stage) { return stage.stage == work[i].name; })) {
      continue;
    }
    std::vector<bool> possible = {true};
    for (auto const& precision : options.precisions) {
      possible.push_back(refusal(source, options, "fp64", {{work[i].name, precision}}).empty());
    }
    probe.lowerable.push_back(i);
    probe.possible.push_back(std::move(possible));
  }
  for (auto& [name, why] : refused) {
    auto const launched = [&wanted = name](StageWork const& stage) { return stage.name == wanted; };
    if (std::any_of(work.begin(), work.end(), launched)) probe.refused.emplace_back(name, std::move(why));
  }
  return probe;
}

}  // namespace ulpine::ensembles::search
