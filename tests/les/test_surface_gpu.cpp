// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/exec/host.hpp"
#include "les/surface_kernels.hpp"
#include "precision/bits.hpp"
#include "support/device_test.hpp"
#include "support/random_values.hpp"

namespace les_test {
namespace {

using namespace ulpine;

class OnDevice : public test::DeviceTest, public testing::WithParamInterface<int> {
 protected:
  OnDevice() : DeviceTest(GetParam()) {}

  template <class T>
  static void expect_same_bits(std::vector<T> const& got, std::vector<T> const& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t n = 0; n < got.size(); ++n) ASSERT_EQ(to_bits(got[n]), to_bits(expected[n])) << n;
  }

  template <class T>
  void surface(bool linear) {
    std::size_t const count = 100003;
    test::RandomValues random(3);
    std::vector<T> difference(count), speed(count), expected(3 * count);
    for (std::size_t n = 0; n < count; ++n) {
      difference[n] = T(random.ugly(-30, 5));
      speed[n] = T(std::fabs(random.ugly(-12, 5)));
    }
    difference[0] = 0, speed[1] = 0;
    auto const rough = les::rough_surface<T>(T(5), T(1) / T(10), T(1) / T(50),
                                             les::Stability<T>{linear, T(24) / T(5), T(39) / T(5)}, T(100));
    auto const points = static_cast<std::int64_t>(count);
    for_each(Host{2}, points,
             SurfaceDiagnosis<T>{
                 rough, {difference.data(), points}, {speed.data(), points}, {expected.data(), 3 * points}});
    auto const on_device = upload(difference), wind = upload(speed);
    Array<T, Cuda> result(cuda, 3 * points);
    launch(cuda, points, SurfaceDiagnosis<T>{rough, on_device.view(), wind.view(), result.view()});
    expect_same_bits(download(result), expected);
  }

  template <class T>
  void disturbance() {
    Extent3 const extent{37, 21, 9};
    std::int64_t const row = extent.nx + 2, plane = row * (extent.ny + 2), first = row + 1;
    auto const size = static_cast<std::size_t>(plane * extent.nz);
    les::Draw const draw{.seed = 5, .round = 2, .field = 99, .nx = extent.nx, .ny = extent.ny};
    std::vector<T> noise(size), smooth(size);
    for_each(Host{2}, extent, les::Noise<T>{draw, T(1) / T(4), 1, 7, {noise.data() + first, plane, row}});
    for_each(Host{2}, extent,
             les::Smoothing<T>{
                 extent.nz, {noise.data() + first, plane, row}, {smooth.data() + first, plane, row}});
    Array<T, Cuda> device_noise(cuda, plane * extent.nz), device_smooth(cuda, plane * extent.nz);
    auto* const raw = device_noise.view().data();
    launch(cuda, extent, les::Noise<T>{draw, T(1) / T(4), 1, 7, {raw + first, plane, row}});
    launch(cuda, extent,
           les::Smoothing<T>{
               extent.nz, {raw + first, plane, row}, {device_smooth.view().data() + first, plane, row}});
    expect_same_bits(download(device_noise), noise);
    expect_same_bits(download(device_smooth), smooth);
  }
};

INSTANTIATE_TEST_SUITE_P(Block, OnDevice, testing::Values(64, 256), testing::PrintToStringParamName());

TEST_P(OnDevice, TheSurfaceLayerHasTheHostsBits) {
  for (bool const linear : {false, true}) {
    surface<double>(linear);
    surface<float>(linear);
  }
}

TEST_P(OnDevice, DisturbancesHaveTheHostsBits) {
  disturbance<double>();
  disturbance<float>();
}

}  // namespace
}  // namespace les_test
