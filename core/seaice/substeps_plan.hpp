// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/exec/extent.hpp"
#include "core/seaice/setup.hpp"

/// How the sub-steps of a model step are cut into launches: chosen here, from what was measured
/// (docs/results/performance.md).
namespace ulpine::seaice {

/// Sizes of the launches that suit a policy's kernels: threads, blocks and sub-steps.
template <class P>
struct SubstepKernels {
  static constexpr bool wide = sizeof(typename P::Compute) == 8, wide_state = sizeof(typename P::State) == 8;
  static constexpr int substeps = wide ? 2 : 3;  ///< of a pass in strips
  static constexpr int strip_threads = 128;      ///< a block
  static constexpr int strip_blocks =
      wide_state ? 3 : 5;                   ///< that registers and slots leave a multiprocessor
  static constexpr int tile_threads = 384;  ///< most of a block that holds a tile
  /// Sub-steps between two hand-overs of tiles, at best and at least: a hand-over takes as long as half a
  /// sub-step in double precision and as a whole one in single, wide rims leave less room.
  static constexpr int widest_rim = wide_state ? 3 : 4, least_rim = 2;
};

/// The strips and tiles that a device, or a model's share of it, has room for.
struct SubstepRoom {
  int multiprocessors;
  int warps;         ///< of strips that run at once on a multiprocessor; 0: strips do not run
  int tile_threads;  ///< most of a block that holds a tile; 0: its launches are not to be had
};

/// The room of one of `sharers` models that use a device side by side. Tiles have to run all at once, so
/// those of several models would wait for one another: it has none.
inline SubstepRoom share_of(SubstepRoom const& device, int sharers) {
  return {std::max(device.multiprocessors / sharers, 1), device.warps,
          sharers == 1 ? device.tile_threads : 0};
}

struct SubstepPlan {
  SubstepMethod method = SubstepMethod::one_pass;
  std::int32_t height = 0;                       ///< of strips
  std::int32_t tile_x = 0, tile_y = 0, rim = 0;  ///< of resident tiles
};

/// Tiles, one a multiprocessor, with the fewest threads; one_pass where none fits.
inline SubstepPlan resident_plan(Extent2 cells, SubstepRoom const& room, std::int32_t rim) {
  SubstepPlan best;
  auto fewest = room.tile_threads + 1;
  for (std::int32_t across = 1; across <= std::min(room.multiprocessors, cells.nx); ++across) {
    auto const up = std::min(room.multiprocessors / across, cells.ny);
    auto const tile_x = (cells.nx + across - 1) / across, tile_y = (cells.ny + up - 1) / up;
    auto const threads = (tile_x + 2 * rim) * (tile_y + 2 * rim);
    if (threads < fewest) {
      fewest = threads;
      best = {SubstepMethod::resident, 0, tile_x, tile_y, rim};
    }
  }
  return best;
}

/// Rows of a strip of `width` columns: strips end in few rounds that are nearly full, since the last, however
/// empty, takes as long as the others; but strips of few rows compute their rims over and over.
inline std::int32_t strip_height(Extent2 cells, SubstepRoom const& room, std::int32_t width) {
  constexpr std::int32_t low = 28, most_rounds = 16;
  auto const across = (cells.nx + width) / width, rows = cells.ny + 1;
  auto const at_once = std::int64_t{room.multiprocessors} * room.warps;
  for (auto rounds = most_rounds;; --rounds) {
    auto const up = std::max<std::int64_t>(rounds * at_once / across, 1);
    auto const height = static_cast<std::int32_t>((rows + up - 1) / up);
    if (height >= low || rounds == 1) return height;
  }
}

/// The plan for `count` sub-steps.
template <class P>
SubstepPlan plan_substeps(SubstepMethod wanted, Extent2 cells, int count, SubstepRoom const& room) {
  using Kernels = SubstepKernels<P>;
  constexpr std::int32_t lowest = 6;  // below that, strips take as long as two kernels a sub-step
  bool const chooses = wanted == SubstepMethod::automatic;
  if (chooses || wanted == SubstepMethod::resident) {
    for (int rim = Kernels::widest_rim; rim >= Kernels::least_rim; --rim) {
      auto const plan = resident_plan(cells, room, rim);
      // At least two passes: see ResidentSubsteps.
      if (plan.method == SubstepMethod::resident && count > rim) return plan;
    }
  }
  if (wanted == SubstepMethod::one_pass || count < 2 * Kernels::substeps || room.warps == 0) return {};
  auto const height = strip_height(cells, room, 32 - 2 * Kernels::substeps);
  if (chooses && height < lowest) return {};
  return {SubstepMethod::strips, height};
}

}  // namespace ulpine::seaice
