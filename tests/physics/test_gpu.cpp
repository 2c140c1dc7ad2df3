// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/exec/host.hpp"
#include "physics/rain_kernels.hpp"
#include "precision/bits.hpp"
#include "support/device_test.hpp"
#include "support/random_values.hpp"

namespace physics_test {
namespace {

using namespace ulpine;

class RainOnDevice : public test::DeviceTest, public testing::WithParamInterface<int> {
 protected:
  static constexpr std::int32_t nx = 67, ny = 23, nz = 41;
  static constexpr std::int64_t points = std::int64_t{nx} * ny * nz;

  RainOnDevice() : DeviceTest(GetParam()) {}

  template <class T>
  static void expect_same_bits(std::vector<T> const& got, std::vector<T> const& expected, char const* what) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t n = 0; n < got.size(); ++n) {
      ASSERT_EQ(to_bits(got[n]), to_bits(expected[n])) << what << ' ' << n;
    }
  }

  /// Air and water of a column of a storm, with dry columns, negative water and layers of any thickness.
  template <class T>
  struct Fields {
    std::vector<T> air, state, thickness, rain, velocity, fallen;

    Fields() : rain(points), velocity(points), fallen(std::size_t{nx} * ny) {
      test::RandomValues random(13);
      for (std::int64_t n = 0; n < points; ++n) {
        auto const height = double(n / (std::int64_t{nx} * ny)) / nz;
        auto const pressure = 1e5 * std::exp(-1.3 * height),
                   temperature = 303 - 70 * height + random.normal();
        auto const exner = std::pow(pressure / 1e5, 287.0 / 1004);
        air.push_back(T(pressure / (287 * temperature)));
        air.push_back(T(pressure));
        air.push_back(T(exner));
        air.push_back(T(n % 2 == 0 ? 300 : 0));
        state.push_back(T(temperature / exner) - air.back());
        state.push_back(T(0.02 * std::exp(-3 * height) * random.uniform()));
        state.push_back(T(random.uniform() < 0.3 ? 0 : random.ugly(-30, -8)));
        state.push_back(T(random.uniform() < 0.3 ? 0 : random.ugly(-30, -7)));
        thickness.push_back(T(20 * std::exp(4 * random.uniform())));
      }
    }
    physics::Sedimentation<T> falling(T dt, T const* density, T const* depth, T const* speed, T* water,
                                      T* sum) const {
      std::int64_t const plane = std::int64_t{nx} * ny;
      return {nz,
              dt,
              {density, 4 * plane, 4 * nx, 4},
              {depth, plane, nx},
              {speed, plane, nx},
              {water, plane, nx},
              {sum, 0, nx}};
    }
  };

  template <class T>
  void step() {
    Fields<T> host;
    auto const dt = T(12);
    auto const air = upload(host.air), thickness = upload(host.thickness);
    auto state = upload(host.state), rain = upload(host.rain), velocity = upload(host.velocity),
         fallen = upload(host.fallen);
    auto const values = [](std::vector<T>& v) { return View<T>{v.data(), std::int64_t(v.size())}; };

    for_each(
        Host{2}, points,
        RainFormation<T>{dt, values(host.air), values(host.state), values(host.rain), values(host.velocity)});
    for_each(Host{2}, Extent2{nx, ny},
             host.falling(dt, host.air.data(), host.thickness.data(), host.velocity.data(), host.rain.data(),
                          host.fallen.data()));
    for_each(Host{2}, points, Saturation<T>{values(host.air), values(host.rain), values(host.state)});

    launch(cuda, points, RainFormation<T>{dt, air.view(), state.view(), rain.view(), velocity.view()});
    launch(cuda, Extent2{nx, ny},
           host.falling(dt, air.view().data(), thickness.view().data(), velocity.view().data(),
                        rain.view().data(), fallen.view().data()));
    launch(cuda, points, Saturation<T>{air.view(), rain.view(), state.view()});

    expect_same_bits(download(velocity), host.velocity, "velocity");
    expect_same_bits(download(rain), host.rain, "rain");
    expect_same_bits(download(fallen), host.fallen, "fallen");
    expect_same_bits(download(state), host.state, "state");
  }
};

INSTANTIATE_TEST_SUITE_P(Block, RainOnDevice, testing::Values(64, 256), testing::PrintToStringParamName());

TEST_P(RainOnDevice, AStepHasTheHostsBits) {
  step<double>();
  step<float>();
}

}  // namespace
}  // namespace physics_test
