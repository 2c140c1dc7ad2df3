// SPDX-License-Identifier: Apache-2.0
#include "core/model/emulated.hpp"

#include <algorithm>
#include <utility>

#include "precision/format_name.hpp"

namespace ulpine {
namespace {

/// Enters the run's arithmetic wherever code of the core may be called, since the calling thread may have
/// computed in that of another.
class EmulatedCore final : public Core {
 public:
  EmulatedCore(std::unique_ptr<EmulatedRun> run, std::unique_ptr<Core> core)
      : run_{std::move(run)}, core_{std::move(core)} {}

  std::string name() const override { return core_->name(); }
  FieldTable& fields() override { return entered().fields(); }
  StageRunner& stages() override { return core_->stages(); }
  std::int64_t cells() const override { return core_->cells(); }
  std::int64_t other_bytes() const override { return core_->other_bytes(); }
  double fixed_step() const override { return core_->fixed_step(); }
  std::vector<Recurrence> recurrences() const override { return core_->recurrences(); }
  double take_step(std::int64_t step, double time, double latest) override {
    auto const end = entered().take_step(step, time, latest);
    // Values that a restart derives from the state are derived here, in no stage's format or randomness.
    core_->state_replaced();
    return end;
  }
  void state_replaced() override { entered().state_replaced(); }
  void state_perturbed(std::vector<std::string> const& fields) override { entered().state_perturbed(fields); }
  std::vector<IntegralDescription> integrals() const override { return core_->integrals(); }
  std::vector<std::pair<std::string, std::string>> attributes() const override { return core_->attributes(); }

 private:
  Core& entered() {
    run_->enter();
    return *core_;
  }

  std::unique_ptr<EmulatedRun> run_;  ///< outlives the core, which computes in it
  std::unique_ptr<Core> core_;
};

}  // namespace

bool names_format(ModelOptions const& options) {
  auto const is_format = [](StageOverride const& stage) { return parse_format(stage.policy).has_value(); };
  return parse_format(options.policy) || std::ranges::any_of(options.stages, is_format);
}

std::unique_ptr<EmulatedRun> emulated_run(ModelOptions const& options) {
  auto const refuse = [&](std::string const& what, std::string const& why, std::string const& remedy) {
    throw InputError("no run of " + what + " (" + why + ") " + remedy);
  };
  auto const text = options.stages.empty() ? options.policy
                                           : options.policy + " with " + options.stages.front().stage +
                                                 " in " + options.stages.front().policy;
  if (device_ordinal(options.device) >= 0) {
    refuse(text + " on " + options.device, "formats are emulated on the host", "use --device cpu");
  }
  if (options.assembly != Assembly::deterministic) {
    refuse(text + " with atomic assembly", "formats are emulated in deterministic order",
           "use --assembly deterministic");
  }
  auto const everywhere = parse_format(options.policy == Fp64::name ? "e11m52" : options.policy);
  if (!everywhere) {
    refuse(text, "the other stages' policy must be fp64 or a format for that",
           "use --policy fp64, or e8m23 for the format of fp32");
  }
  std::vector<std::pair<std::string, NamedFormat>> stages;
  for (auto const& [stage, policy] : options.stages) {
    auto const format = format_of_policy(policy);
    if (!format) {
      refuse("stage " + stage + " in " + policy, "it has more than the 53 bits that are emulated",
             "use fp64 or a format");
    }
    if (std::ranges::count(options.stages, stage, &StageOverride::stage) > 1) {
      refuse("stage " + stage + " in two formats", "one was meant", "leave one out");
    }
    stages.emplace_back(stage, *format);
  }
  bool const at_random = everywhere->format.rounding == Rounding::stochastic ||
                         std::ranges::any_of(stages, [](auto const& stage) {
                           return stage.second.format.rounding == Rounding::stochastic;
                         });
  if (at_random && options.ranks > 1) {
    refuse(text + " on " + std::to_string(options.ranks) + " ranks",
           "what is rounded at random depends on where a point lies in memory", "use one rank");
  }
  return std::make_unique<EmulatedRun>(*everywhere, stages);
}

std::unique_ptr<Core> emulated_core(std::unique_ptr<EmulatedRun> run, std::unique_ptr<Core> core,
                                    ModelOptions const& options) {
  if (core == nullptr) {
    throw InputError("this case has no run in " + options.policy +
                     " (its discretisation is not emulated) choose another policy");
  }
  auto owned = std::make_unique<EmulatedCore>(std::move(run), std::move(core));
  std::vector<std::string> names;
  for (auto const& description : owned->stages().stages()) names.push_back(description.name);
  for (auto const& [stage, policy] : options.stages) {
    if (std::ranges::find(names, stage) == names.end()) {
      throw InputError("no stage '" + stage + "' in core " + owned->name() + choices_hint(stage, names));
    }
  }
  return owned;
}

}  // namespace ulpine
