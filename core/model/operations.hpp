// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/exec/counting_host.hpp"
#include "core/model/core.hpp"
#include "precision/operation_counts.hpp"

/// What the stages of a model compute: operations on floating-point numbers, counted while its kernels run on
/// a case's data on the host. Operations on integers, as of addresses, are not seen.
namespace ulpine {

/// What a stage does in a step, the mean of several.
struct StageOperations {
  std::string stage;    ///< empty: what is between the stages
  double launches = 0;  ///< as StageCost counts them
  double bytes = 0;     ///< counted minimal traffic
  double kernels = 0;   ///< that it runs on the host: many a launch where it solves by iterations
  double points = 0;    ///< of all these kernels, each a thread on a device
  double passes = 1;    ///< bytes that kernels move over the least ones
  ByRoleAndKind<double> operations;
};

struct CountedOperations {
  std::vector<StageOperations> stages;  ///< those that ran, in the order of the model's, the empty one last
  std::int64_t cells = 0;
  std::uint64_t hash = 0;  ///< of the state after the last step: that of a run in fp64
};

/// The operations of `steps` steps of the case, after a first one that is not counted, on `threads` threads,
/// of which no number depends. InputError where the case's core does not count; EnvironmentError where its
/// part that does so is missing (modules.hpp).
CountedOperations count_operations(io::CaseFile const& case_file, std::int64_t steps, int threads = 1);

using CountedFactory = std::function<std::unique_ptr<Core>(io::CaseFile const&, CountingHost)>;
/// Makes known how `core` is made with numbers that count.
void register_counted_core(std::string const& core, CountedFactory factory);

}  // namespace ulpine
