// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/solver.hpp"

#include <set>
#include <string>

namespace ulpine::seaice {

void Solver::take_step(std::int64_t step, double end) {
  begin_step(step);
  advect();
  each(&Part::prepare, end);
  // The last sub-step keeps its strain rate: the shear of the output is taken from it.
  auto const fused = fuses_ && !runs_singly() ? p.substeps - 1 : 0;
  if (fused > 0) graph("fused substeps", [&] { take_fused_substeps(fused); });
  // Another solver's stages are no part of a graph.
  if (fused + 1 == p.substeps || substituted_) {
    take_substeps(fused + 1);
  } else {
    graph("substeps", [&] { take_substeps(fused + 1); });
  }
}

/// The first `count` sub-steps, which keep no strain rate.
void Solver::take_fused_substeps(int count) {
  for (int done = 0; done < count;) {
    auto const end = done + group_of(count - done);
    auto next = done;
    for (auto& part : parts_) next += part->take_substeps(end - next);
    for (; next < end; ++next) {
      // Computed are only those cells of the margin that sub-steps before the next exchange need.
      each(&Part::take_substep_at_once, block ? block->halo - (next - done) : 0);
    }
    done = end;
    each(&Part::end_substep, done);
  }
}

/// Sub-steps from `first` on, stage by stage.
void Solver::take_substeps(int first) {
  for (int k = first; k <= p.substeps; ++k) {
    auto const loop = stages_.loop("substep", k);
    each(&Part::take_substep);
    each(&Part::end_substep, k);
  }
}

std::int64_t Solver::other_bytes() const {
  std::int64_t bytes = 0;
  for (auto const& part : parts_) bytes += part->bytes();
  std::set<std::shared_ptr<Solver>> others;
  for (auto const& row : rows_) others.insert(row.other);
  for (auto const& other : others) {
    if (other != nullptr) bytes += other->other_bytes() + other->fields_.memory_bytes();
  }
  return bytes;
}

void Solver::declare(Part* part, stage::Id id, char const* name, char const* doc, double bytes, bool sums) {
  auto const guarantee = sums && assembly == Assembly::atomic ? Guarantee::none : Guarantee::bitwise;
  rows_[id].description = {name, doc, cells_ * bytes, guarantee};
  rows_[id].part = part;
}

void Solver::declare_messages(stage::Id id, char const* name, char const* doc, double bytes) {
  rows_[id].description = {name, doc, bytes, Guarantee::bitwise};
}

stage::Id Solver::find_stage(std::string const& name) const {
  int id = 0;
  while (id < stage::count && rows_[id].description.name != name) ++id;
  return static_cast<stage::Id>(id);
}

void Solver::set_parts(Parts parts, bool are_fused) {
  parts_ = std::move(parts);
  fuses_ = are_fused;
  for (int id = 0; id < stage::count; ++id) {
    auto& row = rows_[id];
    bool const runs = fuses_ || id < stage::first_fused || id >= stage::exchange;
    if (runs && !row.description.name.empty()) row.number = stages_.add(row.description);
  }
}

bool Solver::run_stage(stage::Id id, StageArguments const& arguments) {
  auto& row = rows_[id];
  if (row.other != nullptr) {
    run_elsewhere(*row.other, id, arguments);
  } else if (row.part != nullptr) {
    row.part->compute(id, arguments);
  } else {
    return false;
  }
  return true;
}

void Solver::substitute(stage::Id id, std::shared_ptr<Solver> other) {
  rows_[id].other = std::move(other);
  substituted_ = true;
}

bool run_stage(Solver& solver, Parameters const& parameters, std::string const& stage) {
  auto const id = solver.find_stage(stage);
  if (id == stage::count) return false;
  if (id != stage::advect_update) return solver.run_stage(id, {.time = parameters.dt});
  solver.advect();
  return true;
}

}  // namespace ulpine::seaice
