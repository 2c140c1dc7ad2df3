// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/executor.hpp"
#include "core/field/table.hpp"
#include "core/seaice/part.hpp"
#include "core/seaice/setup.hpp"
#include "core/stage/override.hpp"
#include "core/stage/runner.hpp"
#include "precision/policy.hpp"

namespace ulpine {
struct EmulatingHost;
struct CountingHost;
}  // namespace ulpine

namespace ulpine::seaice {

/// Sea ice in one policy, assembly and place (a Domain): its parts in their order, and a step of them. What a
/// stage is given does not depend on these, so that a step may take single stages from another solver.
class Solver {
 public:
  using Parts = std::vector<std::unique_ptr<Part>>;

  Solver(FieldTable& fields, StageRunner& stages, Assembly assembly, Setup const& setup)
      : p{setup.parameters},
        assembly{assembly},
        block{setup.block},
        fields_{fields},
        stages_{stages},
        cells_{static_cast<double>(setup.mesh.cells())} {}
  Solver(Solver const&) = delete;
  Solver& operator=(Solver const&) = delete;
  virtual ~Solver() = default;

  FieldTable& fields() { return fields_; }
  StageRunner& stages() { return stages_; }
  std::int64_t other_bytes() const;  ///< of memory that is no field
  /// Takes model step number `step` (from 1), which ends at `end` s.
  void take_step(std::int64_t step, double end);
  void state_replaced() { each(&Part::state_replaced); }
  /// All of the advection of a step.
  void advect() { each(&Part::advect); }

  /// Declares stage `id` with its name, one launch of which moves at least `bytes` a cell: every input read
  /// once, every output written once. `doc` is one plain sentence without a full stop. `part` computes it;
  /// null: it does not run by itself. `sums`: contributions meet, and in atomic assembly the order of arrival
  /// decides.
  void declare(Part* part, stage::Id id, char const* name, char const* doc, double bytes, bool sums = false);
  /// Declares a stage of messages, which moves so many bytes in all.
  void declare_messages(stage::Id id, char const* name, char const* doc, double bytes);
  /// The stage of that name, stage::count where there is none.
  stage::Id find_stage(std::string const& name) const;
  std::string const& name_of(stage::Id id) const { return rows_[id].description.name; }
  Stage number(stage::Id id) const { return rows_[id].number; }
  /// Takes the parts, and numbers the stages that they declared: those in one pass where there `are_fused`.
  void set_parts(Parts parts, bool are_fused);

  /// Runs a stage on the present fields; false, and nothing done, where none runs by itself.
  bool run_stage(stage::Id id, StageArguments const& arguments = {});
  /// Takes stage `id`, none of those in one pass, from `other` from now on.
  void substitute(stage::Id id, std::shared_ptr<Solver> other);
  /// Whether all stages run one by one: somebody looks at what each writes, or some are another solver's.
  bool runs_singly() const { return substituted_ || stages_.watched(); }
  /// How many of the next `substeps` sub-steps come before an exchange of halos.
  int group_of(int substeps) const { return block ? std::min(substeps, block->halo) : substeps; }

  Parameters const p;
  Assembly const assembly;
  std::shared_ptr<Block const> const block;  ///< null on one rank

 protected:
  // As a StageRunner has them, on the executor.
  virtual void begin_step(std::int64_t step) = 0;
  virtual void graph(char const* name, std::function<void()> const& sequence) = 0;
  virtual void call(Stage stage, std::function<void()> const& work,
                    std::vector<Field const*> const& writes) = 0;

 private:
  struct Row {
    StageDescription description;
    Part* part = nullptr;
    Stage number = {};
    std::shared_ptr<Solver> other;
  };

  /// Calls a function of all parts, in their order.
  template <class... Of, class... Given>
  void each(void (Part::*function)(Of...), Given const&... given) {
    for (auto& part : parts_) (*part.*function)(given...);
  }
  void take_fused_substeps(int count);
  void take_substeps(int first);
  /// Runs stage `id` of `other` on this solver's values.
  void run_elsewhere(Solver& other, stage::Id id, StageArguments const& arguments);

  FieldTable& fields_;
  StageRunner& stages_;
  double cells_;
  bool fuses_ = false, substituted_ = false;
  Row rows_[stage::count];
  Parts parts_;
};

/// Builds the solver of `policy` (a name) and `assembly`; null where there is none of that name or order.
std::unique_ptr<Solver> make_solver(Host host, std::string const& policy, Assembly assembly,
                                    Setup const& setup);
std::unique_ptr<Solver> make_solver(Cuda cuda, std::string const& policy, Assembly assembly,
                                    Setup const& setup);

/// Builds the solver whose arithmetic is emulated in formats of any width; all its stages run one by one.
std::unique_ptr<Solver> make_solver(EmulatingHost host, Setup const& setup);
/// Builds the solver with numbers that count (core/model/operations.hpp); all its stages run one by one.
std::unique_ptr<Solver> make_solver(CountingHost host, Setup const& setup);

/// Signatures of the entry point "make" of each part of the core, the second that of "emulated", the third
/// that of "counted", and of "make_on_device" of a policy that is compiled on demand; null where the part has
/// not what is asked for.
using SolverMaker = std::unique_ptr<Solver>(Host, std::string const&, Assembly, Setup const&);
using DeviceMaker = std::unique_ptr<Solver>(Cuda, std::string const&, Assembly, Setup const&);
using EmulatedMaker = std::unique_ptr<Solver>(EmulatingHost, Setup const&);
using CountedMaker = std::unique_ptr<Solver>(CountingHost, Setup const&);

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
