// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/seaice/part.hpp"
#include "core/seaice/solver.hpp"

namespace ulpine::seaice {

/// The stages of a solver: which part runs each, or which other solver in its place.
class StageTable {
 public:
  /// Of a mesh of so many `cells`, in `runner`.
  StageTable(StageRunner& runner, Assembly assembly, std::int64_t cells)
      : runner_{runner}, assembly_{assembly}, cells_{static_cast<double>(cells)} {}

  /// Declares stage `id`, one launch of which moves at least `bytes` a cell: every input read once, every
  /// output written once. `doc` is one plain sentence without a full stop. `part` computes it; null: it does
  /// not run by itself. `sums`: contributions meet, and in atomic assembly the order of arrival decides.
  void declare(Part* part, stage::Id id, char const* doc, double bytes, bool sums = false);
  /// Declares a stage of messages, which moves so many bytes in all.
  void declare_messages(stage::Id id, char const* doc, double bytes);
  /// Adds all that are declared to the runner, those in one pass if a solver `fuses`.
  void number_stages(bool fuses);
  Stage number(stage::Id id) const { return rows_[id].number; }

  /// Has the part of stage `id` compute it; false where it does not run by itself.
  bool compute(stage::Id id, StageArguments const& arguments) const;
  void substitute(stage::Id id, std::shared_ptr<Solver> other);
  Solver* other(stage::Id id) const { return rows_[id].other.get(); }
  /// Whether single stages are another solver's.
  bool substituted() const { return substituted_; }
  /// Whether all stages run one by one: that, or somebody looks at what each writes.
  bool runs_singly() const { return substituted_ || runner_.watched(); }
  std::int64_t bytes_of_others() const;

 private:
  struct Row {
    StageDescription description;
    Part* part = nullptr;
    Stage number = {};
    std::shared_ptr<Solver> other;
  };
  StageRunner& runner_;
  Assembly assembly_;
  double cells_;
  bool substituted_ = false;
  Row rows_[stage::count];
};

/// Runs stage `id` of `other` on the values of `fields`, as a stage of `stages`, and copies what it writes
/// back; `writes` is given the fields of `fields` that it has written.
void run_elsewhere(Solver& other, stage::Id id, StageArguments const& arguments, FieldTable const& fields,
                   StageRunner const& stages, std::vector<Field const*>& writes);

}  // namespace ulpine::seaice
