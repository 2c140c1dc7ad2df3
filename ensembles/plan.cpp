// SPDX-License-Identifier: Apache-2.0
#include "ensembles/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

void require_unique(std::vector<std::string> const& names, char const* what) {
  if (names.empty()) {
    throw InputError(fmt::format("no {} given (a study needs at least one) name one", what));
  }
  auto sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (auto const twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw InputError(fmt::format("{} '{}' is given twice (its runs would overwrite each other) name it once",
                                 what, *twice));
  }
}

/// "2^-23" as part of a file name: "2p-23".
std::string path_text(std::string text) {
  std::replace(text.begin(), text.end(), '^', 'p');
  return text;
}

PlannedRun unperturbed(std::string const& policy, Assembly assembly) {
  return {fmt::format("{}/{}", policy, name_of(assembly)),
          std::filesystem::path("runs") / fmt::format("{}-{}", policy, name_of(assembly)), policy, assembly};
}

PlannedRun perturbed(std::string const& policy, Assembly assembly, Epsilon const& epsilon, int member,
                     int digits) {
  auto const number = fmt::format("m{:0{}}", member, digits);
  return {fmt::format("{}/{}/eps={}/{}", policy, name_of(assembly), epsilon.text, number),
          std::filesystem::path("members") / fmt::format("{}-{}", policy, name_of(assembly)) /
              fmt::format("eps-{}", path_text(epsilon.text)) / number,
          policy,
          assembly,
          epsilon,
          member};
}

}  // namespace

Share parse_share(std::string const& text) {
  Share share;
  auto const* const end = text.data() + text.size();
  auto const [slash, error] = std::from_chars(text.data(), end, share.index);
  if (error == std::errc{} && slash != end && *slash == '/') {
    auto const [rest, second] = std::from_chars(slash + 1, end, share.count);
    if (second == std::errc{} && rest == end && share.index >= 0 && share.index < share.count) {
      return share;
    }
  }
  throw InputError("share '" + text + "' is none (I/N with 0 <= I < N is needed) write e.g. 0/24");
}

Assembly parse_assembly(std::string const& name) {
  for (auto const assembly : {Assembly::atomic, Assembly::deterministic}) {
    if (name == name_of(assembly)) {
      return assembly;
    }
  }
  throw InputError("unknown assembly '" + name + "'" + choices_hint(name, {"deterministic", "atomic"}));
}

void require_policy(std::string const& name) {
  std::vector<std::string> known;
  for (auto const* policy = policy_names(); *policy != nullptr; ++policy) known.emplace_back(*policy);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw InputError("unknown policy '" + name + "'" + choices_hint(name, known));
  }
}

Epsilon parse_epsilon(std::string const& text) {
  auto const value = io::parse_power(text);
  if (!(value > 0) || !std::isfinite(value)) {
    throw InputError("epsilon '" + text +
                     "' is no amplitude of noise (a positive number is needed) write e.g. 2^-23");
  }
  return {text, value};
}

StudyPlan make_plan(StudyOptions const& options) {
  require_unique(options.policies, "policy");
  require_unique(options.assemblies, "assembly");
  std::for_each(options.policies.begin(), options.policies.end(), require_policy);
  if (options.device != "cpu" &&
      std::find(options.policies.begin(), options.policies.end(), "quad") != options.policies.end()) {
    throw InputError("policy 'quad' cannot run on " + options.device +
                     " (no GPU has such numbers) leave it out or use --device cpu");
  }
  if (options.members < 1 || options.members > most_members) {
    throw InputError(
        fmt::format("members = {} (1 to {} are possible) give e.g. 24", options.members, most_members));
  }
  std::vector<Epsilon> epsilons;
  require_unique(options.epsilons, "epsilon");
  for (auto const& text : options.epsilons) {
    auto const epsilon = parse_epsilon(text);
    for (auto const& other : epsilons) {
      if (other.value == epsilon.value) {
        throw InputError(
            fmt::format("epsilons '{}' and '{}' are the same number (their members would be equal) name one",
                        other.text, text));
      }
    }
    epsilons.push_back(epsilon);
  }
  if (options.threads < 1) {
    throw InputError(
        fmt::format("threads = {} (at least 1 is needed) give a positive number", options.threads));
  }

  StudyPlan plan;
  plan.options = options;
  plan.runs.push_back(unperturbed("fp64", Assembly::deterministic));
  for (auto const& policy : options.policies) {
    for (auto const& assembly : options.assemblies) {
      auto run = unperturbed(policy, parse_assembly(assembly));
      if (run.id != plan.reference) {
        plan.runs.push_back(std::move(run));
      }
    }
  }
  auto const assembly = parse_assembly(options.assemblies.front());
  auto const digits = std::max<int>(2, static_cast<int>(std::to_string(options.members - 1).size()));
  plan.runs.reserve(plan.runs.size() +
                    options.policies.size() * epsilons.size() * static_cast<std::size_t>(options.members));
  for (auto const& policy : options.policies) {
    for (auto const& epsilon : epsilons) {
      for (int member = 0; member < options.members; ++member) {
        plan.runs.push_back(perturbed(policy, assembly, epsilon, member, digits));
      }
    }
  }
  return plan;
}

}  // namespace ulpine::ensembles
