// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/stage/observe.hpp"
#include "io/trace_file.hpp"

namespace ulpine {

/// A trace record with its place and names; TraceRecord::stage and ::field stay 0.
struct StageRecord {
  StagePosition position;
  std::string stage, field;
  io::TraceRecord record;
};

/// Hashes every reported stage. Hashes of device fields are fetched in batches without stopping the stream,
/// so records arrive late but in the order of the reports. While a stream is captured it is told by
/// recording() instead.
class TraceRecorder : public StageObserver {
 public:
  /// Hands over all records so far. Destruction does the same but loses errors: call this at the end of a
  /// run.
  virtual void flush() = 0;
};

/// Appends to `writer`, which must outlive the recorder.
std::unique_ptr<TraceRecorder> make_trace_recorder(io::TraceWriter& writer);
/// Appends to `records`, which must outlive the recorder.
std::unique_ptr<TraceRecorder> make_trace_recorder(std::vector<StageRecord>& records);

/// Keeps a copy of `field` as `stage` left it at `position` (the first time, if reported repeatedly).
class FieldCapture : public StageObserver {
 public:
  FieldCapture(StagePosition position, std::string stage, std::string field);
  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override;

  bool found() const { return found_; }
  /// The owned points on the host, row-major, raw; empty before they are found.
  std::vector<std::byte> const& bytes() const { return bytes_; }
  ValueType type() const { return type_; }

 private:
  StagePosition position_;
  std::string stage_, field_;
  bool found_ = false;
  std::vector<std::byte> bytes_;
  ValueType type_ = ValueType::float64;
};

}  // namespace ulpine
