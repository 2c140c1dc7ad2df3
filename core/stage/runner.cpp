// SPDX-License-Identifier: Apache-2.0
#include "core/stage/runner.hpp"

#include <stdexcept>

#if defined(ULPINE_HAS_CUDA)
#include <nvtx3/nvToolsExt.h>
#endif

namespace ulpine {

char const* name_of(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::bitwise:
      return "bitwise";
    case Guarantee::run_to_run:
      return "run_to_run";
    default:
      return "none";
  }
}

void StageObserver::stage_wrote(StagePosition const& position, char const* stage,
                                std::span<Field const* const> writes) {
  for (auto const* field : writes) stage_done(position, stage, field->name().c_str(), field->raw());
}

Stage StageRunner::add(StageDescription description) {
  auto const number = clock_.add_stage(description.name);
  stages_.push_back(std::move(description));
  return static_cast<Stage>(number);
}

void StageRunner::observe(StageObserver* observer) {
  // Work that was recorded for another observer writes into that one's memory.
  std::erase_if(graphs_, [](auto const& graph) { return graph.first.starts_with('@'); });
  observer_ = observer;
  recording_ = nullptr;  // until the next step begins
}

std::uint64_t StageRunner::place_of(std::size_t stage) const {
  std::uint64_t place = stage;
  for (std::size_t level = 0; level < position_.depth(); ++level) {
    place = place * 0xd1342543de82ef95u + static_cast<std::uint64_t>(position_[level].index) + 1;
  }
  return place;
}

void StageRunner::report(std::size_t stage, std::span<Field const* const> writes) {
  if (writes.empty()) return;
  auto const& name = stages_[stage].name;
  if (observes_recording()) {
    recording_->stage_recorded(position_, name.c_str(), writes);
    return;
  }
  for (auto const* field : writes) {
    if (fault_.stage == name && fault_.field == field->name() && fault_.position == position_) {
      add_one_ulp(field->raw(), fault_.element);
    }
  }
  if (observer_ != nullptr) observer_->stage_wrote(position_, name.c_str(), writes);
}

bool StageRunner::begin_on_device(std::span<Field const* const> writes) {
  if (playing_ != nullptr && playing_->whole) return false;
  if (observes_recording()) recording_->before_writes(writes);
  return true;
}

void StageRunner::begin_launch(Host host, std::size_t stage) { clock_.begin(host, stage); }

void StageRunner::end_launch(Host host, std::size_t stage, std::span<Field const* const> writes) {
  clock_.end(host, stage, stages_[stage].bytes);
  if (watched_) report(stage, writes);
}

#if defined(ULPINE_HAS_CUDA)
// Profilers show what lies between the two calls under the stage's name (NVTX).
void StageRunner::begin_launch(Cuda cuda, std::size_t stage) {
  nvtxRangePushA(stages_[stage].name.c_str());
  clock_.begin(cuda, stage);
}

void StageRunner::end_launch(Cuda cuda, std::size_t stage, std::span<Field const* const> writes) {
  clock_.end(cuda, stage, stages_[stage].bytes);
  nvtxRangePop();
  if (watched_) report(stage, writes);
}
#endif

bool StageRunner::begin_graph(char const* name) {
  auto& graph = graphs_[(watched_ ? "@" : "") + std::string(name)];
  outer_loops_ = position_.depth();
  if (graph.whole && graph.pieces.size() == 1) {
    clock_.repeat(graph.counts);
    give(graph.pieces.front());
    return false;
  }
  if (!graph.whole) graph.pieces.clear();
  counted_before_ = clock_.counts();
  next_piece_ = 0;
  playing_ = &graph;
  try {
    begin_piece();
  } catch (...) {
    playing_ = nullptr;
    throw;
  }
  return true;
}

void StageRunner::begin_piece() {
  paused_ = false;
  if (observes_recording()) recording_->begin_piece(device_->executor());
  device_->begin();
}

void StageRunner::end_piece() {
  auto& pieces = playing_->pieces;
  if (playing_->whole) {
    device_->abandon();  // what a sequence launches besides its stages is in the recorded piece, too
    if (next_piece_ == pieces.size()) {
      throw std::logic_error("a sequence calls the host more often than when it was recorded");
    }
  } else {
    auto observed = observes_recording() ? recording_->end_piece() : nullptr;
    pieces.push_back({device_->end(), std::move(observed)});
  }
  paused_ = true;
  give(pieces[next_piece_++]);
}

void StageRunner::give(Piece& piece) {
  if (piece.observed != nullptr) {
    recording_->piece_runs(*piece.observed, position_, outer_loops_, [&] { piece.work->launch(); });
  } else {
    piece.work->launch();
  }
}

void StageRunner::end_graph() {
  end_piece();
  if (next_piece_ != playing_->pieces.size()) {
    throw std::logic_error("a sequence calls the host less often than when it was recorded");
  }
  auto& graph = *std::exchange(playing_, nullptr);
  paused_ = false;
  if (graph.whole) return;
  graph.counts = clock_.counts();
  for (std::size_t stage = 0; stage < counted_before_.size(); ++stage) {
    graph.counts[stage].launches -= counted_before_[stage].launches;
    graph.counts[stage].bytes -= counted_before_[stage].bytes;
  }
  graph.whole = true;
}

void StageRunner::abandon_graph() noexcept {
  if (playing_ == nullptr) return;
  if (observes_recording()) recording_->abandon_piece();
  if (!paused_) device_->abandon();
  playing_ = nullptr;
  paused_ = false;
}

void StageRunner::pause() {
  if (playing_ != nullptr) end_piece();
  if (device_ != nullptr) device_->wait();
}

void StageRunner::resume() {
  if (playing_ != nullptr) begin_piece();
}

}  // namespace ulpine
