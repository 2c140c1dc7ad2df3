// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/exec/point_host.hpp"
#include "precision/counted_number.hpp"
#include "precision/operation_counts.hpp"

namespace ulpine {

/// What the stages of a run have done so far.
class CountedRun {
 public:
  struct Stage {
    OperationCounts operations;
    std::int64_t kernels = 0;  ///< launches of kernels on points
    std::int64_t points = 0;   ///< of all these launches, each a thread on a device
    double moved_again = 0;  ///< bytes that kernels move besides what the stage declares, numbers as doubles
  };

  /// Operations from now on are those of `stage`.
  void begin_stage(std::string_view stage) {
    take_rest();
    present_ = &stages_[std::string(stage)];
  }
  void end_stage() {
    take_rest();
    present_ = &stages_[""];
  }
  void begin_kernel(std::int64_t points) {
    ++present_->kernels;
    present_->points += points;
  }
  /// For a kernel that passes over its data once more than the least bytes of its stage have it.
  void move_again(double bytes) { present_->moved_again += bytes; }
  /// Takes what a thread of a kernel has done.
  void add(OperationCounts const& done) {
    std::lock_guard const lock(mutex_);
    present_->operations.add(done);
  }

  /// All so far, by name; what was between stages has the empty one.
  std::map<std::string, Stage> const& stages() {
    take_rest();
    return stages_;
  }

 private:
  /// Takes what the calling thread has done outside of launches.
  void take_rest() { present_->operations.add(std::exchange(operations_done, {})); }

  std::map<std::string, Stage> stages_;
  Stage* present_ = &stages_[""];
  std::mutex mutex_;
};

/// Runs kernels of CountedPolicy on the host; `run` gets what they do, the same for any number of threads.
struct CountingHost : Host {
  static constexpr bool by_points = true;
  CountedRun* run = nullptr;

  void begin_step() const {}
  void begin_stage(std::string_view stage, std::uint64_t /*place*/) const { run->begin_stage(stage); }
  void end_stage() const { run->end_stage(); }
};

/// body(point) for every point in [0, count), as one launch that a device has on so many threads.
template <class Body>
void count_launch(CountingHost host, std::int64_t count, std::int64_t device_threads, Body const& body) {
  host.run->begin_kernel(device_threads);
#pragma omp parallel num_threads(host.threads) if (host.threads > 1)
  {
    auto const before = std::exchange(operations_done, {});
#pragma omp for schedule(static)
    for (std::int64_t point = 0; point < count; ++point) {
      body(point);
    }
    host.run->add(std::exchange(operations_done, before));
  }
}

/// As one launch with a thread a point.
template <class Body>
void for_each(CountingHost host, std::int64_t count, Body const& body) {
  count_launch(host, count, count, body);
}

}  // namespace ulpine
