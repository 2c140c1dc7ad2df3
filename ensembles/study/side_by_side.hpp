// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "ensembles/runs/run.hpp"

namespace ulpine::ensembles {

/// Runs on one GPU, several at a time.
struct SideBySide {
  int runs = 1;     ///< at a time
  int helpers = 1;  ///< threads that start runs, write their output and finish them
  /// Each fills the device: the run that was ready first gets all steps until it has no use for one, so that
  /// runs end one after the other and the host's part of each is beside the steps of the next.
  bool one_after_other = false;
  // All are called by helpers; next, put_back and conclude do not throw.
  /// A number for the next run to start; nothing: there is none.
  std::function<std::optional<std::size_t>()> next;
  /// Run `number` found no room beside the others: next() is to give it once more.
  std::function<void(std::size_t number)> put_back;
  std::function<RunRequest(std::size_t number)> request;
  /// Run `number` is over: record() gives its record or throws what run() would.
  std::function<void(std::size_t number, std::function<RunRecord()> const& record)> conclude;
};

/// Does them, each with a model and a stream of its own: one thread gives all of them their steps, in turn
/// or one run after the other, without waiting for any that it has given, but to be no more than four ahead,
/// so that the device works on those of several at the same time, and each gets the bits that it gets alone.
/// Output is copied from the device between two steps and compressed while it goes on. A run that fails ends
/// alone. Where the environment lacks something for one that is to start beside others (memory, as a rule),
/// fewer go side by side from then on. EnvironmentError where not even one helper can be started.
void run_side_by_side(SideBySide const& work);

/// The number of runs of a study that go side by side on a GPU.
struct GpuPlaces {
  int fill = 1;  ///< so many work at the same time
  int fit = 1;   ///< more than that find no room
};
/// For runs of a model of `cells` cells and `bytes` of memory on a GPU of `multiprocessors`, in half of its
/// memory; each at least 1.
GpuPlaces gpu_places(std::int64_t cells, std::int64_t bytes, int multiprocessors, std::int64_t memory_bytes);

/// How many of `runs` go side by side: a few more than fill the GPU rather than some alone at the end; one
/// after the other where two or three would leave most of it idle; and where each fills it a few, so that the
/// GPU works for one while the host begins, writes or ends others.
int runs_at_a_time(int runs, GpuPlaces places);

}  // namespace ulpine::ensembles
