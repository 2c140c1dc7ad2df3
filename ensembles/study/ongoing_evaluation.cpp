// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/ongoing_evaluation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ensembles/runs/interrupt.hpp"
#include "ensembles/study/study_evaluation.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Intervals at which other processes' runs, and an interrupt, are looked for.
constexpr std::chrono::milliseconds look_interval{1000}, interrupt_interval{50};
/// Number of other processes' runs that are looked at: the first ones not yet done, since they come in order.
constexpr std::size_t most_looked_at = 256;

/// Takes over the results of evaluate_files() for a run.
void take_evaluation(EvaluatedRun& run, EvaluatedRun& evaluated) {
  run.result.failed = std::move(evaluated.result.failed);
  run.result.metrics = std::move(evaluated.result.metrics);
  run.result.statistics = std::move(evaluated.result.statistics);
  run.result.curves = std::move(evaluated.result.curves);
  run.result.series = std::move(evaluated.result.series);
  run.growth = std::move(evaluated.growth);
  run.evaluated_from = std::move(evaluated.evaluated_from);
}

}  // namespace

struct OngoingEvaluation::State {
  fs::path folder;
  ResultsOptions options;
  std::atomic<bool> const* interrupted;  ///< by the user
  std::atomic<bool> abandoned{false};    ///< ends evaluate_files() on the way
  std::atomic<std::size_t> evaluated{0};
  std::thread thread;

  std::mutex mutex;  ///< guards what follows
  std::condition_variable changed;
  std::vector<ManifestEntry> arrived;         ///< ended and not yet seen by the thread
  std::map<std::size_t, ManifestEntry> away;  ///< by place in the plan: runs of other processes
  bool stopping = false, over = false;

  // The thread's own until it is over.
  Manifest manifest;                                      ///< as begin_evaluation() is to have it
  std::vector<ManifestEntry> waiting;                     ///< for runs that they are held against, or a turn
  bool more = false;                                      ///< some wait for a turn alone
  std::optional<StudyEvaluation> study;                   ///< its runs: the unperturbed, and those at work
  std::unordered_map<std::string, EvaluatedRun> members;  ///< by id: those that have been evaluated

  void work();
  void look_for_others();
  void begin();
  void let_in();
  void evaluate();
};

/// Runs until it is stopped or something goes wrong.
void OngoingEvaluation::State::work() {
  try {
    while (true) {
      {
        std::unique_lock lock(mutex);
        auto const due = [this] { return stopping || more || !arrived.empty(); };
        if (away.empty()) {
          changed.wait(lock, due);
        } else {
          changed.wait_for(lock, look_interval, due);
        }
        if (stopping) break;
        std::move(arrived.begin(), arrived.end(), std::back_inserter(waiting));
        arrived.clear();
      }
      look_for_others();
      begin();
      if (study) {
        let_in();
        evaluate();
      }
    }
  } catch (...) {
    // Whoever evaluates the study afterwards meets the same, and tells it.
  }
  std::lock_guard const lock(mutex);
  over = true;
  changed.notify_all();
}

/// Collects runs that other processes have done. A run that failed there may yet be repeated.
void OngoingEvaluation::State::look_for_others() {
  std::vector<std::pair<std::size_t, ManifestEntry>> candidates;
  {
    std::lock_guard const lock(mutex);
    std::ranges::copy(std::views::take(away, most_looked_at), std::back_inserter(candidates));
  }
  for (auto& [place, entry] : candidates) {
    stop_where(&abandoned);
    if (!fs::exists(folder / entry.run.path / "run.json")) continue;
    refresh_state(folder, manifest, entry);
    if (entry.state != RunState::done) continue;
    std::lock_guard const lock(mutex);
    if (away.erase(place) > 0) waiting.push_back(std::move(entry));
  }
}

/// Begins the evaluation as soon as the reference has been run.
void OngoingEvaluation::State::begin() {
  auto const is_reference = [&](ManifestEntry const& entry) {
    return entry.run.id == manifest.plan.reference;
  };
  auto const reference = std::ranges::find_if(waiting, [&](ManifestEntry const& entry) {
    return is_reference(entry) && entry.state == RunState::done;
  });
  if (reference == waiting.end()) return;
  manifest.entries.front() = *reference;
  std::erase_if(waiting, is_reference);
  members.clear();
  study.emplace(begin_evaluation(folder, manifest, options));
  if (!study->results.statistics.empty()) study->controls = control_statistics(*study);
}

/// Takes some of those that can be evaluated, or that others are held against, among the study's runs: one
/// for each thread, so that all of them are soon through.
void OngoingEvaluation::State::let_in() {
  auto const most = static_cast<std::size_t>(std::max(options.threads, 1));
  std::set<std::string> unperturbed;
  for (auto const& run : study->runs) unperturbed.insert(run.plan.id);
  // The unperturbed first, which members wait for.
  std::ranges::stable_partition(waiting, [](ManifestEntry const& entry) { return !entry.run.member; });
  std::vector<ManifestEntry> left;
  std::size_t taken = 0;
  more = false;
  for (auto& entry : waiting) {
    auto const& run = entry.run;
    auto const ready = !run.member || unperturbed.contains(baseline_of(*study, run));
    if (!ready || taken == most) {
      more = more || ready;
      left.push_back(std::move(entry));
      continue;
    }
    ++taken;
    if (!run.member && !unperturbed.insert(run.id).second) {  // it had failed and has been done again
      std::erase_if(study->runs, [&](EvaluatedRun const& other) { return other.plan.id == run.id; });
    }
    collect_run(*study, entry);
  }
  waiting = std::move(left);
}

void OngoingEvaluation::State::evaluate() {
  auto const open = std::ranges::count_if(
      study->runs, [](EvaluatedRun const& run) { return !run.result.failed && run.evaluated_from.empty(); });
  evaluate_files(*study);
  evaluated += static_cast<std::size_t>(open);
  auto const rest = std::ranges::stable_partition(
      study->runs, [](EvaluatedRun const& run) { return !run.plan.member.has_value(); });
  for (auto& run : rest) {
    auto id = run.plan.id;
    members.insert_or_assign(std::move(id), std::move(run));
  }
  study->runs.erase(rest.begin(), rest.end());
}

OngoingEvaluation::OngoingEvaluation(fs::path study, ResultsOptions const& options)
    : state_{std::make_unique<State>()} {
  state_->folder = std::move(study);
  state_->options = options;
  state_->options.progress = {};
  state_->options.ongoing = nullptr;
  state_->options.cancel = &state_->abandoned;
  state_->interrupted = options.cancel;
}

OngoingEvaluation::~OngoingEvaluation() {
  state_->abandoned = true;
  {
    std::lock_guard const lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

void OngoingEvaluation::start(Manifest const& manifest, Share share) {
  auto& state = *state_;
  auto const first = state.manifest.entries.empty();
  if (first) {
    state.manifest = manifest;
    for (auto& entry : state.manifest.entries) entry = ManifestEntry{std::move(entry.run)};
  }
  {
    std::lock_guard const lock(state.mutex);
    auto const away = std::exchange(state.away, {});
    for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
      auto const& entry = manifest.entries[i];
      if (!share.holds(i)) {
        state.away.emplace(i, entry);
      } else if (entry.state == RunState::done && (first || away.contains(i))) {
        state.arrived.push_back(entry);
      }
    }
  }
  state.changed.notify_all();
  if (!first) return;
  try {
    state.thread = std::thread([&state] { state.work(); });
  } catch (std::system_error const&) {
    // Without another thread all is evaluated afterwards.
  }
}

void OngoingEvaluation::ended(ManifestEntry const& entry) {
  {
    std::lock_guard const lock(state_->mutex);
    state_->arrived.push_back(entry);
  }
  state_->changed.notify_all();
}

void OngoingEvaluation::hand_over(StudyEvaluation& study) {
  auto& state = *state_;
  if (!state.thread.joinable()) return;
  {
    std::unique_lock lock(state.mutex);
    state.stopping = true;
    state.changed.notify_all();
    while (!state.changed.wait_for(lock, interrupt_interval, [&] { return state.over; })) {
      if (state.interrupted != nullptr && state.interrupted->load()) state.abandoned = true;
    }
  }
  state.thread.join();
  stop_where(state.interrupted);
  auto& found = state.study;
  if (!found || found->case_file.resolved() != study.case_file.resolved()) return;
  auto const outputs = unperturbed_outputs(study);
  auto const own = unperturbed_outputs(*found);
  auto const reference = own.find(study.results.reference);
  if (reference == own.end() || reference->second != outputs.at(study.results.reference)) return;
  for (auto& run : found->runs) {
    auto id = run.plan.id;
    state.members.insert_or_assign(std::move(id), std::move(run));
  }
  for (auto& run : study.runs) {
    auto const evaluation = state.members.find(run.plan.id);
    if (evaluation == state.members.end()) continue;
    auto& evaluated = evaluation->second;
    if (!evaluated.evaluated_from.empty() && evaluated.evaluated_from == sources_of(study, run, outputs)) {
      take_evaluation(run, evaluated);
    }
  }
  study.shared = std::move(found->shared);
  study.controls = std::move(found->controls);
  found.reset();
}

std::size_t OngoingEvaluation::evaluated() const { return state_->evaluated; }

}  // namespace ulpine::ensembles
