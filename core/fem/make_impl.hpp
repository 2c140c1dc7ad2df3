// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/finite_elements.hpp"
#include "core/fem/make.hpp"

namespace ulpine::fem {

template <class T, class Executor>
std::unique_ptr<Core> make_of(Executor executor, std::string const& policy, Assembly assembly,
                              Setup const& setup, SetupTimes* times) {
  return std::make_unique<FiniteElements<T, Executor>>(setup, executor, policy.c_str(), assembly, times);
}

}  // namespace ulpine::fem
