// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"

#include "benchmarks/fem/routines_impl.hpp"

namespace ulpine::bench {

template void run(Host, Routine, Elements<double> const&);
template void run(Host, Routine, Elements<float> const&);

}  // namespace ulpine::bench
