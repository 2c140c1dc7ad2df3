// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/exec/host.hpp"
#include "core/exec/reduce.hpp"
#include "core/stage/graph.hpp"
#include "exec/gpu_kernels.hpp"
#include "exec/kernels.hpp"
#include "exec/number_zoo.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;

class ReductionOnDevice : public test::DeviceTest {
 protected:
  template <class T>
  static void expect_same(T a, T b) {
    EXPECT_TRUE(to_bits(a) == to_bits(b) || (a != a && b != b)) << a << ' ' << b;
  }

  /// All reductions of `x` on the device against those of `y` on the host.
  template <class T, class X, class Y>
  void compare(X const& x, Y const& y) {
    Reducer<Cuda> on_device(cuda);
    Reducer<Host> const on_host(Host{2});
    Scalar<double, Cuda> device_double(cuda);
    Scalar<float, Cuda> device_float(cuda);
    Scalar<T, Cuda> device_value(cuda);
    Scalar<double, Host> host_double(Host{});
    Scalar<float, Host> host_float(Host{});
    on_device.sum_to(x, device_double);
    on_host.sum_to(y, host_double);
    expect_same(device_double.value(), host_double.value());
    on_device.sum_to(x, device_float);
    on_host.sum_to(y, host_float);
    expect_same(device_float.value(), host_float.value());
    on_device.dot_to(x, x, device_double);
    on_host.dot_to(y, y, host_double);
    expect_same(device_double.value(), host_double.value());
    on_device.max_to(x, device_value);
    expect_same(device_value.value(), on_host.max(y));
    on_device.min_to(x, device_value);
    expect_same(device_value.value(), on_host.min(y));
    expect_same(on_device.sum(x).to_double(), on_host.sum(y).to_double());
    expect_same(on_device.max(x), on_host.max(y));
  }
};

TEST_F(ReductionOnDevice, ToScalarsEqualsTheHosts) {
  auto const check = [&]<class T>(std::string const& name, std::vector<T> const& values) {
    SCOPED_TRACE(name + ", " + std::to_string(values.size()));
    auto const array = upload(values);
    for (std::int64_t const offset : {0, 1, 3}) {
      if (auto const size = array.size() - offset; size >= 0) {
        compare<T>(View<T const>(array.view().data() + offset, size),
                   View<T const>(values.data() + offset, size));
      }
    }
  };
  for (auto const& [name, values] : exec_test::number_zoo<double>()) check(name, values);
  for (auto const& [name, values] : exec_test::number_zoo<float>()) check(name, values);
  check("large", exec_test::scattered<double>(3000001, 25, 8));
  check("large", exec_test::scattered<float>(3000001, 25, 8));
  check("all exponents", exec_test::scattered<float>(3000001, 126, 8));
  auto odd = exec_test::scattered<float>(100001, 5, 8);
  odd[77777] = std::numeric_limits<float>::infinity();
  check("infinity", odd);
  odd[3] = std::numeric_limits<float>::quiet_NaN();
  check("NaN", odd);
}

/// Of blocks of several sizes, one after the other with the same scratch.
TEST_F(ReductionOnDevice, ProductsAtAKernelsEndAreTheHosts) {
  auto const check = [&]<class T>(std::string const& name, std::vector<T> const& values) {
    SCOPED_TRACE(name + ", " + std::to_string(values.size()));
    auto others = values;
    std::reverse(others.begin(), others.end());
    auto const x = upload(values), z = upload(others);
    Array<T, Cuda> y(cuda, x.size());
    Array<double, Cuda> results(cuda, 4);
    ProductScratch scratch(cuda);
    for (std::int64_t const first : {0, 1, 5}) {
      auto const size = x.size() - first;
      if (size < 0) continue;
      exec_test::copy_with_products<T>(cuda, scratch, x.view(), z.view(), first, y.view(), results.view());
      Reducer<Host> const on_host(Host{2});
      View<T const> const own(values.data() + first, size), other(others.data() + first, size);
      auto const square = on_host.dot(own, own).to_double(), mixed = on_host.dot(own, other).to_double();
      double found[4];
      results.to_host(found);
      expect_same(found[0], square);
      expect_same(found[1], square);
      expect_same(found[2], mixed);
      expect_same(found[3], square);
    }
  };
  for (int const block : {32, 96, 256}) {
    use_block(block);
    for (auto const& [name, values] : exec_test::number_zoo<double>()) check(name, values);
    for (auto const& [name, values] : exec_test::number_zoo<float>()) check(name, values);
    check("large", exec_test::scattered<double>(1000001, 25, 8));
    check("all exponents", exec_test::scattered<float>(1000001, 60, 8));
    auto odd = exec_test::scattered<double>(100001, 5, 8);
    odd[77777] = std::numeric_limits<double>::infinity();
    check("infinity", odd);
    odd[3] = std::numeric_limits<double>::quiet_NaN();
    check("NaN", odd);
  }
}

/// Later numbers are so much larger that blocks hand on their sums after each turn of theirs. Often, for what
/// threads that did not wait for one another would do.
TEST_F(ReductionOnDevice, ProductsOfGrowingNumbersAreTheHostsEachTime) {
  constexpr std::int64_t size = 600001;
  auto values = exec_test::scattered<double>(size, 3, 5);
  for (std::int64_t i = 0; i < size; ++i) {
    values[static_cast<std::size_t>(i)] =
        std::ldexp(values[static_cast<std::size_t>(i)], static_cast<int>(i >> 14));
  }
  View<double const> const all(values.data(), size);
  auto const square = Reducer<Host>(Host{2}).dot(all, all).to_double();
  for (int const block : {64, 256}) {
    use_block(block);
    auto const x = upload(values);
    Array<double, Cuda> y(cuda, size), results(cuda, 4);
    ProductScratch scratch(cuda);
    for (int time = 0; time < 30; ++time) {
      exec_test::copy_with_products<double>(cuda, scratch, x.view(), x.view(), 0, y.view(), results.view());
      double found[4];
      results.to_host(found);
      for (double const product : found) expect_same(product, square);
    }
  }
}

TEST_F(ReductionOnDevice, EveryWayToAddGivesTheSameBits) {
  auto const check = [&]<class T>(std::vector<T> const& values) {
    auto const array = upload(values);
    Array<std::int64_t, Cuda> scratch(cuda, detail::sum_scratch_words);
    Scalar<double, Cuda> result(cuda);
    auto const expected = Reducer<Host>(Host{2}).sum(View<T const>(values.data(), array.size())).to_double();
    using enum detail::SumMethod;
    for (auto const method : {expansions, windows_2, windows_4}) {
      auto plan = detail::reduction_plan(cuda.ordinal);
      plan.method = method;
      auto const x = values_of(array.view());
      detail::deposit_values(cuda, plan, x, {}, 0, array.size(), scratch.view().data());
      detail::finish_sum(cuda, scratch.view().data(), false, result.view().data());
      expect_same(result.value(), expected);
    }
  };
  check(exec_test::scattered<float>(2000003, 40, 6));
  check(exec_test::scattered<double>(2000003, 40, 6));
  check(exec_test::scattered<float>(300001, 126, 6));
  check(exec_test::scattered<double>(300001, 1000, 6));
}

TEST_F(ReductionOnDevice, SeesOnlyThePointsOfALayout) {
  Points points{.extent = {2, 30, 41, 53}, .stride = {1 << 18, 3000, 60, 1}, .first = 123};
  std::vector<double> memory(1 << 20, std::numeric_limits<double>::quiet_NaN());
  auto const values = exec_test::scattered<double>(static_cast<std::size_t>(points.count()), 30, 4);
  for (std::int64_t i = 0; i < points.count(); ++i) {
    memory[static_cast<std::size_t>(points.at(i))] = values[static_cast<std::size_t>(i)];
  }
  auto const array = upload(memory);
  compare<double>(Values<double>{array.view().data(), points}, Values<double>{memory.data(), points});
}

TEST_F(ReductionOnDevice, OfPairsOfFloatsAreTheHosts) {
  Points const points{.extent = {2, 30, 41, 53}, .stride = {1 << 18, 3000, 60, 1}, .first = 123};
  std::vector<DoubleFloat> memory(1 << 20, std::numeric_limits<float>::quiet_NaN());
  auto const values = exec_test::scattered<double>(static_cast<std::size_t>(points.count()), 20, 4);
  for (std::int64_t i = 0; i < points.count(); ++i) {
    memory[static_cast<std::size_t>(points.at(i))] = DoubleFloat(values[static_cast<std::size_t>(i)]);
  }
  std::vector<DoubleFloat> packed;
  for (auto const value : values) packed.emplace_back(value);
  auto const array = upload(memory), in_order = upload(packed);
  auto const check = [&](Values<DoubleFloat> x, Values<DoubleFloat> y) {
    Reducer<Cuda> on_device(cuda);
    Reducer<Host> const on_host(Host{2});
    Scalar<DoubleFloat, Cuda> found(cuda);
    Scalar<DoubleFloat, Host> expected(Host{});
    auto const expect = [&](char const* what) {
      EXPECT_TRUE(found.value() == expected.value()) << what << ' ' << static_cast<double>(found.value())
                                                     << ' ' << static_cast<double>(expected.value());
    };
    on_device.sum_to(x, found);
    on_host.sum_to(y, expected);
    expect("sum");
    on_device.dot_to(x, x, found);
    on_host.dot_to(y, y, expected);
    expect("dot");
    on_device.max_to(x, found);
    on_host.max_to(y, expected);
    expect("max");
    on_device.min_to(x, found);
    on_host.min_to(y, expected);
    expect("min");
    EXPECT_EQ(on_device.sum(x).to_double(), on_host.sum(y).to_double());
  };
  check({array.view().data(), points}, {memory.data(), points});
  check(values_of(View<DoubleFloat const>(in_order.view().data() + 1, in_order.size() - 1)),
        values_of(View<DoubleFloat const>(packed.data() + 1, in_order.size() - 1)));
  auto const check_dense = [&](std::vector<DoubleFloat> const& numbers) {
    auto const there = upload(numbers);
    check(values_of(View<DoubleFloat const>(there.view().data(), there.size())),
          values_of(View<DoubleFloat const>(numbers.data(), there.size())));
  };
  // Products beyond float's range on both sides, and what is no number.
  for (int const exponents : {2, 60, 120}) {
    packed.clear();
    for (auto const value : exec_test::scattered<double>(100001, exponents, 9)) packed.emplace_back(value);
    for (std::size_t i = 0; i < packed.size(); i += 7) packed[i] = DoubleFloat(std::ldexp(1.5f, -140));
    check_dense(packed);
  }
  packed[99999] = std::numeric_limits<float>::infinity();
  check_dense(packed);
}

/// A step with two sums, a dot product and an extreme, whose results the next kernel reads.
template <class Executor, class Launch>
struct Step {
  Executor executor;
  Reducer<Executor> reducer;
  Scalar<double, Executor> sum, dot, largest;
  Launch launch;

  Step(Executor executor, Launch launch)
      : executor{executor},
        reducer(executor),
        sum(executor),
        dot(executor),
        largest(executor),
        launch{launch} {}
  void operator()(View<double> x) {
    View<double const> const values = x;
    reducer.sum_to(values, sum);
    reducer.dot_to(values, values, dot);
    reducer.max_to(values, largest);
    launch(exec_test::Relax{sum.view(), dot.view(), largest.view(), x});
    reducer.sum_to(values, sum);
    launch(exec_test::Relax{sum.view(), dot.view(), largest.view(), x});
  }
};

TEST_F(ReductionOnDevice, LiveInAGraphAndFeedTheNextKernels) {
  auto const start = exec_test::scattered<double>(10007, 3, 2);
  auto on_host = start;
  View<double> const host_view(on_host.data(), std::ssize(on_host));
  Step host_step(Host{2}, [&](exec_test::Relax const& relax) { for_each(Host{2}, host_view.size(), relax); });
  auto direct = upload(start), replayed = upload(start);
  auto const launch = [&](exec_test::Relax const& relax) { exec_test::relax(cuda, relax); };
  Step direct_step(cuda, launch), replayed_step(cuda, launch);
  auto const recorder = make_work_recorder(cuda);
  recorder->begin();
  replayed_step(replayed.view());
  auto const graph = recorder->end();
  auto const before = allocations();
  for (int step = 0; step < 50; ++step) {
    host_step(host_view);
    direct_step(direct.view());
    graph->launch();
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(download(direct), on_host);
  EXPECT_EQ(download(replayed), on_host);
  EXPECT_EQ(replayed_step.dot.value(), host_step.dot.value());
}

}  // namespace
