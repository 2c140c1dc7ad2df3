// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/assembler.hpp"
#include "core/fem/make.hpp"

namespace ulpine::fem {

/// The core whose state is of type T, with the assembler that is made so. Policies that differ in it share
/// one instantiation (fem.hpp).
template <class T, class Executor>
std::unique_ptr<Core> make_of(Executor executor, AssemblerMaker<T, Executor>* assembler, Assembly assembly,
                              Setup const& setup, std::shared_ptr<Ranks> const& team, SetupTimes* times);

/// The core in policy P.
template <class P, class Executor>
std::unique_ptr<Core> make_in(Executor executor, Assembly assembly, Setup const& setup,
                              std::shared_ptr<Ranks> const& team, SetupTimes* times) {
  return make_of<typename P::State, Executor>(executor, make_assembler<P, Executor>, assembly, setup, team,
                                              times);
}

}  // namespace ulpine::fem
