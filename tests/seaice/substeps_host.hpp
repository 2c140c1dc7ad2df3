// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "core/exec/executor.hpp"
#include "core/seaice/substeps.hpp"

/// The kernels of several sub-steps on the host: what a device's threads do side by side is done one thread
/// after the other, phase by phase.
namespace ulpine::seaice {

/// The lanes of a warp and its slots.
template <class Kernel>
class HostWarp {
  using Lane = typename Kernel::Lane;
  using Compute = typename Kernel::Compute;
  using State = typename Kernel::State;
  static constexpr int lanes = Kernel::lanes;

 public:
  Compute& cell(int number, int slot) { return cell_[slot][number]; }
  State& node(int number, int slot) { return node_[slot][number]; }
  template <class T>
  void copy(T const* from, T& slot) {
    slot = *from;
  }
  void close() {}
  void wait_for_all_but_last() {}

  template <class Phase>
  void each(Phase const& phase) {
    for (int number = 0; number < lanes; ++number) phase(number, lane_[number]);
  }
  /// set(lane, get(right neighbour)); the last lane keeps its own.
  template <class Get, class Set>
  void from_right(Get const& get, Set const& set) {
    auto const own = values(get);
    for (int number = 0; number < lanes; ++number) {
      set(lane_[number], own[static_cast<std::size_t>(number + 1 < lanes ? number + 1 : number)]);
    }
  }
  template <class Get, class Set>
  void from_left(Get const& get, Set const& set) {
    auto const own = values(get);
    for (int number = 0; number < lanes; ++number) {
      set(lane_[number], own[static_cast<std::size_t>(number > 0 ? number - 1 : number)]);
    }
  }

 private:
  template <class Get>
  auto values(Get const& get) const {
    std::vector<decltype(get(lane_[0]))> own;
    for (auto const& lane : lane_) own.push_back(get(lane));
    return own;
  }
  Lane lane_[lanes];
  Compute cell_[Kernel::cell_slots][lanes];
  State node_[Kernel::node_slots][lanes];
};

template <class P, class Rheology, int K>
void run_strips(Host host, SubstepStrips<P, Rheology, K> const& kernel) {
  using Kernel = SubstepStrips<P, Rheology, K>;
#pragma omp parallel for schedule(static) collapse(2) num_threads(host.threads) if (host.threads > 1)
  for (std::int32_t j = 0; j < kernel.strips_y(); ++j) {
    for (std::int32_t i = 0; i < kernel.strips_x(); ++i) {
      HostWarp<Kernel> warp;
      kernel(warp, i, j);
    }
  }
}

/// Values handed over between the tiles of ResidentSubsteps, each with the pass that it belongs to.
template <class T>
struct HostExchange {
  struct Slot {
    T value;
    std::int32_t pass;
  };
  std::vector<Slot>* slots;

  /// Value k at slot first + k * step.
  template <int n>
  void put(T const (&values)[n], std::int64_t first, std::int64_t step, std::int32_t pass) const {
    for (int k = 0; k < n; ++k) at(first + k * step) = {values[k], pass};
  }
  /// Where a device would wait for ever, std::logic_error.
  template <int n>
  void get(T (&values)[n], std::int64_t first, std::int64_t step, std::int32_t pass) const {
    for (int k = 0; k < n; ++k) {
      auto const& found = at(first + k * step);
      if (found.pass != pass) throw std::logic_error("a tile waits for a value that nobody hands over");
      values[k] = found.value;
    }
  }

 private:
  Slot& at(std::int64_t slot) const { return (*slots)[static_cast<std::size_t>(slot)]; }
};

template <class P, class Rheology>
void run_resident(Host, ResidentSubsteps<P, Rheology> const& kernel) {
  using Kernel = ResidentSubsteps<P, Rheology>;
  using Pair = Vector<typename P::Compute>;
  struct Block {
    std::vector<typename Kernel::Thread> threads;
    std::vector<Pair> values;
    typename Kernel::Shared shared;
  };
  auto const threads = kernel.threads(), tiles = kernel.tiles_x() * kernel.tiles_y();
  std::vector<typename HostExchange<typename P::State>::Slot> slots(
      static_cast<std::size_t>(Kernel::slots(kernel.cycle.cells.extent())), {0, -1});
  HostExchange<typename P::State> const exchange{&slots};
  std::vector<Block> blocks(static_cast<std::size_t>(tiles));
  auto const each = [&](auto const& phase) {
    for (std::int32_t tile = 0; tile < tiles; ++tile) {
      auto& block = blocks[static_cast<std::size_t>(tile)];
      for (std::int32_t number = 0; number < threads; ++number) {
        phase(tile, block.threads[static_cast<std::size_t>(number)], block.shared, number);
      }
    }
  };
  for (auto& block : blocks) {
    block.threads.resize(static_cast<std::size_t>(threads));
    block.values.resize(4 * block.threads.size());
    block.shared = {block.values.data(),
                    {block.values.data() + threads, block.values.data() + 2 * threads,
                     block.values.data() + 3 * threads}};
  }
  each([&](std::int32_t tile, auto& thread, auto const& shared, int number) {
    kernel.begin(thread, shared, number, tile % kernel.tiles_x(), tile / kernel.tiles_x());
  });
  for (std::int32_t pass = 0; pass < kernel.passes(); ++pass) {
    for (int s = 1; s <= kernel.substeps_of(pass); ++s) {
      each([&](std::int32_t, auto& thread, auto const& shared, int number) {
        kernel.step_cell(thread, shared, number, s);
      });
      each([&](std::int32_t, auto& thread, auto const& shared, int number) {
        kernel.step_node(thread, shared, number, s);
      });
    }
    if (pass + 1 == kernel.passes()) break;
    each([&](std::int32_t, auto& thread, auto const&, int) { kernel.give(thread, exchange, pass); });
    each([&](std::int32_t, auto& thread, auto const& shared, int number) {
      kernel.take(thread, shared, exchange, number, pass);
    });
  }
  each([&](std::int32_t, auto& thread, auto const&, int) { kernel.end(thread); });
}

}  // namespace ulpine::seaice
