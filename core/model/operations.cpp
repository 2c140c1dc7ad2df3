// SPDX-License-Identifier: Apache-2.0
#include "core/model/operations.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/exec/threads.hpp"

namespace ulpine {
namespace {

struct Factories {
  std::mutex mutex;
  std::map<std::string, CountedFactory> by_core;
};
Factories& factories() {
  static Factories instance;
  return instance;
}

CountedFactory factory_of(io::CaseFile const& case_file) {
  auto const core = case_file.core();
  auto& known = factories();
  std::lock_guard const lock(known.mutex);
  if (auto const found = known.by_core.find(core); found != known.by_core.end()) return found->second;
  std::vector<std::string> names;
  for (auto const& [name, factory] : known.by_core) names.push_back(name);
  throw case_file.error("core",
                        "operations of core '" + core + "' are not counted" + choices_hint(core, names));
}

/// Sets what a stage has done in each of `steps` steps.
void take_mean(StageOperations& stage, CountedRun::Stage const& after, CountedRun::Stage const& before,
               double steps) {
  for (std::size_t r = 0; r < role_count; ++r) {
    for (std::size_t k = 0; k < kind_count; ++k) {
      auto const done = after.operations.numbers[r][k] - before.operations.numbers[r][k];
      stage.operations.numbers[r][k] = static_cast<double>(done) / steps;
    }
  }
  stage.kernels = static_cast<double>(after.kernels - before.kernels) / steps;
  stage.points = static_cast<double>(after.points - before.points) / steps;
  if (stage.bytes > 0) stage.passes += (after.moved_again - before.moved_again) / steps / stage.bytes;
}

}  // namespace

void register_counted_core(std::string const& core, CountedFactory factory) {
  auto& known = factories();
  std::lock_guard const lock(known.mutex);
  known.by_core.insert_or_assign(core, std::move(factory));
}

CountedOperations count_operations(io::CaseFile const& case_file, std::int64_t steps, int threads) {
  if (steps < 1) {
    throw InputError("operations of " + std::to_string(steps) +
                     " steps (at least one is counted) ask for more");
  }
  require_threads(threads);
  CountedRun run;
  auto const model =
      model_of(factory_of(case_file)(case_file, CountingHost{{threads}, &run}), case_file, Fp64::name);
  model->advance(1);
  auto before = run.stages();
  auto const costs_before = model->costs();
  model->advance(steps);
  auto const after = run.stages();
  auto const costs = model->costs();

  CountedOperations counted{{}, model->cells(), model->state_hash()};
  auto const per = static_cast<double>(steps);
  auto const add = [&](StageOperations stage) {
    auto const found = after.find(stage.stage);
    if (found != after.end()) {
      take_mean(stage, found->second, before[stage.stage], per);
    }
    bool const ran = stage.launches > 0 || stage.operations != ByRoleAndKind<double>{};
    if (ran) counted.stages.push_back(std::move(stage));
  };
  for (std::size_t s = 0; s < costs.size(); ++s) {
    StageOperations stage;
    stage.stage = costs[s].name;
    auto const earlier = std::ranges::find(costs_before, costs[s].name, &StageCost::name);
    bool const known = earlier != costs_before.end();
    stage.launches = static_cast<double>(costs[s].launches - (known ? earlier->launches : 0)) / per;
    stage.bytes = (costs[s].bytes - (known ? earlier->bytes : 0)) / per;
    add(std::move(stage));
  }
  add(StageOperations{});  // of what belongs to no stage
  return counted;
}

}  // namespace ulpine
