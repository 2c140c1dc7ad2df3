// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"

/// What members of a batch (core/stage/batch.hpp) give to their device, kept until it can be given in
/// launches that they share.
namespace ulpine {

/// Launches with their arguments, in stream order, that no device has been given yet.
class LaunchList {
 public:
  /// Gives one launch over `extent` to the device, for all members whose arguments these are.
  using Give = void (*)(Cuda cuda, Extent3 extent, std::span<std::byte const* const> arguments);

  /// `arguments`, whose bytes are kept, as `give` takes them.
  template <class Arguments>
  void add(Give give, Extent3 extent, Arguments const& arguments) {
    static_assert(std::is_trivially_copyable_v<Arguments>, "arguments are kept byte by byte");
    keep(give, extent, {reinterpret_cast<std::byte const*>(&arguments), sizeof(Arguments)});
  }
  /// What launch() gives to the member's own stream.
  void add_own(std::function<void()> launch);

  std::size_t size() const { return launches_.size(); }
  bool is_own(std::size_t number) const { return launches_[number].own != nullptr; }
  void give_own(std::size_t number) const { launches_[number].own(); }
  /// Launch `number`, which is not the members' own, of each of `lists`, which are alike.
  static void give(Cuda cuda, std::size_t number, std::span<LaunchList const* const> lists);
  /// All of it, to the member's own stream.
  void give(Cuda own) const;
  /// Whether `other` has the same launches over the same extents, whatever their arguments.
  bool alike(LaunchList const& other) const;

 private:
  struct Launch {
    Give give = nullptr;
    Extent3 extent{};
    std::size_t first = 0, bytes = 0;  ///< of its arguments
    std::function<void()> own = {};
  };

  void keep(Give give, Extent3 extent, std::span<std::byte const> arguments);

  std::vector<Launch> launches_;
  std::vector<std::byte> arguments_;
};

class Collector;

/// While it is open, members that begin a step keep what they launch.
struct CollectingRound {
  bool open = false;
  std::vector<Collector*> members;  ///< that have begun one
};

/// What stands between a member and its stream. Steps of one round are taken by one thread; whoever else uses
/// the member does so at other times.
class Collector {
 public:
  /// `own` is the member's stream, `round` that of its batch, which lasts longer.
  Collector(Cuda own, CollectingRound& round) : own_{own}, round_{round} {}
  Collector(Collector const&) = delete;
  Collector& operator=(Collector const&) = delete;

  Cuda executor() const { return own_; }

  /// The member begins a step.
  void begin_step();
  bool collecting() const { return state_ == State::collecting; }
  /// Where launches go while it is collecting.
  LaunchList& list() { return list_; }
  /// The stream itself is about to be used: what was kept is given to it, and the rest of the step goes
  /// there.
  void use();

  /// What follows is recorded from the stream and does not run.
  void begin_recording();
  void end_recording();

  /// For the batch. Ends the step; what was kept.
  LaunchList take();
  /// Whether the stream was used since the last call.
  bool take_used() { return std::exchange(used_, false); }
  /// Work was given elsewhere: catch_up(own stream) makes the stream wait for it, called before its next use.
  void fall_behind(std::function<void(Cuda)> catch_up) { catch_up_ = std::move(catch_up); }

 private:
  enum class State { direct, collecting, recording, recording_while_collecting };

  void catch_up();

  Cuda own_;
  CollectingRound& round_;
  State state_ = State::direct;
  bool used_ = true;
  LaunchList list_;
  std::function<void(Cuda)> catch_up_;
};

/// The collector that keeps what is launched by `executor` now; null where that goes to the device.
inline Collector* collector_of(Cuda const& cuda) {
  auto* const collector = cuda.stream.collector();
  return collector != nullptr && collector->collecting() ? collector : nullptr;
}

}  // namespace ulpine
