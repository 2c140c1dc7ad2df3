// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include "core/exec/device.hpp"
#include "core/model/not_solved.hpp"
#include "core/model/ranked_model.hpp"
#include "ensembles/failed_run.hpp"
#include "ensembles/files.hpp"
#include "ensembles/interrupt.hpp"
#include "ensembles/ongoing_evaluation.hpp"
#include "ensembles/progress.hpp"
#include "ensembles/quad_run.hpp"
#include "ensembles/run.hpp"
#include "ensembles/run_folder.hpp"
#include "ensembles/run_times.hpp"
#include "ensembles/shell.hpp"
#include "ensembles/side_by_side.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/temporary.hpp"
#include "ulpine_version.hpp"
#include "verification/evaluation.hpp"
#include "verification/vectors.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// InputError, by the core, for what it refuses: stages that it has not, policies and keys on several ranks.
/// On the host, as there, and on ranks where the program has them.
void require_configurations(CaseSource const& source, StudyPlan const& plan) {
  bool ranks_known = false;
  for (auto const& run : plan.runs) {
    if (run.member) continue;
    auto configuration = run.configuration;
    configuration.device = "cpu";
    configuration.size = 0;
    if (configuration.ranks > crew_size()) configuration.ranks = 0;
    // Ranks refuse a case whatever its policy, or quad and formats: the others need not all be asked.
    auto const on_ranks = configuration.ranks > 1 && (!ranks_known || of_host_alone(configuration.policy));
    if (configuration.stages.empty() && !on_ranks) continue;
    make_model(source.load(), model_options(configuration));
    ranks_known = ranks_known || configuration.ranks > 1;
  }
}

/// InputError where the case evaluates a field that the output will not have.
void require_evaluated_fields(io::CaseFile const& case_file, Model const& model) {
  auto const infos = model.fields();
  std::vector<std::string> names;
  for (auto const& info : infos) names.push_back(info.name);
  for (auto const& components : verification::vector_components(infos)) {
    names.push_back(verification::speed_name(components));
  }
  verification::require_fields(verification::read_evaluations(case_file, judging_of(case_file.core())),
                               names);
}

/// What the study asks for, with its runs. A model is built on the host to check the case against its core:
/// where a study is planned there may be no GPU.
Manifest wanted_manifest(CaseSource const& source, StudyPlan const& plan) {
  auto const case_file = source.load();
  auto const model = make_model(case_file, {});
  require_configurations(source, plan);
  require_evaluated_fields(case_file, *model);
  if (plan.options.until) {
    time_of_steps(*plan.options.until, model->time_step(), "--until");
  } else {
    time_of_steps(end_time(case_file), model->time_step(), case_file.path().string() + ": time.end");
  }
  Manifest manifest;
  manifest.plan.options = plan.options;
  manifest.plan.reference = plan.reference;
  auto& fields = manifest.plan.options.perturb;
  auto const known = model->perturbable();
  if (fields.empty()) {
    fields = known;
  }
  for (auto const& field : fields) {
    if (std::find(known.begin(), known.end(), field) == known.end()) {
      throw InputError("the model cannot perturb '" + field + "'" + choices_hint(field, known));
    }
  }
  manifest.core = model->core();
  manifest.cells = model->cells();
  manifest.memory_bytes = model->memory_bytes();
  manifest.case_name = case_file.name();
  manifest.case_text = case_file.resolved();
  manifest.case_hash = io::hex(case_file.hash());
  manifest.version = fmt::format("{} ({})", build::version, build::commit);
  auto const quad = decide_quad_run(case_file, *model, plan);
  manifest.quad_note = quad.note;
  manifest.plan.options.quad_until = quad.until;
  for (auto& run : make_plan(manifest.plan.options).runs) {
    manifest.entries.push_back({std::move(run)});
  }
  return manifest;
}

RunRequest request_of(PlannedRun const& run, StudyOptions const& options, fs::path const& study) {
  RunRequest request;
  request.source = {study / "case.toml"};
  request.options = model_options(run.configuration, options.threads, options.block);
  request.folder = study / run.path;
  request.id = run.id;
  request.until = run.until ? run.until : options.until;
  request.member = run.member;
  if (run.epsilon) {
    request.epsilon = run.epsilon->value;
    for (auto const& field : options.perturb) {
      // The noise of a member is the same for every policy: they are compared pair by pair.
      request.perturbations.push_back(
          {field, {run.seed, static_cast<std::uint32_t>(run.member.value_or(0)), run.epsilon->value}});
    }
  }
  return request;
}

/// At least this long between two writings of the manifest, s, and this many times what one takes: a study
/// of many runs must not spend its time on it. What a kill makes it miss is in the runs' own records.
constexpr double manifest_interval_s = 2, manifest_interval_writings = 20;

/// Threads that start and finish runs and hand over their output, beside the one that gives a GPU their
/// steps.
int helpers_for(int runs) {
  constexpr int least = 3, most = 8;
  return std::min(runs, std::clamp(static_cast<int>(std::thread::hardware_concurrency()) - 1, least, most));
}

/// Runs what is open, each device's runs side by side with those of the others.
class Scheduler {
 public:
  Scheduler(Manifest manifest, StudyOptions options, fs::path folder, StudyExecution const& execution)
      : manifest_{std::move(manifest)},
        options_{std::move(options)},
        folder_{std::move(folder)},
        execution_{execution} {
    auto const share = execution.only.value_or(Share{});
    for (std::size_t i = 0; i < manifest_.entries.size(); ++i) {
      if (!share.holds(i)) {
        continue;
      }
      auto const state = manifest_.entries[i].state;
      if (state == RunState::done || (state == RunState::failed && execution_.keep_failed)) {
        ++kept_;
      } else {
        auto const& configuration = manifest_.entries[i].run.configuration;
        auto& queue = configuration.ranks > 1 ? on_ranks_ : queues_[configuration.device];
        queue.turns.push_back(open_.size());
        open_.push_back(i);
        times_.add(device_text(configuration) + "/" + policy_text(configuration));
      }
    }
  }

  StudyOutcome run() {
    tell("");
    if (execution_.evaluation != nullptr) {
      execution_.evaluation->start(manifest_, execution_.only.value_or(Share{}));
    }
    std::vector<std::thread> team;
    try {
      // All of the program's ranks compute each, on the GPUs that they have: so one after the other.
      if (!on_ranks_.turns.empty()) team.emplace_back([this] { work(on_ranks_, {}); });
      for (auto& [device, queue] : queues_) {
        auto const ordinal = device_ordinal(device);
        auto const runs = static_cast<int>(queue.turns.size());
        if (ordinal < 0) {
          for (int job = std::min(std::max(execution_.jobs, 1), runs); job > 0; --job) {
            team.emplace_back([this, &queue = queue] { work(queue, {}); });
          }
          continue;
        }
        auto const gpus =
            device == "cuda" && !execution_.gpus.empty() ? execution_.gpus : std::vector{ordinal};
        auto const share = (runs + static_cast<int>(gpus.size()) - 1) / static_cast<int>(gpus.size());
        for (auto const gpu : gpus) {
          auto const jobs = jobs_of_gpu(gpu, share);
          if (jobs > 1) {
            team.emplace_back([this, &queue = queue, gpu, jobs] { work_side_by_side(queue, gpu, jobs); });
          } else {
            team.emplace_back([this, &queue = queue, gpu] { work(queue, name_of_gpu(gpu)); });
          }
        }
      }
    } catch (std::system_error const& problem) {
      std::lock_guard const lock(mutex_);
      error_ = std::make_exception_ptr(EnvironmentError(fmt::format(
          "cannot start more than {} threads ({}) use fewer --jobs", team.size(), problem.code().message())));
    }
    std::thread watcher;
    if (execution_.watch > 0) watcher = std::thread([this] { watch(); });
    for (auto& thread : team) {
      thread.join();
    }
    {
      std::lock_guard const lock(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    if (watcher.joinable()) watcher.join();
    keep_manifest(true);
    if (error_) {
      std::rethrow_exception(error_);
    }
    StudyOutcome outcome{done_, kept_, failed_, static_cast<int>(open_.size()) - done_ - failed_ - kept_late_,
                         false};
    outcome.interrupted = outcome.planned > 0;
    return outcome;
  }

 private:
  int jobs_of_gpu(int ordinal, int runs) const {
    if (execution_.gpu_jobs > 0) return std::min(execution_.gpu_jobs, runs);
    return runs_at_a_time(runs, places_of_gpu(ordinal));
  }
  GpuPlaces places_of_gpu(int ordinal) const {
    auto const device = require_device(ordinal);
    return gpu_places(manifest_.cells, manifest_.memory_bytes, device.multiprocessors, device.memory_bytes);
  }
  bool cancelled() const { return execution_.cancel != nullptr && execution_.cancel->load(); }

  /// The open runs of one device.
  struct Queue {
    std::vector<std::size_t> turns;  ///< their places in open_
    std::size_t next = 0;            ///< of turns
  };

  static std::string name_of_gpu(int ordinal) {
    return ordinal == 0 ? "cuda" : "cuda:" + std::to_string(ordinal);
  }

  /// On that device; empty: the run's own.
  void work(Queue& queue, std::string const& device) {
    while (auto const turn = next(queue)) {
      conclude(*turn, [&] {
        auto request = prepare(*turn);
        if (!device.empty()) request.options.device = device;
        return ensembles::run(request);
      });
    }
  }

  /// The device's next run that is to be done; nothing: there is none.
  std::optional<std::size_t> next(Queue& queue) {
    while (true) {
      std::size_t turn = 0;
      {
        std::lock_guard const lock(mutex_);
        if (queue.next == queue.turns.size() || error_ || cancelled()) {
          return {};
        }
        turn = queue.turns[queue.next++];
        ++running_;
      }
      try {
        if (take(turn)) return turn;
      } catch (...) {
        std::lock_guard const lock(mutex_);
        error_ = error_ ? error_ : std::current_exception();
      }
    }
  }

  /// A run that next() gave is to be given once more.
  void put_back(Queue& queue, std::size_t turn) {
    release(turn);
    std::lock_guard const lock(mutex_);
    queue.turns.push_back(turn);
    begun_.erase(turn);
    --running_;
  }

  void work_side_by_side(Queue& queue, int ordinal, int runs) {
    SideBySide work;
    work.runs = runs;
    work.helpers = helpers_for(runs);
    work.next = [&] { return next(queue); };
    work.put_back = [&](std::size_t turn) { put_back(queue, turn); };
    work.one_after_other = places_of_gpu(ordinal).fill == 1;
    work.request = [&](std::size_t turn) {
      auto request = prepare(turn);
      request.options.sharers = work.one_after_other ? 1 : runs;
      request.options.device = name_of_gpu(ordinal);
      return request;
    };
    work.conclude = [&](std::size_t turn, std::function<RunRecord()> const& run) { conclude(turn, run); };
    try {
      copy_bandwidth(ordinal);  // measured now that the device has no other work
      run_side_by_side(work);
    } catch (...) {
      std::lock_guard const lock(mutex_);
      error_ = error_ ? error_ : std::current_exception();
    }
  }

  /// Takes the run among the processes that have shares of the study; false where another has done it since
  /// the study was looked at.
  bool take(std::size_t turn) {
    if (!execution_.only || execution_.lock == nullptr) {
      return true;
    }
    auto& entry = manifest_.entries[open_[turn]];
    execution_.lock->take(open_[turn], entry.run.id);
    refresh_state(folder_, manifest_, entry);
    if (entry.state != RunState::done) {
      return true;
    }
    release(turn);
    tell_evaluation(entry);
    std::lock_guard const lock(mutex_);
    times_.dropped(turn);
    --running_;
    ++kept_;
    ++kept_late_;
    return false;
  }

  double now() const {
    if (execution_.clock) return execution_.clock();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  /// Looks after runs, also after those that are in the middle of a step, until the team is through.
  void watch() {
    constexpr std::chrono::seconds interval{1};
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, interval, [this] { return over_; })) {
      for (auto const& [turn, begin] : begun_) {
        times_.waited(turn, now() - begin);
        tell_overdue(turn);
      }
    }
  }

  /// Called under the lock.
  void tell_overdue(std::size_t turn) {
    if (!(execution_.watch > 0)) return;
    auto const late = times_.overdue(turn, execution_.watch);
    if (!late || !told_.insert(turn).second) return;
    auto& entry = manifest_.entries[open_[turn]];
    entry.reason = fmt::format("has taken {} ({} were expected)", readable_duration(late->taken_s),
                               readable_duration(late->expected_s));
    tell(entry.run.id + " " + entry.reason);
  }

  /// Leaves the run to other processes.
  void release(std::size_t turn) {
    if (execution_.only && execution_.lock != nullptr) execution_.lock->release(open_[turn]);
  }

  RunRequest prepare(std::size_t turn) {
    auto& entry = manifest_.entries[open_[turn]];
    io::remove_temporaries(folder_ / entry.run.path);
    auto request = request_of(entry.run, options_, folder_);
    request.trap_nonfinite = execution_.trap_nonfinite;
    request.cancel = execution_.cancel;
    request.progress = [this, turn](RunProgress const& progress) {
      std::lock_guard const lock(mutex_);
      auto const length = progress.end - progress.start;
      auto const fraction = length > 0 ? (progress.time - progress.start) / length : 1;
      fractions_[turn] = fraction;
      times_.went_on(turn, now() - begun_[turn], fraction);
      tell_overdue(turn);
      tell("");
      if (auto const late = times_.overdue(turn, execution_.give_up);
          late && execution_.give_up > 0 && fraction < 1) {
        throw RunFailed(
            fmt::format("given up after {} ({} were expected) look at its output, or give a larger "
                        "--give-up",
                        readable_duration(late->taken_s), readable_duration(late->expected_s)));
      }
    };
    std::lock_guard const lock(mutex_);
    begun_[turn] = now();
    entry.reason.clear();
    return request;
  }

  /// Keeps what came of a run.
  void conclude(std::size_t turn, std::function<RunRecord()> const& run) {
    auto& entry = manifest_.entries[open_[turn]];
    std::string failure;  // why the run failed; what goes beyond this run is `fatal`
    std::exception_ptr fatal;
    auto result = ManifestEntry{entry.run};
    try {
      auto const record = run();
      if (!record.interrupted) {
        result.state = RunState::done;
        result.hash = record.hash;
        result.wall_s = record.wall_s;
      }
    } catch (NotSolved const& problem) {
      failure = problem.what();
    } catch (EnvironmentError const&) {
      fatal = std::current_exception();
    } catch (std::bad_alloc const&) {
      fatal = std::make_exception_ptr(EnvironmentError(
          "out of memory (several runs side by side) use fewer --jobs, or a smaller --batch on a GPU"));
    } catch (std::exception const& problem) {
      failure = problem.what();
    }
    try {
      if (!failure.empty()) record_failure(folder_, manifest_, result, failure);
    } catch (EnvironmentError const&) {
      fatal = std::current_exception();
    }
    release(turn);
    std::lock_guard const lock(mutex_);
    --running_;
    auto const taken_s = now() - begun_[turn];
    begun_.erase(turn);
    if (fatal) {
      entry.reason = "the study ended while it ran: " + message_of(fatal);
      error_ = error_ ? error_ : fatal;
      return;
    }
    done_ += result.state == RunState::done ? 1 : 0;
    failed_ += result.state == RunState::failed ? 1 : 0;
    if (result.state != RunState::planned) {
      fractions_.erase(turn);
    }
    if (result.state == RunState::done) {
      times_.ended(turn, taken_s);
      result.reason = entry.reason;  // that it was overdue
    } else {
      times_.dropped(turn);
    }
    entry = std::move(result);
    tell_evaluation(entry);
    keep_manifest(false);
    tell(failure.empty() ? "" : entry.run.id + " failed: " + failure);
  }

  static std::string message_of(std::exception_ptr const& problem) {
    try {
      std::rethrow_exception(problem);
    } catch (std::exception const& error) {
      return error.what();
    }
  }

  void tell_evaluation(ManifestEntry const& entry) {
    if (execution_.evaluation != nullptr && entry.state != RunState::planned) {
      execution_.evaluation->ended(entry);
    }
  }

  /// Called under the lock (or after the team's end). `last`: whatever the time, and in silence where an
  /// error is to be told anyway.
  void keep_manifest(bool last) {
    using Clock = std::chrono::steady_clock;
    auto const since = [](Clock::time_point start) {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    if (execution_.only || (!last && since(manifest_written_) < manifest_interval_s_)) {
      return;
    }
    try {
      auto const begin = Clock::now();
      write_manifest(folder_, manifest_);
      manifest_interval_s_ = std::max(manifest_interval_s, manifest_interval_writings * since(begin));
    } catch (...) {
      error_ = error_ ? error_ : std::current_exception();
    }
    manifest_written_ = Clock::now();
  }

  /// Called under the lock (or before the team starts).
  void tell(std::string const& event) {
    if (!execution_.progress) {
      return;
    }
    StudyProgress progress;
    progress.total = static_cast<int>(open_.size()) + kept_ - kept_late_;
    progress.kept = kept_;
    progress.done = done_;
    progress.failed = failed_;
    progress.running = running_;
    auto sum = static_cast<double>(done_ + failed_ + kept_late_);
    for (auto const& [turn, fraction] : fractions_) sum += fraction;
    progress.fraction = open_.empty() ? 1 : sum / static_cast<double>(open_.size());
    progress.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    progress.remaining_s = times_.remaining(running_);
    progress.event = event;
    execution_.progress(progress);
  }

  Manifest manifest_;
  StudyOptions options_;
  fs::path folder_;
  StudyExecution const& execution_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  ///< guards what follows
  std::vector<std::size_t> open_;
  std::map<std::string, Queue> queues_;      ///< of devices
  Queue on_ranks_;                           ///< runs on several ranks
  std::map<std::size_t, double> fractions_;  ///< of the runs under way, by their place in open_
  RunTimes times_;                           ///< of the runs, likewise
  std::map<std::size_t, double> begun_;      ///< when those under way began, by now()
  std::set<std::size_t> told_;               ///< that are overdue
  bool over_ = false;                        ///< the team is through
  std::condition_variable ended_;
  int kept_ = 0, kept_late_ = 0;  ///< kept_late_: of kept_, those found done when their turn came
  int done_ = 0, failed_ = 0, running_ = 0;
  std::chrono::steady_clock::time_point manifest_written_ = begin_;
  double manifest_interval_s_ = manifest_interval_s;
  std::exception_ptr error_;
};

/// InputError where something of the names that the study will write is another's.
void require_own_study(fs::path const& folder, Manifest const& manifest, Share share) {
  io::require_replaceable(folder / "manifest.json", io::marks::manifest);
  require_own_results(folder);
  auto const& entries = manifest.entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (share.holds(i) && entries[i].state != RunState::done) {
      require_own_files({.folder = folder / entries[i].run.path, .id = entries[i].run.id});
    }
  }
}

}  // namespace

Manifest prepare_study(CaseSource const& source, StudyPlan const& plan, fs::path const& folder, bool resume,
                       std::atomic<bool> const* cancel, Share share) {
  if (resume && fs::exists(folder / "manifest.json")) {
    auto stored = read_manifest(folder, cancel);
    auto asked = plan;
    if (!asked.options.quad_until) asked.options.quad_until = stored.plan.options.quad_until;
    auto wanted = wanted_manifest(source, asked);
    stop_where(cancel);
    if (std::error_code failed; fs::equivalent(source.path, folder / "case.toml", failed)) {
      // Its tolerances may have been edited, as require_same_case() allows; what else was changed it tells.
      wanted.case_text = source.overrides.empty() ? stored.case_text : wanted.case_text;
    }
    require_same_study(folder, stored, wanted);
    if (!fs::exists(folder / "case.toml")) {
      write_atomically(folder / "case.toml", stored.case_text);
    }
    require_same_case(folder, stored);
    // The device of this call.
    for (std::size_t i = 0; i < stored.entries.size(); ++i) {
      stored.entries[i].run.configuration = wanted.entries[i].run.configuration;
    }
    stored.cells = wanted.cells;
    stored.memory_bytes = wanted.memory_bytes;
    refresh_states(folder, stored, cancel, share);
    require_own_study(folder, stored, share);
    return stored;
  }
  auto wanted = wanted_manifest(source, plan);
  stop_where(cancel);
  if (resume && fs::exists(folder / "case.toml")) {
    // A study whose manifest was lost or taken away because it was damaged.
    require_same_case(folder, wanted);
    require_own_runs(folder, wanted);
    refresh_states(folder, wanted, cancel);
    require_own_study(folder, wanted, share);
    write_manifest(folder, wanted, cancel);
    return wanted;
  }
  if (!is_vacant(folder)) {
    throw InputError(folder.string() + ": is not empty (" +
                     (fs::exists(folder / "manifest.json")
                          ? "it holds a study) go on with --resume or name another folder"
                          : "it holds no study) name another folder"));
  }
  make_folder(folder);
  // The manifest first: what a kill leaves between the two can be resumed.
  write_manifest(folder, wanted, cancel);
  write_atomically(folder / "case.toml", wanted.case_text);
  return wanted;
}

std::string resume_command(std::string const& program, fs::path const& folder, StudyOptions const& options) {
  auto command = fmt::format("{} ensemble {} -o {}", shell_quoted(program),
                             shell_quoted_path(folder / "case.toml"), shell_quoted_path(folder));
  for (auto const& word : words_of(options)) {
    command += fmt::format(" {}", shell_quoted(word));
  }
  return command + " --resume";
}

void clear_study(fs::path const& folder) {
  io::remove_temporaries(folder);
  std::error_code ignored;
  for (auto const* const part : {"runs", "members"}) {
    for (fs::recursive_directory_iterator entry(folder / part, ignored), end; entry != end;
         entry.increment(ignored)) {
      if (entry->is_directory(ignored)) {
        io::remove_temporaries(entry->path());
      }
    }
  }
}

StudyOutcome run_study(CaseSource const& source, StudyPlan const& plan, fs::path const& folder,
                       StudyExecution const& execution) {
  auto const share = execution.only.value_or(Share{});
  std::set<int> gpus;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    if (auto const ordinal = device_ordinal(plan.runs[i].configuration.device);
        ordinal >= 0 && share.holds(i) && gpus.insert(ordinal).second) {
      require_device(ordinal);
    }
  }
  if (execution.only && !fs::exists(folder / "manifest.json")) {
    throw InputError(folder.string() +
                     ": is no study yet (shares of one are to be run) plan it first with --slurm");
  }
  auto manifest = prepare_study(source, plan, folder, execution.resume, execution.cancel, share);
  auto options = plan.options;  // threads of this call, the rest is the manifest's
  options.perturb = manifest.plan.options.perturb;
  return Scheduler(std::move(manifest), std::move(options), folder, execution).run();
}

}  // namespace ulpine::ensembles
