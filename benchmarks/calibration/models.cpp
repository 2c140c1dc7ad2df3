// SPDX-License-Identifier: Apache-2.0
#include "calibration/models.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ensembles/study/case_source.hpp"
#include "ensembles/study/cases.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "io/error.hpp"
#include "lorenz96/lorenz.hpp"
#include "verification/gates/rules.hpp"

namespace ulpine::calibration {
namespace {

/// Members of a start are drawn a few times over; the starts, spin_up steps apart, are weather of their own.
struct Starts {
  int count, members;
  std::int64_t spin_up;
};

std::vector<Pool> run_starts(std::string const& model, std::string const& case_text, Starts const& starts,
                             std::filesystem::path const& folder, std::uint64_t seed, int jobs,
                             Progress const& progress) {
  std::vector<Pool> pools;
  for (int start = 0; start < starts.count; ++start) {
    PoolPlan plan{model,
                  case_text,
                  (start + 1) * starts.spin_up,
                  starts.members,
                  seed + static_cast<std::uint64_t>(start),
                  jobs,
                  lorenz_candidates()};
    auto const place = folder / fmt::format("{}-{}", model, start);
    std::filesystem::create_directories(place);
    pools.push_back(run_pool(plan, place, [&](double fraction, std::string const& what) {
      progress((start + fraction) / starts.count, fmt::format("{}: start {}, {}", model, start + 1, what));
    }));
    add_unpaired(pools.back());
  }
  return pools;
}

/// The quick cyclone to two hours, with noise of the amplitude that its rules tolerate.
Pool run_cyclone(std::filesystem::path const& folder, int jobs, Progress const& progress) {
  ensembles::CaseSource const source{ensembles::cases_folder() / "seaice" / "cyclone_quick.toml"};
  ensembles::StudyOptions options;
  options.configurations = {"fp64/deterministic",
                            "fp64/atomic",
                            "fp32/deterministic",
                            "mixed/deterministic",
                            "tf32/deterministic",
                            "bf16/deterministic",
                            "fp64/deterministic/seaice.stress=tf32"};
  options.members_for = options.configurations;
  options.reference = "fp64/deterministic";
  options.members = 512;
  options.epsilons = {verification::read_rules(source.load()).tolerated};
  options.until = 7200;
  ensembles::StudyExecution execution;
  execution.jobs = jobs;
  execution.resume = true;
  execution.progress = [&](ensembles::StudyProgress const& now) {
    progress(now.fraction, "cyclone_quick: runs");
  };
  ensembles::run_study(source, ensembles::make_plan(options), folder, execution);
  ensembles::ResultsOptions evaluating;
  evaluating.threads = jobs;
  auto const study = ensembles::compute_results(folder, evaluating);
  auto pool = pool_of("cyclone_quick", study);
  add_unpaired(pool);
  return pool;
}

}  // namespace

std::vector<std::string> const& model_names() {
  static std::vector<std::string> const names = {"lorenz96", "box", "cyclone_quick"};
  return names;
}

std::vector<Candidate> lorenz_candidates() {
  std::vector<Candidate> list = {
      {"other order of sums", Role::equal, {"cpu", "fp64", Assembly::atomic}, {}},
  };
  for (auto const* policy : {"fp32", "mixed", "tf32", "bf16"}) {
    list.push_back({policy, Role::planted, {"cpu", policy}, {}});
  }
  for (auto const& [name, override] : {std::pair{"products fused with sums", "lorenz.fault=contracted"},
                                       {"TF32 in one kernel", "lorenz.fault=tf32"},
                                       {"coefficient off by 1e-3", "lorenz.coefficient=1.001"},
                                       {"coefficient off by 2e-2", "lorenz.coefficient=1.02"},
                                       {"coefficient off by 1e-1", "lorenz.coefficient=1.1"},
                                       {"flipped sign in one cell", "lorenz.fault=flipped_sign"},
                                       {"dropped halo", "lorenz.fault=dropped_halo"}}) {
    list.push_back({name, Role::planted, {}, {override}});
  }
  for (int power = 0; power <= 20; power += 2) {
    list.push_back(
        {fmt::format("2^{}", power), Role::coarser, {}, {fmt::format("lorenz.coarser={}", 1 << power)}});
  }
  return list;
}

std::vector<Pool> pools_of(std::string const& model, std::filesystem::path const& folder, std::uint64_t seed,
                           int jobs, Progress const& progress) {
  if (model == "lorenz96") {
    return run_starts(model, lorenz96::lorenz_case(), {4, 1200, 400}, folder, seed, jobs, progress);
  }
  if (model == "box")
    return run_starts(model, lorenz96::box_case(), {3, 600, 800}, folder, seed, jobs, progress);
  if (model == "cyclone_quick") return {run_cyclone(folder / model, jobs, progress)};
  throw InputError("models has no '" + model +
                   "' (lorenz96, box and cyclone_quick are there) choose of those");
}

}  // namespace ulpine::calibration
