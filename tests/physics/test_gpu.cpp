// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/exec/host.hpp"
#include "physics/rain_kernels.hpp"
#include "physics/storm.hpp"
#include "precision/bits.hpp"
#include "support/device_test.hpp"

namespace physics_test {
namespace {

using namespace ulpine;

class RainOnDevice : public test::DeviceTest, public testing::WithParamInterface<int> {
 protected:
  RainOnDevice() : DeviceTest(GetParam()) {}

  template <class T>
  void expect_same_bits() {
    auto host = storm<T>();
    std::vector<Array<T, Cuda>> device;
    std::array<T*, field_count> on_host{}, on_device{};
    for (std::size_t n = 0; n < field_count; ++n) {
      device.push_back(upload(host[n]));
      on_host[n] = host[n].data();
      on_device[n] = device.back().view().data();
    }
    rain_step<T>(on_host, [](auto const& points, auto const& kernel) { for_each(Host{2}, points, kernel); });
    rain_step<T>(on_device, [&](auto const& points, auto const& kernel) { launch(cuda, points, kernel); });
    for (std::size_t n = 0; n < field_count; ++n) {
      auto const got = download(device[n]);
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(to_bits(got[i]), to_bits(host[n][i])) << "field " << n << ", point " << i;
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Block, RainOnDevice, testing::Values(64, 256), testing::PrintToStringParamName());

TEST_P(RainOnDevice, AStepHasTheHostsBits) {
  expect_same_bits<double>();
  expect_same_bits<float>();
}

}  // namespace
}  // namespace physics_test
