// SPDX-License-Identifier: Apache-2.0
#include "core/stage/clock.hpp"

#include <deque>
#include <optional>
#include <utility>

#include "core/exec/stream.hpp"

namespace ulpine {

#if defined(ULPINE_HAS_CUDA)

struct StageClock::Events {
  struct Pair {
    explicit Pair(Cuda cuda) : begin(cuda, Event::Timed::yes), end(cuda, Event::Timed::yes) {}
    std::size_t stage = 0;
    Event begin, end;
  };
  /// Pairs in flight before the clock waits for the oldest.
  static constexpr std::size_t most_pending = 4096;

  std::optional<Pair> open;
  std::deque<Pair> pending;
  std::vector<Pair> free;

  /// Opens a pair where none is left open by a launch that threw.
  void take(Cuda cuda) {
    if (open) {
      return;
    }
    if (free.empty()) {
      open.emplace(cuda);
    } else {
      open = std::move(free.back());
      free.pop_back();
    }
  }

  /// Adds the oldest pair's time to its stage.
  void read_oldest(std::vector<StageTime>& stages) {
    auto& pair = pending.front();
    pair.end.wait();
    ++stages[pair.stage].timed;
    stages[pair.stage].seconds += seconds_between(pair.begin, pair.end);
    free.push_back(std::move(pair));
    pending.pop_front();
  }
};

void StageClock::begin_timed(Cuda cuda) {
  if (events_ == nullptr) {
    events_ = std::make_unique<Events>();
  }
  events_->take(cuda);
  events_->open->begin.record(cuda);
}

void StageClock::end_timed(Cuda cuda, std::size_t stage) {
  events_->open->end.record(cuda);
  events_->open->stage = stage;
  events_->pending.push_back(std::move(*events_->open));
  events_->open.reset();
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
