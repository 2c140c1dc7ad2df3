// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/exec/executor.hpp"
#include "core/fem/setup.hpp"
#include "core/fem/setup_times.hpp"
#include "core/model/core.hpp"

namespace ulpine {
struct EmulatingHost;
}

namespace ulpine::fem {

/// The core in the policy of that name, this one's part of it where `team` are several; null where the
/// executor has none of it. `times`, where given, gets what the time went into. InputError for what several
/// ranks do not do: policy quad, whose sums are not exact, and PETSc where they are no processes of MPI.
std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team = {}, SetupTimes* times = nullptr);
std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team = {}, SetupTimes* times = nullptr);

/// The core in emulated formats (core/model/emulated.hpp), by our own solvers.
std::unique_ptr<Core> make(EmulatingHost host, Setup const& setup, std::shared_ptr<Ranks> const& team = {});

/// Signatures of the entry points "make" of the part "emulated", and "model" of a policy of the host alone.
using EmulatedMaker = std::unique_ptr<Core>(EmulatingHost, Setup const&, std::shared_ptr<Ranks> const&);
using ModelMaker = std::unique_ptr<Core>(Host, std::string const&, Assembly, Setup const&,
                                         std::shared_ptr<Ranks> const&, SetupTimes*);

/// The core whose state is of type T.
template <class T, class Executor>
std::unique_ptr<Core> make_of(Executor executor, std::string const& policy, Assembly assembly,
                              Setup const& setup, std::shared_ptr<Ranks> const& team, SetupTimes* times);

}  // namespace ulpine::fem
