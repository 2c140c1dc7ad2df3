// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/les/setup.hpp"
#include "core/stage/runner.hpp"

namespace ulpine::les {

/// Runs kernels of a kind of ground, with `Aloft` where neither walls nor the lid are near.
template <class Executor>
class ByHeight {
 public:
  ByHeight(Executor executor, Setup const& setup)
      : executor_{executor},
        nx_{setup.parameters.nx},
        ny_{setup.parameters.ny},
        aloft_{std::min(setup.tallest() + farthest, setup.parameters.nz)},
        aloft_end_{std::max(aloft_, setup.parameters.nz - farthest)} {}

  /// Over the first `levels` levels the kernel that make(ground) gives.
  template <class Ground, class Make>
  void operator()(StageRunner& stages, Stage stage, Ground ground, std::int32_t levels, Make const& make,
                  Field const& written) const {
    stages.call(stage, executor_,
                [&] {
                  for_each(executor_, Extent3{nx_, ny_, levels - (aloft_end_ - aloft_)},
                           Skipping{make(ground), aloft_, aloft_end_ - aloft_});
                  for_each(executor_, Extent3{nx_, ny_, aloft_end_ - aloft_}, From{make(Aloft{}), aloft_});
                },
                {&written});
  }

 private:
  Executor executor_;
  std::int32_t nx_, ny_;
  /// Levels from `aloft_` to before `aloft_end_` are `Aloft`.
  std::int32_t aloft_, aloft_end_;
};

}  // namespace ulpine::les
