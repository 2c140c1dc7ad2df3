// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ensembles/runs/stepped_run.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

using Clock = std::chrono::steady_clock;

/// Times of an output that wait to be written before a run's steps wait for them: what they hold is in
/// memory.
constexpr std::size_t most_deferred = 2;

enum class Phase {
  none,    ///< there is no run, or it begins or ends
  steps,   ///< the run is to be given steps
  settles  ///< a helper waits for the step that it was given last
};

/// A place for one run at a time, from its start to its end.
struct Lane {
  std::size_t number = 0;  ///< index of its run
  std::unique_ptr<SteppedRun> run;
  std::deque<std::function<void()>> tasks;  ///< for a helper, in order
  bool helped = false;                      ///< a helper is at the first of them
  Phase phase = Phase::none;
  std::exception_ptr error;
  std::size_t ready = 0;  ///< how many runs were ready for steps before it
  double seconds = 0;     ///< its share of the time in which runs had steps
};

class Team {
 public:
  explicit Team(SideBySide const& work)
      : work_{work}, lanes_(static_cast<std::size_t>(std::max(work.runs, 1))) {}

  void run() {
    for (auto& lane : lanes_) start(lane);
    std::vector<std::thread> helpers;
    try {
      for (int k = 0; k < std::max(work_.helpers, 1); ++k) helpers.emplace_back([this] { help(); });
    } catch (std::system_error const& problem) {
      if (helpers.empty()) {
        throw EnvironmentError(std::string("cannot start another thread (") + problem.code().message() +
                               ") use fewer --jobs");
      }
    }
    give_steps();
    for (auto& helper : helpers) helper.join();
  }

 private:
  /// Gives runs their steps until there is none left.
  void give_steps() {
    std::vector<Lane*> ready;
    while (true) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] {
          ready.clear();
          for (auto& lane : lanes_) {
            if (lane.phase == Phase::steps && lane.tasks.size() < most_deferred) ready.push_back(&lane);
          }
          return !ready.empty() || open_ == 0;
        });
        if (open_ == 0) return;
        if (work_.one_after_other) ready = {first_of(ready)};
      }
      for (auto* lane : ready) {
        auto const stepped = attempt(*lane, [&] { lane->run->take_step(); });
        if (stepped && lane->run->due()) {
          std::lock_guard const lock(mutex_);
          set_phase(*lane, Phase::settles);
          add(*lane, [this, lane] { settle(*lane); });
        } else {
          if (stepped) attempt(*lane, [&] { lane->run->settle(); });
          go_on(*lane);
        }
      }
    }
  }

  static Lane* first_of(std::vector<Lane*> const& lanes) {
    return *std::ranges::min_element(lanes, {}, [](Lane const* lane) { return lane->ready; });
  }

  /// Waits for a step and does what is due then.
  void settle(Lane& lane) {
    attempt(lane, [&] { lane.run->settle(); });
    go_on(lane);
  }

  /// Does one part of the lane's run and returns whether nothing was thrown; a throw ends the run.
  template <class Part>
  bool attempt(Lane& lane, Part const& part) {
    try {
      part();
      return true;
    } catch (...) {
      std::lock_guard const lock(mutex_);
      lane.error = lane.error ? lane.error : std::current_exception();
      return false;
    }
  }

  /// The lane's run gets its next step, or comes to its end.
  void go_on(Lane& lane) {
    std::lock_guard const lock(mutex_);
    if (!lane.error && !lane.run->over()) {
      set_phase(lane, Phase::steps);
    } else {
      set_phase(lane, Phase::none);
      add(lane, [this, &lane] { finish(lane); });
    }
  }

  /// Called under the lock. The time since the last change is that of the runs that had steps in it, or of
  /// the first of them where they have them one after the other.
  void set_phase(Lane& lane, Phase phase) {
    if (lane.phase == phase) return;
    auto const now = Clock::now();
    std::vector<Lane*> at_work;
    for (auto& other : lanes_) {
      if (other.phase != Phase::none) at_work.push_back(&other);
    }
    if (work_.one_after_other && !at_work.empty()) at_work = {first_of(at_work)};
    for (auto* const other : at_work) {
      other->seconds +=
          std::chrono::duration<double>(now - charged_).count() / static_cast<double>(at_work.size());
    }
    charged_ = now;
    lane.phase = phase;
    changed_.notify_all();
  }

  /// Called under the lock.
  void add(Lane& lane, std::function<void()> task) {
    lane.tasks.push_back(std::move(task));
    changed_.notify_all();
  }

  void start(Lane& lane) {
    std::lock_guard const lock(mutex_);
    ++open_;
    add(lane, [this, &lane] { begin(lane); });
  }

  /// Works on tasks until all lanes are through.
  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      auto lane = lanes_.end();
      changed_.wait(lock, [&] {
        lane = std::ranges::find_if(lanes_, [](Lane const& l) { return !l.helped && !l.tasks.empty(); });
        return lane != lanes_.end() || open_ == 0;
      });
      if (lane == lanes_.end()) return;
      lane->helped = true;
      auto const& task = lane->tasks.front();
      lock.unlock();
      task();
      lock.lock();
      lane->tasks.pop_front();
      lane->helped = false;
      changed_.notify_all();
    }
  }

  void begin(Lane& lane) {
    {
      std::lock_guard const lock(turns_);
      auto const number = work_.next();
      if (!number) {
        close();
        return;
      }
      lane.number = *number;
    }
    lane.seconds = 0;
    lane.error = nullptr;
    attempt(lane, [&] {
      auto request = work_.request(lane.number);
      request.defer = [this, &lane](std::function<void()> write) {
        std::lock_guard const lock(mutex_);
        add(lane, [this, &lane, write = std::move(write)] { attempt(lane, write); });
      };
      lane.run = std::make_unique<SteppedRun>(std::move(request));
    });
    if (lane.error && gives_way(lane)) return;
    {
      std::lock_guard const lock(mutex_);
      lane.ready = ready_++;
    }
    go_on(lane);
  }

  /// A lane is through.
  void close() {
    std::lock_guard const lock(mutex_);
    --open_;
  }

  /// Whether the lane's run, which could not be started, is left to another lane and this one is through.
  bool gives_way(Lane const& lane) {
    try {
      std::rethrow_exception(lane.error);
    } catch (EnvironmentError const&) {
    } catch (std::bad_alloc const&) {
    } catch (...) {
      return false;
    }
    std::lock_guard const lock(turns_);
    if (std::lock_guard const count(mutex_); open_ == 1) return false;
    work_.put_back(lane.number);
    close();
    return true;
  }

  void finish(Lane& lane) {
    work_.conclude(lane.number, [&] {
      if (lane.error) std::rethrow_exception(lane.error);
      lane.run->charge(lane.seconds);
      return lane.run->finish();
    });
    lane.run.reset();
    std::lock_guard const lock(mutex_);
    add(lane, [this, &lane] { begin(lane); });
  }

  SideBySide const& work_;
  /// Held while a run is taken or put back, so that no lane ends for want of one that is just put back.
  std::mutex turns_;
  /// Guards what follows; of a lane not what belongs to its helper or, while it steps, to the stepping
  /// thread.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Lane> lanes_;
  std::size_t open_ = 0;   ///< lanes that are not through
  std::size_t ready_ = 0;  ///< runs that were ready for steps
  Clock::time_point charged_ = Clock::now();
};

}  // namespace

void run_side_by_side(SideBySide const& work) { Team(work).run(); }

GpuPlaces gpu_places(std::int64_t cells, std::int64_t bytes, int multiprocessors, std::int64_t memory_bytes) {
  constexpr std::int64_t cells_a_multiprocessor = 3072, most = 24;
  auto const between = [most](std::int64_t number) {
    return static_cast<int>(std::clamp(number, std::int64_t{1}, most));
  };
  return {between(cells_a_multiprocessor * multiprocessors / std::max<std::int64_t>(cells, 1)),
          between(memory_bytes / 2 / std::max<std::int64_t>(bytes, 1))};
}

int runs_at_a_time(int runs, GpuPlaces places) {
  constexpr int least = 4, at_hand = 4;  // measured: docs/results/performance.md
  if (places.fill == 1) return std::min({runs, places.fit, at_hand});
  auto const fill = std::min(places.fill, places.fit);
  if (std::min(runs, fill) < least) return 1;
  return runs <= fill + fill / 3 ? runs : fill;
}

}  // namespace ulpine::ensembles
