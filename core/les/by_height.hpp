// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "core/les/setup.hpp"
#include "core/stage/runner.hpp"

namespace ulpine::les {

/// Runs kernels of a kind of ground, above what has to know of it those for levels without walls.
template <class Executor>
class ByHeight {
 public:
  ByHeight(Executor executor, Setup const& setup)
      : executor_{executor},
        nx_{setup.parameters.nx},
        ny_{setup.parameters.ny},
        nz_{setup.parameters.nz},
        near_{setup.tallest() == 0 ? 1 : std::min(setup.tallest() + farthest, nz_)},
        floor_{setup.tallest() == 0 ? 0 : -farthest} {}

  /// Runs the kernel that make(ground) gives over the first `levels` levels.
  template <class Ground, class Make>
  void operator()(StageRunner& stages, Stage stage, Ground ground, std::int32_t levels, Make const& make,
                  std::vector<Field const*> const& written) const {
    auto const near = std::min(near_, levels);
    auto const low = std::clamp(farthest, near, levels), high = std::clamp(nz_ - farthest, low, levels);
    auto const over = [&](std::int32_t first, std::int32_t end, auto const& kernel) {
      for_each(executor_, Extent3{nx_, ny_, end - first}, From{kernel, first});
    };
    stages.call(
        stage, executor_,
        [&] {
          over(0, near, make(ground));
          Aloft const aloft;
          Clear const clear{floor_};
          if constexpr (Executor::on_device) {
            for_each(executor_, Extent3{nx_, ny_, levels - near},
                     ByLevel{make(aloft), make(clear), near, low, high});
          } else {
            // Rows with a choice in them are not vectorised.
            over(near, low, make(clear));
            over(low, high, make(aloft));
            over(high, levels, make(clear));
          }
        },
        written);
  }

 private:
  Executor executor_;
  std::int32_t nx_, ny_, nz_;
  std::int32_t near_;   ///< levels that the ground or its buildings reach
  std::int32_t floor_;  ///< no stencil of the levels above reaches below this one
};

}  // namespace ulpine::les
