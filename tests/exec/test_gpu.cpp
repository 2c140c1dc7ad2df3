// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/exec/device.hpp"
#include "core/exec/host.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/reduce.hpp"
#include "core/field/hash.hpp"
#include "core/field/operations.hpp"
#include "core/stage/trace.hpp"
#include "exec/gpu_kernels.hpp"
#include "exec/kernels.hpp"
#include "exec/number_zoo.hpp"
#include "io/error.hpp"
#include "support/device_test.hpp"
#include "support/positions.hpp"
#include "support/raw_field.hpp"

namespace {

using namespace ulpine;
using test::at;

class OnDevice : public test::DeviceTest, public testing::WithParamInterface<int> {
 protected:
  OnDevice() : DeviceTest(GetParam()) {}

  template <class T>
  RawField raw(Array<T, Cuda> const& array) const {
    auto field = raw_values(array.view().data(), array.size(), value_type_of<T>);
    field.on_device = true;
    field.cuda = cuda;
    return field;
  }
};

INSTANTIATE_TEST_SUITE_P(Block, OnDevice, testing::Values(64, 128, 256), testing::PrintToStringParamName());

template <class T>
std::vector<T> ugly_values(std::size_t size) {
  std::mt19937_64 engine(size);
  std::normal_distribution<double> normal;
  std::vector<T> values(size);
  for (auto& value : values) {
    value = static_cast<T>(normal(engine));
  }
  if (size > 6) {
    values[1] = std::numeric_limits<T>::quiet_NaN();
    values[2] = -std::numeric_limits<T>::quiet_NaN();
    values[3] = -T(0);
    values[4] = std::numeric_limits<T>::infinity();
    values[5] = std::numeric_limits<T>::denorm_min();
  }
  return values;
}

TEST_P(OnDevice, ForEachVisitsEveryIndexOnce) {
  for (std::int64_t const count : {0, 1, 63, 257, 100003}) {
    Array<int, Cuda> visits(cuda, count);
    exec_test::visit(cuda, visits.view());
    EXPECT_EQ(download(visits), std::vector<int>(static_cast<std::size_t>(count), 1)) << count;
  }
  for (Extent2 const extent : {Extent2{0, 4}, {4, 0}, {1, 1}, {33, 1}, {1, 65}, {37, 41}, {129, 257}}) {
    Array<int, Cuda> visits(cuda, extent.size());
    exec_test::visit(cuda, extent, visits.view());
    EXPECT_EQ(download(visits), std::vector<int>(static_cast<std::size_t>(extent.size()), 1))
        << extent.nx << " x " << extent.ny;
  }
  for (Extent3 const extent : {Extent3{0, 4, 3},
                               {4, 0, 3},
                               {4, 3, 0},
                               {1, 1, 1},
                               {33, 1, 5},
                               {3, 5, 7},
                               {1, 1, 70000},
                               {2, 70001, 1},
                               {65, 9, 17},
                               {128, 9, 2},
                               {300, 3, 5}}) {
    Array<int, Cuda> visits(cuda, extent.size());
    exec_test::visit(cuda, extent, visits.view());
    EXPECT_EQ(download(visits), std::vector<int>(static_cast<std::size_t>(extent.size()), 1))
        << extent.nx << " x " << extent.ny << " x " << extent.nz;
    exec_test::visit_in_parts(cuda, extent, visits.view());
    EXPECT_EQ(download(visits), std::vector<int>(static_cast<std::size_t>(extent.size()), 3))
        << extent.nx << " x " << extent.ny << " x " << extent.nz;
  }
}

TEST_P(OnDevice, ClimbsVisitEachPointOnceWithWhatThePointBelowLeft) {
  // The last two have more points than threads are wanted.
  for (Extent3 const extent :
       {Extent3{1, 1, 1}, Extent3{33, 5, 7}, Extent3{70, 40, 300}, Extent3{64, 65, 1100}}) {
    Array<int, Cuda> visits(cuda, extent.size());
    exec_test::visit_climbing(cuda, extent, visits.view());
    EXPECT_EQ(download(visits), std::vector<int>(static_cast<std::size_t>(extent.size()), 1))
        << extent.nx << " x " << extent.ny << " x " << extent.nz;
  }
}

TEST_P(OnDevice, HashesEqualTheHosts) {
  auto const check = [&](auto const& values) {
    auto const array = upload(values);
    auto const size = static_cast<std::size_t>(hash_blocks(array.size()));
    std::vector<std::uint64_t> on_host(size), on_device(size);
    EXPECT_EQ(field_hash(raw(array), on_device), field_hash(test::raw(values), on_host)) << values.size();
    EXPECT_EQ(on_device, on_host) << values.size();
  };
  for (std::size_t const size : {0, 1, 7, 256, 257, 1000, 65537, 1048576, 3000001}) {
    check(ugly_values<double>(size));
    check(ugly_values<float>(size));
  }
}

TEST_P(OnDevice, ReductionsEqualTheHostsForAnyAlignment) {
  Reducer<Cuda> on_device(cuda);
  Reducer<Host> const on_host(Host{2});
  auto const check = [&]<class T>(std::string const& name, std::vector<T> const& values) {
    auto const array = upload(values);
    for (std::int64_t const offset : {0, 1, 2, 3}) {
      auto const size = array.size() - offset;
      if (size < 0) {
        continue;
      }
      SCOPED_TRACE(name + ", " + std::to_string(size) + " from " + std::to_string(offset));
      View<T const> const x(array.view().data() + offset, size), y(values.data() + offset, size);
      auto const same = [](auto a, auto b) {
        EXPECT_TRUE(to_bits(a) == to_bits(b) || (a != a && b != b)) << a << ' ' << b;
      };
      same(on_device.sum(x).to_double(), on_host.sum(y).to_double());
      same(on_device.dot(x, x).to_double(), on_host.dot(y, y).to_double());
      same(on_device.max(x), on_host.max(y));
      same(on_device.min(x), on_host.min(y));
    }
  };
  for (auto const& [name, values] : exec_test::number_zoo<double>()) {
    check(name, values);
  }
  for (auto const& [name, values] : exec_test::number_zoo<float>()) {
    check(name, values);
  }
  check("large", exec_test::scattered<double>(3000001, 25, 8));
  check("large", exec_test::scattered<float>(3000001, 25, 8));
  check("large, all exponents", exec_test::scattered<double>(300001, 1000, 8));
  check("special", ugly_values<double>(1001));
  check("special", ugly_values<float>(1001));
}

TEST_P(OnDevice, TraceRecorderGivesTheHostsRecordsInOrder) {
  std::vector<StageRecord> on_device, on_host;
  {
    auto const device_recorder = make_trace_recorder(on_device);
    auto const host_recorder = make_trace_recorder(on_host);
    auto values = ugly_values<double>(3000);
    auto array = upload(values);
    for (int step = 1; step <= 2500; ++step) {  // several batches
      exec_test::logistic(cuda, 3.99, array.view());
      for_each(Host{}, array.size(), exec_test::Logistic{3.99, {values.data(), array.size()}});
      auto const position = at(step, {{"substep", step % 3}});
      device_recorder->stage_done(position, step % 2 == 0 ? "even" : "odd", "x", raw(array));
      host_recorder->stage_done(position, step % 2 == 0 ? "even" : "odd", "x", test::raw(values));
      if (step == 700) {  // a host field between device fields keeps its place
        device_recorder->stage_done(at(step), "host", "x", test::raw(values));
        host_recorder->stage_done(at(step), "host", "x", test::raw(values));
      }
    }
    device_recorder->flush();
    EXPECT_EQ(on_device.size(), 2501u);
  }
  ASSERT_EQ(on_device.size(), on_host.size());
  for (std::size_t i = 0; i < on_host.size(); ++i) {
    ASSERT_EQ(on_device[i].stage, on_host[i].stage) << i;
    ASSERT_EQ(on_device[i].position, on_host[i].position) << i;
    ASSERT_EQ(on_device[i].record.position, on_host[i].record.position) << i;
    ASSERT_EQ(on_device[i].record.count, on_host[i].record.count) << i;
    ASSERT_EQ(on_device[i].record.hash, on_host[i].record.hash) << i;
    ASSERT_EQ(on_device[i].record.blocks, on_host[i].record.blocks) << i;
  }
}

TEST_P(OnDevice, PlantedUlpAndCaptureWorkOnDeviceFields) {
  std::vector<double> const values{1, -2, 3};
  auto const array = upload(values);
  add_one_ulp(raw(array), 1);
  EXPECT_EQ(download(array), (std::vector<double>{1, std::nextafter(-2., -3.), 3}));
  FieldCapture capture(at(1), "stage", "x");
  capture.stage_done(at(1), "stage", "x", raw(array));
  auto const expected = download(array);
  ASSERT_EQ(capture.bytes().size(), 24u);
  EXPECT_EQ(std::memcmp(capture.bytes().data(), expected.data(), 24), 0);
}

TEST_P(OnDevice, PinnedBufferReceivesInStreamOrder) {
  std::vector<int> expected(1000, 2);
  Array<int, Cuda> visits(cuda, 1000);
  PinnedBuffer buffer(cuda, 4000);
  buffer.wait();
  exec_test::visit(cuda, visits.view());
  exec_test::visit(cuda, visits.view());
  copy_to_host_async(cuda, buffer, visits.view().data(), visits.bytes());
  exec_test::visit(cuda, visits.view());
  buffer.wait();
  EXPECT_EQ(std::memcmp(buffer.data(), expected.data(), 4000), 0);
}

TEST_P(OnDevice, PinnedBufferSendsInStreamOrder) {
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 5);
  Array<int, Cuda> visits(cuda, 1000);
  PinnedBuffer buffer(cuda, 4000);
  std::memcpy(buffer.data(), expected.data(), 4000);
  exec_test::visit(cuda, visits.view());
  copy_to_device_async(cuda, visits.view().data(), buffer, buffer.bytes());
  buffer.wait();
  std::memset(buffer.data(), 0, 4000);
  exec_test::visit(cuda, visits.view());
  for (auto& value : expected) ++value;
  EXPECT_EQ(download(visits), expected);
}

TEST_P(OnDevice, AllocationBeyondMemoryIsAnEnvironmentError) {
  EXPECT_THROW((Array<double, Cuda>(cuda, std::int64_t{1} << 45)), EnvironmentError);
  Array<int, Cuda> visits(cuda, 3);  // and the device still works
  exec_test::visit(cuda, visits.view());
  EXPECT_EQ(download(visits), std::vector<int>(3, 1));
}

TEST_P(OnDevice, CopyBandwidthIsPlausible) {
  auto const bandwidth = copy_bandwidth(cuda.ordinal);
  EXPECT_GT(bandwidth, 1e10);  // any device of the last ten years
  EXPECT_LT(bandwidth, 1e14);
  EXPECT_EQ(copy_bandwidth(cuda.ordinal), bandwidth);
}

TEST_P(OnDevice, FindsTheFirstInvalidValueAsTheHostDoes) {
  std::mt19937_64 engine(7);
  auto const as_on_the_host = [&]<class T>(T) {
    for (std::size_t const size : {1, 33, 5000, 70001}) {
      std::vector<T> values(size);
      for (auto& value : values) value = static_cast<T>(static_cast<double>(engine() % 1000) - 500);
      std::vector<std::uint8_t> mask(size);
      for (auto& point : mask) point = static_cast<std::uint8_t>(engine() % 4 != 0);
      Array<T, Cuda> array(cuda, static_cast<std::int64_t>(size));
      Array<std::uint8_t, Cuda> mask_array(cuda, static_cast<std::int64_t>(size));
      mask_array.from_host(mask.data());
      for (double const bad : {499.0, 501.0, -1e30, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
        auto changed = values;
        for (int n = 0; n < 3; ++n) changed[engine() % size] = static_cast<T>(bad);
        array.from_host(changed.data());
        auto const domain = raw(mask_array);
        auto const host_domain = raw_values(mask.data(), static_cast<std::int64_t>(size), ValueType::uint8);
        auto const on_host = raw_values(changed.data(), static_cast<std::int64_t>(size), value_type_of<T>);
        for (ValueRange const range : {ValueRange{}, at_most(500), at_most(100)}) {
          auto const found = first_invalid(raw(array), range, &domain);
          auto const wanted = first_invalid(on_host, range, &host_domain);
          ASSERT_EQ(found.has_value(), wanted.has_value()) << size << " " << bad;
          if (!found) continue;
          EXPECT_EQ(found->dense_index, wanted->dense_index) << size << " " << bad;
          EXPECT_TRUE(found->value == wanted->value || std::isnan(wanted->value)) << found->value;
        }
      }
    }
  };
  as_on_the_host(float{});
  as_on_the_host(double{});
}

}  // namespace
