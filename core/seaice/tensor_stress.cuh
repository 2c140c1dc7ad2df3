// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>

#include "core/exec/cuda.cuh"
#include "core/seaice/tensor_stress.hpp"
#include "precision/tf32_mma.hpp"

/// Strain and stress of tensor_stress.hpp by mma.sync.m16n8k8. A warp has 32 cells of a row, the long side of
/// two products of 16, and takes row after row; what the next row needs is on its way while this one is
/// computed.
///
/// The lane of group g = lane / 4 and member t = lane % 4 holds of the cells 8 r + g, r = 0 to 3, what the
/// layout of an accumulator gives it: modes, or points about the centre, 2 t and 2 t + 1. The order of terms
/// within a block is free, so an accumulator is the next product's operand as it lies: its terms t and t + 4
/// are 2 t and 2 t + 1. At the centre a lane has the cell 8 t + g; in memory it has the cell `lane`.
namespace ulpine::seaice::tensor {

inline constexpr int cells_a_warp = 32, most_warps = 4, resident_blocks = 4;

/// The accumulators of one component of a tensor: those of the cells r = 2 n and 2 n + 1 are at[n].
struct Accumulators {
  float at[2][4];
  /// The lane's first (0) or second (1) mode or point of cell r.
  __device__ float& of(int r, int which) { return at[r / 2][2 * (r % 2) + which]; }
  __device__ float const& of(int r, int which) const { return at[r / 2][2 * (r % 2) + which]; }
};

/// A lane's part of a constant operand, and of its two terms.
struct Weights {
  std::uint32_t first, second;
};
struct WeightsPair {
  Weights high, low;
};

/// sums += operands weights.
__device__ inline void multiply(std::uint32_t const (&operands)[4], Weights const& weights,
                                float (&sums)[4]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(operands[0]), "r"(operands[1]), "r"(operands[2]), "r"(operands[3]), "r"(weights.first),
        "r"(weights.second));
#else
  __trap();  // known_device() is false
#endif
}

/// Tf32::round but for NaNs that no operation gives: those without the quiet bit.
__device__ inline std::uint32_t rounded(float x) {
  std::uint32_t bits = 0;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#endif
  return bits;
}

/// sums += values weights with both in two terms, as Tf32Operands::multiply; values as the operand wants
/// them.
__device__ inline void multiply(float const (&values)[4], WeightsPair const& weights, float (&sums)[4]) {
  std::uint32_t high[4], low[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    high[i] = rounded(values[i]);
    low[i] = rounded(values[i] - __uint_as_float(high[i]));
  }
  multiply(high, weights.high, sums);
  multiply(high, weights.low, sums);
  multiply(low, weights.high, sums);
}

/// An accumulator's values as an operand.
__device__ inline void as_operand(float const (&sums)[4], float (&values)[4]) {
  values[0] = sums[0];
  values[1] = sums[2];
  values[2] = sums[1];
  values[3] = sums[3];
}

/// A thread's place in its warp, and the first of the cells that the warp works on.
struct Lane {
  int lane, group, member;
  std::int32_t first;

  /// The value of this group's member `from`.
  __device__ float from(float value, int from) const {
    return __shfl_sync(0xffffffffu, value, (lane & ~3) | from);
  }
  /// The one that is the lane's at the centre of values for r = 0 to 3.
  __device__ float own(float r0, float r1, float r2, float r3) const {
    float const low = member % 2 == 0 ? r0 : r1, high = member % 2 == 0 ? r2 : r3;
    return member < 2 ? low : high;
  }
};

/// Planes of a row's cells in shared memory, in which lanes that read two planes and eight cells each meet no
/// bank twice. A lane copies four cells of every fourth plane.
template <int planes>
struct alignas(16) Planes {
  static constexpr int width = 4, lanes_a_plane = cells_a_warp / width;
  float at[planes][cells_a_warp + 4];

  /// `count` planes from `from` on, at the warp's first cell in memory, to plane `to` and on.
  __device__ void fetch(float const* from, std::int64_t plane, int to, int count, Lane const& lane) {
    int const cell = width * (lane.lane % lanes_a_plane), first = lane.lane / lanes_a_plane;
#pragma unroll
    for (int k = 0; k < count; k += width) {
      if (count % width == 0 || k + first < count) {
        __pipeline_memcpy_async(&at[to + k + first][cell], from + (k + first) * plane + cell, sizeof(float4));
      }
    }
  }
  __device__ void put(Lane const& lane, Accumulators const& values, int to = 0) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      at[to + 2 * lane.member][8 * r + lane.group] = values.of(r, 0);
      at[to + 2 * lane.member + 1][8 * r + lane.group] = values.of(r, 1);
    }
  }
  __device__ void get(Lane const& lane, Accumulators& values, int from = 0) const {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      values.of(r, 0) = at[from + 2 * lane.member][8 * r + lane.group];
      values.of(r, 1) = at[from + 2 * lane.member + 1][8 * r + lane.group];
    }
  }
  /// The four cells of plane k that a lane copies.
  __device__ float4 const& four(Lane const& lane, int k) const {
    return *reinterpret_cast<float4 const*>(&at[k][width * (lane.lane % lanes_a_plane)]);
  }
};

/// To the first `count` of four cells.
__device__ inline void store(float* to, float4 const& values, int count) {
  if (count >= 4) {
    *reinterpret_cast<float4*>(to) = values;
    return;
  }
  if (count > 0) to[0] = values.x;
  if (count > 1) to[1] = values.y;
  if (count > 2) to[2] = values.z;
}

/// Velocities of a row's nodes, and the strain of its cells.
template <class P, class S>
struct WarpStrain {
  using State = typename P::State;
  static constexpr int values_at_once = sizeof(float4) / sizeof(State);
  /// The copies of a row, and room that keeps banks of neighbouring rows apart.
  static constexpr int copies = (2 * cells_a_warp + values_at_once) / values_at_once;
  struct alignas(16) Buffer {
    State at[2][3][2 * cells_a_warp + 8];
  };
  WeightsPair along_x, along_y;
  int row_first, x_first, row_second, x_second;  ///< nodes of this lane within a cell

  /// `tables`: along_x, along_y.
  __device__ WarpStrain(Lane const& lane, Tf32Pair const* tables) {
    // 0 1 3 2 and 6 7 5 8: the lanes of a group read neighbours.
    int const first = lane.member < 2 ? lane.member : 5 - lane.member;
    int const second = lane.member < 2 ? 6 + lane.member : 3 * lane.member - 1;
    row_first = first / 3, x_first = first % 3, row_second = second / 3, x_second = second % 3;
    auto const term = [](int node) { return node < centre ? node : node - 1; };
    auto const weights = [&](Tf32Matrix const& table) {
      return Weights{to_bits(table.value[term(first)][lane.group]),
                     to_bits(table.value[term(second)][lane.group])};
    };
    along_x = {weights(tables[0].high), weights(tables[0].low)};
    along_y = {weights(tables[1].high), weights(tables[1].low)};
  }

  template <class Evaluator>
  __device__ static void fetch(Evaluator const& from, Lane const& lane, std::int32_t iy, Buffer& buffer) {
    auto const copy = [&](int component, int j, int part) {
      auto const x = S::cg * lane.first + values_at_once * part;
      if (x < from.nodes.row()) {
        auto const& velocity = component == 0 ? from.u : from.v;
        __pipeline_memcpy_async(&buffer.at[component][j][values_at_once * part],
                                velocity.data() + from.nodes.index(0, S::cg * iy + j) + x, sizeof(float4));
      }
    };
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      copy(0, j, lane.lane);
      copy(1, j, lane.lane);
    }
    static_assert(copies == cells_a_warp + 1, "one copy of each row is left");
    if (lane.lane < 6) copy(lane.lane / 3, lane.lane % 3, cells_a_warp);
  }
  __device__ void differences(Lane const& lane, State const (&velocity)[3][2 * cells_a_warp + 8],
                              float (&values)[2][4]) const {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      int const x = 2 * (8 * r + lane.group);
      State const middle = velocity[1][x + 1];
      values[r / 2][r % 2] = static_cast<float>(velocity[row_first][x + x_first] - middle);
      values[r / 2][r % 2 + 2] = static_cast<float>(velocity[row_second][x + x_second] - middle);
    }
  }
  __device__ void operator()(float const (&du)[2][4], float const (&dv)[2][4],
                             Accumulators (&strain)[3]) const {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        strain[0].at[n][i] = strain[1].at[n][i] = strain[2].at[n][i] = 0;
      }
      multiply(du[n], along_x, strain[0].at[n]);
      multiply(dv[n], along_y, strain[1].at[n]);
      multiply(dv[n], along_x, strain[2].at[n]);
      multiply(du[n], along_y, strain[2].at[n]);
#pragma unroll
      for (int i = 0; i < 4; ++i) strain[2].at[n][i] = strain[2].at[n][i] / 2;
    }
  }
};

/// The stress that a row's cells relax to.
template <class S>
struct WarpStress {
  using Buffer = Planes<S::gauss>;
  WeightsPair at_points, at_centre, projection;

  /// Coefficients of the rheology at the lane's points and at its centre.
  struct Coefficients {
    float point[4][2], centre;
  };

  /// `tables`: at_points, at_centre, projection.
  __device__ WarpStress(Lane const& lane, Tf32Pair const* tables) {
    auto const weights = [&](Tf32Matrix const& table) {
      return Weights{to_bits(table.value[2 * lane.member][lane.group]),
                     to_bits(table.value[2 * lane.member + 1][lane.group])};
    };
    at_points = {weights(tables[0].high), weights(tables[0].low)};
    at_centre = {weights(tables[1].high), weights(tables[1].low)};
    projection = {weights(tables[2].high), weights(tables[2].low)};
  }

  __device__ static Coefficients coefficients(Lane const& lane, Buffer const& buffer) {
    Coefficients read;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      read.point[r][0] = buffer.at[about_centre(2 * lane.member)][8 * r + lane.group];
      read.point[r][1] = buffer.at[about_centre(2 * lane.member + 1)][8 * r + lane.group];
    }
    read.centre = buffer.at[centre][8 * lane.member + lane.group];
    return read;
  }

  template <class Rheology>
  __device__ void operator()(Lane const& lane, Rheology const& rheology, Accumulators const (&strain)[3],
                             Coefficients const& given, Accumulators (&target)[3]) const {
    Accumulators e[3];
    float at_middle[3];
#pragma unroll
    for (int component = 0; component < 3; ++component) {
      Accumulators middle;
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        float const mean = lane.from(strain[component].of(r, 0), 0);
        e[component].of(r, 0) = e[component].of(r, 1) = middle.of(r, 0) = middle.of(r, 1) = mean;
      }
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        float values[4];
        as_operand(strain[component].at[n], values);
        multiply(values, at_points, e[component].at[n]);
        multiply(values, at_centre, middle.at[n]);
      }
      at_middle[component] = lane.own(middle.of(0, 0), middle.of(1, 0), middle.of(2, 0), middle.of(3, 0));
    }
    auto const own = rheology.stress(Tensor<float>{at_middle[0], at_middle[1], at_middle[2]}, given.centre);
    float const parts[3] = {own.xx, own.yy, own.xy};
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      float middle[3];
#pragma unroll
      for (int component = 0; component < 3; ++component) {
        middle[component] = lane.from(parts[component], r);
        target[component].of(r, 0) = lane.member == 0 ? middle[component] : 0;
        target[component].of(r, 1) = 0;
      }
#pragma unroll
      for (int which = 0; which < 2; ++which) {
        auto const s = rheology.stress(Tensor<float>{e[0].of(r, which), e[1].of(r, which), e[2].of(r, which)},
                                       given.point[r][which]);
        e[0].of(r, which) = s.xx - middle[0];
        e[1].of(r, which) = s.yy - middle[1];
        e[2].of(r, which) = s.xy - middle[2];
      }
    }
#pragma unroll
    for (int component = 0; component < 3; ++component) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        float values[4];
        as_operand(e[component].at[n], values);
        multiply(values, projection, target[component].at[n]);
      }
    }
  }
};

struct Nothing {};

/// Shared memory of a warp.
template <class P, class S, bool velocities, bool stresses>
struct Buffers {
  std::conditional_t<velocities, typename WarpStrain<P, S>::Buffer, Planes<3 * S::stress>> input;
  std::conditional_t<stresses, typename WarpStress<S>::Buffer, Nothing> coefficients;
  std::conditional_t<stresses, Planes<3 * S::stress>, Nothing> before;
  Planes<S::stress> after;
};

/// The components of a tensor field at a cell.
template <class T>
struct CellPointers {
  T* component[3];
  __device__ CellPointers(TensorField<T> const& field, std::int64_t cell)
      : component{field.xx + cell, field.yy + cell, field.xy + cell} {}
};

/// A warp takes `rows` rows, a block's height apart.
template <class P, class S, class Body>
__global__ void __launch_bounds__(cells_a_warp* most_warps, resident_blocks)
    run(Extent2 extent, int rows, __grid_constant__ Body const body) {
  constexpr bool velocities = requires { body.evaluate; }
  , stresses = requires { body.relax; };
  __shared__ Tf32Pair tables[5];
  __shared__ Buffers<P, S, velocities, stresses> buffers[most_warps];
  auto const thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  auto const copy = [&](int to, Tf32Pair const& table) {
    for (int i = thread; i < 64; i += static_cast<int>(blockDim.x * blockDim.y)) {
      tables[to].high.value[i / 8][i % 8] = table.high.value[i / 8][i % 8];
      tables[to].low.value[i / 8][i % 8] = table.low.value[i / 8][i % 8];
    }
  };
  if constexpr (velocities) {
    copy(0, body.evaluate.along_x);
    copy(1, body.evaluate.along_y);
  }
  if constexpr (stresses) {
    copy(2, body.relax.at_points);
    copy(3, body.relax.at_centre);
    copy(4, body.relax.projection);
  }
  __syncthreads();

  auto const index = static_cast<int>(threadIdx.x);
  Lane const lane{index, index / 4, index % 4, static_cast<std::int32_t>(blockIdx.x) * cells_a_warp};
  auto& buffer = buffers[threadIdx.y];
  CellLattice const cells{extent.nx, extent.ny};
  auto const plane = cells.plane();
  auto const height = static_cast<std::int32_t>(blockDim.y);
  auto iy = static_cast<std::int32_t>(blockIdx.y) * height * rows + static_cast<std::int32_t>(threadIdx.y);
  auto const last = min(iy + height * rows, extent.ny);

  WarpStrain<P, S> const evaluate(lane, tables);
  WarpStress<S> const relax(lane, tables + 2);

  auto const fetch_input = [&](std::int32_t y) {
    if (y < last) {
      auto const cell = cells.index(lane.first, y);
      if constexpr (velocities) {
        evaluate.fetch(body.evaluate, lane, y, buffer.input);
      } else {
        CellPointers<float const> const from(body.strain, cell);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
          buffer.input.fetch(from.component[c], plane, c * S::stress, S::stress, lane);
        }
      }
      if constexpr (stresses) {
        buffer.coefficients.fetch(body.relax.coefficient.data() + cell, plane, 0, S::gauss, lane);
      }
    }
    __pipeline_commit();
  };
  auto const fetch_stress = [&](std::int32_t y) {
    if constexpr (stresses) {
      if (y < last) {
        CellPointers<float> const from(body.relax.stress, cells.index(lane.first, y));
#pragma unroll
        for (int c = 0; c < 3; ++c) {
          buffer.before.fetch(from.component[c], plane, c * S::stress, S::stress, lane);
        }
      }
      __pipeline_commit();
    }
  };
  // A lane stores four cells of each of the planes lane / 8 and lane / 8 + 4.
  auto const own_plane = lane.lane / 8, own_cell = 4 * (lane.lane % 8);
  auto const own_count = extent.nx - lane.first - own_cell;
  auto const store_modes = [&](float* component, auto const& value_of) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int const k = own_plane + 4 * half;
      store(component + k * plane + own_cell, value_of(k), own_count);
    }
  };

  fetch_input(iy);
  fetch_stress(iy);
  for (; iy < last; iy += height) {
    __pipeline_wait_prior(stresses ? 1 : 0);
    __syncwarp();
    Accumulators strain[3];
    typename WarpStress<S>::Coefficients given;
    float du[2][4], dv[2][4];
    if constexpr (velocities) {
      evaluate.differences(lane, buffer.input.at[0], du);
      evaluate.differences(lane, buffer.input.at[1], dv);
    } else {
#pragma unroll
      for (int c = 0; c < 3; ++c) buffer.input.get(lane, strain[c], c * S::stress);
    }
    if constexpr (stresses) given = relax.coefficients(lane, buffer.coefficients);
    __syncwarp();
    fetch_input(iy + height);
    if constexpr (velocities) evaluate(du, dv, strain);
    auto const cell = cells.index(lane.first, iy);
    if constexpr (stresses) {
      Accumulators target[3];
      relax(lane, body.relax.rheology, strain, given, target);
      __pipeline_wait_prior(1);
      CellPointers<float> const to(body.relax.stress, cell);
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        __syncwarp();
        buffer.after.put(lane, target[c]);
        __syncwarp();
        store_modes(to.component[c], [&](int k) {
          auto const before = buffer.before.four(lane, S::stress * c + k),
                     towards = buffer.after.four(lane, k);
          auto const relaxed = [&](float goal, float value) {
            return math::fma(body.relax.inverse_alpha, goal - value, value);
          };
          return float4{relaxed(towards.x, before.x), relaxed(towards.y, before.y),
                        relaxed(towards.z, before.z), relaxed(towards.w, before.w)};
        });
      }
      __syncwarp();
      fetch_stress(iy + height);
    } else {
      CellPointers<float> const to(body.strain, cell);
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        __syncwarp();
        buffer.after.put(lane, strain[c]);
        __syncwarp();
        store_modes(to.component[c], [&](int k) { return buffer.after.four(lane, k); });
      }
    }
  }
}

/// Whether mma.sync gives on this device what tf32_row does.
inline bool known_device(int ordinal) {
  int major = 0, minor = 0;
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal),
             "compute capability");
  check_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal),
             "compute capability");
  return tf32_mma_model(major, minor) == hopper_mma;
}

/// Whether rows begin where copies of 16 bytes may.
template <class P, class S>
bool aligned(Extent2 extent) {
  constexpr std::int64_t cells_at_once = 4, nodes_at_once = WarpStrain<P, S>::values_at_once;
  CellLattice const cells{extent.nx, extent.ny};
  NodeLattice<S::cg> const nodes{extent.nx, extent.ny};
  return cells.index(0, 0) % cells_at_once == 0 && cells.row() % cells_at_once == 0 &&
         cells.plane() % cells_at_once == 0 && nodes.row() % nodes_at_once == 0;
}

/// Cell by cell where the device's tensor cores are not known to give these bits.
template <class P, class S, class Body>
void launch(Cuda cuda, Extent2 extent, Body const& body) {
  if (!known_device(cuda.ordinal) || !aligned<P, S>(extent)) {
    ulpine::for_each(cuda, extent, body);
    return;
  }
  if (extent.size() == 0) return;
  DeviceGuard const guard(cuda.ordinal);
  int const warps = std::min(cuda.block / cells_a_warp, most_warps);
  auto const columns = static_cast<unsigned>((extent.nx + cells_a_warp - 1) / cells_a_warp);
  // Few rows a warp where the device would not be filled; many, so that values are on their way.
  constexpr std::int64_t enough_warps = 4096;
  constexpr int most_rows = 16;
  auto const rows =
      static_cast<int>(std::clamp<std::int64_t>(columns * extent.ny / enough_warps, 1, most_rows));
  auto const blocks = static_cast<unsigned>((extent.ny + warps * rows - 1) / (warps * rows));
  run<P, S><<<dim3(columns, blocks), dim3(cells_a_warp, static_cast<unsigned>(warps)), 0, cuda.stream>>>(
      extent, rows, body);
  check_cuda(cudaGetLastError(), "kernel launch");
}

}  // namespace ulpine::seaice::tensor

namespace ulpine::seaice {

template <class P, class S, class M>
requires OnTensorCores<P, S, M>
void for_each(Cuda cuda, Extent2 extent, StrainUpdate<P, S, M> const& body) {
  tensor::launch<P, S>(cuda, extent, body);
}
template <class P, class S, class M, class Rheology>
requires OnTensorCores<P, S, M>
void for_each(Cuda cuda, Extent2 extent, StressUpdate<P, S, M, Rheology> const& body) {
  tensor::launch<P, S>(cuda, extent, body);
}
template <class P, class S, class M, class Rheology>
requires OnTensorCores<P, S, M>
void for_each(Cuda cuda, Extent2 extent, StrainStressUpdate<P, S, M, Rheology> const& body) {
  tensor::launch<P, S>(cuda, extent, body);
}

}  // namespace ulpine::seaice
