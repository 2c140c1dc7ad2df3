// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "fft/pieces.hpp"
#include "fft/transforms.hpp"
// The arithmetic of 113 bits comes first.
#include "core/fft/group_plan.hpp"
#include "core/fft/line_plan.hpp"

namespace {

using namespace fft_test;
using namespace ulpine::fft;

/// What a device does with a program, on the host: blocks one after the other, and of each step the threads
/// from the last to the first.
template <class T, class Format, class Ends>
void run_as_device(LineProgram<T> const& program, GroupPlan const& plan, std::uint32_t groups,
                   std::int32_t threads, Ends const& ends) {
  auto const nan = std::numeric_limits<T>::quiet_NaN();
  for (auto group = groups; group-- > 0;) {
    std::vector<Complex<T>> buffers(std::size_t(plan.bytes) / sizeof(Complex<T>), Complex<T>{nan, nan});
    GroupSteps<Products<T, Format>, Ends> const steps(program, plan.layout, ends, buffers.data(), group);
    for (std::int32_t s = 0; s < program.count; ++s) {
      for (auto thread = threads; thread-- > 0;) steps.run(program.steps[s], thread, threads);
    }
  }
}

template <class T, class Format>
class AsDevice {
 public:
  AsDevice(Shape shape, std::int32_t threads, std::int64_t limit)
      : shape_{shape},
        threads_{threads},
        limit_{limit},
        rows_(LineKind::real, shape.nx),
        columns_(LineKind::complex, shape.ny) {}

  void rows(Direction direction, std::vector<T>& x) const {
    auto const program = rows_.program(direction, rows_.table().data());
    auto const plan = plan_rows(program, shape_.planes, shape_.ny, shape_.pairs(), threads_, limit_);
    run_as_device<T, Format>(program, plan, plan.layout.groups, threads_, InPlanes<T>{pairs(x)});
  }
  void columns(Direction direction, std::vector<T>& x) const {
    auto const program = columns_.program(direction, columns_.table().data());
    auto const plan = plan_columns(program, shape_.ny, shape_.pairs(), limit_);
    run_as_device<T, Format>(program, plan, plan.layout.groups * std::uint32_t(shape_.planes), threads_,
                             InPlanes<T>{pairs(x)});
  }

 private:
  static Complex<T>* pairs(std::vector<T>& x) { return reinterpret_cast<Complex<T>*>(x.data()); }

  Shape shape_;
  std::int32_t threads_;
  std::int64_t limit_;
  LinePlan<T, Format> rows_, columns_;
};

template <class T, class Format>
void expect_host_bits(Shape shape, std::int32_t threads, std::int64_t limit) {
  auto x = random_planes<T>(shape, 17);
  auto const expected = forward<T, Format>(Host{1}, shape, x);
  auto const back = inverse<T, Format>(Host{1}, shape, expected);
  AsDevice<T, Format> const device(shape, threads, limit);
  device.rows(Direction::forward, x);
  device.columns(Direction::forward, x);
  auto const name = [&] {
    return std::to_string(shape.ny) + " x " + std::to_string(shape.nx) + ", " + Format::name + ", " +
           std::to_string(sizeof(T)) + " bytes, " + std::to_string(threads) + " threads";
  };
  EXPECT_EQ(std::memcmp(x.data(), expected.data(), x.size() * sizeof(T)), 0) << name();
  device.columns(Direction::inverse, x);
  device.rows(Direction::inverse, x);
  EXPECT_EQ(std::memcmp(x.data(), back.data(), x.size() * sizeof(T)), 0) << name() << ", back";
}

std::int64_t constexpr ample = 227 << 10;

TEST(GroupSteps, GiveTheHostsBitsForEverySize) {
  for (auto const n : sizes()) {
    expect_host_bits<double, Exact>({2, 3, n}, 256, ample);
    expect_host_bits<double, Exact>({2, n, 11}, 256, ample);
    expect_host_bits<float, Exact>({1, n, 19}, 128, ample);
  }
}

TEST(GroupSteps, GiveTheHostsBitsInEveryFormat) {
  for (auto const& shape : {Shape{3, 12, 30}, {2, 40, 22}, {1, 64, 49}, {2, 13, 26}, {1, 1, 2}, {1, 2, 1}}) {
    expect_host_bits<float, Exact>(shape, 64, ample);
    expect_host_bits<float, Tf32>(shape, 64, ample);
    expect_host_bits<float, Bfloat16>(shape, 64, ample);
    expect_host_bits<float, Binary16>(shape, 64, ample);
  }
}

/// Fewer lines to a block, then one, then global scratch.
TEST(GroupSteps, GiveTheHostsBitsForAnyMemoryAndThreads) {
  for (auto const& shape : {Shape{2, 64, 100}, {2, 33, 30}, {1, 26, 44}, {3, 7, 9}}) {
    for (std::int64_t const limit : {20000, 3000, 16}) {
      for (std::int32_t const threads : {32, 96, 256}) {
        expect_host_bits<double, Exact>(shape, threads, limit);
        expect_host_bits<float, Exact>(shape, threads, limit);
      }
    }
  }
}

/// What RowsInPieces does on a device, on the host.
template <class T, class Format>
class PiecesAsDevice final : public RowsInPieces<T> {
 public:
  PiecesAsDevice(RowsOfLevels const& rows, std::int32_t threads) : rows_{rows}, threads_{threads} {}
  void forward(T* rows, RowPieces<T> const& pieces) override { run(Direction::forward, rows, pieces); }
  void inverse(RowPieces<T> const& pieces, T* rows) override { run(Direction::inverse, rows, pieces); }
  std::int64_t work_bytes() const override { return 0; }

 private:
  void run(Direction direction, T* rows, RowPieces<T> const& pieces) const {
    LinePlan<T, Format> const lines(LineKind::real, rows_.nx);
    auto const program = lines.program(direction, lines.table().data());
    auto const plan = plan_rows(program, rows_.levels, rows_.rows, rows_.nx / 2 + 1, threads_, ample);
    RowsAndPieces<T> const all{reinterpret_cast<Complex<T>*>(rows),
                               rows_.row / 2,
                               rows_.level / 2,
                               rows_.levels,
                               rows_.rows,
                               Divider(rows_.rows),
                               pieces};
    run_as_device<T, Format>(program, plan, plan.layout.groups, threads_, InPieces<T>{all});
  }

  RowsOfLevels rows_;
  std::int32_t threads_;
};

TEST(GroupSteps, LeaveWavenumbersInPiecesAndTakeThemFromThere) {
  std::uint64_t seed = 3;
  for (auto const n : sizes()) {
    for (auto const& [levels, rows] : {std::pair{1, 4}, {3, 5}}) {
      auto const make = [](RowsOfLevels const& r) {
        return std::make_unique<PiecesAsDevice<double, Exact>>(r, 96);
      };
      expect_pieces<double, Exact>(levels, rows, n, ++seed, make, OnHost{});
    }
  }
  auto const rounded = [](RowsOfLevels const& r) {
    return std::make_unique<PiecesAsDevice<float, Tf32>>(r, 256);
  };
  expect_pieces<float, Tf32>(2, 7, 30, ++seed, rounded, OnHost{});
}

TEST(GroupSteps, UseSharedMemoryWithinItsLimit) {
  for (auto const n : sizes()) {
    LinePlan<double, Exact> const rows(LineKind::real, n), columns(LineKind::complex, n);
    auto const of_rows = rows.program(Direction::forward, nullptr);
    auto const of_columns = columns.program(Direction::inverse, nullptr);
    // Two buffers of a line, padded; the last limit holds one, and two without their padding.
    auto const line = std::int64_t{2 * 16} * (of_columns.buffered + of_columns.buffered / 8);
    for (std::int64_t const limit : {std::int64_t{16}, std::int64_t{5000}, ample, 2 * line - 1}) {
      for (auto const& plan :
           {plan_rows(of_rows, 2, 50, n / 2 + 1, 256, limit), plan_columns(of_columns, n, 40, limit)}) {
        EXPECT_TRUE(!plan.shared || plan.bytes <= limit) << n;
        EXPECT_TRUE(plan.shared || line > limit) << n;
        EXPECT_GE(std::int64_t{plan.layout.groups} * plan.layout.lanes, plan.layout.lines);
      }
    }
  }
}

/// The sizes that the Poisson solver is to be fast at.
TEST(GroupSteps, OfUsualSizesFillADevice) {
  for (auto const n : {128, 256, 512}) {
    LinePlan<float, Exact> const rows(LineKind::real, n), columns(LineKind::complex, n);
    auto const of_rows = plan_rows(rows.program(Direction::forward, nullptr), 16, n, n / 2 + 1, 256, ample);
    auto const of_columns = plan_columns(columns.program(Direction::forward, nullptr), n, n / 2 + 1, ample);
    EXPECT_EQ(of_rows.layout.lanes * n / 16, 256);  // butterflies of radix 8 for 256 threads
    EXPECT_EQ(of_columns.layout.lanes, 8);          // 64 bytes of a row
    EXPECT_LE(3 * of_rows.bytes, ample);
    EXPECT_LE(3 * of_columns.bytes, ample);
  }
}

/// Items of a step run at once, so none may read what another writes.
TEST(LineProgram, ReadsAndWritesInDifferentPlaces) {
  for (auto const n : sizes()) {
    for (auto const kind : {LineKind::real, LineKind::complex}) {
      LinePlan<double, Exact> const plan(kind, n);
      for (auto const direction : {Direction::forward, Direction::inverse}) {
        auto const program = plan.program(direction, nullptr);
        for (std::int32_t s = 0; s < program.count; ++s) {
          auto const& step = program.steps[s];
          EXPECT_TRUE(step.source != step.target || step.items == 1) << n << ", step " << s;
          EXPECT_EQ(step.source == Place::planes, s == 0);
          EXPECT_EQ(step.target == Place::planes, s + 1 == program.count);
        }
      }
    }
  }
}

TEST(LineProgram, DividesExactly) {
  for (std::int32_t const by : {1, 2, 3, 5, 7, 8, 60, 343, 1 << 16, (1 << 16) + 1, 0x7ffffffe, 0x7fffffff}) {
    Divider const divide(by);
    test::RandomValues random(static_cast<std::uint64_t>(by));
    for (int i = 0; i < 1000; ++i) {
      auto const x = std::int32_t(random.below(std::size_t{1} << 31));
      EXPECT_EQ(divide(x), x / by) << x << " / " << by;
      auto const multiple = x / by * by;
      EXPECT_EQ(divide(multiple), multiple / by) << multiple << " / " << by;
      auto const below = std::max(multiple, 1) - 1;
      EXPECT_EQ(divide(below), below / by) << below << " / " << by;
    }
    EXPECT_EQ(divide(0x7fffffff), 0x7fffffff / by);
  }
}

TEST(LineProgram, TakesLargeRadicesFirst) {
  using Radices = std::vector<std::int32_t>;
  EXPECT_EQ(radices_of(1), Radices());
  EXPECT_EQ(radices_of(2), Radices({2}));
  EXPECT_EQ(radices_of(16), Radices({4, 4}));
  EXPECT_EQ(radices_of(32), Radices({8, 4}));
  EXPECT_EQ(radices_of(128), Radices({8, 4, 4}));
  EXPECT_EQ(radices_of(512), Radices({8, 8, 8}));
  EXPECT_EQ(radices_of(1024), Radices({8, 8, 4, 4}));
  EXPECT_EQ(radices_of(6300), Radices({4, 7, 5, 5, 3, 3}));
  EXPECT_EQ(radices_of(22), Radices());
}

}  // namespace
