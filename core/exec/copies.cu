// SPDX-License-Identifier: Apache-2.0
#include "core/exec/copies.hpp"

#include <algorithm>
#include <cstring>

#include "core/exec/cuda.cuh"

namespace ulpine::detail {
namespace {

using Word = std::uint32_t;
constexpr std::size_t most_copies = 64;

struct Copies {
  MemberCopy of_member[most_copies];
};

__global__ void __launch_bounds__(most_threads) copy_members(__grid_constant__ Copies const copies) {
  auto const& copy = copies.of_member[blockIdx.y];
  auto* const target = static_cast<Word*>(copy.target);
  auto const* const source = static_cast<Word const*>(copy.source);
  auto const words = copy.bytes / static_cast<std::int64_t>(sizeof(Word));
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    target[i] = source == nullptr ? Word(0) : source[i];
  }
}

void give_alone(Cuda cuda, MemberCopy const& copy) {
  if (copy.source == nullptr) {
    fill_zero(cuda, copy.target, copy.bytes);
  } else {
    copy_within(cuda, copy.target, copy.source, copy.bytes);
  }
}

}  // namespace

void give_copies(Cuda cuda, Extent3 /*extent*/, std::span<std::byte const* const> arguments) {
  for (std::size_t begin = 0; begin < arguments.size(); begin += most_copies) {
    auto const count = std::min(most_copies, arguments.size() - begin);
    Copies copies{};
    std::int64_t longest = 0;
    bool words = true;
    for (std::size_t member = 0; member < count; ++member) {
      auto& copy = copies.of_member[member];
      std::memcpy(&copy, arguments[begin + member], sizeof(copy));
      longest = std::max(longest, copy.bytes);
      words = words && copy.bytes % static_cast<std::int64_t>(sizeof(Word)) == 0;
    }
    if (count == 1 || !words) {
      std::for_each_n(copies.of_member, count, [&](MemberCopy const& copy) { give_alone(cuda, copy); });
      continue;
    }
    constexpr std::int64_t words_a_thread = 4, most_blocks = 1 << 16;
    auto const block =
        static_cast<std::int64_t>(cuda.block) * words_a_thread * static_cast<std::int64_t>(sizeof(Word));
    auto const blocks = std::clamp<std::int64_t>((longest + block - 1) / block, 1, most_blocks);
    DeviceGuard const guard(cuda.ordinal);
    copy_members<<<dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(count)),
                   static_cast<unsigned>(cuda.block), 0, cuda.stream>>>(copies);
    check_cuda(cudaGetLastError(), "kernel launch");
  }
}

}  // namespace ulpine::detail
