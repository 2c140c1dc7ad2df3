// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/field/raw_field.hpp"
#include "core/stage/position.hpp"

namespace ulpine {

class Field;

/// State that a RecordingObserver keeps of a recorded piece of work.
class ObservedPiece {
 public:
  virtual ~ObservedPiece() = default;
};

/// Looks at what stages write where their work is first recorded and then given to the device again and
/// again: what it does itself is recorded with it. Of the calls from begin_piece() to end_piece() none waits
/// for the device.
class RecordingObserver {
 public:
  virtual ~RecordingObserver() = default;
  /// Work of `cuda` is about to be recorded.
  virtual void begin_piece(Cuda cuda) = 0;
  /// The next work writes into these fields; empty: into any. What is held of them has to be read first.
  virtual void before_writes(std::span<Field const* const> writes) = 0;
  /// Work was recorded that leaves these fields as the output of a stage.
  virtual void stage_recorded(StagePosition const& position, char const* stage,
                              std::span<Field const* const> writes) = 0;
  virtual std::unique_ptr<ObservedPiece> end_piece() = 0;
  /// Recording failed: forget the piece.
  virtual void abandon_piece() noexcept = 0;
  /// `launch` gives the piece to the device; the first `depth` levels of its positions are now those of
  /// `position`.
  virtual void piece_runs(ObservedPiece const& piece, StagePosition const& position, std::size_t depth,
                          std::function<void()> const& launch) = 0;
};

/// Is told of every field that a stage wrote, right after the stage (in stream order). Names outlive the
/// call.
class StageObserver {
 public:
  virtual ~StageObserver() = default;
  virtual void stage_done(StagePosition const& position, char const* stage, char const* field,
                          RawField const& values) = 0;
  /// All fields that a stage wrote, in the stage's order.
  virtual void stage_wrote(StagePosition const& position, char const* stage,
                           std::span<Field const* const> writes);
  /// Work outside of stages is about to write these fields.
  virtual void before_writes(std::span<Field const* const> /*writes*/) {}
  /// Whether hashes are all that it wants to see of values: of several ranks' parts it is then told by
  /// stage_hashed(), not by stage_done().
  virtual bool takes_hashes() const { return false; }
  /// A stage wrote a field of `count` points, with these block hashes (core/field/hash.hpp).
  virtual void stage_hashed(StagePosition const& /*position*/, char const* /*stage*/, char const* /*field*/,
                            std::int64_t /*count*/, std::span<std::uint64_t const> /*blocks*/) {}
  /// How it looks at recorded work; null where it cannot, so that none of what it looks at may be recorded.
  virtual RecordingObserver* recording() { return nullptr; }
};

/// Plants a fault: moves the value of dense index `element` by one unit in the last place, away from zero
/// (the largest finite value towards zero), if the field owns it. Waits for the device. InputError where the
/// domain has no such element or it is not finite.
void add_one_ulp(RawField const& field, std::int64_t element);

/// Test hook: after `stage` has written `field` at `position`, element `element` is moved by one unit in the
/// last place.
struct PlantedFault {
  std::string stage = {}, field = {};
  StagePosition position = {};
  std::int64_t element = 0;
};

}  // namespace ulpine
