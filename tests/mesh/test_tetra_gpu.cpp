// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/exec/device.hpp"
#include "core/exec/stream.hpp"
#include "core/mesh/tetra_box.hpp"
#include "tests/mesh/connectivity_bits.hpp"

namespace ulpine {
namespace {

TEST(TetraConnectionsGpu, HaveTheHostsBits) {
  if (devices().empty()) GTEST_SKIP() << "no GPU";
  Stream const stream(0);
  for (auto const& box : {TetraBox{}, TetraBox{9, 7, 5, {1, 2, 3}, 1.5, 0.1}, TetraBox{30, 31, 17}}) {
    auto mesh = box_mesh(box);
    for (int renumbered = 0; renumbered < 2; ++renumbered) {
      auto const expected = test::connectivity_bits(Host{2}, mesh.element, mesh.nodes());
      for (int const block : {32, 128, 256}) {
        auto cuda = stream.executor();
        cuda.block = block;
        EXPECT_EQ(test::connectivity_bits(cuda, mesh.element, mesh.nodes()), expected);
      }
      renumber(mesh);
    }
  }
}

}  // namespace
}  // namespace ulpine
