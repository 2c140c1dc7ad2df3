// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/emulating_host.hpp"
#include "core/poisson/phases.hpp"

namespace ulpine {

/// phases.hpp in emulated formats, EmulatedNumber with EmulatedMultiplicand: by portable transforms, whatever
/// the method, the mean over x and y in double.
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(EmulatingHost host, PoissonGrid const& grid,
                                                      PoissonMethod method);
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(EmulatingHost host, PoissonGrid const& grid,
                                                      PoissonMethod method, PoissonShare const& share,
                                                      std::shared_ptr<Link<EmulatingHost>> link);

}  // namespace ulpine
