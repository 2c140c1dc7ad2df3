// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/exec/executor.hpp"

namespace ulpine {

/// Work of a device that was recorded and can be given to it again at once.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;
  virtual void launch() = 0;
};

/// Records what is given to a device instead of running it, which spares the latency of the launches when it
/// is given again. What is recorded only launches (kernels, copies and clears in stream order) and always
/// with the same arguments: it neither allocates nor waits.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;
  /// The executor on which the work runs.
  virtual Cuda executor() const = 0;
  virtual void begin() = 0;
  virtual std::unique_ptr<RecordedWork> end() = 0;
  /// Ends what was begun and forgets it.
  virtual void abandon() noexcept = 0;
  /// Waits for all work given to the device.
  virtual void wait() = 0;
};

/// Records by stream capture of `cuda`, which is not the default stream, into CUDA graphs.
std::unique_ptr<WorkRecorder> make_work_recorder(Cuda cuda);

}  // namespace ulpine
