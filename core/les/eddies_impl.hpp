// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "core/les/les.hpp"
#include "core/les/make_impl.hpp"

namespace ulpine::les {

template <class T, class S, class Executor>
std::unique_ptr<Core> make_eddies(Executor executor, Setup const& setup, Blocks const& blocks,
                                  std::shared_ptr<Link<Executor>> const& link,
                                  std::shared_ptr<Ranks> const& team, PoissonSolvers<S> solver) {
  if (setup.built()) {
    return std::make_unique<LargeEddies<T, S, Built, Executor>>(
        setup, executor, blocks, link, team, std::move(solver.phases), std::move(solver.portable));
  }
  return std::make_unique<LargeEddies<T, S, Flat, Executor>>(
      setup, executor, blocks, link, team, std::move(solver.phases), std::move(solver.portable));
}

}  // namespace ulpine::les
