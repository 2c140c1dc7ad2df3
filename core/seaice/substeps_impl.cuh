// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Definitions of substeps_launch.hpp, for the sources that instantiate them.
#include "core/seaice/substeps_cuda.cuh"
#include "core/seaice/substeps_launch.hpp"

namespace ulpine::seaice {
namespace detail {

template <class P, class Rheology>
struct Kernels {
  using Choice = SubstepKernels<P>;
  using Strips = SubstepStrips<P, Rheology, Choice::substeps>;
  using Tiles = ResidentSubsteps<P, Rheology>;
  static constexpr int warps = Choice::strip_threads / Strips::lanes;
  static constexpr int strip_bytes = warps * detail::DeviceWarp<Strips>::bytes;

  static constexpr auto strips = &detail::strips<Choice::strip_threads, Choice::strip_blocks, Strips>;
  static constexpr auto tiles = &detail::resident<Choice::tile_threads, Tiles>;

  /// Prepares the kernels.
  static SubstepRoom room(Cuda cuda) {
    auto const ask = [&](cudaDeviceAttr attribute) {
      int value = 0;
      check_cuda(cudaDeviceGetAttribute(&value, attribute, cuda.ordinal),
                 "asking for the device's properties");
      return value;
    };
    SubstepRoom room{ask(cudaDevAttrMultiProcessorCount), 0, 0};
    if (strip_bytes <= ask(cudaDevAttrMaxSharedMemoryPerBlockOptin)) {
      check_cuda(cudaFuncSetAttribute(strips, cudaFuncAttributeMaxDynamicSharedMemorySize, strip_bytes),
                 "shared memory");
      int blocks = 0;
      check_cuda(
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, strips, Choice::strip_threads, strip_bytes),
          "occupancy");
      room.warps = blocks * warps;
    }
    // All tiles have to run at once, one a multiprocessor; they fit what shared memory a block has unasked.
    if (ask(cudaDevAttrCooperativeLaunch) != 0) room.tile_threads = Choice::tile_threads;
    return room;
  }
};

}  // namespace detail

template <class P, class Rheology>
SubstepLauncher<P, Rheology>::SubstepLauncher(Cuda cuda, CellLattice cells, NodeLattice<1> nodes,
                                              SubstepMethod method, int sharers, int count)
    : cuda_{cuda} {
  DeviceGuard const guard(cuda.ordinal);
  plan_ = plan_substeps<P>(method, cells.extent(), count,
                           share_of(detail::Kernels<P, Rheology>::room(cuda), sharers));
  if (plan_.method == SubstepMethod::strips) {
    u_ = Array<State, Cuda>(cuda, nodes.size());
    v_ = Array<State, Cuda>(cuda, nodes.size());
    for (auto& values : stress_) values = Array<Compute, Cuda>(cuda, Cycle::S::stress * cells.plane());
  } else if (plan_.method == SubstepMethod::resident) {
    using Tiles = typename detail::Kernels<P, Rheology>::Tiles;
    exchange_ = Array<std::uint64_t, Cuda>(
        cuda, Tiles::slots(cells.extent()) * detail::DeviceExchange<State>::words_a_value);
  }
}

template <class P, class Rheology>
int SubstepLauncher<P, Rheology>::launches(int count) const {
  if (plan_.method == SubstepMethod::strips) return 2 * (count / (2 * SubstepKernels<P>::substeps));
  return plan_.method == SubstepMethod::resident && count > plan_.rim ? 1 : 0;
}

template <class P, class Rheology>
int SubstepLauncher<P, Rheology>::taken(int count) const {
  auto const each = plan_.method == SubstepMethod::strips ? SubstepKernels<P>::substeps : count;
  return launches(count) * each;
}

template <class P, class Rheology>
void SubstepLauncher<P, Rheology>::run(int launch, int count, Cycle const& cycle,
                                       SubcycleState<P> const& state) {
  using K = detail::Kernels<P, Rheology>;
  DeviceGuard const guard(cuda_.ordinal);
  if (plan_.method == SubstepMethod::strips) {
    SubcycleState<P> const second{
        u_.view().data(),
        v_.view().data(),
        {stress_[0].view().data(), stress_[1].view().data(), stress_[2].view().data()}};
    bool const back = launch % 2 != 0;
    typename K::Strips const kernel{cycle, back ? second : state, back ? state : second, plan_.height};
    auto const blocks = (kernel.strips_x() * kernel.strips_y() + K::warps - 1) / K::warps;
    K::strips<<<blocks, K::Choice::strip_threads, K::strip_bytes, cuda_.stream>>>(kernel);
    check_cuda(cudaGetLastError(), "kernel launch");
    return;
  }
  exchange_.fill_zero();  // nothing is handed over yet
  typename K::Tiles kernel{cycle, state, plan_.tile_x, plan_.tile_y, plan_.rim, count};
  detail::DeviceExchange<State> exchange{exchange_.view().data()};
  void* arguments[] = {&kernel, &exchange};
  constexpr int warp = 32;
  auto const threads = (kernel.threads() + warp - 1) / warp * warp;
  check_cuda(
      cudaLaunchCooperativeKernel(
          reinterpret_cast<void const*>(K::tiles), kernel.tiles_x() * kernel.tiles_y(), threads, arguments,
          static_cast<std::size_t>(kernel.threads()) * K::Tiles::Shared::bytes_a_thread, cuda_.stream),
      "kernel launch");
}

template <class P, class Rheology>
std::int64_t SubstepLauncher<P, Rheology>::bytes() const {
  return u_.bytes() + v_.bytes() + stress_[0].bytes() + stress_[1].bytes() + stress_[2].bytes() +
         exchange_.bytes();
}

}  // namespace ulpine::seaice
