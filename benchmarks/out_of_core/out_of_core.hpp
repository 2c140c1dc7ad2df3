// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "benchmarks/out_of_core/tile_plan.hpp"
#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

/// Kernels over arrays in host memory that are larger than a device's (docs/how-to/out-of-core.md).
namespace ulpine {

namespace detail {

/// Where tiles lie, one at a time: `fetch` copies a tile in, `store` gives out its copying back, which is
/// done at the latest when `finish` returns.
template <class Executor>
class TileSlot;

template <>
class TileSlot<Host> {
 public:
  TileSlot(Host host, TilePlan const& plan, Tiling const&) : host_{host}, memory_{host, plan.slot_bytes()} {}

  Host executor() const { return host_; }
  std::byte* memory() { return memory_.view().data(); }
  void fetch(Tile const& tile) const;
  void store(Tile const& tile) const;
  void make_ready() {}
  void finish() {}
  void abandon() noexcept {}

 private:
  Host host_;
  Array<std::byte, Host> memory_;
};

template <>
class TileSlot<Cuda> {
 public:
  TileSlot(Cuda cuda, TilePlan const& plan, Tiling const& tiling);

  Cuda executor() const { return stream_.executor(); }
  std::byte* memory() { return memory_.view().data(); }
  void fetch(Tile const& tile);
  void store(Tile const& tile);
  /// Its memory may be given the next tile, in stream order.
  void make_ready();
  void finish();
  /// What is under way comes to its end, and results that have not reached the user's arrays are dropped.
  void abandon() noexcept;

 private:
  Host packing_;
  Stream stream_;
  Array<std::byte, Cuda> memory_;
  std::unique_ptr<PinnedBuffer> in_, out_;  ///< staged only
  std::optional<Tile> stored_;              ///< staged only: on its way to `out_`
};

/// Page-locks the arrays but for those that are, whole pages, each once.
std::vector<PageLock> lock_pages(Cuda cuda, TilePlan const& plan);

}  // namespace detail

/// Runs kernels tile by tile over arrays in host memory: copies a tile's slabs to the executor's memory, has
/// the kernel called there, copies back what it wrote. On a device several tiles are under way at a time,
/// each in a stream of its own, so that copies in, kernels and copies out overlap; on the host one after the
/// other. Results have the bits of a kernel that is called for all points at once, provided that it computes
/// each point from its own and its halo's values.
///
/// Executor memory, streams and page-locked memory are taken when made and kept until destroyed; a run takes
/// none.
template <class Executor>
class OutOfCore {
 public:
  /// InputError where arrays and tiling do not go together, EnvironmentError where memory is short or cannot
  /// be page-locked. Of a device the ordinal and the block count; the streams are its own.
  OutOfCore(Executor executor, std::vector<TiledArray> arrays, Tiling const& tiling)
      : plan_{std::move(arrays), tiling} {
    if constexpr (Executor::on_device) {
      if (tiling.transfers == Transfers::in_place) locks_ = detail::lock_pages(executor, plan_);
    }
    for (int n = 0; n < plan_.slots(); ++n) slots_.emplace_back(executor, plan_, tiling);
  }
  OutOfCore(OutOfCore const&) = delete;
  OutOfCore& operator=(OutOfCore const&) = delete;

  /// kernel(executor, tile) for every tile in the order of positions: it launches what is to be done for
  /// positions [tile.begin, tile.end), reading and writing tile.view<T>(n), and need not wait. Returns once
  /// all results are in the user's arrays. After an exception nothing is under way any more, and of what is
  /// written some tiles are new and some are not.
  template <class Kernel>
  void run(Kernel const& kernel) {
    try {
      for (std::int64_t number = 0; number < plan_.tiles(); ++number) {
        auto& slot = slots_[static_cast<std::size_t>(number) % slots_.size()];
        slot.make_ready();
        auto const tile = plan_.tile(number, slot.memory());
        slot.fetch(tile);
        kernel(slot.executor(), tile);
        slot.store(tile);
      }
      for (auto& slot : slots_) slot.finish();
    } catch (...) {
      for (auto& slot : slots_) slot.abandon();
      throw;
    }
  }

  TilePlan const& plan() const { return plan_; }
  /// Bytes of executor memory that are held, at most Tiling::memory.
  std::int64_t executor_bytes() const { return plan_.slots() * plan_.slot_bytes(); }

 private:
  TilePlan plan_;
  std::vector<PageLock> locks_;  // outlive the streams that copy from what they lock
  std::deque<detail::TileSlot<Executor>> slots_;
};

}  // namespace ulpine
