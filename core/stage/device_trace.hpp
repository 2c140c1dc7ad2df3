// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/stage/observe.hpp"

namespace ulpine {

/// A field that a stage wrote, as a trace names it. The names live as long as the recorder.
struct TracedOutput {
  StagePosition position;
  char const* stage = "";
  char const* field = "";
  std::int64_t count = 0;  ///< points of the whole domain
};

/// Gets an output and its block hashes.
using TraceSink = std::function<void(TracedOutput const& output, std::span<std::uint64_t const> blocks)>;

/// Hashes fields on a device and hands the hashes on in the order of the reports, later and without stopping
/// the device: kernels write them to one of two batches of device memory; while one batch travels and is
/// handed on, the other fills.
///
/// In recorded work a hash is a branch of its own wherever that helps: one launch takes all outputs that are
/// still to be hashed when a stage is about to write one of them, and runs beside the stages since. Only
/// outputs that the very next stage overwrites are hashed before it goes on.
class DeviceTrace : public RecordingObserver {
 public:
  /// One of the fields that a stage wrote.
  struct Written {
    char const* name;
    RawField values;
  };
  /// A stage wrote these fields of a device.
  virtual void add(StagePosition const& position, char const* stage, std::span<Written const> writes) = 0;
  /// Hands on everything so far. Waits for the device.
  virtual void flush() = 0;
};

/// Takes no memory of a device before the first call. `sink` outlives it.
std::unique_ptr<DeviceTrace> make_device_trace(TraceSink const& sink);

}  // namespace ulpine
