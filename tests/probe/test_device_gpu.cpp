// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "probe/source/device.hpp"
#include "probe/source/hash.hpp"
#include "support/device_test.hpp"

namespace ulpine::probe {
namespace {

class Device : public test::DeviceTest {};

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)

/// Memory of the device that holds the bytes given.
class OnDevice {
 public:
  explicit OnDevice(std::vector<std::byte> const& bytes, bool managed = false) {
    auto const size = std::max<std::size_t>(bytes.size(), 1);
    EXPECT_EQ(managed ? cudaMallocManaged(&data_, size) : cudaMalloc(&data_, size), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(OnDevice const&) = delete;
  OnDevice& operator=(OnDevice const&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

struct Sized {
  ulpine_type type;
  std::size_t size;
};
constexpr Sized all_types[] = {{ULPINE_F32, 4}, {ULPINE_F64, 8}, {ULPINE_I8, 1},
                               {ULPINE_I16, 2}, {ULPINE_I32, 4}, {ULPINE_I64, 8},
                               {ULPINE_L8, 1},  {ULPINE_L32, 4}, {ULPINE_L64, 8}};

/// A part at random: any strides of both signs, a place in a larger domain, sometimes places listed, and the
/// memory it lies in.
struct Made {
  Part part;
  std::size_t size = 0;
  std::vector<std::byte> bytes;
  std::int64_t offset = 0;  ///< bytes from the memory's begin to the first element
  std::vector<std::int64_t> numbers;

  /// The part in memory at `data`.
  Part at(std::byte* data) const {
    auto part = this->part;
    part.data = data + offset;
    return part;
  }
};

Made made(std::mt19937_64& random, bool dense) {
  auto const some = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution{least, most}(random);
  };
  Made made;
  auto const [type, size] = all_types[static_cast<std::size_t>(some(0, std::size(all_types) - 1))];
  made.part.type = type;
  made.size = size;
  made.part.rank = static_cast<int>(some(0, dense ? 3 : 7));
  auto const longest = std::array{1000, 1000, 300, 40, 12, 7, 5, 4}[static_cast<std::size_t>(made.part.rank)];
  std::array<int, Part::most_axes> order = {};
  std::iota(order.begin(), order.end(), 0);
  if (!dense) std::shuffle(order.begin(), order.begin() + made.part.rank, random);
  std::int64_t reach = static_cast<std::int64_t>(size);
  for (int n = made.part.rank; n-- > 0;) {  // the axis that lies closest in memory first
    auto& axis = made.part.axes[static_cast<std::size_t>(order[static_cast<std::size_t>(n)])];
    axis.extent = some(1, longest);
    axis.whole = dense ? axis.extent : axis.extent + some(0, 3);
    axis.first = some(0, axis.whole - axis.extent);
    auto const gap = dense ? 0 : some(0, 2) * static_cast<std::int64_t>(size);
    axis.stride = reach + gap;
    reach = axis.stride * axis.extent;
    if (!dense && some(0, 1) == 1) {
      made.offset += axis.stride * (axis.extent - 1);
      axis.stride = -axis.stride;
    }
  }
  if (!dense && made.part.rank > 0 && some(0, 2) == 0) {
    auto& axis = made.part.axes[static_cast<std::size_t>(some(0, made.part.rank - 1))];
    made.numbers.resize(static_cast<std::size_t>(axis.whole));
    std::iota(made.numbers.begin(), made.numbers.end(), 0);
    std::shuffle(made.numbers.begin(), made.numbers.end(), random);
    axis.numbers = made.numbers.data();
  }
  made.bytes.resize(static_cast<std::size_t>(reach));
  for (auto& byte : made.bytes) byte = static_cast<std::byte>(some(0, 9) == 0 ? 0xff : random());
  if (some(0, 3) == 0) std::ranges::fill(made.bytes, std::byte{0x80});
  return made;
}

std::vector<std::uint64_t> host_hashes(Part const& part, bool zeros_equal) {
  BlockSums sums(part.whole_count());
  add_hashes(part, sums, zeros_equal);
  std::vector<std::uint64_t> blocks(static_cast<std::size_t>(sums.blocks()));
  sums.add_to(blocks);
  return blocks;
}

std::vector<std::uint64_t> device_hashes(Part const& part, bool zeros_equal) {
  BlockSums const sums(part.whole_count());
  std::vector<std::uint64_t> blocks(static_cast<std::size_t>(sums.blocks()));
  auto hash = hash_on_device(part, sums.shift(), static_cast<int>(sums.blocks()), zeros_equal);
  hash.wait(blocks);
  return blocks;
}

TEST_F(Device, HashesAnyArrayAsTheHostDoes) {
  std::mt19937_64 random{1};
  for (int trial = 0; trial < 400; ++trial) {
    auto made_part = made(random, trial % 4 == 0);
    OnDevice const memory(made_part.bytes, trial % 5 == 0);
    auto const zeros_equal = trial % 3 == 0;
    EXPECT_EQ(device_hashes(made_part.at(memory.data()), zeros_equal),
              host_hashes(made_part.at(made_part.bytes.data()), zeros_equal))
        << "trial " << trial << ", type " << made_part.part.type << ", rank " << made_part.part.rank;
  }
}

TEST_F(Device, HashesLargeFieldsInAllBlocks) {
  std::mt19937_64 random{2};
  std::vector<std::byte> bytes(8 * 3000017);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  OnDevice const memory(bytes);
  for (std::int64_t const first : {std::int64_t{0}, std::int64_t{1000003}}) {
    Part part;
    part.rank = 1;
    part.axes[0] = {3000017, 8, first, 3000017 + first};
    part.data = memory.data();
    auto on_host = part;
    on_host.data = bytes.data();
    EXPECT_EQ(device_hashes(part, false), host_hashes(on_host, false)) << first;
  }
}

TEST_F(Device, CopiesAnyArrayToTheHostAndBack) {
  std::mt19937_64 random{3};
  for (int trial = 0; trial < 100; ++trial) {
    auto made_part = made(random, trial % 4 == 0);
    OnDevice const memory(made_part.bytes);
    auto const part = made_part.at(memory.data());
    std::vector<std::byte> values(static_cast<std::size_t>(part.count()) * made_part.size);
    read_from_device(part, values.data());
    std::vector<std::byte> expected;
    auto dense = made_part.at(made_part.bytes.data());
    for (auto& axis : dense.axes) axis.numbers = nullptr, axis.first = 0, axis.whole = axis.extent;
    expected.resize(values.size());
    for_each_row(dense,
                 [&](std::int64_t index, std::byte const* address, std::int64_t count, std::int64_t stride) {
                   for (std::int64_t i = 0; i < count; ++i) {
                     std::memcpy(expected.data() + static_cast<std::size_t>(index + i) * made_part.size,
                                 address + i * stride, made_part.size);
                   }
                 });
    ASSERT_EQ(values, expected) << trial;
    // Other values go to the same places, and between them nothing changes.
    for (auto& value : values) value ^= std::byte{0x5a};
    write_to_device(part, values.data());
    for_each_row(dense, [&](std::int64_t index, std::byte* address, std::int64_t count, std::int64_t stride) {
      for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(address + i * stride,
                    values.data() + static_cast<std::size_t>(index + i) * made_part.size, made_part.size);
      }
    });
    std::vector<std::byte> all(made_part.bytes.size());
    ASSERT_CUDA(cudaMemcpy(all.data(), memory.data(), all.size(), cudaMemcpyDeviceToHost));
    ASSERT_EQ(all, made_part.bytes) << trial;
  }
}

TEST_F(Device, KnowsWhereAnAddressLies) {
  std::vector<std::byte> bytes(64);
  OnDevice const device(bytes), managed(bytes, true);
  void* pinned = nullptr;
  ASSERT_CUDA(cudaMallocHost(&pinned, 64));
  EXPECT_EQ(memory_of(device.data() + 8), Memory::device);
  EXPECT_EQ(memory_of(managed.data() + 8), Memory::managed);
  EXPECT_EQ(memory_of(pinned), Memory::host);
  EXPECT_EQ(memory_of(bytes.data()), Memory::host);
  EXPECT_EQ(memory_of(nullptr), Memory::host);
  ASSERT_CUDA(cudaFreeHost(pinned));
}

TEST_F(Device, HashesWhatTheStreamHasWrittenAndNotWhatComesAfter) {
  std::vector<std::byte> const former(std::size_t{1} << 26, std::byte{1});
  OnDevice const memory(former);
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Part part;
  part.type = ULPINE_I8;
  part.rank = 1;
  part.axes[0] = {static_cast<std::int64_t>(former.size()), 1, 0, static_cast<std::int64_t>(former.size())};
  part.data = memory.data();
  part.stream = stream;
  BlockSums const sums(part.whole_count());
  std::vector<DeviceHash> hashes;
  for (int value = 2; value < 6; ++value) {
    ASSERT_CUDA(cudaMemsetAsync(memory.data(), value, former.size(), stream));
    hashes.push_back(hash_on_device(part, sums.shift(), static_cast<int>(sums.blocks())));
  }
  for (int value = 2; value < 6; ++value) {
    std::vector<std::byte> bytes(former.size(), static_cast<std::byte>(value));
    auto on_host = part;
    on_host.data = bytes.data();
    std::vector<std::uint64_t> blocks(static_cast<std::size_t>(sums.blocks()));
    hashes[static_cast<std::size_t>(value - 2)].wait(blocks);
    EXPECT_EQ(blocks, host_hashes(on_host, false)) << value;
    EXPECT_TRUE(hashes[static_cast<std::size_t>(value - 2)].ready());
  }
  ASSERT_CUDA(cudaStreamDestroy(stream));
}

TEST_F(Device, RefusesAStreamThatIsBeingCaptured) {
  std::vector<std::byte> const bytes(64);
  OnDevice const memory(bytes);
  Part part;
  part.rank = 1;
  part.axes[0] = {8, 8, 0, 8};
  part.data = memory.data();
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(cudaStreamCreate(&stream));
  part.stream = stream;
  device_hashes(part, false);  // what has to be loaded is
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_THROW(hash_on_device(part, 0, 8), UseError);
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  ASSERT_CUDA(cudaGraphDestroy(graph));
  ASSERT_CUDA(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace ulpine::probe
