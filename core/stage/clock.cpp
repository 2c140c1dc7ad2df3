// SPDX-License-Identifier: Apache-2.0
#include "core/stage/clock.hpp"

#include <deque>
#include <utility>

#include "core/exec/memory.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace ulpine {

#if defined(ULPINE_HAS_CUDA)

struct StageClock::Events {
  struct Pair {
    std::size_t stage = 0;
    cudaEvent_t begin = nullptr, end = nullptr;
  };
  /// Pairs in flight before the clock waits for the oldest.
  static constexpr std::size_t most_pending = 4096;

  Pair open;
  std::deque<Pair> pending;
  std::vector<Pair> free;

  ~Events() {
    free.insert(free.end(), pending.begin(), pending.end());
    free.push_back(open);
    for (auto const& pair : free) {
      if (pair.begin != nullptr) {
        cudaEventDestroy(pair.begin);
        cudaEventDestroy(pair.end);
      }
    }
  }

  void take() {
    if (open.begin != nullptr) {
      return;
    }
    if (free.empty()) {
      check_cuda(cudaEventCreate(&open.begin), "creating an event");
      check_cuda(cudaEventCreate(&open.end), "creating an event");
    } else {
      open = free.back();
      free.pop_back();
    }
  }

  /// Adds the oldest pair's time to its stage.
  void read_oldest(std::vector<StageTime>& stages) {
    auto const pair = pending.front();
    check_cuda(cudaEventSynchronize(pair.end), "timing a stage");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, pair.begin, pair.end), "timing a stage");
    ++stages[pair.stage].timed;
    stages[pair.stage].seconds += 1e-3 * static_cast<double>(milliseconds);
    pending.pop_front();
    free.push_back(pair);
  }
};

void StageClock::begin_timed(Cuda cuda) {
  if (events_ == nullptr) {
    events_ = std::make_unique<Events>();
  }
  events_->take();
  check_cuda(cudaEventRecord(events_->open.begin, cuda.stream), "timing a stage");
}

void StageClock::end_timed(Cuda cuda, std::size_t stage) {
  check_cuda(cudaEventRecord(events_->open.end, cuda.stream), "timing a stage");
  events_->open.stage = stage;
  events_->pending.push_back(std::exchange(events_->open, {}));
  if (events_->pending.size() > Events::most_pending) {
    events_->read_oldest(stages_);
  }
}

std::vector<StageTime> StageClock::times() {
  while (events_ != nullptr && !events_->pending.empty()) {
    events_->read_oldest(stages_);
  }
  return stages_;
}

#else

struct StageClock::Events {};

std::vector<StageTime> StageClock::times() { return stages_; }

#endif

StageClock::StageClock() = default;
StageClock::StageClock(StageClock&&) noexcept = default;
StageClock& StageClock::operator=(StageClock&&) noexcept = default;
StageClock::~StageClock() = default;

std::size_t StageClock::add_stage(std::string name) {
  stages_.push_back({std::move(name)});
  return stages_.size() - 1;
}

std::vector<StageClock::Count> StageClock::counts() const {
  std::vector<Count> counts;
  counts.reserve(stages_.size());
  for (auto const& stage : stages_) {
    counts.push_back({stage.launches, stage.bytes});
  }
  return counts;
}

void StageClock::repeat(std::vector<Count> const& difference) {
  for (std::size_t stage = 0; stage < difference.size(); ++stage) {
    stages_[stage].launches += difference[stage].launches;
    stages_[stage].bytes += difference[stage].bytes;
  }
}

}  // namespace ulpine
