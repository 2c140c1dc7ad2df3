// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/case_setup.hpp"

#include <string>

namespace ulpine::seaice {
namespace {

bool runs_everywhere(std::string const& policy) {
  auto const* const row = find_policy(policy);
  return row == nullptr || row->runs == Runs::everywhere;
}

/// The first policy of the run that rounds operands of products or is of the host alone; empty where there is
/// none.
std::string uncommon_policy(ModelOptions const& options) {
  auto const is_common = [](std::string const& policy) {
    return with_policy(ExactPolicies{}, policy, []<class>() { return true; });
  };
  if (!is_common(options.policy)) return options.policy;
  for (auto const& stage : options.stages) {
    if (!is_common(stage.policy)) return stage.policy;
  }
  return {};
}

}  // namespace

void check_choices(io::CaseFile const& case_file, ModelOptions const& options, Setup const& setup) {
  auto const& parameters = setup.parameters;
  auto const policy = uncommon_policy(options);
  std::string const cg = std::to_string(parameters.cg), dg = std::to_string(parameters.dg);
  auto const refuse = [&](char const* key, std::string const& value, std::string const& why,
                          std::string const& remedy) {
    throw case_file.error(key, value + " (" + why + ") use " + remedy);
  };
  auto const require_common = [&](char const* key, std::string const& value, std::string const& other) {
    if (options.assembly == Assembly::atomic) {
      refuse(key, value, "it is not built with atomic assembly", other + ", or deterministic assembly");
    }
    if (!policy.empty()) {
      refuse(key, value, "it is not built in policy " + policy, "fp64, fp32 or mixed, or " + other);
    }
  };

  if (parameters.sum_order != SumOrder::gather) {
    auto const* const key = "seaice.assembly";
    std::string const order = parameters.sum_order == SumOrder::rowwise ? "rowwise" : "checkerboard";
    require_common(key, order, "gather");
    if (setup.mesh.spherical) refuse(key, order, "it is not built for spherical coordinates", "gather");
  }
  if (setup.convergence && options.ranks > 1 && !runs_everywhere(options.policy)) {
    refuse("output.convergence", "true", options.policy + " has no sums over several ranks",
           "false, one rank or fp64");
  }
  auto const& law = parameters.rheology;
  if (is_common_only_law(Rheologies{}, law)) {
    auto const* const key = "seaice.rheology";
    auto const other = names_of(Rheologies{}).front();
    require_common(key, law, other);
    if (parameters.cg != 1) {
      refuse(key, law, "it is not built for discretisation.cg = " + cg, "1 there, or " + other);
    }
  }
  if (parameters.maps == MapsKind::on_the_fly) {
    auto const* const key = "discretisation.maps";
    std::string const maps = "on_the_fly", other = "auto or precomputed";
    require_common(key, maps, other);
    if (setup.mesh.spherical) refuse(key, maps, "it is not built for spherical coordinates", other);
    if (parameters.dg != (parameters.cg == 1 ? 3 : 6)) {
      refuse(key, maps, "it is built for cG1 with dG3 and cG2 with dG6, not cG" + cg + " with dG" + dg,
             other);
    }
    if (is_common_only_law(Rheologies{}, law)) {
      refuse(key, maps, "it is not built for seaice.rheology = " + law, other);
    }
  }
}

}  // namespace ulpine::seaice
