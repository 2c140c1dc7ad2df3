// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/finite_elements.hpp"
#include "core/fem/make.hpp"

namespace ulpine::fem {

template <class T, class Executor>
std::unique_ptr<Core> make_of(Executor executor, std::string const& policy, Assembly assembly,
                              Setup const& setup, std::shared_ptr<Ranks> const& team, SetupTimes* times) {
  PartOfCase const part(setup, team.get());
  return std::make_unique<FiniteElements<T, Executor>>(part, executor, policy.c_str(), assembly, team, times);
}

}  // namespace ulpine::fem
