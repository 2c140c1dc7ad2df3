// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/exec/host.hpp"
#include "fdm/sound_columns.hpp"
#include "fdm/sound_kernels.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;
using fdm_test::SoundColumns;

class SoundOnDevice : public test::DeviceTest {
 protected:
  template <class T>
  static bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  }

  template <class T>
  void check_resident() const {
    test::RandomValues random(1);
    SoundColumns<T> columns(random, 70, 33, 65);
    auto const r = upload(columns.r), x5 = upload(columns.x5), x4 = upload(columns.x4),
               t1 = upload(columns.t1), t2 = upload(columns.t2);
    auto a = upload(columns.a), b = upload(columns.b), c = upload(columns.c);
    auto kernel = columns.kernel();
    for_each(Host{}, columns.extent(), kernel);
    kernel.r = r.view().data(), kernel.x5 = x5.view().data(), kernel.x4 = x4.view().data();
    kernel.t1 = t1.view().data(), kernel.t2 = t2.view().data();
    kernel.a = a.view().data(), kernel.b = b.view().data(), kernel.c = c.view().data();
    fdm_test::launch(cuda, columns.extent(), kernel);
    EXPECT_TRUE(same_bits(download(a), columns.a));
    EXPECT_TRUE(same_bits(download(b), columns.b));
    EXPECT_TRUE(same_bits(download(c), columns.c));
  }

  template <class T>
  void check_tiled() const {
    test::RandomValues random(2);
    SoundColumns<T> columns(random, 40, 50, 60);
    auto tiled = columns;
    for_each(Host{}, columns.extent(), columns.kernel());
    for (int axis = 0; axis < 3; ++axis) {
      for (int const streams : {1, 2, 4}) {
        for (auto const transfers : {Transfers::staged, Transfers::in_place}) {
          for (auto* array : {&tiled.a, &tiled.b, &tiled.c}) {
            std::fill(array->begin() + 2 * tiled.plane(), array->end() - 2 * tiled.plane(), T(0));
          }
          Tiling tiling;
          tiling.streams = streams;
          tiling.transfers = transfers;
          tiling.memory = std::int64_t{1} << 20;
          run_tiled(cuda, tiled, axis, tiling, [](Cuda stream, Extent3 extent, auto const& kernel) {
            fdm_test::launch(stream, extent, kernel);
          });
          EXPECT_TRUE(same_bits(tiled.a, columns.a)) << axis << ", " << streams;
          EXPECT_TRUE(same_bits(tiled.b, columns.b)) << axis << ", " << streams;
          EXPECT_TRUE(same_bits(tiled.c, columns.c)) << axis << ", " << streams;
        }
      }
    }
  }
};

TEST_F(SoundOnDevice, CoefficientsHaveTheBitsOfTheHost) {
  check_resident<double>();
  check_resident<float>();
}

TEST_F(SoundOnDevice, TilesHaveTheBitsOfTheHost) {
  check_tiled<double>();
  check_tiled<float>();
}

}  // namespace
