// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "core/exec/host.hpp"
#include "precision/device_double_float.hpp"
#include "precision/double_float_operands.hpp"
#include "support/device_test.hpp"

namespace precision_test {
namespace {

using namespace ulpine;

class DoubleFloatsOnDevice : public test::DeviceTest {
 protected:
  static constexpr std::size_t count = std::size_t{1} << 22;
  static constexpr auto size = static_cast<std::int64_t>(count);

  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    Operands operands(99);
    for (std::size_t i = 0; i < count; ++i) {
      a_[i] = i % 4 == 0   ? operands.any()
              : i % 4 == 1 ? operands.uniform(-100, 100)
                           : operands.any_exponent(-60, 60);
      b_[i] = i % 5 == 0   ? operands.any()
              : i % 5 == 1 ? operands.nearly_opposite(a_[i])
                           : operands.uniform(-10, 10);
      c_[i] = i % 3 == 0 ? operands.any() : operands.nearly_opposite(a_[i] * b_[i]);
    }
  }

  static void expect_same(std::vector<DoubleFloat> const& got, std::vector<DoubleFloat> const& expected,
                          std::string const& what) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      bool const both_nan = std::isnan(got[i].hi()) && std::isnan(expected[i].hi());
      auto const same = both_nan ? got[i].lo() == 0 : std::memcmp(&got[i], &expected[i], sizeof got[i]) == 0;
      if (same || wrong++ > 0) continue;
      ADD_FAILURE() << what << " number " << i << ": device " << std::hexfloat << got[i].hi() << " + "
                    << got[i].lo() << ", host " << expected[i].hi() << " + " << expected[i].lo();
    }
    EXPECT_EQ(wrong, 0u) << what;
  }

  Host host_{static_cast<int>(std::thread::hardware_concurrency())};
  std::vector<DoubleFloat> a_ = std::vector<DoubleFloat>(count), b_ = a_, c_ = a_;
};

TEST_F(DoubleFloatsOnDevice, EveryOperationHasTheBitsOfTheHost) {
  auto const a = upload(a_), b = upload(b_), c = upload(c_);
  Array<DoubleFloat, Cuda> result(cuda, size);
  std::vector<DoubleFloat> expected(count);
  for (int n = 0; n < operation_count; ++n) {
    auto const operation = static_cast<Operation>(n);
    run(cuda, size, OperationKernel{operation, a.view(), b.view(), c.view(), result.view()});
    for_each(
        host_, size,
        OperationKernel{
            operation, {a_.data(), size}, {b_.data(), size}, {c_.data(), size}, {expected.data(), size}});
    expect_same(download(result), expected, "operation " + std::to_string(n));
  }
}

TEST_F(DoubleFloatsOnDevice, EveryElementaryFunctionHasTheBitsOfTheHost) {
  auto const a = upload(a_), b = upload(b_);
  Array<DoubleFloat, Cuda> result(cuda, size);
  std::vector<DoubleFloat> expected(count);
  for (int f = 0; f < function_count; ++f) {
    auto const function = static_cast<Function>(f);
    run(cuda, Evaluation<DoubleFloat>{function, a.view(), b.view(), result.view()});
    for_each(
        host_, size,
        Evaluation<DoubleFloat>{function, {a_.data(), size}, {b_.data(), size}, {expected.data(), size}});
    expect_same(download(result), expected, function_names[f]);
  }
}

TEST_F(DoubleFloatsOnDevice, AddAtomically) {
  // Multiples of 2^-20 of at most 1: their sums have less than 48 bits and are exact in any order.
  std::vector<DoubleFloat> values(count), expected(7, 0);
  Operands operands(5);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = DoubleFloat(operands.integer(-(1 << 20), 1 << 20)) * DoubleFloat(0x1p-20f);
    expected[i % 7] += values[i];
  }
  auto const on_device = upload(values);
  Array<DoubleFloat, Cuda> sums(cuda, 7);
  add_atomically(cuda, on_device.view(), sums.view());
  auto const got = download(sums);
  for (std::size_t n = 0; n < 7; ++n) EXPECT_TRUE(got[n] == expected[n]) << n;
}

}  // namespace
}  // namespace precision_test
