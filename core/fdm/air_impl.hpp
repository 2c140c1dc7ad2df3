// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/fdm/make_impl.hpp"

namespace ulpine::fdm {

template <class T, class S, template <class> class Ground, class Executor>
std::unique_ptr<Core> make_air(Executor executor, Parameters const& parameters,
                               std::shared_ptr<Ranks> const& team,
                               typename SplitExplicit<T, S, Ground, Executor>::Evaluate products) {
  return std::make_unique<SplitExplicit<T, S, Ground, Executor>>(parameters, executor, team, products);
}

}  // namespace ulpine::fdm
