// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <semaphore>
#include <set>
#include <system_error>
#include <thread>

#include "core/exec/device.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/runs/run_ending.hpp"
#include "ensembles/runs/run_times.hpp"
#include "ensembles/study/failed_run.hpp"
#include "ensembles/study/manifest_keeper.hpp"
#include "ensembles/study/ongoing_evaluation.hpp"
#include "ensembles/study/planned_request.hpp"
#include "ensembles/study/progress.hpp"
#include "ensembles/study/side_by_side.hpp"
#include "io/error.hpp"
#include "io/temporary.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

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
      // All ranks of the program compute each of these runs, on the GPUs that they have: one after the other.
      if (!on_ranks_.turns.empty()) team.emplace_back([this] { work(on_ranks_, {}); });
      for (auto& [device, queue] : queues_) {
        auto const ordinal = device_ordinal(device);
        auto const runs = static_cast<int>(queue.turns.size());
        if (ordinal < 0) {
          // Programs wait for their turn: others run while the output of one is read and brought to the disk.
          auto const threads = of_program() ? 2 * std::max(execution_.jobs, 1) : std::max(execution_.jobs, 1);
          for (int job = std::min(threads, runs); job > 0; --job) {
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
  bool of_program() const { return !options_.variants.empty(); }
  bool cancelled() const { return execution_.cancel != nullptr && execution_.cancel->load(); }

  /// The open runs of one device.
  struct Queue {
    std::vector<std::size_t> turns;  ///< their places in open_
    std::size_t next = 0;            ///< index into turns
  };

  static std::string name_of_gpu(int ordinal) {
    return ordinal == 0 ? "cuda" : "cuda:" + std::to_string(ordinal);
  }

  /// Works through a queue, on `device`; empty: on each run's own device.
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
    if (of_program()) request.turn = &turns_;
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
    // Without the reference nothing can be judged: a case that it cannot run is bad input.
    auto ended = ending_of(entry.run, run, open_[turn] == 0);
    auto& [result, failure, fatal] = ended;
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

  void tell_evaluation(ManifestEntry const& entry) {
    if (execution_.evaluation != nullptr && entry.state != RunState::planned) {
      execution_.evaluation->ended(entry);
    }
  }

  /// Called under the lock (or after the team's end). `last`: whatever the time, and in silence where an
  /// error is to be told anyway.
  void keep_manifest(bool last) {
    if (execution_.only) return;
    try {
      keeper_.keep(manifest_, last);
    } catch (...) {
      error_ = error_ ? error_ : std::current_exception();
    }
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
  std::map<std::string, Queue> queues_;      ///< by device
  Queue on_ranks_;                           ///< runs on several ranks
  std::map<std::size_t, double> fractions_;  ///< done, of the runs under way, by place in open_
  RunTimes times_;                           ///< durations of the runs, likewise
  std::map<std::size_t, double> begun_;      ///< when those under way began, by now()
  std::set<std::size_t> told_;               ///< that are overdue
  bool over_ = false;                        ///< the team is through
  std::condition_variable ended_;
  int kept_ = 0, kept_late_ = 0;  ///< kept_late_: of kept_, those found done when their turn came
  int done_ = 0, failed_ = 0, running_ = 0;
  ManifestKeeper keeper_{folder_};
  std::counting_semaphore<> turns_{std::max(execution_.jobs, 1)};  ///< of programs that run
  std::exception_ptr error_;
};

}  // namespace

StudyOutcome run_open(Manifest manifest, StudyOptions options, fs::path const& folder,
                      StudyExecution const& execution) {
  return Scheduler(std::move(manifest), std::move(options), folder, execution).run();
}

}  // namespace ulpine::ensembles
