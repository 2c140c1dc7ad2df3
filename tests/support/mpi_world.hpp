// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "core/ranks/ranks.hpp"

/// Of test programs that run on several processes of MPI (ulpine_test(... MPI), mpi_main.cpp).
namespace ulpine::test {

inline constexpr int mpi_ranks = 3;

/// All of them.
std::shared_ptr<Ranks> const& mpi_world();

/// body(ranks) on the first so many of them; all call it.
inline void on_mpi_ranks(int count, std::function<void(std::shared_ptr<Ranks> const&)> const& body) {
  if (mpi_world()->rank() < count) body(mpi_world()->first(count));
}

}  // namespace ulpine::test
