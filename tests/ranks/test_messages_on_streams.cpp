// SPDX-License-Identifier: Apache-2.0
// Exchanges of halos, and redistributions, beside stages on the streams of two devices (exec/fake_cuda/) that
// do nothing before somebody waits for them, or where the messages' stream is always first.
#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/exec/host.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/ranks/link.hpp"
#include "exec/fake_cuda/fake_cuda.hpp"
#include "support/thread_ranks.hpp"

namespace ulpine {

template <class Extent, class Kernel>
void for_each(Cuda cuda, Extent extent, Kernel const& kernel) {
  DeviceGuard const guard(cuda.ordinal);
  fake_cuda::launch(cuda.stream, [=] { for_each(Host{}, extent, kernel); });
}

namespace {
bool messages_first = false;  ///< before whatever other streams have to do
}

/// Messages in the order of a stream, as NCCL has them.
class Link<Cuda>::Nccl {
 public:
  static void exchange(Cuda where, std::shared_ptr<Ranks> const& ranks, std::span<Outgoing const> sent,
                       std::span<Incoming const> received) {
    DeviceGuard const guard(where.ordinal);
    fake_cuda::launch(where.stream,
                      [ranks, out = std::vector(sent.begin(), sent.end()),
                       in = std::vector(received.begin(), received.end())] { ranks->exchange(out, in); });
    if (messages_first) synchronize(where);
  }
};
Link<Cuda>::Link(Cuda cuda, std::shared_ptr<Ranks> ranks)
    : cuda_{cuda}, ranks_{std::move(ranks)}, side_{std::make_unique<SideStream<Cuda>>(cuda)} {}
Link<Cuda>::Link(Link&&) noexcept = default;
Link<Cuda>::~Link() = default;
bool Link<Cuda>::in_stream_order() const { return true; }
void Link<Cuda>::exchange(std::span<Outgoing const> sent, std::span<Incoming const> received) {
  Nccl::exchange(cuda_, ranks_, sent, received);
}
void Link<Cuda>::begin(std::span<Outgoing const> sent, std::span<Incoming const> received) {
  Nccl::exchange(side_->executor(), ranks_, sent, received);
}

}  // namespace ulpine

#include "ranks/stages_beside.hpp"
#include "ranks/turning_beside.hpp"

namespace ulpine::detail {

template <class T>
void copy_boxes(Cuda cuda, Extent3 most, BoxCopy<T> const& copy) {
  for_each(cuda, most, copy);
}
template <class T>
void move_box(Cuda cuda, std::int32_t rows, BoxMove<T> const& move) {
  for_each(cuda, Extent2{move.nx, rows}, move);
}

}  // namespace ulpine::detail

namespace ulpine {
namespace {

class MessagesOnStreams : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(LastAndFirst, MessagesOnStreams, testing::Bool());

TEST_P(MessagesOnStreams, OfHalosBesideStagesGiveTheBitsOfTheHost) {
  fake_cuda::reset();
  fake_cuda::put_off(true);
  messages_first = GetParam();
  on_thread_ranks(2, [](std::shared_ptr<Ranks> const& ranks) {
    for (auto const [nx, ny] : {Extent2{9, 5}, Extent2{5, 14}, Extent2{30, 20}}) {
      Blocks const blocks(nx, ny, ranks.get(), 4, "the grid");
      test::StagesBeside<Host> host(Host{}, ranks, blocks, true, false, false);
      auto const expected = host.steps(false);
      Stream const stream(ranks->rank());
      for (bool const overlap : {false, true}) {
        test::StagesBeside<Cuda> device(stream.executor(), ranks, blocks, true, false, overlap);
        EXPECT_EQ(device.steps(false), expected);
        EXPECT_EQ(device.overlapped, overlap);
      }
    }
  });
  fake_cuda::put_off(false);
  EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{});
  EXPECT_EQ(fake_cuda::held(), 0);
}

TEST_P(MessagesOnStreams, OfRedistributionsBesideStagesDoToo) {
  fake_cuda::reset();
  fake_cuda::put_off(true);
  messages_first = GetParam();
  on_thread_ranks(2, [](std::shared_ptr<Ranks> const& ranks) {
    auto const expected = test::TurningBeside<Host>(Host{}, ranks, false).steps();
    Stream const stream(ranks->rank());
    for (bool const overlap : {false, true}) {
      test::TurningBeside<Cuda> device(stream.executor(), ranks, overlap);
      EXPECT_EQ(device.steps(), expected);
      EXPECT_EQ(device.overlapped, overlap);
    }
  });
  fake_cuda::put_off(false);
  EXPECT_EQ(fake_cuda::violations(), std::vector<std::string>{});
  EXPECT_EQ(fake_cuda::held(), 0);
}

TEST(MessagesOnAStream, AreAlwaysPlainInAStepThatIsTimed) {
  on_thread_ranks(2, [](std::shared_ptr<Ranks> const& ranks) {
    Stream const stream(ranks->rank());
    Blocks const blocks(9, 5, ranks.get(), 4, "the grid");
    test::StagesBeside<Cuda> all(stream.executor(), ranks, blocks, true, false, true);
    all.runner.begin_step(all.executor, 2);
    EXPECT_FALSE(all.exchange.overlaps(all.runner));
    all.runner.begin_step(all.executor, 3);
    EXPECT_TRUE(all.exchange.overlaps(all.runner));
  });
}

}  // namespace
}  // namespace ulpine
