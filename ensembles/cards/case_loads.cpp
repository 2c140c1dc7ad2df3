// SPDX-License-Identifier: Apache-2.0
#include "ensembles/cards/case_loads.hpp"

#include <utility>

#include "core/model/model.hpp"
#include "io/error.hpp"
#include "precision/policy.hpp"

namespace ulpine::ensembles::cards {

StageBytes bytes_of_launches(CaseSource const& source, std::string const& policy) {
  StageBytes bytes;
  for (auto const& stage : make_model(source.load(), {.policy = sized_like(policy)})->stages())
    bytes[stage.name] = stage.bytes;
  return bytes;
}

std::vector<StageLoad> loads_of(CountedOperations const& counted, PolicyTypes const& types,
                                StageBytes const& bytes, OperationCosts const& costs) {
  std::vector<StageLoad> loads;
  for (auto const& stage : counted.stages) {
    if (stage.launches == 0) continue;
    auto const found = bytes.find(stage.stage);
    auto const of_launch = found != bytes.end() ? found->second : stage.bytes / stage.launches;
    StageLoad load{stage.stage, stage.launches, of_launch * stage.launches,
                   instructions_of(stage.operations, types, costs)};
    load.kernels = stage.kernels;
    load.points = stage.points;
    load.passes = stage.passes;
    load.numbers = stage.bytes / sizeof(double);  // those counted are all doubles
    auto const source = source_operations(stage.operations, types);
    load.operations = source.number;
    load.operand_bytes = source.bytes;
    loads.push_back(std::move(load));
  }
  return loads;
}

CountedCase::CountedCase(CaseSource source, std::int64_t steps, int threads)
    : source_{std::move(source)},
      costs_{shipped_operation_costs()},
      counted_{count_operations(source_.load(), steps, threads)} {}

std::vector<StageLoad> CountedCase::loads(std::string const& policy) const {
  return loads_of(counted_, require_types(policy), bytes_of_launches(source_, policy), costs_);
}

std::map<std::string, double> seconds_of_launches(CountedOperations const& counted, PolicyTypes const& types,
                                                  StageBytes const& bytes, OperationCosts const& costs,
                                                  Card const& card, Efficiency const& efficiency) {
  std::map<std::string, double> seconds;
  for (auto const& load : loads_of(counted, types, bytes, costs)) {
    seconds[load.name] = time_of(load, card, efficiency).seconds / load.launches;
  }
  return seconds;
}

std::vector<std::string> CountedCase::policies() const {
  std::vector<std::string> policies = {"fp64"};
  for (auto const& row : policy_rows()) {
    std::string const name = row.name;
    auto const types = types_of(name);
    if (name == "fp64" || !types || !has_costs(costs_, *types)) continue;
    try {
      make_model(source_.load(), {.policy = sized_like(name)});
      policies.push_back(name);
    } catch (InputError const&) {        // the core does not run in it
    } catch (EnvironmentError const&) {  // nor was it built
    }
  }
  return policies;
}

PolicyTypes require_types(std::string const& policy) {
  if (auto const types = types_of(policy)) return *types;
  std::vector<std::string> known;
  for (auto const& row : policy_rows()) {
    if (types_of(row.name)) known.emplace_back(row.name);
  }
  throw InputError("no times are predicted in policy '" + policy + "'" + choices_hint(policy, known));
}

}  // namespace ulpine::ensembles::cards
