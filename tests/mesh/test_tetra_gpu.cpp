// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/mesh/tetra_box.hpp"
#include "tests/mesh/connectivity_bits.hpp"
#include "tests/mesh/search_bits.hpp"
#include "tests/support/device_test.hpp"

namespace ulpine {
namespace {

using TetraConnectionsGpu = test::DeviceTest;

TEST_F(TetraConnectionsGpu, HaveTheHostsBits) {
  for (auto const& box : {BoxMesh{}, BoxMesh{9, 7, 5, {1, 2, 3}, 1.5, 0.1}, BoxMesh{30, 31, 17}}) {
    auto mesh = box_mesh(box);
    for (int renumbered = 0; renumbered < 2; ++renumbered) {
      auto const expected = test::connectivity_bits(Host{2}, mesh.element, mesh.nodes());
      for (int const block : {32, 128, 256}) {
        use_block(block);
        EXPECT_EQ(test::connectivity_bits(cuda, mesh.element, mesh.nodes()), expected);
      }
      renumber(mesh);
    }
  }
}

using TetraSearchGpu = test::DeviceTest;

TEST_F(TetraSearchGpu, HasTheHostsBits) {
  auto const mesh = test::hilly_mesh();
  auto points = test::points_about(mesh, 20000);
  points.insert(points.end(), mesh.position.begin(), mesh.position.end());
  auto const expected = test::places_of(Host{2}, mesh, points);
  for (int const block : {32, 128, 256}) {
    use_block(block);
    EXPECT_EQ(test::places_of(cuda, mesh, points), expected);
  }
}

}  // namespace
}  // namespace ulpine
