// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/choices.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace ulpine::seaice {
namespace {

constexpr char const* common[] = {Fp64::name, Fp32::name, Mixed::name};

/// The first policy of the run that is none of those; empty where there is none.
std::string uncommon_policy(ModelOptions const& options) {
  auto const is_common = [](std::string const& policy) {
    return std::ranges::find(common, policy) != std::end(common);
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
  bool const atomic = options.assembly == Assembly::atomic;
  std::string const remedy = "use fp64, fp32 or mixed, or ";
  if (parameters.sum_order != SumOrder::gather) {
    std::string const order = parameters.sum_order == SumOrder::rowwise ? "rowwise" : "checkerboard";
    if (atomic) {
      throw case_file.error("seaice.assembly",
                            order +
                                " (atomic assembly adds in order of arrival) use gather, or deterministic "
                                "assembly");
    }
    if (!policy.empty()) {
      throw case_file.error("seaice.assembly",
                            order + " (policy " + policy + " has no such sums) " + remedy + "gather");
    }
    if (setup.mesh.spherical) {
      throw case_file.error("seaice.assembly",
                            order + " (it is not built for spherical coordinates) use gather");
    }
  }
  auto const& law = parameters.rheology;
  if (is_common_only_law(Rheologies{}, law)) {
    auto const other = names_of(Rheologies{}).front();
    if (atomic) {
      throw case_file.error("seaice.rheology", law + " (it is not built with atomic assembly) use " + other +
                                                   ", or deterministic assembly");
    }
    if (!policy.empty()) {
      throw case_file.error("seaice.rheology",
                            law + " (it is not built in policy " + policy + ") " + remedy + other);
    }
    if (parameters.cg != 1) {
      throw case_file.error("seaice.rheology", law + " (it is not built for discretisation.cg = " +
                                                   std::to_string(parameters.cg) + ") use 1 there, or " +
                                                   other);
    }
  }
}

}  // namespace ulpine::seaice
