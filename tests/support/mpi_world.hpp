// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <memory>

#include "core/ranks/ranks.hpp"

/// Of test programs that run on several processes of MPI (ulpine_test(... MPI), mpi_main.cpp).
namespace ulpine::test {

inline constexpr int mpi_ranks = 3;

/// All of them.
std::shared_ptr<Ranks> const& mpi_world();

/// body(ranks) on the first so many of them; all call it. What it throws is a failure after which they go on
/// together.
inline void on_mpi_ranks(int count, std::function<void(std::shared_ptr<Ranks> const&)> const& body) {
  if (mpi_world()->rank() >= count) return;
  try {
    body(mpi_world()->first(count));
  } catch (std::exception const& error) {
    ADD_FAILURE() << error.what();
  }
}

}  // namespace ulpine::test
