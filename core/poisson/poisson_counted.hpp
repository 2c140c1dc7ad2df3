// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/counting_host.hpp"
#include "core/poisson/phases.hpp"

namespace ulpine {

/// phases.hpp with numbers that count, T CountedCompute and Format Exact: by portable transforms, whatever
/// the method, the mean over x and y in double.
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(CountingHost host, PoissonGrid const& grid,
                                                      PoissonMethod method);
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(CountingHost host, PoissonGrid const& grid,
                                                      PoissonMethod method, PoissonShare const& share,
                                                      std::shared_ptr<Link<CountingHost>> link);

}  // namespace ulpine
