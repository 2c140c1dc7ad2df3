// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/exec/executor.hpp"
#include "core/field/table.hpp"
#include "core/model/modules.hpp"
#include "core/seaice/setup.hpp"
#include "core/seaice/stages.hpp"
#include "core/stage/override.hpp"
#include "core/stage/runner.hpp"
#include "precision/policy.hpp"

namespace ulpine {
struct EmulatingHost;
}

namespace ulpine::seaice {

/// The fields and stages of a sea-ice model in one policy, assembly and place. What a stage is given does not
/// depend on these, so that a step may take single stages from another solver.
class Solver {
 public:
  virtual ~Solver() = default;

  virtual FieldTable& fields() = 0;
  virtual StageRunner& stages() = 0;
  virtual std::int64_t other_bytes() const = 0;  ///< of memory that is no field
  /// Takes model step number `step` (from 1), which ends at `end` s.
  virtual void take_step(std::int64_t step, double end) = 0;
  virtual void state_replaced() = 0;  ///< what belongs to the last step is none of the state's now
  /// All of the advection of a step.
  virtual void advect() = 0;
  /// Runs a stage on the present fields; false, and nothing done, where none runs by itself.
  virtual bool run_stage(stage::Id id, StageArguments const& arguments) = 0;
  /// Takes stage `id`, none of those in one pass, from `other` from now on.
  virtual void substitute(stage::Id id, std::shared_ptr<Solver> other) = 0;
};

/// Builds the solver of `policy` (a name) and `assembly`; null where there is none of that name or order.
std::unique_ptr<Solver> make_solver(Host host, std::string const& policy, Assembly assembly,
                                    Setup const& setup);
std::unique_ptr<Solver> make_solver(Cuda cuda, std::string const& policy, Assembly assembly,
                                    Setup const& setup);

/// Builds the solver whose arithmetic is emulated in formats of any width; all its stages run one by one.
std::unique_ptr<Solver> make_solver(EmulatingHost host, Setup const& setup);

/// Signatures of the entry point "make" of each part of the core, the second that of "emulated"; null where
/// the part has not what is asked for.
using SolverMaker = std::unique_ptr<Solver>(Host, std::string const&, Assembly, Setup const&);
using EmulatedMaker = std::unique_ptr<Solver>(EmulatingHost, Setup const&);

/// The parts that this program holds itself: a source that CMake writes.
std::span<LinkedPart const> linked_parts();

/// `solver` with single stages in the arithmetic of other policies, each that policy's own kernels, on the
/// values that it stores: so on a device too, where formats are not emulated (those:
/// core/model/emulated.hpp). InputError for unknown stages and policies.
std::unique_ptr<Solver> with_stages(std::unique_ptr<Solver> solver,
                                    std::vector<StageOverride> const& overrides, Host host,
                                    Setup const& setup);
std::unique_ptr<Solver> with_stages(std::unique_ptr<Solver> solver,
                                    std::vector<StageOverride> const& overrides, Cuda cuda,
                                    Setup const& setup);

/// Runs one named stage alone on the present fields, seaice.advect.update with all of the advection: for
/// tests and benchmarks. False where there is no such stage.
bool run_stage(Solver& solver, Parameters const& parameters, std::string const& stage);

}  // namespace ulpine::seaice
