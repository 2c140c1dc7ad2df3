// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
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

enum class Tracer { concentration, height };

struct Fraction {
  int numerator, denominator;
};
/// Strong-stability-preserving Runge-Kutta steps in Shu-Osher form, [order - 1][stage]: a stage keeps this
/// part of the values before the step.
inline constexpr Fraction kept_before[3][3] = {
    {{0, 1}, {0, 1}, {0, 1}}, {{0, 1}, {1, 2}, {0, 1}}, {{0, 1}, {3, 4}, {1, 3}}};

/// The fields and stages of a sea-ice model in one policy, assembly and place. What a stage is given does not
/// depend on these, so that a step may take single stages from another solver.
class Solver {
 public:
  virtual ~Solver() = default;

  virtual FieldTable& fields() = 0;
  virtual StageRunner& stages() = 0;
  virtual std::int64_t other_bytes() const = 0;  ///< of memory that is no field
  virtual void begin_step(std::int64_t step) = 0;
  virtual void state_replaced() = 0;  ///< what belongs to the last step is none of the state's now
  /// Runs `work`, which fills `writes`, as stage `id`.
  virtual void substitute(stage::Id id, std::function<void()> const& work,
                          std::vector<Field const*> const& writes) = 0;

  virtual void project_velocity() = 0;
  virtual void normal_velocity() = 0;
  virtual void begin_tracer(Tracer tracer) = 0;
  virtual void transport_in_cells(Tracer tracer) = 0;
  virtual void transport_through_edges(Tracer tracer) = 0;
  /// out = keep * before + (1 - keep) * (stage + dt L(stage)).
  virtual void update_tracer(Tracer tracer, Fraction keep) = 0;
  /// All of the advection in one pass a stage; false, and nothing done, where only single stages run.
  virtual bool fused_advection() = 0;
  virtual void limit() = 0;
  /// On several ranks; what an exchange has to do with the step is in block.hpp.
  virtual void exchange_tracers() = 0;
  virtual void average_to_nodes() = 0;
  virtual void force(double time) = 0;
  virtual void update_strength() = 0;
  virtual void begin_substeps() = 0;
  virtual void update_strain() = 0;
  virtual void update_stress() = 0;
  virtual void update_divergence() = 0;
  virtual void update_velocity() = 0;
  virtual void stop_at_boundary() = 0;
  virtual void update_strain_and_stress() = 0;
  /// Divergence, velocity and boundary; in one pass in deterministic assembly.
  virtual void update_divergence_and_velocity() = 0;
  /// Velocity and stress, where that is due after sub-step number `substep` of a step.
  virtual void exchange_after(int substep) = 0;
  /// `count` sub-steps, from the first, that keep no strain rate, on a device as one graph.
  virtual void fused_substeps(int count) = 0;
  /// Sub-steps `first` to `last` stage by stage, on a device as one graph where that can be observed.
  virtual void staged_substeps(int first, int last) = 0;
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

/// Takes model step number `step` (from 1), which ends at `end` s.
void take_step(Solver& solver, Parameters const& parameters, std::int64_t step, double end);
/// Runs one named stage alone on the present fields, seaice.advect.update with all of the advection: for
/// tests and benchmarks. False where there is no such stage.
bool run_stage(Solver& solver, Parameters const& parameters, std::string const& stage);

}  // namespace ulpine::seaice
