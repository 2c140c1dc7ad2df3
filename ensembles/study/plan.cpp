// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ensembles/runs/noise.hpp"
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
std::string path_of_epsilon(std::string text) {
  std::replace(text.begin(), text.end(), '^', 'p');
  return text;
}

void require_runnable(Configuration const& configuration) {
  if (of_host_alone(configuration.policy) && on_gpu(configuration)) {
    throw InputError("policy '" + configuration.policy + "' cannot run on " + configuration.device +
                     " (no GPU has such numbers) leave it out or run it on cpu");
  }
}

Configuration configuration_of(StudyOptions const& options, PlannedVariant const& variant,
                               std::string const& text) {
  Configuration plain;
  plain.variant = variant.name;
  plain.policy = variant.precision;
  auto configuration = parse_variant(text, plain);
  auto const either = [](int own, int usual) { return own > 0 ? own : usual; };
  configuration.size = either(configuration.variant_threads, options.threads) *
                       either(configuration.variant_ranks, variant.ranks);
  return configuration;
}

/// The configuration that `text` names, what it leaves out taken from `base`; where the study has variants,
/// that of one of them.
Configuration configuration_named(StudyOptions const& options, std::string const& text,
                                  Configuration const& base) {
  if (options.variants.empty()) return parse_configuration(text, base);
  auto const name = text.substr(0, text.find('/'));
  auto const found = std::ranges::find(options.variants, name, &PlannedVariant::name);
  if (found != options.variants.end()) return configuration_of(options, *found, text);
  std::vector<std::string> names;
  for (auto const& variant : options.variants) names.push_back(variant.name);
  throw InputError("unknown variant '" + name + "'" + choices_hint(name, names));
}

/// The unperturbed configurations as asked for, without the reference where it is not among them.
std::vector<Configuration> configurations_of(StudyOptions const& options) {
  require_unique(options.devices, "device");
  std::vector<Configuration> configurations;
  if (!options.configurations.empty()) {
    auto const base = parse_device(options.devices.front());
    for (auto const& text : options.configurations) {
      configurations.push_back(configuration_named(options, text, base));
    }
    return configurations;
  }
  if (!options.variants.empty()) {
    for (auto const& variant : options.variants) {
      configurations.push_back(configuration_of(options, variant, variant.name));
    }
    return configurations;
  }
  require_unique(options.policies, "policy");
  require_unique(options.assemblies, "assembly");
  std::for_each(options.policies.begin(), options.policies.end(), require_policy);
  std::vector<Configuration> devices;
  for (auto const& device : options.devices) devices.push_back(parse_device(device));
  auto const has_host = !std::all_of(devices.begin(), devices.end(), on_gpu);
  for (auto configuration : devices) {
    for (auto const& policy : options.policies) {
      if (of_host_alone(policy) && on_gpu(configuration) && has_host) {
        continue;
      }
      for (auto const& assembly : options.assemblies) {
        configuration.policy = policy;
        configuration.assembly = parse_assembly(assembly);
        configurations.push_back(configuration);
      }
    }
  }
  return configurations;
}

Configuration reference_of(StudyOptions const& options, Configuration const& first) {
  if (!options.variants.empty()) {
    return options.reference.empty() ? first : configuration_named(options, options.reference, first);
  }
  Configuration reference;
  reference.device = first.device;
  reference.size = first.size;
  reference.ranks = first.ranks;
  return options.reference.empty() ? reference : parse_configuration(options.reference, reference);
}

/// Whether two configurations differ in assembly at most.
bool same_but_for_assembly(Configuration const& a, Configuration b) {
  b.assembly = a.assembly;
  return a == b;
}

/// The configurations that get members.
std::vector<Configuration> with_members(StudyOptions const& options, std::vector<Configuration> const& listed,
                                        Configuration const& reference) {
  auto candidates = listed;
  auto const left_out =
      options.members_of_first_assembly && options.reference.empty() && options.members_for.empty();
  if (std::find(listed.begin(), listed.end(), reference) == listed.end() && !left_out) {
    candidates.push_back(reference);
  }
  std::vector<Configuration> chosen;
  auto const choose = [&](Configuration const& candidate, bool first_assembly) {
    if (std::ranges::none_of(chosen, [&](Configuration const& other) {
          return first_assembly ? same_but_for_assembly(candidate, other) : candidate == other;
        })) {
      chosen.push_back(candidate);
    }
  };
  if (options.members_for.empty()) {
    for (auto const& candidate : candidates) choose(candidate, options.members_of_first_assembly);
    return chosen;
  }
  for (auto const& text : options.members_for) {
    auto const names_assembly =
        configuration_named(options, text, {.assembly = Assembly::atomic}).assembly ==
        configuration_named(options, text, {.assembly = Assembly::deterministic}).assembly;
    auto found = false;
    for (auto const& candidate : candidates) {
      if (configuration_named(options, text, candidate) != candidate) {
        continue;  // the text names something that it has not
      }
      found = true;
      choose(candidate, options.members_of_first_assembly && !names_assembly);
    }
    if (!found) {
      std::vector<std::string> names;
      for (auto const& candidate : candidates) names.push_back(to_text(candidate));
      throw InputError(
          fmt::format("members for '{}' cannot be run (it is none of the study's {}) name some of them", text,
                      fmt::join(names, ", ")));
    }
  }
  return chosen;
}

std::vector<Epsilon> epsilons_of(StudyOptions const& options) {
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
  return epsilons;
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

std::vector<std::string> words_of(StudyOptions const& options) {
  StudyOptions const usual;
  std::vector<std::string> words;
  auto const add = [&](char const* option, auto const& value, auto const& usual_value, char const* format) {
    if (value != usual_value) {
      words.insert(words.end(), {option, fmt::format(fmt::runtime(format), value)});
    }
  };
  auto const add_list = [&](char const* option, std::vector<std::string> const& list,
                            std::vector<std::string> const& usual_list) {
    if (list != usual_list) {
      words.insert(words.end(), {option, fmt::format("{}", fmt::join(list, ","))});
    }
  };
  add_list("--configurations", options.configurations, {});
  if (options.configurations.empty()) {
    add_list("--policies", options.policies, usual.policies);
    add_list("--assemblies", options.assemblies, usual.assemblies);
  }
  add_list(options.devices.size() == 1 ? "--device" : "--devices", options.devices, usual.devices);
  add("--reference", options.reference, usual.reference, "{}");
  add_list("--members-for", options.members_for, {});
  add_list("--epsilons", options.epsilons, usual.epsilons);
  add("--members", options.members, usual.members, "{}");
  if (options.control) words.emplace_back("--control");
  add("--seed", options.seed, usual.seed, "{}");
  add("--quad-until", options.quad_until.value_or(0), 0.0, "{} s");
  add("--until", options.until.value_or(0), 0.0, "{} s");
  add_list("--perturb", options.perturb, {});
  add("--threads", options.threads, usual.threads, "{}");
  add("--block", options.block, usual.block, "{}");
  return words;
}

Epsilon parse_epsilon(std::string const& text) {
  auto const value = io::parse_power(text);
  if (!(value > 0) || !std::isfinite(value)) {
    throw InputError("epsilon '" + text +
                     "' is no amplitude of noise (a positive number is needed) write e.g. 2^-23");
  }
  return {text, value};
}

bool is_quad(Configuration const& configuration) {
  return configuration.policy == "quad" && configuration.assembly == Assembly::deterministic &&
         configuration.stages.empty();
}

StudyPlan make_plan(StudyOptions const& options) {
  auto configurations = configurations_of(options);
  auto const reference = reference_of(options, configurations.front());
  if (options.members < 0 || options.members > most_members) {
    throw InputError(
        fmt::format("members = {} (0 to {} are possible) give e.g. 24", options.members, most_members));
  }
  auto const epsilons = epsilons_of(options);
  if (options.threads < 1) {
    throw InputError(
        fmt::format("threads = {} (at least 1 is needed) give a positive number", options.threads));
  }
  auto const members =
      options.members > 0 ? with_members(options, configurations, reference) : std::vector<Configuration>{};
  if (auto const listed = std::find(configurations.begin(), configurations.end(), reference);
      listed != configurations.end()) {
    configurations.erase(listed);
  }
  configurations.insert(configurations.begin(), reference);
  std::for_each(configurations.begin(), configurations.end(), require_runnable);

  auto const one_device =
      std::all_of(configurations.begin(), configurations.end(),
                  [&](Configuration const& other) { return device_text(other) == device_text(reference); });
  auto const name = [&](Configuration const& configuration) {
    return one_device ? policy_text(configuration) : to_text(configuration);
  };
  std::vector<std::string> names;
  for (auto const& configuration : configurations) names.push_back(name(configuration));
  require_unique(names, "configuration");

  StudyPlan plan;
  plan.options = options;
  plan.reference = names.front();
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    PlannedRun run{names[i], std::filesystem::path("runs") / path_text(names[i]), configurations[i]};
    if (std::ranges::find(members, run.configuration) != members.end()) run.ensemble = run.id;
    plan.runs.push_back(std::move(run));
  }
  if (options.control && plan.runs.front().ensemble.empty()) {
    throw InputError(fmt::format(
        "a control ensemble has nothing to be held against (the reference {} gets no members) give it some, "
        "e.g. with --reference {}",
        plan.reference, plan.reference));
  }
  constexpr std::size_t most_perturbed = 200'000;
  auto const perturbed = (members.size() + (options.control ? 1 : 0)) * epsilons.size() *
                         static_cast<std::size_t>(options.members);
  if (perturbed > most_perturbed) {
    throw InputError(fmt::format(
        "--members = {} makes {} perturbed runs ({} amplitudes, {} ensembles; {} runs are the most of a "
        "study) give fewer members, or fewer of the others by --epsilons and --members-for",
        options.members, perturbed, epsilons.size(), members.size() + (options.control ? 1 : 0),
        most_perturbed));
  }
  auto const digits = std::max<int>(2, static_cast<int>(std::to_string(options.members - 1).size()));
  plan.runs.reserve(plan.runs.size() + perturbed + 1);
  auto const add_members = [&](Configuration const& configuration, std::string const& ensemble, Noise noise) {
    auto const folder = std::filesystem::path("members") / path_text(ensemble);
    for (auto const& epsilon : epsilons) {
      auto const seed = seed_of_noise(options.seed, epsilon.value, noise);
      for (int member = 0; member < options.members; ++member) {
        auto const number = fmt::format("m{:0{}}", member, digits);
        plan.runs.push_back({fmt::format("{}/eps={}/{}", ensemble, epsilon.text, number),
                             folder / fmt::format("eps-{}", path_of_epsilon(epsilon.text)) / number,
                             configuration, ensemble, epsilon, member, seed, noise == Noise::control});
      }
    }
  };
  for (auto const& configuration : members) {
    add_members(configuration, name(configuration), Noise::members);
  }
  if (options.control) {
    add_members(reference, control_ensemble, Noise::control);
  }
  if (options.quad_until.value_or(0) > 0 && options.variants.empty() && reference.policy != "quad" &&
      std::none_of(configurations.begin(), configurations.end(), is_quad)) {
    Configuration quad;
    quad.policy = "quad";
    auto const id = one_device ? policy_text(quad) : to_text(quad);
    PlannedRun run{id, std::filesystem::path("runs") / path_text(id), quad};
    run.until = options.quad_until;
    plan.runs.push_back(std::move(run));
  }
  return plan;
}

}  // namespace ulpine::ensembles
