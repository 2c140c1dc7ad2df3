// SPDX-License-Identifier: Apache-2.0
#include "core/exec/launch_cuda.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

namespace ulpine::detail {

namespace {

thread_local int overlapped_launches = 0;

/// The kernel with these arguments, in stream order; the runtime copies them before it returns.
template <class... Arguments>
void launch(Cuda cuda, void const* kernel, Dimensions blocks, Dimensions threads, void const* body,
            Arguments... before_body) {
  void* arguments[] = {&before_body..., const_cast<void*>(body)};
  static_cast<void>(cudaLaunchKernel(kernel, {blocks.x, blocks.y, blocks.z},
                                     {threads.x, threads.y, threads.z}, arguments, 0, cuda.stream));
  check_cuda(cudaGetLastError(), "kernel launch");
}

}  // namespace

OverlappedLaunches::OverlappedLaunches() { ++overlapped_launches; }
OverlappedLaunches::~OverlappedLaunches() { --overlapped_launches; }
bool OverlappedLaunches::wanted() { return overlapped_launches > 0; }

int compiled_for(void const* kernel) {
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "attributes of a kernel");
  return attributes.ptxVersion;
}

void launch_waiting(Cuda cuda, void const* kernel, Dimensions blocks, Dimensions threads, void** arguments) {
  DeviceGuard const guard(cuda.ordinal);
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = {blocks.x, blocks.y, blocks.z};
  configuration.blockDim = {threads.x, threads.y, threads.z};
  configuration.stream = cuda.stream;
  configuration.attrs = &overlap;
  configuration.numAttrs = OverlappedLaunches::wanted() ? 1 : 0;
  check_cuda(cudaLaunchKernelExC(&configuration, kernel, arguments), "kernel launch");
}

void launch_1d(Cuda cuda, void const* kernel, std::int64_t count, void const* body) {
  if (count == 0) return;
  auto const blocks = static_cast<unsigned>((count + cuda.block - 1) / cuda.block);
  void* arguments[] = {&count, const_cast<void*>(body)};
  launch_waiting(cuda, kernel, {blocks}, {static_cast<unsigned>(cuda.block)}, arguments);
}

void launch_2d(Cuda cuda, void const* kernel, Extent2 extent, void const* body) {
  if (extent.size() == 0) return;
  DeviceGuard const guard(cuda.ordinal);
  Extent3 const lattice{extent.nx, extent.ny, 1};
  auto const block = block_shape(lattice, cuda.block);
  in_launches(lattice, block, most_blocks_yz, [&](Piece const& piece) {
    launch(cuda, kernel, piece.blocks, block, body, extent, piece.first_y);
  });
}

void launch_3d(Cuda cuda, void const* kernel, Extent3 extent, int points, int bytes, void const* body) {
  if (extent.size() == 0) return;
  DeviceGuard const guard(cuda.ordinal);
  auto const block = block_shape(extent, cuda.block), reach = reach_of(block, points);
  auto const rows = bytes > 0 ? rows_of_strip(extent, reach, bytes) : most_blocks_yz;
  in_launches(extent, reach, most_blocks_yz, rows, [&](Piece const& piece) {
    launch(cuda, kernel, piece.blocks, block, body, extent, piece.first_y, piece.first_z);
  });
}

void launch_rising(Cuda cuda, void const* kernel, Extent3 extent, void const* body) {
  if (extent.size() == 0) return;
  DeviceGuard const guard(cuda.ordinal);
  auto const climb = climb_of(extent);
  Extent3 const climbs{extent.nx, extent.ny, (extent.nz + climb - 1) / climb};
  auto const block = block_shape(climbs, cuda.block);
  in_launches(climbs, block, most_blocks_yz, [&](Piece const& piece) {
    launch(cuda, kernel, piece.blocks, block, body, extent, climb, piece.first_y, piece.first_z);
  });
}

}  // namespace ulpine::detail

#endif
