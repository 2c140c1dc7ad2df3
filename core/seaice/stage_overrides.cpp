// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
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

/// Copies the fields that another solver's stage has written into the solver's own.
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

stage::Id stage_of(Solver const& solver, std::string const& name) {
  auto const found = solver.find_stage(name);
  if (found < stage::first_fused) return found;
  std::vector<std::string> names;
  for (int id = 0; id < stage::first_fused; ++id) names.push_back(solver.name_of(static_cast<stage::Id>(id)));
  throw InputError("no stage '" + name + "' in the sea-ice core" + choices_hint(name, names));
}

/// Stages in one policy share a solver.
template <class Executor>
std::unique_ptr<Solver> overridden(std::unique_ptr<Solver> solver,
                                   std::vector<StageOverride> const& overrides, Executor executor,
                                   Setup const& setup) {
  if (solver == nullptr) return solver;
  std::map<std::string, std::shared_ptr<Solver>> by_policy;
  std::set<stage::Id> replaced;
  for (auto const& [name, policy] : overrides) {
    auto const id = stage_of(*solver, name);
    auto& other = by_policy[policy];
    if (other == nullptr) other = make_solver(executor, policy, Assembly::deterministic, setup);
    if (other == nullptr) {
      throw InputError("stage " + name + " cannot run in '" + policy +
                       "' there (it is no policy of this device) use another policy");
    }
    if (!replaced.insert(id).second) {
      throw InputError("stage " + name + " has two policies (one was meant) leave one out");
    }
    solver->substitute(id, other);
  }
  return solver;
}

}  // namespace

void Solver::run_elsewhere(Solver& other, stage::Id id, StageArguments const& arguments) {
  std::vector<Field const*> writes;
  OutputCopier copier(fields_, writes);
  call(
      number(id),
      [&] {
        for (auto const& field : fields_.all()) {
          if (field->description().role == FieldRole::constant) continue;
          if (auto const* copy = other.fields_.find(field->name())) {
            copy_values(with_halo(field->raw()), with_halo(copy->raw()));
          }
        }
        other.stages_.follow(stages_, &copier);
        other.run_stage(id, arguments);
        other.stages_.observe(nullptr);
      },
      writes);
}

std::unique_ptr<Solver> with_stages(std::unique_ptr<Solver> solver,
                                    std::vector<StageOverride> const& overrides, Host host,
                                    Setup const& setup) {
  return overridden(std::move(solver), overrides, host, setup);
}

#if defined(ULPINE_HAS_CUDA)
std::unique_ptr<Solver> with_stages(std::unique_ptr<Solver> solver,
                                    std::vector<StageOverride> const& overrides, Cuda cuda,
                                    Setup const& setup) {
  return overridden(std::move(solver), overrides, cuda, setup);
}
#endif

}  // namespace ulpine::seaice
