// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "core/seaice/solver.hpp"
#include "io/error.hpp"

namespace ulpine::seaice {

namespace {

/// All of a field's memory where a rank owns a part, since stages compute in its halo, too.
RawField with_halo(RawField field) {
  if (!field.layout.whole()) field.layout = Layout::entities(field.layout.allocated());
  return field;
}

/// Copies the fields that a substitute's stage has written into the solver's own.
class OutputCopier : public StageObserver {
 public:
  OutputCopier(FieldTable const& target, std::vector<Field const*>& writes)
      : target_{target}, writes_{writes} {}
  void stage_done(StagePosition const&, char const*, char const* field, RawField const& values) override {
    auto const& written = target_.at(field);
    copy_values(with_halo(values), with_halo(written.raw()));
    writes_.push_back(&written);
  }

 private:
  FieldTable const& target_;
  std::vector<Field const*>& writes_;
};

class PatchedSolver final : public Solver {
 public:
  PatchedSolver(std::unique_ptr<Solver> main, std::map<stage::Id, std::shared_ptr<Solver>> substitutes)
      : main_{std::move(main)}, substitutes_{std::move(substitutes)} {}

  FieldTable& fields() override { return main_->fields(); }
  StageRunner& stages() override { return main_->stages(); }
  std::int64_t other_bytes() const override {
    auto bytes = main_->other_bytes();
    for (auto const& [id, substitute] : substitutes_) {
      bytes += substitute->other_bytes() + substitute->fields().memory_bytes();
    }
    return bytes;
  }
  void begin_step(std::int64_t step) override { main_->begin_step(step); }
  void state_replaced() override { main_->state_replaced(); }
  void substitute(stage::Id id, std::function<void()> const& work,
                  std::vector<Field const*> const& writes) override {
    main_->substitute(id, work, writes);
  }

  void project_velocity() override { run(stage::advect_velocity, &Solver::project_velocity); }
  void normal_velocity() override { run(stage::advect_normal, &Solver::normal_velocity); }
  void begin_tracer(Tracer tracer) override { main_->begin_tracer(tracer); }
  void transport_in_cells(Tracer tracer) override {
    run(stage::advect_cell, &Solver::transport_in_cells, tracer);
  }
  void transport_through_edges(Tracer tracer) override {
    run(stage::advect_edges, &Solver::transport_through_edges, tracer);
  }
  void update_tracer(Tracer tracer, Fraction keep) override {
    run(stage::advect_update, &Solver::update_tracer, tracer, keep);
  }
  bool fused_advection() override { return false; }
  void limit() override { run(stage::limit, &Solver::limit); }
  void exchange_tracers() override { main_->exchange_tracers(); }
  void average_to_nodes() override { run(stage::nodal, &Solver::average_to_nodes); }
  void force(double time) override { run(stage::forcing, &Solver::force, time); }
  void update_strength() override { run(stage::strength, &Solver::update_strength); }
  void begin_substeps() override { main_->begin_substeps(); }
  void update_strain() override { run(stage::strain, &Solver::update_strain); }
  void update_stress() override { run(stage::stress, &Solver::update_stress); }
  void update_divergence() override { run(stage::divergence, &Solver::update_divergence); }
  void update_velocity() override { run(stage::velocity, &Solver::update_velocity); }
  void stop_at_boundary() override { run(stage::boundary, &Solver::stop_at_boundary); }
  void update_strain_and_stress() override {
    update_strain();
    update_stress();
  }
  void update_divergence_and_velocity() override {
    update_divergence();
    update_velocity();
    stop_at_boundary();
  }
  void exchange_after(int substep) override { main_->exchange_after(substep); }
  void fused_substeps(int count) override {
    for (int k = 1; k <= count; ++k) {
      auto const substeps = stages().loop("substep", k);
      update_strain_and_stress();
      update_divergence_and_velocity();
      exchange_after(k);
    }
  }
  void staged_substeps(int first, int last) override {
    for (int k = first; k <= last; ++k) {
      auto const substeps = stages().loop("substep", k);
      update_strain();
      update_stress();
      update_divergence();
      update_velocity();
      stop_at_boundary();
      exchange_after(k);
    }
  }

 private:
  template <class... Parameters, class... Arguments>
  void run(stage::Id id, void (Solver::*method)(Parameters...), Arguments... arguments) {
    auto const found = substitutes_.find(id);
    if (found == substitutes_.end()) {
      (main_.get()->*method)(arguments...);
      return;
    }
    auto& other = *found->second;
    std::vector<Field const*> writes;
    OutputCopier copier(main_->fields(), writes);
    main_->substitute(
        id,
        [&] {
          for (auto const& field : main_->fields().all()) {
            if (field->description().role == FieldRole::constant) continue;
            if (auto const* copy = other.fields().find(field->name())) {
              copy_values(with_halo(field->raw()), with_halo(copy->raw()));
            }
          }
          other.stages().follow(stages(), &copier);
          (other.*method)(arguments...);
          other.stages().observe(nullptr);
        },
        writes);
  }

  std::unique_ptr<Solver> main_;
  std::map<stage::Id, std::shared_ptr<Solver>> substitutes_;
};

stage::Id stage_of(std::string const& name) {
  std::vector<std::string> names;
  for (auto const& info : stage::list) {
    if (info.id >= stage::first_fused) continue;
    if (name == info.name) return info.id;
    names.emplace_back(info.name);
  }
  throw InputError("no stage '" + name + "' in the sea-ice core" + choices_hint(name, names));
}

/// Solvers by policy, so that stages in one policy share one.
template <class MakePolicy>
std::unique_ptr<Solver> patched(std::unique_ptr<Solver> solver, std::vector<StageOverride> const& overrides,
                                MakePolicy const& make) {
  if (overrides.empty() || solver == nullptr) return solver;
  std::map<std::string, std::shared_ptr<Solver>> by_policy;
  std::map<stage::Id, std::shared_ptr<Solver>> substitutes;
  for (auto const& [name, policy] : overrides) {
    auto const id = stage_of(name);
    auto& substitute = by_policy[policy];
    if (substitute == nullptr) substitute = make(policy);
    if (substitute == nullptr) {
      throw InputError("stage " + name + " cannot run in '" + policy +
                       "' there (it is no policy of this device) use another policy");
    }
    if (!substitutes.emplace(id, substitute).second) {
      throw InputError("stage " + name + " has two policies (one was meant) leave one out");
    }
  }
  return std::make_unique<PatchedSolver>(std::move(solver), std::move(substitutes));
}

}  // namespace

std::unique_ptr<Solver> with_stages(std::unique_ptr<Solver> solver,
                                    std::vector<StageOverride> const& overrides, Host host,
                                    Setup const& setup) {
  return patched(std::move(solver), overrides, [&](std::string const& policy) {
    return make_solver(host, policy, Assembly::deterministic, setup);
  });
}

#if defined(ULPINE_HAS_CUDA)
std::unique_ptr<Solver> with_stages(std::unique_ptr<Solver> solver,
                                    std::vector<StageOverride> const& overrides, Cuda cuda,
                                    Setup const& setup) {
  return patched(std::move(solver), overrides, [&](std::string const& policy) {
    return make_solver(cuda, policy, Assembly::deterministic, setup);
  });
}
#endif

}  // namespace ulpine::seaice
